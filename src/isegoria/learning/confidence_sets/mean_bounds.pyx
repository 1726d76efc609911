"""Statistics of each agent's rewards for each arm: counts, sums, scatter, and anytime-valid bounds on the means.

For agent i and arm k the bounds are Σx/n ± min_s (Λ_i + h_s V) / (λ_s n) over sixteen λ_s = 0.75 · 2^-s. Both sides
hold at all times at once, except with a probability that Λ_i determines (`prices`). They show when candidates are close
to each other, and which available arms may be the best when some candidate is not available.
"""

import numpy as np

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint64_t

from isegoria.learning.confidence_sets.favourite_sets import full
from isegoria.learning.confidence_sets.matched_pairs import HEARD, PAIR, SIZES, unheard, unknown_pairs
from isegoria.learning.confidence_sets.favourite_sets cimport FavouriteSets
from isegoria.learning.confidence_sets.matched_pairs cimport (
    Heard,
    Pair,
    Sizes,
    count_bits,
    heard_of,
    lead_again,
    pair_of,
    waiting_for,
)

cdef double FIRST_SCALE = 0.75
cdef enum:
    SCALES = 16
cdef double[SCALES] SCALE           # λ_s
cdef int _s
for _s in range(SCALES):
    SCALE[_s] = FIRST_SCALE * 2.0 ** -_s


