"""The fairest maximum flow: who is heard how much, when not everybody can be heard in full (Megiddo 1974).

Among the maximum flows from types to arms, the one whose sorted ratios (what a type carries over its share) are
lexicographically largest: first the least heard get as much as they can, then the next. Its ratios are unique. They
come from cuts: the neglected group is parted from the heard, then every group is asked whether it could be heard
evenly; a group that could not is parted again by its own cut, all groups at once in each round.
"""

import numpy as np

from isegoria import tolerances
from isegoria.errors import CertificationError

from libc.stdint cimport uint64_t

from isegoria.solvers.claims cimport fit
from isegoria.solvers.flow cimport Network, units, whole

cdef double CLOSED_FORM = tolerances.FLOW
cdef units NOTHING = whole(tolerances.FLOW_NOTHING)


def closed_form(type_rows, const double[::1] type_shares, const double[::1] policy):
    """The attribution y_τk = s_τ p_k 1{k ∈ F_τ} / d_τ (m, K), d the decision shares; None unless it adds up to P.

    Its rows are the shares; its columns match the policy to 1e-12 exactly where it is returned, as at every optimum
    of the decision-share Nash welfare (Theorem 1).

    >>> closed_form(np.array([[True, False], [True, True]]), np.array([0.5, 0.5]), np.array([1.0, 0.0])).tolist()
    [[0.5, 0.0], [0.5, 0.0]]
    """
    cdef const unsigned char[:, ::1] rows = type_rows.view(np.uint8)
    cdef Py_ssize_t t, k, arms = rows.shape[1]
    y, left = np.zeros(type_rows.shape), np.array(policy)
    cdef double[:, ::1] attributed = y
    cdef double[::1] unclaimed = left
    cdef double decision_share
    for t in range(rows.shape[0]):
        decision_share = 0.0
        for k in range(arms):
            decision_share += policy[k] if rows[t, k] else 0.0
        if decision_share == 0.0:
            return None
        for k in range(arms):
            if rows[t, k]:
                attributed[t, k] = type_shares[t] * (policy[k] / decision_share)
                unclaimed[k] -= attributed[t, k]
    return y if np.abs(left).max() <= CLOSED_FORM else None


def fair_flow(type_rows, const double[::1] type_shares, const double[::1] policy):
    """The fairest maximum flow: (ratios (m,), y (m, K), neglected types (m,), wanted arms (K,)).

    `ratios` are lexicographically max–min among all maximum flows, in [0, 1]; the neglected types are those below 1,
    and `wanted arms` are all their favourites. Of the `y` with these ratios it is the one nearest to claims in
    proportion to the policy (see `claims`).

    >>> rows = np.array([[True, False], [False, True]])
    >>> ratios, y, types, arms = fair_flow(rows, np.array([2 / 3, 1 / 3]), np.array([0.5, 0.5]))
    >>> ratios.tolist(), types.tolist(), arms.tolist()
    ([0.75, 1.0], [True, False], [True, False])
    """
    cdef Network network = Network(type_rows.view(np.uint8))
    cdef Parting parting = Parting(network, type_shares, policy)
    parting.part_neglected()
    types = np.asarray(<int[:network.types]> network.type_block) == 1
    arms = np.asarray(<int[:network.arms]> network.arm_block) == 1
    while parting.part_uneven():
        pass
    ratios = np.asarray(parting.ratio)
    return ratios, _attributed(network, parting, ratios * np.asarray(type_shares)), types, arms


