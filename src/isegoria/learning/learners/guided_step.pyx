"""The guided learner as a step of the compiled loop."""

from libc.math cimport pow

from isegoria.learning.runs.loop cimport Step
from isegoria.learning.sets.betting_sets cimport CERTAIN, UNRESOLVED, BettingSets
from isegoria.learning.sets.tally cimport Tally


cdef class GuidedStep(Step):
    """One round of a `GuidedLearner` with these sets, tally and agents (rows), all arms being available; everything
    fades to the share `discount` after every so many rounds (`every`; 0: never)."""

    cdef BettingSets betting
    cdef Tally tally
    cdef const Py_ssize_t[::1] rows
    cdef Py_ssize_t every
    cdef double gamma, in_doubt, discount

    def __cinit__(self, BettingSets sets, truth, Tally tally, rows, double gamma, double in_doubt, double discount,
                  Py_ssize_t every):
        self.betting, self.tally, self.rows = sets, tally, rows
        sets.arms_of(sets.every_arm)
        self.gamma, self.in_doubt, self.discount, self.every = gamma, in_doubt, discount, every

    cdef bint refresh(self, Py_ssize_t t) noexcept:
        return self.betting.refresh()

    cdef double rate(self, Py_ssize_t t) noexcept:
        cdef int state = self.betting.look()
        if state == CERTAIN:
            return 0.0
        return self.in_doubt if state == UNRESOLVED else pow(<double> t, self.gamma - 1.0)

    cdef Py_ssize_t explored(self, double pick) noexcept:
        return self.betting.doubtful[<Py_ssize_t> (pick * self.betting.doubts)]

    cdef void settle(self, Py_ssize_t t, Py_ssize_t arm) noexcept:
        if self.every and t % self.every == 0:
            self.betting.fade_all(self.discount)
        self.betting.settle(t, arm, False)

    cdef void record(self, Py_ssize_t t, Py_ssize_t arm, const double* rewards) noexcept:
        self.tally.record(arm, rewards, self.rows)
        self.betting.record(arm, rewards, self.rows)
        self.betting.close_ticket(t, arm, rewards, self.rows)
