"""Learners, compiled: many rounds of ask and tell at once, with the very same draws, sets and sums."""

import numpy as np

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport uint64_t
from numpy.random cimport bitgen_t


cdef class Step:
    """What differs from learner to learner in a round: a subclass writes these for a learner and the true sets.

    The learner has `_learned`, the policy of its sets, and `_solved()`, which computes it anew.
    """

    cdef bint refresh(self, Py_ssize_t t) noexcept:
        """Bring the sets to round t; True when any has changed."""
        return False

    cdef double rate(self, Py_ssize_t t) noexcept:
        """The probability that round t explores."""
        return 0.0

    cdef Py_ssize_t explored(self, double pick) noexcept:
        """The arm of an exploring round, from a uniform draw."""
        return -1

    cdef void record(self, Py_ssize_t arm, const double* rewards, bint last) noexcept:
        """Count the rewards of the agents present; `last` says that no other round follows at once."""

    cdef bint mistaken(self) noexcept:
        """Whether some set is not the true one."""
        return True

    cdef uint64_t digest(self) noexcept:
        """64 bits that tell patterns of sets apart."""
        return 0


def play(learner, Step step, stream, Py_ssize_t rounds):
    """Play `rounds` rounds of a learner on a `RewardStream`, in which no arm is forced any more.

    Returns, for every round, (arms, exploring, wrong: some set is not the true one), then (starts, policies) of the
    stretches over which the policy stays the same, and a digest of the sets each time they changed. The learner is left
    exactly as if each round had been asked and told.
    """
    cdef Py_ssize_t K = len(learner._asked), n = len(learner._present), t = learner.rounds, j, k
    cdef double explore, pick
    cdef object generator = learner._stream("play").bit_generator   # keeps the capsule alive
    cdef bitgen_t* bits = <bitgen_t*> PyCapsule_GetPointer(generator.capsule, "BitGenerator")
    arms, exploring, wrong = np.empty(rounds, np.intp), np.empty(rounds, np.uint8), np.empty(rounds, np.uint8)
    cdef Py_ssize_t[::1] arm_of = arms, used = stream.used, asked = np.zeros(K, np.intp)
    cdef unsigned char[::1] explored = exploring, mistaken = wrong
    cdef bint mismatch = step.mistaken()
    cdef double[::1] cumulative = np.cumsum(learner._learned)
    cdef size_t[::1] blocks = np.array([block.ctypes.data for block in stream.blocks], dtype=np.uintp)
    cdef Py_ssize_t[::1] sizes = np.array([len(block) for block in stream.blocks], dtype=np.intp)
    starts, policies, patterns = [0], [learner._learned], []
    for j in range(rounds):
        t += 1
        explore, pick = bits.next_double(bits.state), bits.next_double(bits.state)
        if step.refresh(t):
            patterns.append(step.digest())
            mismatch = step.mistaken()
            learner._learned = learner._solved()
            cumulative = np.cumsum(learner._learned)
            _continue(starts, policies, j, learner._learned)
        mistaken[j] = mismatch
        explored[j] = explore < step.rate(t)
        k = step.explored(pick) if explored[j] else drawn(cumulative, pick)
        if used[k] == sizes[k]:
            block = stream.refill(k)
            blocks[k], sizes[k] = block.ctypes.data, len(block)
        step.record(k, <double*> blocks[k] + used[k] * n, j == rounds - 1)
        used[k] += 1
        asked[k] += 1
        arm_of[j] = k
    learner.rounds = t
    learner._asked = (np.asarray(learner._asked) + np.asarray(asked)).tolist()
    learner._explored += int(exploring.sum())
    learner._last = learner._learned
    return arms, exploring.view(bool), wrong.view(bool), starts, policies, patterns


def _continue(starts, policies, j, policy):
    """Open a new stretch at round `j`, unless the policy is what it was."""
    if j == 0:
        policies[0] = policy
    elif not np.array_equal(policies[len(policies) - 1], policy):
        starts.append(j)
        policies.append(policy)


cdef Py_ssize_t drawn(const double[::1] cumulative, double pick) noexcept nogil:
    """The first arm whose running sum exceeds `pick` times the total; rounding at the very end gives the last arm."""
    cdef Py_ssize_t k = 0, final = cumulative.shape[0] - 1
    pick *= cumulative[final]
    while final > 0 and cumulative[final - 1] == cumulative[final]:
        final -= 1
    while k < final and cumulative[k] <= pick:
        k += 1
    return k
