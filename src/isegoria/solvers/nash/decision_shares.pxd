from libc.stdint cimport int64_t, uint64_t

cdef double procedural_from_codes(const uint64_t* codes, const int64_t* weights, Py_ssize_t N, Py_ssize_t K,
                                  int warm, double* p, double* margin) except -1 nogil
