"""The compiled loop for set learners: many rounds of ask and tell at once, with identical draws, sets and sums."""

import numpy as np

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.string cimport memcmp, memcpy
from numpy.random cimport bitgen_t

from isegoria.learning.base cimport deficit_sampling
from isegoria.learning.confidence_sets.favourite_sets import pack_sets
from isegoria.learning.confidence_sets.favourite_sets cimport FavouriteSets


cdef class Step:
    """Base class for the learner-specific part of a round, for its `sets` and the true ones (n, K)."""

    def __cinit__(self, FavouriteSets sets, truth, *args):
        self.sets, self.truth = sets, pack_sets(truth)

    cdef int refresh(self, Py_ssize_t t) except -1:
        """Bring the sets and the policy to round t, and return which of them have changed."""
        return 0

    cdef int policy(self, learner, double* p) except -1:
        """Write the policy of the round to `p`; called when it has changed."""
        cdef const double[::1] solved = learner.solve()
        memcpy(p, &solved[0], solved.shape[0] * sizeof(double))
        return 0

    cdef double rate(self, Py_ssize_t t) noexcept:
        """Return the probability that round t explores."""
        return 0.0

    cdef Py_ssize_t explored(self, double pick) noexcept:
        """Return the arm of an exploring round, from a uniform draw."""
        return -1

    cdef int settle(self, Py_ssize_t t, Py_ssize_t arm) except -1:
        """Handle the arm that round t pulls."""
        return 0

    cdef void record(self, Py_ssize_t t, Py_ssize_t arm, const double* rewards) noexcept:
        """Count the rewards of the agents present, and close the round."""


cdef class Rewards:
    """The rewards of a `RewardStream`, taken from its blocks, or of a `RoundStream`, drawn round by round."""

    def __cinit__(self, stream, Py_ssize_t agents):
        self.stream, self.by_round, self.agents = stream, stream.by_round, agents
        blocks = [] if self.by_round else stream.blocks
        self.blocks = np.array([block.ctypes.data for block in blocks], dtype=np.uintp)
        self.sizes = np.array([len(block) for block in blocks], dtype=np.intp)
        self.used = np.empty(0, np.intp) if self.by_round else stream.used

    cdef const double* next(self, Py_ssize_t arm, Py_ssize_t t) except NULL:
        """Return the rewards of `arm` in round `t` and mark them as used; the pointer is valid until the next call."""
        cdef const double* row
        if self.by_round:
            self.row = self.stream.pull(arm, t)
            return &self.row[0]
        if self.used[arm] == self.sizes[arm]:
            block = self.stream.refill(arm)
            self.blocks[arm], self.sizes[arm] = block.ctypes.data, len(block)
        row = <const double*> self.blocks[arm] + self.used[arm] * self.agents
        self.used[arm] += 1
        return row


def play(learner, Step step, stream, Py_ssize_t rounds):
    """Play `rounds` rounds of a `SetLearner` on a stream of rewards, in which no arm is forced any more.

    Return, for every round, (arms, exploring, wrong: some set is not the true one), then (starts, policies) of the
    stretches over which the policy is constant, and a digest of the sets each time they changed. The learner ends
    exactly as if each round had been asked and told.
    """
    cdef Py_ssize_t K = learner.learned.shape[0], n = len(step.sets), t = learner.rounds, j, k
    cdef double explore, pick, floor
    cdef int changed
    coin, debt, floor = learner.own_coin()
    cdef object generator = coin.bit_generator      # keeps the capsule alive
    cdef bitgen_t* bits = <bitgen_t*> PyCapsule_GetPointer(generator.capsule, "BitGenerator")
    arms, exploring, wrong = np.empty(rounds, np.intp), np.empty(rounds, np.uint8), np.empty(rounds, np.uint8)
    pulls, every_arm = np.zeros(K, np.intp), np.arange(K)
    cdef Py_ssize_t[::1] arm_of = arms, asked = pulls, all_arms = every_arm
    cdef unsigned char[::1] explored = exploring, mistaken = wrong
    cdef bint mismatch = step.sets.differ(step.truth), catch_up = debt is not None
    cdef double[::1] deficit = debt if catch_up else np.empty(0), owed = np.empty(K)
    cdef double[::1] p = np.array(learner.learned), cumulative = np.cumsum(p)
    cdef Stretches stretches = Stretches(K)
    cdef Rewards rewards = Rewards(stream, n)
    patterns = []
    stretches.follow(0, &p[0])
    for j in range(rounds):
        t += 1
        explore, pick = bits.next_double(bits.state), bits.next_double(bits.state)
        changed = step.refresh(t)
        if changed & SETS:
            patterns.append(step.sets.digest())
            mismatch = step.sets.differ(step.truth)
        if changed & POLICY:
            step.policy(learner, &p[0])
            cumulative[:] = p
            running_sums(cumulative)
            stretches.follow(j, &p[0])
        mistaken[j] = mismatch
        explored[j] = explore < step.rate(t)
        if explored[j]:
            k = step.explored(pick)
        elif catch_up:
            deficit_sampling.write_probabilities(&deficit[0], &p[0], all_arms, K, floor, &owed[0])
            running_sums(owed)
            k = draw_arm(owed, pick)
        else:
            k = draw_arm(cumulative, pick)
        if catch_up:
            deficit_sampling.settle(&deficit[0], &p[0], K, k)
        step.settle(t, k)
        step.record(t, k, rewards.next(k, t))
        asked[k] += 1
        arm_of[j] = k
    learner.after(t, arms, pulls, int(exploring.sum()))
    return arms, exploring.view(bool), wrong.view(bool), *stretches.found(), patterns


cdef class Stretches:
    """The policies of a run over `K` arms, each with the round from which it holds."""

    cdef object policies, starts
    cdef double[:, ::1] policy
    cdef Py_ssize_t[::1] start
    cdef Py_ssize_t count

    def __cinit__(self, Py_ssize_t K):
        self.policies, self.starts, self.count = np.empty((8, K)), np.empty(8, np.intp), 0
        self.policy, self.start = self.policies, self.starts

    def found(self):
        """Return (starts, policies) of all stretches."""
        return self.starts[: self.count], self.policies[: self.count]

    cdef int follow(self, Py_ssize_t j, const double* p) except -1:
        """Open a new stretch at round `j`, unless the policy is unchanged."""
        cdef Py_ssize_t K = self.policy.shape[1], last = self.count - 1
        if self.count and memcmp(&self.policy[last, 0], p, K * sizeof(double)) == 0:
            return 0
        if j > 0 or not self.count:
            last += 1
        if last == self.start.shape[0]:
            self.policies = np.concatenate([self.policies, np.empty_like(self.policies)])
            self.starts = np.concatenate([self.starts, np.empty_like(self.starts)])
            self.policy, self.start = self.policies, self.starts
        self.start[last], self.count = j, last + 1
        memcpy(&self.policy[last, 0], p, K * sizeof(double))
        return 0


cdef void running_sums(double[::1] chances) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(1, chances.shape[0]):
        chances[k] += chances[k - 1]


cdef Py_ssize_t draw_arm(const double[::1] cumulative, double pick) noexcept nogil:
    """Return the first arm whose running sum exceeds `pick` times the total; rounding at the end gives the last arm."""
    cdef Py_ssize_t k = 0, final = cumulative.shape[0] - 1
    pick *= cumulative[final]
    while final > 0 and cumulative[final - 1] == cumulative[final]:
        final -= 1
    while k < final and cumulative[k] <= pick:
        k += 1
    return k