cdef class Parting:
    """The group parted into blocks, most neglected apart; block 0 is heard in full.

    `flow` is each block's maximum flow in the round that closed it, `demand` and `capacity` what types and arms bring
    to the present round: the shares and the policy at first, then each open block's as parts of the whole block.
    """

    cdef Network network
    cdef const double[::1] shares, policy
    cdef double[::1] ratio, capacity, block_share, block_policy
    cdef units[::1] flow
    cdef int[::1] is_open, reached, size
    cdef int blocks

    def __cinit__(self, Network network, const double[::1] shares, const double[::1] policy):
        cdef Py_ssize_t most = network.arms + 2
        self.network, self.shares, self.policy = network, shares, policy
        self.ratio, self.capacity = np.ones(network.types), np.array(policy)
        self.flow = np.zeros(network.edges, np.int64)
        self.block_share, self.block_policy = np.ones(most), np.ones(most)
        self.is_open, self.reached, self.size = np.zeros((3, most), np.int32)
        self.is_open[0], self.blocks = 1, 1

    cdef void part_neglected(self) noexcept:
        """Send the shares; who is not heard in full, and the arms they want, become block 1. Block 0 is closed."""
        self.send()
        self.split()
        self.is_open[0] = 0

    cdef bint part_uneven(self) noexcept:
        """Ask every open block whether it can be heard evenly; part those that cannot. False when all are closed."""
        cdef Py_ssize_t t, k
        cdef int b, still_open = 0
        self.block_share[:], self.block_policy[:] = 0.0, 0.0
        for t in range(self.network.types):
            self.block_share[self.network.type_block[t]] += self.shares[t]
        for k in range(self.network.arms):
            self.block_policy[self.network.arm_block[k]] += self.policy[k]
        for t in range(self.network.types):
            b = self.network.type_block[t]
            if self.is_open[b]:
                self.ratio[t] = min(1.0, self.block_policy[b] / self.block_share[b])
        for k in range(self.network.arms):
            b = self.network.arm_block[k]
            self.capacity[k] = self.policy[k] / self.block_policy[b] if self.policy[k] > 0.0 else 0.0
        for b in range(self.blocks):
            self.is_open[b] = self.is_open[b] and self.block_policy[b] > 0.0
        self.send()
        self.split()
        for b in range(self.blocks):
            still_open |= self.is_open[b]
        return still_open

    cdef void send(self) noexcept:
        """A maximum flow in every open block, kept in `flow`; then widen, so that levels tell a cut from rounding."""
        cdef Network network = self.network
        cdef Py_ssize_t t, k
        cdef int e, b
        for k in range(network.arms):
            self.capacity[k] = self.capacity[k] if self.is_open[network.arm_block[k]] else 0.0
            network.room[k] = whole(self.capacity[k])
        for t in range(network.types):
            b = network.type_block[t]
            network.left[t] = whole(self.shares[t] / self.block_share[b]) if self.is_open[b] else 0
            for e in range(network.first[t], network.first[t + 1]):
                network.carried[e] = 0
        network.greet(1)
        network.greet(network.arms)
        network.saturate()
        for t in range(network.types):
            if self.is_open[network.type_block[t]]:
                for e in range(network.first[t], network.first[t + 1]):
                    self.flow[e] = network.carried[e]
        network.widen(&self.capacity[0])

    cdef void split(self) noexcept:
        """Part each open block at its cut: what an unheard share reached becomes a new block. Close the others."""
        cdef Network network = self.network
        cdef Py_ssize_t t, k
        cdef int b, blocks = self.blocks
        self.reached[:], self.size[:] = 0, 0
        for k in range(network.arms):
            self.size[network.arm_block[k]] += 1
            self.reached[network.arm_block[k]] += network.arm_level[k] >= 0
        for b in range(blocks):
            self.is_open[b] = self.is_open[b] and self.reached[b] and (self.reached[b] < self.size[b] or b == 0)
            if self.is_open[b]:
                self.is_open[self.blocks] = 1
                self.reached[b] = self.blocks  # from here on: the block that what was reached goes to
                self.blocks += 1
        for t in range(network.types):
            if self.is_open[network.type_block[t]] and self.inside(t):
                network.type_block[t] = -self.reached[network.type_block[t]]
        for k in range(network.arms):
            if self.is_open[network.arm_block[k]] and network.arm_level[k] >= 0:
                network.arm_block[k] = self.reached[network.arm_block[k]]
        for t in range(network.types):
            network.type_block[t] = abs(network.type_block[t])

    cdef bint inside(self, Py_ssize_t t) noexcept:
        """Whether every arm of the type's own block that it is linked to was reached: it belongs to the cut."""
        cdef int e, k
        for e in range(self.network.first[t], self.network.first[t + 1]):
            k = self.network.arm[e]
            if self.network.arm_block[k] == self.network.type_block[t] and self.network.arm_level[k] < 0:
                return False
        return True


