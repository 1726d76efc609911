"""Who is heard how much when not all can be heard in full: the ratios of the fairest maximum flow (Megiddo 1974).

Ratios come from cuts alone: the neglected are parted from the heard, then every group is asked whether it could be
heard evenly; a group that could not is parted again by its own cut, all groups at once in each round.
"""

from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from numpy cimport ndarray

from isegoria.rows.arrays cimport reals
from isegoria.solvers.flow.dinic cimport Network, units, whole


cdef class Parting:
    """The group parted into blocks, most neglected apart; block 0 is heard in full.

    `flow` is each block's maximum flow in the round that closed it, `capacity` what an arm brings to the present round:
    its probability at first, then that as a part of its block's. `ratio`, the caller's array of ones, is filled in.
    """

    def __cinit__(self, Network network, ndarray shares, ndarray policy, ndarray ratios):
        cdef Py_ssize_t m = network.types, n = network.arms, edges = network.edges, most = n + 2
        self.network, self.kept_shares, self.kept_policy, self.kept_ratios = network, shares, policy, ratios
        self.shares, self.policy, self.ratio = reals(shares), reals(policy), <double *> reals(ratios)
        self.words = (n + 63) // 64
        cdef Py_ssize_t eights = n + 2 * most + m + edges + edges + n + n * self.words + self.words
        self.capacity = <double *> calloc(eights * 8 + 3 * most * sizeof(int) + edges + n, 1)
        if self.capacity == NULL:
            raise MemoryError
        self.block_share = self.capacity + n
        self.block_policy = self.block_share + most
        self.mass = self.block_policy + most
        self.link = self.mass + m
        self.flow = <units *> (self.link + edges)
        self.room = self.flow + edges
        self.reach = <uint64_t *> (self.room + n)
        self.own = self.reach + n * self.words
        self.is_open = <int *> (self.own + self.words)
        self.reached = self.is_open + most
        self.size = self.reached + most
        self.kept = <unsigned char *> (self.size + most)
        self.tight = self.kept + edges
        memcpy(self.capacity, self.policy, n * sizeof(double))
        self.block_share[0] = 1.0
        self.is_open[0], self.blocks = 1, 1

    def __dealloc__(self):
        free(self.capacity)

    cdef void part_neglected(self) noexcept:
        """Send the shares; who is not heard in full, and the arms they want, become block 1. Block 0 is closed."""
        self.send()
        self.split()
        self.is_open[0] = 0

    cdef bint part_uneven(self) noexcept:
        """Ask every open block whether it can be heard evenly; part those that cannot. False when all are closed."""
        cdef Py_ssize_t t, k
        cdef int b, still_open = 0
        memset(self.block_share, 0, 2 * (self.network.arms + 2) * sizeof(double))  # they lie side by side
        memset(self.size, 0, self.blocks * sizeof(int))
        for t in range(self.network.types):
            self.block_share[self.network.type_block[t]] += self.shares[t]
        for k in range(self.network.arms):
            self.block_policy[self.network.arm_block[k]] += self.policy[k]
            self.size[self.network.arm_block[k]] += 1
        for t in range(self.network.types):
            b = self.network.type_block[t]
            if self.is_open[b]:
                self.ratio[t] = min(1.0, self.block_policy[b] / self.block_share[b])
        for k in range(self.network.arms):
            b = self.network.arm_block[k]
            self.capacity[k] = self.policy[k] / self.block_policy[b] if self.policy[k] > 0.0 else 0.0
        for b in range(self.blocks):  # with one arm, or nothing to share, there is no other way than evenly
            self.is_open[b] = self.is_open[b] and self.block_policy[b] > 0.0 and self.size[b] > 1
            still_open |= self.is_open[b]
        if not still_open:
            return False
        self.send()
        self.split()
        still_open = 0
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
        network.start_with(1)
        network.start_with(network.arms)
        network.saturate()
        for t in range(network.types):
            if self.is_open[network.type_block[t]]:
                for e in range(network.first[t], network.first[t + 1]):
                    self.flow[e] = network.carried[e]
        network.widen(self.capacity)

    cdef void split(self) noexcept:
        """Part each open block at its cut: what an unheard share reached becomes a new block. Close the others."""
        cdef Network network = self.network
        cdef Py_ssize_t t, k
        cdef int b, blocks = self.blocks
        memset(self.reached, 0, 2 * (network.arms + 2) * sizeof(int))  # and the sizes, which lie beside
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
