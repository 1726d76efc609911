"""Algorithm 1, compiled: many rounds of ask and tell at once, with the very same draws, sets and sums."""

import numpy as np

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.math cimport pow
from libc.stdint cimport uint64_t
from numpy.random cimport bitgen_t

from isegoria.learning.confidence cimport CandidateSets, log_term_at
from isegoria.learning.tally cimport Tally


def play_procedural(learner, stream, Py_ssize_t rounds, const uint64_t[:, ::1] truth):
    """Play `rounds` rounds of a `ProceduralLearner` on a `RewardStream`, in which no arm is forced any more.

    `truth` holds the true favourite sets as bit codes. Returns, for every round, (arms, exploring, wrong: some set is
    not the true one), then (starts, policies) of the stretches over which the policy stays the same, and a digest of the
    sets each time they changed. The learner is left exactly as if each round had been asked and told.
    """
    cdef Tally tally = learner._tally
    cdef CandidateSets sets = learner._candidates
    cdef const Py_ssize_t[::1] rows = learner._present
    cdef Py_ssize_t K = tally.arms, n = rows.shape[0], t = learner.rounds, j, k
    cdef const Py_ssize_t[::1] available = np.arange(K)
    cdef double gamma = learner.gamma, alpha = learner.alpha, explore, pick, rate
    cdef object generator = learner._stream("play").bit_generator   # keeps the capsule alive
    cdef bitgen_t* bits = <bitgen_t*> PyCapsule_GetPointer(generator.capsule, "BitGenerator")
    arms, exploring, wrong = np.empty(rounds, np.intp), np.empty(rounds, np.uint8), np.empty(rounds, np.uint8)
    cdef Py_ssize_t[::1] arm_of = arms, used = stream.used, asked = np.zeros(K, np.intp)
    cdef unsigned char[::1] explored = exploring, mistaken = wrong
    cdef bint mismatch = differ(sets.code, truth)
    cdef double[::1] cumulative = np.cumsum(learner._learned)
    cdef size_t[::1] blocks = np.array([block.ctypes.data for block in stream.blocks], dtype=np.uintp)
    cdef Py_ssize_t[::1] sizes = np.array([len(block) for block in stream.blocks], dtype=np.intp)
    starts, policies, patterns = [0], [learner._learned], []
    for j in range(rounds):
        t += 1
        explore, pick = bits.next_double(bits.state), bits.next_double(bits.state)
        if sets.refresh(tally, rows, available, log_term_at(tally.agents, K, t), alpha):
            patterns.append(sets.digest())
            mismatch = differ(sets.code, truth)
            learner._learned = learner._solved()
            cumulative = np.cumsum(learner._learned)
            _continue(starts, policies, j, learner._learned)
        mistaken[j] = mismatch
        rate = pow(<double> t, gamma - 1.0)
        explored[j] = explore < rate
        k = <Py_ssize_t> (pick * K) if explored[j] else drawn(cumulative, pick)
        if used[k] == sizes[k]:
            block = stream.refill(k)
            blocks[k], sizes[k] = block.ctypes.data, len(block)
        tally.record(k, <double*> blocks[k] + used[k] * n, rows)
        used[k] += 1
        asked[k] += 1
        arm_of[j] = k
    learner.rounds = t
    learner._asked = (np.asarray(learner._asked) + np.asarray(asked)).tolist()
    learner._last = learner._learned
    return arms, exploring.view(bool), wrong.view(bool), starts, policies, patterns


def _continue(starts, policies, j, policy):
    """Open a new stretch at round `j`, unless the policy is what it was."""
    if j == 0:
        policies[0] = policy
    elif not np.array_equal(policies[len(policies) - 1], policy):
        starts.append(j)
        policies.append(policy)


cdef bint differ(const uint64_t[:, ::1] one, const uint64_t[:, ::1] other) noexcept nogil:
    cdef Py_ssize_t w, i
    for w in range(one.shape[0]):
        for i in range(one.shape[1]):
            if one[w, i] != other[w, i]:
                return True
    return False


cdef Py_ssize_t drawn(const double[::1] cumulative, double pick) noexcept nogil:
    """The first arm whose running sum exceeds `pick` times the total; rounding at the very end gives the last arm."""
    cdef Py_ssize_t k = 0, final = cumulative.shape[0] - 1
    pick *= cumulative[final]
    while final > 0 and cumulative[final - 1] == cumulative[final]:
        final -= 1
    while k < final and cumulative[k] <= pick:
        k += 1
    return k
