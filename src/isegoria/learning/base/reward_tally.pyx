"""The reward tally: the sum, count and mean of every agent's rewards for every arm."""

import numpy as np

from libc.math cimport isnan

from isegoria.learning.confidence_sets.simd cimport all_told, tally_told


cdef class Tally:
    """Sums, counts and means per agent and arm, stored by arm so that one pull touches one contiguous row.

    The mean is always the running sum over the count. A pair without any observation has mean -1, below every reward,
    so that it is never the empirical best.
    """

    def __cinit__(self, sums, counts):
        self.sums = np.array(sums, dtype=np.float64, order="C")
        self.pull_counts = np.array(counts, dtype=np.float64, order="C")
        self.means = np.full_like(self.sums, -1.0)
        np.divide(self.sums, self.pull_counts, out=self.means, where=self.pull_counts > 0)
        self.even = (self.pull_counts == self.pull_counts[:, :1]).all(axis=1).astype(np.uint8)
        self.s, self.n, self.mu, self.level = self.sums, self.pull_counts, self.means, self.even
        self.arms, self.agents = self.sums.shape

    @property
    def counts(self):
        """(K, N) Integers: how many rewards each agent has reported for each arm."""
        return self.pull_counts.astype(np.int64)

    def small_counts(self):
        """Return the counts (K, N) in the smallest integer type that holds them, for saving."""
        most = self.pull_counts.max()
        kind = next(kind for kind in (np.uint8, np.uint16, np.uint32, np.int64) if most <= np.iinfo(kind).max)
        return self.pull_counts.astype(kind)

    def grown(self, Py_ssize_t agents, Py_ssize_t arms):
        """Return a tally with room for more agents and arms, which start without observations."""
        sums, counts = np.zeros((arms, agents)), np.zeros((arms, agents))
        sums[: self.arms, : self.agents] = self.sums
        counts[: self.arms, : self.agents] = self.pull_counts
        return Tally(sums, counts)

    def add(self, Py_ssize_t arm, const double[::1] rewards, const Py_ssize_t[::1] rows):
        """Count `rewards` of the agents `rows` for `arm`; NaN means no answer.

        Return -1 minus the number of agents who did not answer. If a reward is outside [0, 1], change nothing and
        return the position of the first such reward.
        """
        cdef Py_ssize_t i, silent = 0
        for i in range(rewards.shape[0]):
            if isnan(rewards[i]):
                silent += 1
            elif not 0.0 <= rewards[i] <= 1.0:
                return i
        self.record(arm, &rewards[0], rows)
        return -1 - silent

    cdef void record(self, Py_ssize_t arm, const double* rewards, const Py_ssize_t[::1] rows) noexcept nogil:
        cdef Py_ssize_t i, row, answers = 0
        if rows.shape[0] == self.agents and all_told(rewards, self.agents):
            tally_told(rewards, self.agents, &self.s[arm, 0], &self.n[arm, 0], &self.mu[arm, 0])
            return
        for i in range(rows.shape[0]):
            if isnan(rewards[i]):
                continue
            row = rows[i]
            answers += 1
            self.s[arm, row] += rewards[i]
            self.n[arm, row] += 1.0
            self.mu[arm, row] = self.s[arm, row] / self.n[arm, row]
        if 0 < answers < self.agents:
            self.level[arm] = 0
