from isegoria.solvers.nash.columns cimport Columns
from isegoria.solvers.nash.newton cimport Work
from isegoria.solvers.ties.tie_break cimport Choice

cdef double choose(const Columns* A, const double* w, Choice choice, const double* direction, double* x,
                   double* margin, Work* work) noexcept nogil
cdef double maximise_log_sum(const Columns* A, const double* w, Choice choice, const double* direction, int warm,
                             double* p, double* margin) noexcept nogil
