from isegoria.solvers.algebra.pair cimport real

cdef int minimise_quadratic(const real* B, const real* b, Py_ssize_t n, double noise, real* x, unsigned char* free,
                            real* L, real* z, Py_ssize_t* index) noexcept nogil