cdef _attributed(Network network, Parting parting, const double[::1] mass):
    """The attribution (m, K) with these row sums that is nearest to claims in proportion to the policy."""
    kept, y = np.zeros(max(network.edges, 1), np.uint8), np.zeros((network.types, network.arms))
    cdef unsigned char[::1] usable = kept, tight = np.ones(network.arms, np.uint8)
    cdef double[::1] link = np.zeros(max(network.edges, 1))
    cdef double[:, ::1] attributed = y
    cdef Py_ssize_t e
    _usable_links(network, parting, usable, tight)
    cdef double overspent = fit(
        network.types, network.arms, network.first, network.arm, &usable[0], &mass[0], &parting.policy[0], &tight[0],
        &link[0],
    )
    if overspent > CLOSED_FORM:
        raise CertificationError(
            f"the attribution could not be settled: an arm is overspent by {overspent:.3g}, more than {CLOSED_FORM:.3g}. "
            "A policy whose entries differ by many orders of magnitude causes this; rounding it to 12 decimals helps."
        )
    for e in range(network.edges):
        attributed[network.owner[e], network.arm[e]] = link[e]
    return y


cdef void _usable_links(Network network, Parting parting, unsigned char[::1] kept, unsigned char[::1] tight):
    """Mark the links that some flow with these row sums uses, and the arms that every such flow uses up.

    A link (τ, k) can carry something exactly when the arm k can hand on what it gets: round to τ through arms whose
    takers can move (`reach`), or to room left on an arm.
    """
    cdef Py_ssize_t words = (network.arms + 63) // 64, t, k, j
    cdef int e, g
    cdef bint any_kept
    cdef uint64_t[:, ::1] reach = _reach(network, parting, words)
    _spare(network, parting, reach, tight)
    for t in range(network.types):
        any_kept = False
        for e in range(network.first[t], network.first[t + 1]):
            k = network.arm[e]
            if network.arm_block[k] != network.type_block[t]:
                continue
            kept[e] = not tight[k]
            for g in range(network.first[t], network.first[t + 1]):
                j = network.arm[g]
                if parting.flow[g] > NOTHING and (j == k or reach[k, j // 64] >> (j % 64) & 1):
                    kept[e] = 1
            any_kept |= kept[e]
        if not any_kept:  # a share lost to rounding: its links do no harm
            for e in range(network.first[t], network.first[t + 1]):
                kept[e] = network.arm_block[network.arm[e]] == network.type_block[t]


cdef uint64_t[:, ::1] _reach(Network network, Parting parting, Py_ssize_t words):
    """(K, words) bit sets: the arms to which something taken by arm k can be moved on, in any number of steps."""
    cdef uint64_t[:, ::1] reach = np.zeros((network.arms, words), np.uint64)
    cdef uint64_t[::1] own = np.zeros(words, np.uint64)
    cdef Py_ssize_t t, k, j, word
    cdef int e
    for t in range(network.types):
        own[:] = 0
        for e in range(network.first[t], network.first[t + 1]):
            if network.arm_block[network.arm[e]] == network.type_block[t]:
                own[network.arm[e] // 64] |= (<uint64_t> 1) << (network.arm[e] % 64)
        for e in range(network.first[t], network.first[t + 1]):
            if parting.flow[e] > NOTHING and network.arm_block[network.arm[e]] == network.type_block[t]:
                for word in range(words):
                    reach[network.arm[e], word] |= own[word]
    for j in range(network.arms):
        for k in range(network.arms):
            if reach[k, j // 64] >> (j % 64) & 1:
                for word in range(words):
                    reach[k, word] |= reach[j, word]
    return reach


cdef void _spare(Network network, Parting parting, uint64_t[:, ::1] reach, unsigned char[::1] tight):
    """Mark as not tight the arms with room left, and those whose takers could move there. Only block 0 has room."""
    cdef units[::1] room = np.zeros(network.arms, np.int64)
    cdef Py_ssize_t k, j
    cdef int e
    for k in range(network.arms):
        room[k] = whole(parting.policy[k]) if network.arm_block[k] == 0 else 0
    for e in range(network.edges):
        if network.arm_block[network.arm[e]] == 0 and network.type_block[network.owner[e]] == 0:
            room[network.arm[e]] -= parting.flow[e]
    for k in range(network.arms):
        for j in range(network.arms):
            if room[j] > NOTHING and (j == k or reach[k, j // 64] >> (j % 64) & 1):
                tight[k] = 0