def in_lines(array):
    """Return a copy of a table of records, aligned to a cache line."""
    block = np.empty(array.nbytes + 64, np.uint8)
    first = -block.ctypes.data % 64
    copy = block[first : first + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


cdef class MeanBounds(FavouriteSets):
    """The sets of the agents `rows` among the `agents` who ever joined: `kept`, or by bounds if a candidate is missing.

    `prices` are the `Prices` of everyone who ever joined.
    """

    def __cinit__(self, Py_ssize_t present, Py_ssize_t n_arms, rows, Py_ssize_t agents, prices, *rest):
        self.agents, self.present, self.rows, self.every_arm = agents, rows, rows, np.arange(n_arms)
        self.open_arms = np.zeros(self.words, np.uint64)
        self.arms_of(self.every_arm)
        self.prices, self.width, self.loss = prices, prices.width, prices.loss
        self.book.arms, self.book.agents, self.book.words = n_arms, agents, self.words
        self.book.stamp, self.book.whole = 1, False
        MeanBounds.hold(self, unknown_pairs(n_arms, agents), unheard(n_arms, agents), full(agents, n_arms))

    def count_votes(self):
        """Treat shares as integer numbers of votes from now on, with pair sizes as their exact quotients."""
        self.book.whole = True
        self.book.stamp += 1

    def hold(self, pairs, heard, kept):
        """Restore `pairs` (K, N), the statistics `heard` (K, N) and the candidates `kept` (words, N).

        Recompute what follows from them: who leads, which pairs are open, and what they wait for.
        """
        if pairs.dtype != PAIR or pairs.itemsize != sizeof(Pair) or pairs.shape != (self.arms, self.agents):
            raise ValueError(f"what is known of the pairs is not of shape {(self.arms, self.agents)}")
        if heard.dtype != HEARD or heard.itemsize != sizeof(Heard) or heard.shape != (self.arms, self.agents):
            raise ValueError(f"what was heard is not of shape {(self.arms, self.agents)}")
        if kept.shape != (self.words, self.agents) or not np.any(kept, axis=0).all():
            raise ValueError("the candidates do not fit the agents and arms")
        if pairs["leader"].max() >= self.arms:
            raise ValueError("an open pair is against an arm that does not exist")
        self.pairs, self.heard = in_lines(pairs), in_lines(heard)
        self.kept = np.array(kept, dtype=np.uint64, order="C")
        self.leaders = np.zeros(self.agents, np.int32)
        opened, filled, apart, awaited = (np.zeros(self.agents * self.words, np.uint64) for _ in range(4))
        best, scatter, second = np.zeros((3, self.agents))
        lacking, sizes = np.zeros(self.arms * self.agents * self.words, np.uint64), np.zeros(self.arms**2, SIZES)
        every, shares = full(1, self.arms).ravel().copy(), np.full(self.arms, -1.0)
        self.owned = opened, awaited, lacking, best, scatter, second, filled, sizes, shares, every, apart
        self._bind()
        self.fresh = False
        cdef Py_ssize_t i, k
        cdef Pair* pair
        for i in range(self.agents):
            lead_again(&self.book, i)
            for k in range(self.arms):
                pair = pair_of(&self.book, k, i)
                if pair.leader >= 0:
                    self.book.opened[i * self.words + (k >> 6)] |= (<uint64_t> 1) << (k & 63)
                    if pair.ahead_seen < pair.ahead_size:
                        waiting_for(&self.book, pair.leader, i)[k >> 6] |= (<uint64_t> 1) << (k & 63)

    def _bind(self):
        """Point the book to the arrays."""
        arrays = self.pairs, self.heard, self.leaders, self.kept, *self.owned
        cdef size_t[::1] at = np.array([array.ctypes.data for array in arrays], np.uintp)
        self.book.pair, self.book.heard, self.book.leader = <Pair*> at[0], <Heard*> at[1], <int32_t*> at[2]
        self.book.keep, self.book.opened, self.book.awaited = <uint64_t*> at[3], <uint64_t*> at[4], <uint64_t*> at[5]
        self.book.lacking, self.book.filled, self.book.every = <uint64_t*> at[6], <uint64_t*> at[10], <uint64_t*> at[13]
        self.book.best, self.book.scatter, self.book.second = <double*> at[7], <double*> at[8], <double*> at[9]
        self.book.sizes, self.book.shares, self.book.apart = <Sizes*> at[11], <double*> at[12], <uint64_t*> at[14]

    def adopt(self, codes):
        """Restore the sets of an earlier round."""
        FavouriteSets.adopt(self, codes)
        self.fresh = False

    def update(self, arms):
        """Recompute the sets over the available `arms`; return whether any changed."""
        self.arms_of(arms)
        return self.refresh_sets()

    def intervals(self):
        """Return (lower, upper), each (N, K): the bounds on the means."""
        cdef Py_ssize_t k, i
        lower, upper = np.empty((self.agents, self.arms)), np.empty((self.agents, self.arms))
        cdef double[:, ::1] low = lower, high = upper
        for i in range(self.agents):
            for k in range(self.arms):
                self.bounds(k, i, &low[i, k], &high[i, k])
        return lower, upper

    cdef int arms_of(self, arms) except -1:
        """Set the available `arms` of a round, an array of indices; usually those of the previous round."""
        cdef Py_ssize_t a
        if arms is not self.available:
            self.available, self.here = arms, arms
            self.open_arms[:] = 0
            for a in range(self.here.shape[0]):
                self.open_arms[self.here[a] >> 6] |= (<uint64_t> 1) << (self.here[a] & 63)
        return 0

    cdef bint refresh_sets(self) noexcept nogil:
        """Bring the sets of the agents present up to date; return whether any changed.

        If a candidate of an agent is not available, its dropped arms may have lost to arms that are missing too. The
        agent's set is then every available arm whose upper bound reaches the largest available lower bound.
        """
        cdef Py_ssize_t i, w
        cdef bint changed = not self.known, all_arms = self.here.shape[0] == self.arms, whole
        cdef uint64_t now
        if all_arms and self.fresh and self.known:
            return False
        for i in range(self.n):
            whole = True
            for w in range(self.words):
                whole &= (self.book.keep[w * self.agents + self.rows[i]] & ~self.open_arms[w]) == 0
            if whole:
                for w in range(self.words):
                    now = self.book.keep[w * self.agents + self.rows[i]]
                    changed |= self.code[w, i] != now
                    self.code[w, i] = now
            else:
                changed |= self.by_bounds(self.rows[i], i)
        self.known, self.fresh = True, all_arms
        return changed

    cdef bint by_bounds(self, Py_ssize_t row, Py_ssize_t i) noexcept nogil:
        cdef Py_ssize_t a, w
        cdef double best = -1.0, lower, upper
        cdef bint changed = False
        cdef uint64_t now
        for a in range(self.here.shape[0]):
            self.bounds(self.here[a], row, &lower, &upper)
            best = max(best, lower)
        a = 0
        for w in range(self.words):
            now = 0
            while a < self.here.shape[0] and self.here[a] >> 6 == w:
                self.bounds(self.here[a], row, &lower, &upper)
                if upper >= best:
                    now |= (<uint64_t> 1) << (self.here[a] & 63)
                a += 1
            changed |= self.code[w, i] != now
            self.code[w, i] = now
        return changed

    cdef void bounds(self, Py_ssize_t k, Py_ssize_t i, double* lower, double* upper) noexcept nogil:
        """Compute Σx/n ± min_s (Λ + h_s V) / (λ_s n), clipped to [0, 1]."""
        cdef const Heard* heard = heard_of(&self.book, k, i)
        cdef double radius = INFINITY, centre
        cdef int s
        lower[0], upper[0] = 0.0, 1.0
        if heard.n == 0.0:
            return
        for s in range(SCALES):
            radius = min(radius, (self.width[i] + self.loss[s] * heard.spread) / (SCALE[s] * heard.n))
        centre = heard.total / heard.n
        lower[0], upper[0] = max(0.0, centre - radius), min(1.0, centre + radius)

    cdef int size(self, Py_ssize_t i) noexcept nogil:
        """Return how many candidates agent `i` has."""
        cdef Py_ssize_t w
        cdef int members = 0
        for w in range(self.words):
            members += count_bits(self.book.keep[w * self.agents + i])
        return members
