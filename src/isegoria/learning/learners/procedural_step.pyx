"""Algorithm 1 as a step of the compiled loop."""

import numpy as np

from libc.math cimport pow
from libc.stdint cimport uint64_t

from isegoria.learning.sets.candidate_sets cimport CandidateSets, log_term_at
from isegoria.learning.runs.loop cimport Step
from isegoria.learning.sets.tally cimport Tally

cdef Py_ssize_t ARMS_IN_A_CODE = 64


cdef class ProceduralStep(Step):
    """One round of a `ProceduralLearner`; `truth` (n, K) are the true favourite sets."""

    cdef Tally tally
    cdef CandidateSets sets
    cdef const Py_ssize_t[::1] rows, available
    cdef const uint64_t[:, ::1] truth
    cdef double gamma, alpha

    def __cinit__(self, learner, truth):
        self.tally, self.sets, self.rows = learner._tally, learner._candidates, learner._present
        self.available = np.arange(self.tally.arms)
        self.gamma, self.alpha = learner.gamma, learner.alpha
        self.truth = codes(truth)

    cdef bint refresh(self, Py_ssize_t t) noexcept:
        cdef double log_term = log_term_at(self.tally.agents, self.tally.arms, t)
        return self.sets.refresh(self.tally, self.rows, self.available, log_term, self.alpha)

    cdef double rate(self, Py_ssize_t t) noexcept:
        return pow(<double> t, self.gamma - 1.0)

    cdef Py_ssize_t explored(self, double pick) noexcept:
        return <Py_ssize_t> (pick * self.tally.arms)

    cdef void record(self, Py_ssize_t arm, const double* rewards, bint last) noexcept:
        self.tally.record(arm, rewards, self.rows)

    cdef bint mistaken(self) noexcept:
        cdef Py_ssize_t w, i
        for w in range(self.truth.shape[0]):
            for i in range(self.truth.shape[1]):
                if self.sets.code[w, i] != self.truth[w, i]:
                    return True
        return False

    cdef uint64_t digest(self) noexcept:
        return self.sets.digest()


def codes(sets):
    """(words, n) the sets as the bit codes of `CandidateSets`.

    >>> codes(np.array([[True, False, True], [False, True, False]])).tolist()
    [[5, 2]]
    """
    bits = np.packbits(sets, axis=1, bitorder="little")
    padded = np.zeros((len(sets), -(-sets.shape[1] // ARMS_IN_A_CODE) * 8), dtype=np.uint8)
    padded[:, : bits.shape[1]] = bits
    return np.ascontiguousarray(padded.view(np.uint64).T)
