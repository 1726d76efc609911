"""The fairest maximum flow: who carried which arm, so that equals carry the same and the least heard are heard best.

First the ratios of what types carry to their shares, which are unique (`lexicographic`); then, on the links that flows
with those ratios can use at all, the one nearest to claims in proportion to the policy (`proportional_fitting`).
"""

from libc.math cimport fabs
from libc.stdint cimport uint64_t
from libc.string cimport memcpy, memset

import numpy as np

from numpy cimport NPY_BOOL, PyArray_DATA, ndarray

from isegoria.utils import tolerances
from isegoria.errors import CertificationError
from isegoria.solvers.rows.arena cimport Arena, carve, carve_zeros, check_arena, close_arena, doubles, flags, open_arena
from isegoria.solvers.rows.arrays cimport frozen, reals, vector
from isegoria.solvers.flow.lexicographic cimport Blocks, open_blocks, part, part_uneven
from isegoria.solvers.flow.push_relabel cimport check_flow
from isegoria.solvers.flow.network cimport Network, amounts, network_of, units, whole
from isegoria.solvers.flow.network import on_links
from isegoria.solvers.flow.proportional_fitting cimport fit

cdef double CLOSED_FORM = tolerances.FLOW_RESIDUAL
cdef units NOTHING = whole(tolerances.FLOW_NEGLIGIBLE)


def fair_flow(group, ndarray type_shares, ndarray policy):
    """Return the fairest maximum flow: (ratios (m,), y (m, K), neglected types (m,), wanted arms (K,), closed form).

    `ratios` are lexicographically max–min among all maximum flows, in [0, 1]; the neglected types are those below 1,
    and `wanted arms` are all their favourites. `y` is the closed form s_τ p_k 1{k ∈ F_τ} / d_τ, d the decision shares,
    where its columns match the policy to 1e-12 in total, as at every optimum of the decision-share Nash welfare. The
    `group` of types is a boolean array (m, K), a sparse table (then `y` is sparse too), or a `Network` of either.

    >>> rows = np.array([[True, False], [False, True]])
    >>> ratios, y, types, arms, closed = fair_flow(rows, np.array([2 / 3, 1 / 3]), np.array([0.5, 0.5]))
    >>> ratios.tolist(), types.tolist(), arms.tolist(), closed
    ([0.75, 1.0], [True, False], [True, False], False)
    """
    cdef Network network = network_of(group)
    cdef Py_ssize_t t, k
    cdef ndarray types = vector(network.types, NPY_BOOL), arms = vector(network.arms, NPY_BOOL)
    cdef ndarray ratios = vector(network.types), y = vector(network.edges)
    cdef unsigned char *unheard = <unsigned char *> PyArray_DATA(types)
    cdef unsigned char *wanted = <unsigned char *> PyArray_DATA(arms)
    cdef double *carried = <double *> PyArray_DATA(y)
    cdef Blocks blocks
    cdef Arena arena
    open_arena(&arena)
    try:
        open_blocks(&blocks, network, reals(type_shares), reals(policy), <double *> PyArray_DATA(ratios), &arena)
        closed = _closed_form(network, &blocks, carried, &arena)
        if not closed:
            part(network, &blocks)  # the neglected, and what they want, from block 0
            blocks.is_open[0] = 0
            while part_uneven(network, &blocks):
                pass
            check_flow(network)
            _attribute(network, &blocks, carried, &arena)
    finally:
        close_arena(&arena)
    for t in range(network.types):
        unheard[t] = network.type_block[t] != 0
    for k in range(network.arms):
        wanted[k] = network.arm_block[k] != 0
    return frozen(ratios), on_links(network.rows, y), frozen(types), frozen(arms), closed


cdef bint _closed_form(Network network, const Blocks *blocks, double *y, Arena *arena) except -1:
    """Fill y (edges,) with the closed form and say whether it adds up to the policy."""
    cdef Py_ssize_t t, k, n = network.arms
    cdef int e
    cdef double claimed, decision_share, off = 0.0
    cdef const double *policy = blocks.policy
    cdef double *unclaimed = doubles(arena, n)
    check_arena(arena)
    memcpy(unclaimed, policy, n * sizeof(double))
    for t in range(network.types):
        decision_share = 0.0
        for e in range(network.first[t], network.first[t + 1]):
            decision_share += policy[network.arm[e]]
        if decision_share == 0.0:
            off = 1.0
            break
        for e in range(network.first[t], network.first[t + 1]):
            claimed = blocks.shares[t] * (policy[network.arm[e]] / decision_share)
            y[e] = claimed
            unclaimed[network.arm[e]] -= claimed
    for k in range(n):
        off += fabs(unclaimed[k])
    return off <= CLOSED_FORM


cdef struct Links:          # which links some flow with the ratios found can use
    Py_ssize_t words        # of 64 arms
    uint64_t *reach         # (arms, words) one bit set for each arm: where what it takes can be moved on to
    uint64_t *own           # (words,) the arms of a type
    units *room             # (arms,) what a flow leaves of each
    unsigned char *tight    # (arms,) whether every flow uses all of it
    unsigned char *kept     # (edges,) whether some flow uses the link


