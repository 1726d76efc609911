"""The candidate sets of Algorithm 1 (lines 8 to 12): which arms may still be an agent's favourite."""

import numpy as np

from libc.math cimport INFINITY, log, sqrt
from libc.stdint cimport uint64_t

from isegoria.learning.confidence_sets.favourite_sets import pack_sets
from isegoria.learning.confidence_sets.favourite_sets cimport FavouriteSets
from isegoria.learning.base.reward_tally cimport Tally

cdef double SURELY = 1.0 + 1e-9     # more than two means in [0, 1] can differ by, and more than rounding could undo


cdef double log_term_at(Py_ssize_t agents, Py_ssize_t arms, Py_ssize_t t) noexcept nogil:
    """Return 2 ln(NKt), where N and K count every agent and arm that ever joined."""
    return 2.0 * log(<double> agents * <double> arms * <double> t)


def radius(Py_ssize_t agents, Py_ssize_t arms, Py_ssize_t t, double count):
    """Return the confidence radius z = sqrt(2 ln(NKt) / n) of Algorithm 1, line 8; infinite without an observation.

    >>> round(radius(3, 4, 10, 5), 4)
    1.3838
    """
    return sqrt(log_term_at(agents, arms, t) / count)


cdef class CandidateSets(FavouriteSets):
    """Each agent's candidates as bit codes, which are compared with those of the previous round.

    Arm k is a candidate of agent i if mean_ik + alpha z_ik >= mean_ij - alpha z_ij, where j is the empirically best arm
    (the lowest index on ties) and z_ik = sqrt(2 ln(NKt) / n_ik). An arm without an observation has an infinite radius,
    so it is a candidate; an agent without any observation has all arms.
    """

    def __cinit__(self, Py_ssize_t agents, Py_ssize_t arms):
        self.fresh = np.zeros(agents, dtype=np.uint64)
        self.lower, self.best = np.zeros(agents), np.zeros(agents)
        self.all_full = False

    def adopt(self, codes):
        """Restore the sets of an earlier round."""
        FavouriteSets.adopt(self, codes)
        self.all_full = False

    def update(self, Tally tally, const Py_ssize_t[::1] rows, const Py_ssize_t[::1] arms, Py_ssize_t t, double alpha):
        """Recompute the sets of the agents `rows` over the available `arms` in round `t`; return if any changed."""
        return self.refresh(tally, rows, arms, log_term_at(tally.agents, tally.arms, t), alpha)

    def update_by(self, Tally tally, const Py_ssize_t[::1] rows, arms, radii):
        """Recompute the sets with a custom radius for every pair, `radii` (|arms|, n); return whether any changed."""
        means = np.asarray(tally.means)[np.ix_(arms, rows)]
        best = means.argmax(axis=0)
        lowest = np.take_along_axis(means - radii, best[None], axis=0)
        candidates = np.zeros((self.n, self.arms), dtype=bool)
        candidates[:, arms] = (means + radii >= lowest).T
        before = self.mark()
        self.adopt(pack_sets(candidates))
        return before is None or not np.array_equal(before, self.codes)

    cdef bint refresh(self, Tally tally, const Py_ssize_t[::1] rows, const Py_ssize_t[::1] arms, double log_term,
                      double alpha) noexcept nogil:
        cdef Py_ssize_t i, w, first = 0, m = arms.shape[0]
        cdef bint changed = not self.known
        if self.known and self.all_full and m == self.arms and all_arms_possible(tally, rows, log_term, alpha):
            return False
        lower_bounds(tally, rows, arms, log_term, alpha, self.best, self.lower)
        for w in range(self.words):
            for i in range(self.n):
                self.fresh[i] = 0
            while first < m and arms[first] >> 6 == w:
                mark_candidates(tally, rows, arms[first], log_term, alpha, self.lower, self.fresh)
                first += 1
            for i in range(self.n):
                changed |= self.fresh[i] != self.code[w, i]
                self.code[w, i] = self.fresh[i]
        self.known = True
        self.all_full = m == self.arms and all_arms_possible(tally, rows, log_term, alpha)
        return changed


cdef bint all_arms_possible(Tally tally, const Py_ssize_t[::1] rows, double log_term, double alpha) noexcept nogil:
    """Return whether all radii are so wide that, with means in [0, 1], every arm is everyone's candidate.

    This follows from the counts alone if all agents have answered every arm equally often. In large groups that is so
    in most of the early rounds.
    """
    cdef Py_ssize_t k
    cdef double z, least = INFINITY, second = INFINITY
    if rows.shape[0] != tally.agents:
        return False
    for k in range(tally.arms):
        if not tally.level[k]:
            return False
        z = alpha * sqrt(log_term / tally.n[k, 0])
        if z < least:
            least, second = z, least
        elif z < second:
            second = z
    return least + second > SURELY


cdef void lower_bounds(Tally tally, const Py_ssize_t[::1] rows, const Py_ssize_t[::1] arms, double log_term,
                       double alpha, double[::1] best, double[::1] lower) noexcept nogil:
    """Compute the lower confidence bound of each agent's empirically best arm (the lowest index on ties)."""
    cdef Py_ssize_t a, i, k, n = rows.shape[0]
    cdef bint everyone = n == tally.agents
    cdef double mean, z
    for i in range(n):
        best[i] = -2.0      # below the -1 of a pair that was never observed
    for a in range(arms.shape[0]):
        k = arms[a]
        if everyone and tally.level[k]:
            z = alpha * sqrt(log_term / tally.n[k, 0])
            for i in range(n):
                mean = tally.mu[k, i]
                lower[i] = mean - z if mean > best[i] else lower[i]
                best[i] = mean if mean > best[i] else best[i]
        else:
            for i in range(n):
                mean = tally.mu[k, rows[i]]
                if mean > best[i]:
                    best[i] = mean
                    lower[i] = mean - alpha * sqrt(log_term / tally.n[k, rows[i]])


cdef void mark_candidates(Tally tally, const Py_ssize_t[::1] rows, Py_ssize_t k, double log_term, double alpha,
                          const double[::1] lower, uint64_t[::1] code) noexcept nogil:
    """Set the bit of arm `k` for the agents whose upper bound reaches their lower bound of the best arm."""
    cdef Py_ssize_t i, n = rows.shape[0]
    cdef int bit = k & 63
    cdef double z
    if n == tally.agents and tally.level[k]:
        z = alpha * sqrt(log_term / tally.n[k, 0])
        for i in range(n):
            code[i] |= (<uint64_t> (tally.mu[k, i] + z >= lower[i])) << bit
    else:
        for i in range(n):
            z = alpha * sqrt(log_term / tally.n[k, rows[i]])
            code[i] |= (<uint64_t> (tally.mu[k, rows[i]] + z >= lower[i])) << bit
