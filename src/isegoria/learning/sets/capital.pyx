"""What is known of every pair of an agent and an arm: capital, scatter of rewards, bounds, and the sets that follow.

For agent i and arm k the hypothesis is "k is a favourite of i". The arm is kept until the capital that bets have won
against it (`betting_sets`) reaches its price, 1/α of the pair. How close the candidates that remain are to each other
is told by bounds on their means (`bounds`), which need no state of their own.
"""

import numpy as np

from libc.math cimport INFINITY, isnan, log, log1p, pow
from libc.stdint cimport uint64_t

from isegoria.learning.sets.favourite_sets import full
from isegoria.learning.sets.favourite_sets cimport FavouriteSets
from isegoria.learning.sets.tally cimport Tally

cdef double PRIOR_MEAN = 0.5        # one imagined reward before the first: the middle of [0, 1] …
cdef double PRIOR_VARIANCE = 0.25   # … and the largest variance that [0, 1] allows
cdef enum:
    SCALES = 16                     # the λ of the bounds: 0.75 · 2^-g for g below this
cdef double FIRST_SCALE = 0.75
cdef double SIDES = 2.0 * SCALES    # events that share a pair's α: every λ, from above and from below
cdef double RETURN = 0.5            # where the past fades, a dropped arm is back at this share of its log capital
cdef double[SCALES] SCALE, LOSS     # λ_g, and −ln(1 − λ_g) − λ_g

cdef int _g
for _g in range(SCALES):
    SCALE[_g] = FIRST_SCALE * 2.0 ** -_g
    LOSS[_g] = -log1p(-SCALE[_g]) - SCALE[_g]


cdef extern from *:
    int popcount "__builtin_popcountll"(uint64_t code) nogil


