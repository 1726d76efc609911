cdef Py_ssize_t null_space(const long double* H, Py_ssize_t n, const Py_ssize_t* arms, Py_ssize_t size, double noise,
                           long double* L, Py_ssize_t* order, long double* Z, double* margin) noexcept nogil
