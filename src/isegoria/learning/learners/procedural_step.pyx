"""Algorithm 1 as a step of the compiled loop."""

from libc.math cimport pow

from isegoria.learning.simulation.compiled_loop cimport POLICY, SETS, Step
from isegoria.learning.confidence_sets.candidate_sets cimport CandidateSets, log_term_at
from isegoria.learning.base.reward_tally cimport Tally


cdef class ProceduralStep(Step):
    """One round of a `ProceduralLearner` with these candidate sets, tally, agents (rows), arms, γ and α."""

    cdef CandidateSets candidates
    cdef Tally tally
    cdef const Py_ssize_t[::1] rows, arms
    cdef double gamma, alpha

    def __cinit__(self, CandidateSets sets, truth, Tally tally, rows, arms, double gamma, double alpha):
        self.candidates, self.tally, self.rows, self.arms = sets, tally, rows, arms
        self.gamma, self.alpha = gamma, alpha

    cdef int refresh(self, Py_ssize_t t) except -1:
        cdef double log_term = log_term_at(self.tally.agents, self.tally.arms, t)
        return SETS | POLICY if self.candidates.refresh(self.tally, self.rows, self.arms, log_term, self.alpha) else 0

    cdef double rate(self, Py_ssize_t t) noexcept:
        return pow(<double> t, self.gamma - 1.0)

    cdef Py_ssize_t explored(self, double pick) noexcept:
        return <Py_ssize_t> (pick * self.tally.arms)

    cdef void record(self, Py_ssize_t t, Py_ssize_t arm, const double* rewards) noexcept:
        self.tally.record(arm, rewards, self.rows)
