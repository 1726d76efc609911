from isegoria.rows.arena cimport Arena
from isegoria.solvers.algebra.pair cimport pair, real

cdef Py_ssize_t pivoted_cholesky(const real* H, Py_ssize_t n, const Py_ssize_t* arms, Py_ssize_t size, double noise,
                                 real* L, real* rest, Py_ssize_t* order, double* margin) noexcept nogil
cdef Py_ssize_t null_space(const pair* H, Py_ssize_t n, const Py_ssize_t* arms, Py_ssize_t size, double noise,
                           pair* Z, double* margin, Arena* arena) noexcept nogil
