from libc.stdint cimport int64_t, uint64_t

from isegoria.solvers.codes cimport CodeCount

cdef double procedural_from_codes(const uint64_t* codes, const int64_t* weights, Py_ssize_t N, Py_ssize_t K,
                                  int warm, double* p, double* margin) noexcept nogil
cdef double procedural_from_counts(const CodeCount* counts, Py_ssize_t m, Py_ssize_t K, int tie_break,
                                   const double* direction, int warm, double* p, double* margin) noexcept nogil
