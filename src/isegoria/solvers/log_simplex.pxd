cdef double maximise_log_sum(const double* A, const double* w, Py_ssize_t m, Py_ssize_t K, int tie_break,
                             const double* direction, int warm, double* p, double* margin) noexcept nogil
