"""Cholesky factors of small positive matrices, and what is solved with them, in either precision."""

from isegoria.solvers.algebra.pair cimport real

cdef void factorise(real* L, Py_ssize_t n, Py_ssize_t stride, double relative, double absolute) noexcept nogil
cdef void solve_lower(const real* L, Py_ssize_t n, Py_ssize_t stride, real* z) noexcept nogil
cdef void solve_upper(const real* L, Py_ssize_t n, Py_ssize_t stride, real* z) noexcept nogil
cdef void solve_both(const real* L, Py_ssize_t n, Py_ssize_t stride, real* z) noexcept nogil
