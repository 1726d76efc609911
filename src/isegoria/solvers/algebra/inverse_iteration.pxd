cdef double least_eigenvalue(const double* L, Py_ssize_t n, Py_ssize_t stride, double* z) noexcept nogil
