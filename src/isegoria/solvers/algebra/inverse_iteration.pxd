"""About the smallest eigenvalue of L Lᵀ: how near a matrix is to singular."""

from libc.math cimport sqrt

from isegoria.solvers.algebra.cholesky cimport solve_both
from isegoria.solvers.algebra.pair cimport dot

cdef enum:
    TURNS = 4  # each divides the share of the other eigenvectors by the ratio of their eigenvalues


cdef inline double least_eigenvalue(const double* L, Py_ssize_t n, Py_ssize_t stride, double* z) noexcept nogil:
    """At least the smallest eigenvalue of L Lᵀ, and near it; `z` (n,) becomes about its vector. Infinity if n is 0."""
    cdef Py_ssize_t i
    cdef int turn
    cdef double norm
    for i in range(n):
        z[i] = 1 + i % 3 - 4 * (i % 2)  # never 0: a start at right angles to the vector would never find it
    for turn in range(TURNS):
        norm = sqrt(dot(z, z, n))
        for i in range(n):
            z[i] /= norm
        solve_both(L, n, stride, z)
    return 1 / sqrt(dot(z, z, n))