cdef int _attribute(Network network, Blocks *blocks, double *y, Arena *arena) except -1:
    """Fill y with the attribution that has the ratios found and is nearest to claims in proportion to the policy."""
    cdef double *mass = doubles(arena, network.types)
    cdef double overspent
    cdef Links links
    cdef Py_ssize_t t, n = network.arms
    links.words = (n + 63) // 64
    links.reach = <uint64_t *> carve_zeros(arena, n * links.words, sizeof(uint64_t))
    links.own = <uint64_t *> carve(arena, links.words, sizeof(uint64_t))
    links.room, links.tight = amounts(arena, n), flags(arena, n)
    links.kept = <unsigned char *> carve_zeros(arena, network.edges, 1)
    check_arena(arena)
    for t in range(network.types):
        mass[t] = blocks.ratio[t] * blocks.shares[t]
    _reach(network, blocks, &links)
    _spare(network, blocks, &links)
    _usable_links(network, blocks, &links)
    overspent = fit(network, links.kept, mass, blocks.policy, links.tight, y)
    if overspent > CLOSED_FORM:
        raise CertificationError(
            f"the attribution is not settled: an arm is overspent by {overspent:.3g}, more than {CLOSED_FORM:.3g}."
            " A policy whose entries differ by many orders of magnitude causes this; rounding it to 12 decimals helps."
        )
    return 0


cdef inline bint _is_within_block(Network network, int e) noexcept nogil:
    """Whether a link lies inside one block."""
    return network.arm_block[network.arm[e]] == network.type_block[network.owner[e]]


cdef inline bint _can_reach(const Links *links, Py_ssize_t k, Py_ssize_t j) noexcept nogil:
    """Whether something taken by arm k can be moved on to arm j, in any number of steps (or none)."""
    return j == k or links.reach[k * links.words + j // 64] >> (j % 64) & 1


cdef void _reach(Network network, const Blocks *blocks, Links *links) noexcept nogil:
    """Fill `reach`: one step, where an arm's taker has another favourite, then all steps, by Warshall's closure."""
    cdef Py_ssize_t words = links.words, t, k, j, word
    cdef uint64_t anything
    cdef int e
    for t in range(network.types):
        memset(links.own, 0, words * sizeof(uint64_t))
        for e in range(network.first[t], network.first[t + 1]):
            if _is_within_block(network, e):
                links.own[network.arm[e] // 64] |= (<uint64_t> 1) << (network.arm[e] % 64)
        for e in range(network.first[t], network.first[t + 1]):
            if blocks.flow[e] > NOTHING and _is_within_block(network, e):
                for word in range(words):
                    links.reach[network.arm[e] * words + word] |= links.own[word]
    for j in range(network.arms):
        anything = 0
        for word in range(words):
            anything |= links.reach[j * words + word]
        if anything == 0:  # nobody takes from it: it hands nothing on
            continue
        for k in range(network.arms):
            if _can_reach(links, k, j):
                for word in range(words):
                    links.reach[k * words + word] |= links.reach[j * words + word]


cdef void _spare(Network network, const Blocks *blocks, Links *links) noexcept nogil:
    """Fill `tight`: no room left on an arm, nor where its takers could move. Only block 0 has room."""
    cdef Py_ssize_t k, j
    cdef int e
    for k in range(network.arms):
        links.room[k] = whole(blocks.policy[k]) if network.arm_block[k] == 0 else 0
    for e in range(network.edges):
        if network.arm_block[network.arm[e]] == 0 and _is_within_block(network, e):
            links.room[network.arm[e]] -= blocks.flow[e]
    for k in range(network.arms):
        links.tight[k] = 1
        for j in range(network.arms):
            if links.room[j] > NOTHING and _can_reach(links, k, j):
                links.tight[k] = 0


cdef void _usable_links(Network network, const Blocks *blocks, Links *links) noexcept nogil:
    """Fill `kept`: a link (τ, k) can carry something exactly when the arm k can hand on what it gets, to room left on
    an arm, or round to τ through arms whose takers can move."""
    cdef Py_ssize_t t, k
    cdef int e, g
    cdef bint any_kept
    for t in range(network.types):
        any_kept = False
        for e in range(network.first[t], network.first[t + 1]):
            if not _is_within_block(network, e):
                continue
            k = network.arm[e]
            links.kept[e] = not links.tight[k]
            for g in range(network.first[t], network.first[t + 1]):
                if links.kept[e]:
                    break
                links.kept[e] = blocks.flow[g] > NOTHING and _can_reach(links, k, network.arm[g])
            any_kept |= links.kept[e]
        if not any_kept:  # a share lost to rounding: its links do no harm
            for e in range(network.first[t], network.first[t + 1]):
                links.kept[e] = _is_within_block(network, e)
