"""The fairest maximum flow: who carried which arm, so that equals carry the same and the least heard are heard best.

Among the maximum flows from types to arms, the one whose sorted ratios (what a type carries over its share) are
lexicographically largest; its ratios are unique (`parting`). Among the flows with those ratios, the one nearest to
claims in proportion to the policy (`claims`), on the links that such flows can use at all.
"""

from libc.math cimport fabs
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy, memset

import numpy as np

from numpy cimport NPY_BOOL, PyArray_DATA, PyArray_DIM, ndarray

from isegoria import tolerances
from isegoria.errors import CertificationError
from isegoria.rows.arrays cimport counts, frozen, reals, table, vector
from isegoria.solvers.flow.proportional_fitting cimport fit
from isegoria.solvers.flow.dinic cimport Network, units, whole
from isegoria.solvers.flow.lexicographic cimport Parting

cdef double CLOSED_FORM = tolerances.FLOW
cdef units NOTHING = whole(tolerances.FLOW_NOTHING)


def fair_flow(ndarray type_rows, ndarray type_shares, ndarray policy):
    """The fairest maximum flow: (ratios (m,), y (m, K), neglected types (m,), wanted arms (K,), closed form).

    `ratios` are lexicographically max–min among all maximum flows, in [0, 1]; the neglected types are those below 1,
    and `wanted arms` are all their favourites. Of the `y` with these ratios it is the one nearest to claims in
    proportion to the policy (see `claims`): the closed form s_τ p_k 1{k ∈ F_τ} / d_τ, d the decision shares, where its
    columns match the policy to 1e-12 in total, as at every optimum of the decision-share Nash welfare.

    >>> rows = np.array([[True, False], [False, True]])
    >>> ratios, y, types, arms, closed = fair_flow(rows, np.array([2 / 3, 1 / 3]), np.array([0.5, 0.5]))
    >>> ratios.tolist(), types.tolist(), arms.tolist(), closed
    ([0.75, 1.0], [True, False], [True, False], False)
    """
    cdef Network network = Network(type_rows)
    cdef Py_ssize_t t, k
    cdef ndarray types = vector(network.types, NPY_BOOL), arms = vector(network.arms, NPY_BOOL)
    cdef ndarray ratios = vector(network.types), y = table(network.types, network.arms)
    cdef unsigned char *unheard = <unsigned char *> PyArray_DATA(types)
    cdef unsigned char *wanted = <unsigned char *> PyArray_DATA(arms)
    cdef double *ratio = <double *> PyArray_DATA(ratios)
    cdef Parting parting = Parting(network, type_shares, policy, ratios)
    memset(unheard, 0, network.types)
    memset(wanted, 0, network.arms)
    memset(PyArray_DATA(y), 0, network.types * network.arms * sizeof(double))
    for t in range(network.types):
        ratio[t] = 1.0
    if _closed_form(parting, <double *> PyArray_DATA(y)):
        return frozen(ratios), frozen(y), frozen(types), frozen(arms), True
    parting.part_neglected()
    for t in range(network.types):
        unheard[t] = network.type_block[t] == 1
    for k in range(network.arms):
        wanted[k] = network.arm_block[k] == 1
    while parting.part_uneven():
        pass
    _attribute(network, parting, <double *> PyArray_DATA(y))
    return frozen(ratios), frozen(y), frozen(types), frozen(arms), False


def split(ndarray by_type, ndarray type_weights, ndarray member, ndarray weights=None):
    """(N, K) the rows of `by_type` (m, K) handed down to the members of each type, by their weight, or evenly.

    >>> split(np.array([[0.75, 0.0]]), np.array([3]), np.array([0, 0]), np.array([1, 2])).tolist()
    [[0.25, 0.0], [0.5, 0.0]]
    """
    cdef const double *carried = reals(by_type, 2)
    cdef const int64_t *type_weight = counts(type_weights)
    cdef const int64_t *of = counts(member)
    cdef const int64_t *weight = NULL if weights is None else counts(weights)
    cdef Py_ssize_t i, k, n = PyArray_DIM(member, 0), arms = PyArray_DIM(by_type, 1)
    cdef ndarray y = table(n, arms)
    cdef double *own = <double *> PyArray_DATA(y)
    cdef const double *row
    cdef double part
    for i in range(n):
        part = <double> (weight[i] if weight != NULL else 1) / <double> type_weight[of[i]]
        row = carried + of[i] * arms
        for k in range(arms):
            own[k] = part * row[k]
        own += arms
    return frozen(y)


