from isegoria.solvers.columns cimport Columns
from isegoria.solvers.log_newton cimport Work

cdef double choose(const Columns* A, const double* w, int tie_break, const double* direction, double* x,
                   double* margin, Work* work) noexcept nogil
cdef double maximise_log_sum(const Columns* A, const double* w, int tie_break, const double* direction, int warm,
                             double* p, double* margin) noexcept nogil
