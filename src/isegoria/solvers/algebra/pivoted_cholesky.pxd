from isegoria.solvers.algebra.pair cimport real

cdef Py_ssize_t pivoted_cholesky(const real* H, Py_ssize_t n, const Py_ssize_t* arms, Py_ssize_t size, double noise,
                                 real* L, real* rest, Py_ssize_t* order, double* margin, int* failed) noexcept nogil
