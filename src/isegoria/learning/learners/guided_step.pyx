"""The guided learner as a step of the compiled loop."""

import numpy as np

from libc.math cimport isnan, pow
from libc.stdint cimport uint64_t

from isegoria.learning.sets.interval_sets cimport CERTAIN, UNRESOLVED, Doubts
from isegoria.learning.runs.loop cimport Step
from isegoria.learning.sets.tally cimport Tally


cdef class GuidedStep(Step):
    """One round of a `GuidedLearner`; `truth` (n, K) are the true favourite sets."""

    cdef object learner
    cdef Tally tally
    cdef Doubts doubts
    cdef const Py_ssize_t[::1] rows, available
    cdef const unsigned char[:, ::1] truth
    cdef Py_ssize_t[::1] pulls
    cdef double gamma, in_doubt, resolution, discount

    def __cinit__(self, learner, truth):
        self.learner, self.tally, self.doubts, self.rows = learner, learner._tally, learner._doubts, learner._present
        self.available = np.arange(self.tally.arms)
        self.truth = np.ascontiguousarray(truth, dtype=np.uint8)
        self.pulls = np.array(learner._asked, dtype=np.intp)
        self.gamma, self.in_doubt, self.resolution = learner.gamma, learner.rate, learner.resolution
        self.discount = 1.0 if learner.discount is None else learner.discount
        learner._notes.clear()      # they go on the first ticket, which nobody keeps

    cdef bint refresh(self, Py_ssize_t t) noexcept:
        if self.doubts.fading:
            self.doubts.fade_all(self.discount)
        return self.doubts.refresh(self.rows, self.available, self.resolution)

    cdef double rate(self, Py_ssize_t t) noexcept:
        if self.doubts.state == CERTAIN:
            return 0.0
        return self.in_doubt if self.doubts.state == UNRESOLVED else pow(<double> t, self.gamma - 1.0)

    cdef Py_ssize_t explored(self, double pick) noexcept:
        return self.doubts.least_pulled(self.pulls)

    cdef void record(self, Py_ssize_t arm, const double* rewards, bint last) noexcept:
        cdef Py_ssize_t i
        self.tally.record(arm, rewards, self.rows)
        self.pulls[arm] += 1
        for i in range(self.rows.shape[0]):
            if not isnan(rewards[i]) and self.doubts.see(arm, self.rows[i], rewards[i]) and last:
                self.learner._restarted(arm, self.rows[i])

    cdef bint mistaken(self) noexcept:
        return self.doubts.differ(self.truth)

    cdef uint64_t digest(self) noexcept:
        return self.doubts.digest()