cdef bint _closed_form(Parting parting, double *y) noexcept:
    """Fill y (m, K) with the closed form and say whether it adds up to the policy; leave y empty if not."""
    cdef Network network = parting.network
    cdef Py_ssize_t t, k, n = network.arms
    cdef int e
    cdef double claimed, decision_share, off = 0.0
    cdef double *unclaimed = parting.block_policy  # not in use yet, and long enough
    cdef const double *policy = parting.policy
    memcpy(unclaimed, policy, n * sizeof(double))
    for t in range(network.types):
        decision_share = 0.0
        for e in range(network.first[t], network.first[t + 1]):
            decision_share += policy[network.arm[e]]
        if decision_share == 0.0:
            off = 1.0
            break
        for e in range(network.first[t], network.first[t + 1]):
            claimed = parting.shares[t] * (policy[network.arm[e]] / decision_share)
            y[t * n + network.arm[e]] = claimed
            unclaimed[network.arm[e]] -= claimed
    for k in range(n):
        off += fabs(unclaimed[k])
    if off > CLOSED_FORM:
        memset(y, 0, network.types * n * sizeof(double))
    return off <= CLOSED_FORM


cdef _attribute(Network network, Parting parting, double *y):
    """Fill y with the attribution that has the ratios found and is nearest to claims in proportion to the policy."""
    cdef Py_ssize_t t
    cdef int e
    for t in range(network.types):
        parting.mass[t] = parting.ratio[t] * parting.shares[t]
    _reach(network, parting)
    _spare(network, parting)
    _usable_links(network, parting)
    cdef double overspent = fit(
        network.types, network.arms, network.first, network.arm, parting.kept, parting.mass, parting.policy,
        parting.tight, parting.link,
    )
    if overspent > CLOSED_FORM:
        raise CertificationError(
            f"the attribution is not settled: an arm is overspent by {overspent:.3g}, more than {CLOSED_FORM:.3g}."
            " A policy whose entries differ by many orders of magnitude causes this; rounding it to 12 decimals helps."
        )
    for e in range(network.edges):
        y[network.owner[e] * network.arms + network.arm[e]] = parting.link[e]


cdef inline bint _linked(Network network, int e) noexcept nogil:
    """Whether a link lies inside one block."""
    return network.arm_block[network.arm[e]] == network.type_block[network.owner[e]]


cdef inline bint _can_reach(Parting parting, Py_ssize_t k, Py_ssize_t j) noexcept nogil:
    """Whether something taken by arm k can be moved on to arm j, in any number of steps (or none)."""
    return j == k or parting.reach[k * parting.words + j // 64] >> (j % 64) & 1


cdef void _reach(Network network, Parting parting) noexcept nogil:
    """Fill `reach`, one bit set for each arm k: the arms to which what k takes can be moved on.

    One step: k's taker has another favourite. Then all steps, by Warshall's closure.
    """
    cdef Py_ssize_t words = parting.words, t, k, j, word
    cdef int e
    for t in range(network.types):
        memset(parting.own, 0, words * sizeof(uint64_t))
        for e in range(network.first[t], network.first[t + 1]):
            if _linked(network, e):
                parting.own[network.arm[e] // 64] |= (<uint64_t> 1) << (network.arm[e] % 64)
        for e in range(network.first[t], network.first[t + 1]):
            if parting.flow[e] > NOTHING and _linked(network, e):
                for word in range(words):
                    parting.reach[network.arm[e] * words + word] |= parting.own[word]
    for j in range(network.arms):
        for k in range(network.arms):
            if _can_reach(parting, k, j):
                for word in range(words):
                    parting.reach[k * words + word] |= parting.reach[j * words + word]


cdef void _spare(Network network, Parting parting) noexcept nogil:
    """Mark the arms that every flow uses up: no room left on them, nor where their takers could move.

    Only block 0 has room; what is neglected uses up all it can get.
    """
    cdef Py_ssize_t k, j
    cdef int e
    for k in range(network.arms):
        parting.room[k] = whole(parting.policy[k]) if network.arm_block[k] == 0 else 0
    for e in range(network.edges):
        if network.arm_block[network.arm[e]] == 0 and _linked(network, e):
            parting.room[network.arm[e]] -= parting.flow[e]
    for k in range(network.arms):
        parting.tight[k] = 1
        for j in range(network.arms):
            if parting.room[j] > NOTHING and _can_reach(parting, k, j):
                parting.tight[k] = 0


cdef void _usable_links(Network network, Parting parting) noexcept nogil:
    """Mark in `kept` the links that some flow with these row sums uses.

    A link (τ, k) can carry something exactly when the arm k can hand on what it gets: to room left on an arm, or round
    to τ through arms whose takers can move.
    """
    cdef Py_ssize_t t, k
    cdef int e, g
    cdef bint any_kept
    for t in range(network.types):
        any_kept = False
        for e in range(network.first[t], network.first[t + 1]):
            if not _linked(network, e):
                continue
            k = network.arm[e]
            parting.kept[e] = not parting.tight[k]
            for g in range(network.first[t], network.first[t + 1]):
                if parting.kept[e]:
                    break
                parting.kept[e] = parting.flow[g] > NOTHING and _can_reach(parting, k, network.arm[g])
            any_kept |= parting.kept[e]
        if not any_kept:  # a share lost to rounding: its links do no harm
            for e in range(network.first[t], network.first[t + 1]):
                parting.kept[e] = _linked(network, e)
