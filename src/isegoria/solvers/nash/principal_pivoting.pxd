ctypedef fused real:
    double
    long double

cdef int minimise_quadratic(const real* B, const real* b, Py_ssize_t n, real noise,
                            real* x, char* free, real* work, Py_ssize_t* index) noexcept nogil
