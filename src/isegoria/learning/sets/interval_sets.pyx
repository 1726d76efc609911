"""Which arms may still be an agent's favourite, by bounds that hold at all times, and which arm would tell."""

import numpy as np

from libc.stdint cimport uint64_t

from isegoria.learning.sets.bernstein import unseen
from isegoria.learning.sets.bernstein cimport LOWER, UPPER, fade, observe


cdef class Doubts:
    """The bounds of all pairs (agent, arm), each agent's candidates, and the arms worth exploring.

    With L_i the largest lower bound among the candidates of agent i, an arm stays a candidate while its upper bound
    reaches L_i; sets only shrink. The agent is unresolved while it has several candidates and the upper bound of one
    exceeds L_i by more than `resolution`. As long as no pair has restarted, a candidate has the largest lower bound
    of all arms, so L_i is the largest over all of them; taking it among the candidates keeps a set from ever becoming
    empty. When only some arms are available the rule runs over these, from the same bounds.
    """

    def __cinit__(self, Py_ssize_t n_arms, Py_ssize_t n_agents, Py_ssize_t present, bint fading=False):
        self.fading = fading
        nothing = np.zeros((present, n_arms))
        self.take(unseen(n_arms, n_agents), np.zeros((n_arms, n_agents)), np.ones((n_agents, n_arms)), nothing)

    def take(self, pairs, log_terms, kept, sets):
        """Nothing; go on from these bounds, budgets and sets."""
        self.pairs = np.array(pairs, dtype=np.float64, order="C")
        self.log_terms = np.array(log_terms, dtype=np.float64, order="C")
        self.kept = np.array(kept, dtype=np.uint8, order="C")
        self.sets = np.array(sets, dtype=np.uint8, order="C")
        self.doubtful = np.zeros(self.kept.shape[1], dtype=np.uint8)
        self.pair, self.log_term, self.keep = self.pairs, self.log_terms, self.kept
        self.current, self.doubt = self.sets, self.doubtful
        self.fresh = np.zeros_like(self.doubtful)
        self.state = UNRESOLVED
        self.settled = False

    def observe(self, Py_ssize_t arm, const Py_ssize_t[::1] rows, const double[::1] rewards):
        """The agents whose interval became empty, so that the pair restarted from no data."""
        cdef Py_ssize_t i
        return [rows[i] for i in range(rows.shape[0]) if self.see(arm, rows[i], rewards[i])]

    def update(self, const Py_ssize_t[::1] rows, const Py_ssize_t[::1] arms, double resolution):
        """Whether any set of the agents `rows` over the available `arms` changed."""
        return self.refresh(rows, arms, resolution)

    def least(self, list pulls):
        """The doubtful arm that was pulled least, the lowest index among equals."""
        return self.least_pulled(np.array(pulls, dtype=np.intp))

    def fade(self, double share):
        """Nothing; of everything observed so far the `share` stays, and all bounds widen accordingly."""
        self.fade_all(share)

    cdef void fade_all(self, double share) noexcept nogil:
        cdef Py_ssize_t k, i
        for k in range(self.pair.shape[0]):
            for i in range(self.pair.shape[1]):
                fade(&self.pair[k, i, 0], share, self.log_term[k, i])

    cdef bint see(self, Py_ssize_t arm, Py_ssize_t row, double reward) noexcept nogil:
        """Whether this reward emptied the interval of the pair, which then restarted."""
        cdef double* pair = &self.pair[arm, row, 0]
        if self.fading:
            pair[LOWER] = 0.0
            pair[UPPER] = 1.0
        return observe(pair, reward, self.log_term[arm, row])

    cdef bint refresh(self, const Py_ssize_t[::1] rows, const Py_ssize_t[::1] arms, double resolution) noexcept nogil:
        """Find the candidates, the doubtful arms and the state again; True when any set changed."""
        cdef Py_ssize_t i, k, n_arms = self.keep.shape[1]
        cdef bint changed = False, remember = arms.shape[0] == n_arms and not self.fading
        cdef int state
        if remember and self.settled:
            return False
        self.state = CERTAIN
        for k in range(n_arms):
            self.doubt[k] = 0
        for i in range(rows.shape[0]):
            state = self.settle(rows[i], arms, remember, resolution)
            if state != CERTAIN and state >= self.state:
                for k in range(n_arms):
                    self.doubt[k] = self.fresh[k] | (self.doubt[k] if state == self.state else 0)
                self.state = state
            for k in range(n_arms):
                changed |= self.current[i, k] != self.fresh[k]
                self.current[i, k] = self.fresh[k]
                if remember:
                    self.keep[rows[i], k] = self.fresh[k]
        self.settled = remember and self.state == CERTAIN
        return changed

    cdef int settle(self, Py_ssize_t row, const Py_ssize_t[::1] arms, bint remember, double resolution) noexcept nogil:
        """One agent's state, and its candidates in `fresh`."""
        cdef Py_ssize_t a, k, members = 0
        cdef double best = -1.0, top = -1.0
        for k in range(self.fresh.shape[0]):
            self.fresh[k] = 0
        for a in range(arms.shape[0]):
            k = arms[a]
            if (not remember or self.keep[row, k]) and self.pair[k, row, LOWER] > best:
                best = self.pair[k, row, LOWER]
        for a in range(arms.shape[0]):
            k = arms[a]
            if (not remember or self.keep[row, k]) and self.pair[k, row, UPPER] >= best:
                self.fresh[k] = 1
                members += 1
                top = max(top, self.pair[k, row, UPPER])
        if members == 1:
            return CERTAIN
        return UNRESOLVED if top - best > resolution else TIED

    cdef Py_ssize_t least_pulled(self, const Py_ssize_t[::1] pulls) noexcept nogil:
        """The doubtful arm that was pulled least, the lowest index among equals; -1 when nothing is in doubt."""
        cdef Py_ssize_t k, arm = -1
        for k in range(self.doubt.shape[0]):
            if self.doubt[k] and (arm < 0 or pulls[k] < pulls[arm]):
                arm = k
        return arm

    cdef bint differ(self, const unsigned char[:, ::1] truth) noexcept nogil:
        """Whether some set is not the true one."""
        cdef Py_ssize_t i, k
        for i in range(self.current.shape[0]):
            for k in range(self.current.shape[1]):
                if self.current[i, k] != truth[i, k]:
                    return True
        return False

    cdef uint64_t digest(self) noexcept nogil:
        """64 bits that tell patterns of sets apart (a multiplicative hash; patterns are counted, not protected)."""
        cdef uint64_t h = 0x9E3779B97F4A7C15
        cdef Py_ssize_t i, k
        for i in range(self.current.shape[0]):
            for k in range(self.current.shape[1]):
                h = (h ^ self.current[i, k]) * <uint64_t> 0xD6E8FEB86659FD93
                h ^= h >> 32
        return h
