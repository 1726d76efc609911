"""The guided learner as a step of the compiled loop."""

from libc.string cimport memcpy

from isegoria.learning.runs.loop cimport POLICY, SETS, Step
from isegoria.learning.sets.betting_sets cimport BettingSets
from isegoria.learning.sets.own_voices cimport OwnVoices
from isegoria.learning.sets.tally cimport Tally


cdef class GuidedStep(Step):
    """One round of a `GuidedLearner` with these sets, voices, tally and agents (rows), all arms being available.

    `version` is that of the policy which the learner has taken note of; `happened` is called when someone was resolved
    or alarmed in the round before.
    """

    cdef BettingSets betting
    cdef OwnVoices voices
    cdef Tally tally
    cdef const Py_ssize_t[::1] rows
    cdef Py_ssize_t version
    cdef object happened

    def __cinit__(self, BettingSets sets, truth, OwnVoices voices, Tally tally, rows, Py_ssize_t version, happened):
        self.betting, self.voices, self.tally, self.rows = sets, voices, tally, rows
        self.version, self.happened = version, happened
        sets.arms_of(sets.every_arm)

    cdef int refresh(self, Py_ssize_t t) except -1:
        cdef int changed = SETS if self.betting.refresh_sets() else 0
        self.voices.refresh()
        if self.version != self.voices.version:
            self.version = self.voices.version
            changed |= POLICY
        return changed

    cdef int policy(self, learner, double* p) except -1:
        memcpy(p, &self.voices.p[0], self.voices.p.shape[0] * sizeof(double))
        return 0

    cdef int settle(self, Py_ssize_t t, Py_ssize_t arm) except -1:
        if self.betting.news:
            self.happened()
        return 0

    cdef void record(self, Py_ssize_t t, Py_ssize_t arm, const double* rewards) noexcept:
        self.tally.record(arm, rewards, self.rows)
        self.betting.hear_all(t, arm, rewards, self.rows, &self.voices.p[0])