cdef class Capital(FavouriteSets):
    """The capitals of all pairs, and each agent's candidates.

    `rows` are the agents present. `price` (K, N) is 1/α of each pair, for its bets and once more for its bounds.
    Rewards are counted by `tally`.
    """

    def __cinit__(self, Py_ssize_t present, Py_ssize_t n_arms, rows, Tally tally, price, double resolution,
                  bint fading=False):
        cdef Py_ssize_t agents = tally.agents
        self.present, self.rows, self.every_arm = rows, rows, np.arange(n_arms)
        self.arms_of(self.every_arm)
        self.tally, self.price, self.resolution, self.fading = tally, price, resolution, fading
        self.faded = np.zeros((2, n_arms, agents)) if fading else None
        self.least_log = log(SIDES * price.min())
        self.open_arms = np.zeros(self.words, np.uint64)
        shape = n_arms, agents
        self.take(np.zeros(shape), np.ones(shape), full(agents, n_arms), np.zeros(agents, np.uint8))

    def take(self, spread, capital, kept, resolved):
        """Go on from these numbers of all pairs and agents."""
        self.spread = np.array(spread, dtype=np.float64, order="C")
        self.capital = np.array(capital, dtype=np.float64, order="C")
        self.kept = np.array(kept, dtype=np.uint64, order="C")
        self.resolved = np.array(resolved, dtype=np.uint8)
        shape = self.arms, self.tally.agents
        if self.spread.shape != shape or self.capital.shape != shape or self.kept.shape != (self.words, shape[1]):
            raise ValueError(f"what is known of the pairs is not of shape {shape}")
        self.V, self.wealth, self.keep, self.close = self.spread, self.capital, self.kept, self.resolved
        self.cost = self.price
        if self.fading:
            self.seen, self.total = self.faded[0], self.faded[1]
        else:
            self.seen, self.total = self.tally.n, self.tally.s
        self.fresh = self.certain = False

    def adopt(self, codes):
        """Take over the sets of an earlier round."""
        FavouriteSets.adopt(self, codes)
        self.fresh = False

    def grow_from(self, Capital old):
        """Take over what is known of those who were there before."""
        cdef Py_ssize_t K = old.arms, N = old.tally.agents
        spread, capital = np.zeros((self.arms, self.tally.agents)), np.ones((self.arms, self.tally.agents))
        spread[:K, :N], capital[:K, :N] = old.spread, old.capital
        kept, before = full(self.tally.agents, self.arms), full(N, K)
        kept[: old.words, :N] &= ~before | old.kept     # a new arm is everyone's candidate
        resolved = np.zeros(self.tally.agents, np.uint8)
        if self.arms == K:
            resolved[:N] = old.resolved
        if self.fading:
            self.faded[:, :K, :N] = old.faded
        self.take(spread, capital, kept, resolved)

    cdef int arms_of(self, arms) except -1:
        """Turn to the available `arms` of a round, an array of indices; usually those of the round before."""
        if arms is not self.available:
            self.available, self.here = arms, arms
        return 0

    def update(self, arms):
        """Whether any set over the available `arms` changed."""
        self.arms_of(arms)
        return self.refresh()

    def heard(self, Py_ssize_t arm, const double[::1] rewards, rows):
        """Learn how much these rewards, which the tally has counted already, scatter; NaN is no answer."""
        self.record(arm, &rewards[0], self.rows if rows is self.present else rows)

    def fade(self, double share):
        """Let everything fade to this share."""
        self.fade_all(share)

    def intervals(self):
        """(lower, upper), each (N, K): the bounds on the means."""
        cdef Py_ssize_t k, i
        lower, upper = np.empty((self.tally.agents, self.arms)), np.empty((self.tally.agents, self.arms))
        cdef double[:, ::1] low = lower, high = upper
        for i in range(self.tally.agents):
            for k in range(self.arms):
                self.bounds(k, i, &low[i, k], &high[i, k])
        return lower, upper

    cdef bint refresh(self) noexcept nogil:
        """Bring the sets of the agents present to what is known; True when any changed.

        Where some candidate is not available, its drops may have been proved against arms that are missing too: then
        the agent's set is every available arm whose upper bound reaches the largest available lower one.
        """
        cdef Py_ssize_t i, w
        cdef bint changed = not self.known, all_arms = self.here.shape[0] == self.arms, whole
        cdef uint64_t now
        if all_arms and self.fresh and self.known:
            return False
        self.mask()
        for i in range(self.n):
            whole = True
            for w in range(self.words):
                whole &= (self.keep[w, self.rows[i]] & ~self.open_arms[w]) == 0
            if whole:
                for w in range(self.words):
                    now = self.keep[w, self.rows[i]]
                    changed |= self.code[w, i] != now
                    self.code[w, i] = now
            else:
                changed |= self.by_bounds(self.rows[i], i)
        self.known, self.fresh = True, all_arms
        return changed

    cdef void mask(self) noexcept nogil:
        cdef Py_ssize_t a, w
        for w in range(self.words):
            self.open_arms[w] = 0
        for a in range(self.here.shape[0]):
            self.open_arms[self.here[a] >> 6] |= (<uint64_t> 1) << (self.here[a] & 63)

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

    cdef int size(self, Py_ssize_t i, bint available) noexcept nogil:
        """How many candidates agent `i` has, or how many of them are available."""
        cdef Py_ssize_t w
        cdef int members = 0
        for w in range(self.words):
            members += popcount(self.keep[w, i] & self.open_arms[w] if available else self.keep[w, i])
        return members

    cdef void record(self, Py_ssize_t arm, const double* rewards, const Py_ssize_t[::1] rows) noexcept nogil:
        """V, after the tally has counted: the distance is from the running mean before the reward."""
        cdef Py_ssize_t i, row
        cdef double off
        for i in range(rows.shape[0]):
            if isnan(rewards[i]):
                continue
            row = rows[i]
            if self.fading:
                self.seen[arm, row] += 1.0
                self.total[arm, row] += rewards[i]
            off = rewards[i] - (self.total[arm, row] - rewards[i] + PRIOR_MEAN) / self.seen[arm, row]
            self.V[arm, row] += off * off

    cdef void judge(self, Py_ssize_t i) noexcept nogil:
        """An agent is resolved when its candidates are known to be within the resolution of each other; it stays so."""
        cdef Py_ssize_t k
        cdef double low = 1.0, high = 0.0, lower, upper
        if self.fading:
            self.close[i] = 0
        if self.close[i] or self.size(i, False) < 2:
            return
        for k in range(self.arms):
            if (self.keep[k >> 6, i] >> (k & 63)) & 1:
                if self.seen[k, i] * self.resolution * FIRST_SCALE < self.least_log:
                    return      # too few rewards: its bounds are wider than that, whatever they were
                self.bounds(k, i, &lower, &upper)
                low, high = min(low, lower), max(high, upper)
                if high - low > self.resolution:
                    return
        self.close[i] = 1

    cdef void bounds(self, Py_ssize_t k, Py_ssize_t i, double* lower, double* upper) noexcept nogil:
        """Σx/n ± min_g (ln(32/α) + h(λ_g) V) / (λ_g n), cut to [0, 1]; both sides hold at all times at once."""
        cdef double n = self.seen[k, i], radius = INFINITY, one, centre
        cdef double log_term = log(SIDES * self.cost[k, i])
        cdef int g
        lower[0], upper[0] = 0.0, 1.0
        if n <= 0.0:
            return
        for g in range(SCALES):
            one = (log_term + LOSS[g] * self.V[k, i]) / SCALE[g]
            if one > radius:
                break           # the price falls and then rises with g: its least was found
            radius = one
        centre, radius = self.total[k, i] / n, radius / n
        lower[0], upper[0] = max(0.0, centre - radius), min(1.0, centre + radius)

    cdef void fade_all(self, double share) noexcept nogil:
        """Of counts, sums, scatter and log capitals the `share` stays. Nothing is promised then."""
        cdef Py_ssize_t k, i
        for k in range(self.arms):
            for i in range(self.seen.shape[1]):
                self.seen[k, i] *= share
                self.total[k, i] *= share
                self.V[k, i] *= share
                self.wealth[k, i] = pow(self.wealth[k, i], share)
                if not (self.keep[k >> 6, i] >> (k & 63)) & 1 and self.wealth[k, i] < pow(self.cost[k, i], RETURN):
                    self.keep[k >> 6, i] |= (<uint64_t> 1) << (k & 63)
                    self.close[i] = 0
                    self.fresh = False
        self.certain = False
