from isegoria.solvers.log_newton cimport Work

cdef double choose(const double* A, const double* w, Py_ssize_t m, Py_ssize_t K, int tie_break,
                   const double* direction, double* x, double* margin, Work* work) noexcept nogil
cdef double maximise_log_sum(const double* A, const double* w, Py_ssize_t m, Py_ssize_t K, int tie_break,
                             const double* direction, int warm, double* p, double* margin) noexcept nogil
