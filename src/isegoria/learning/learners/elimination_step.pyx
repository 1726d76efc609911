"""The elimination learner as a step of the compiled loop."""

from libc.string cimport memcpy

from isegoria.learning.simulation.compiled_loop cimport POLICY, SETS, Step
from isegoria.learning.confidence_sets.betting_sets cimport BettingSets
from isegoria.learning.confidence_sets.incremental_policy cimport OwnVoices
from isegoria.learning.base.reward_tally cimport Tally


cdef class GuidedStep(Step):
    """One round of a `EliminationLearner` with these sets, voices, tally and agents (rows), with all arms available.

    `version` is the version of the policy that the learner already knows. `happened` is called if an agent was resolved
    or alarmed in the previous round.
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
