"""Cholesky factors L Lᵀ of positive matrices, and systems solved with them.

L (n, n) is the lower triangle of rows that lie `stride` reals apart; nothing above the diagonal is looked at.
"""

from libc.math cimport INFINITY, sqrt

import numpy as np

from isegoria.solvers.algebra.pair cimport add_multiple, dot, minus, over, pair, put, root, rounded, scaled


cdef void factorise(real* L, Py_ssize_t n, Py_ssize_t stride, double relative, double absolute) noexcept nogil:
    """Replace the lower triangle of a matrix by its factor.

    A pivot that rounding may have made is lifted to `relative` times its diagonal plus `absolute`; where both are 0 it
    becomes infinite, which (in doubles) leaves its coordinate of every solution at 0.
    """
    cdef Py_ssize_t i, j
    cdef double least
    cdef real* row
    for i in range(n):
        row = L + i * stride
        least = relative * rounded(row[i]) + absolute
        for j in range(i):
            row[j] = over(minus(row[j], dot(row, L + j * stride, j)), L[j * stride + j])
        row[i] = minus(row[i], dot(row, row, i))
        if rounded(row[i]) > least:
            row[i] = root(row[i])
        else:
            put(row + i, sqrt(least) if least > 0 else INFINITY)


cdef void solve_lower(const real* L, Py_ssize_t n, Py_ssize_t stride, real* z) noexcept nogil:
    """z ← L⁻¹ z."""
    cdef Py_ssize_t i
    for i in range(n):
        z[i] = over(minus(z[i], dot(L + i * stride, z, i)), L[i * stride + i])


cdef void solve_upper(const real* L, Py_ssize_t n, Py_ssize_t stride, real* z) noexcept nogil:
    """z ← L⁻ᵀ z."""
    cdef Py_ssize_t i
    for i in range(n - 1, -1, -1):
        z[i] = over(z[i], L[i * stride + i])
        add_multiple(z, scaled(z[i], -1), L + i * stride, i)


cdef void solve_both(const real* L, Py_ssize_t n, Py_ssize_t stride, real* z) noexcept nogil:
    """z ← (L Lᵀ)⁻¹ z."""
    solve_lower(L, n, stride, z)
    solve_upper(L, n, stride, z)


def solved(matrix, b, double relative=0, double absolute=0, bint in_pairs=False):
    """(n,) the solution z of `matrix` z = `b`, for a positive `matrix` (n, n), in doubles or in pairs of them.

    >>> solved(np.array([[4.0, 2.0], [2.0, 2.0]]), np.array([2.0, 2.0])).tolist()
    [0.0, 1.0]
    """
    cdef double[:, ::1] L = np.array(matrix, dtype=float)
    cdef double[::1] z = np.array(b, dtype=float)
    cdef pair[:, ::1] long_L
    cdef pair[::1] long_z
    cdef Py_ssize_t i, j, n = len(b)
    if not in_pairs:
        factorise(&L[0, 0], n, n, relative, absolute)
        solve_both(&L[0, 0], n, n, &z[0])
        return np.asarray(z)
    kind = [("hi", float), ("lo", float)]
    long_L, long_z = np.zeros((n, n), kind), np.zeros(n, kind)
    for i in range(n):
        put(&long_z[i], z[i])
        for j in range(n):
            put(&long_L[i, j], L[i, j])
    factorise(&long_L[0, 0], n, n, relative, absolute)
    solve_both(&long_L[0, 0], n, n, &long_z[0])
    return np.array([long_z[i].hi for i in range(n)])
