"""Cholesky factors L Lᵀ of positive matrices, and systems solved with them, in either precision.

L (n, n) is the lower triangle of rows that lie `stride` reals apart; nothing above the diagonal is looked at.
"""

from libc.math cimport INFINITY, sqrt

from isegoria.solvers.algebra.pair cimport add_multiple, less_products, over, put, real, root, rounded, scaled


cdef inline void factorise(real* L, Py_ssize_t known, Py_ssize_t n, Py_ssize_t stride, double relative,
                           double absolute) noexcept nogil:
    """Replace the lower triangle of a matrix by its factor, of which the first rows may be `known`.

    A pivot that rounding may have made is lifted to `relative` times its diagonal plus `absolute`; where both are 0 it
    becomes infinite, which (in doubles) leaves its coordinate of every solution at 0.
    """
    cdef Py_ssize_t i, j
    cdef double least
    cdef real* row
    for i in range(known, n):
        row = L + i * stride
        least = relative * rounded(row[i]) + absolute
        for j in range(i):
            row[j] = over(less_products(row[j], row, L + j * stride, j), L[j * stride + j])
        row[i] = less_products(row[i], row, row, i)
        if rounded(row[i]) > least:
            row[i] = root(row[i])
        else:
            put(row + i, sqrt(least) if least > 0 else INFINITY)


cdef inline void solve_lower(const real* L, Py_ssize_t n, Py_ssize_t stride, real* z) noexcept nogil:
    """z ← L⁻¹ z."""
    cdef Py_ssize_t i
    for i in range(n):
        z[i] = over(less_products(z[i], L + i * stride, z, i), L[i * stride + i])


cdef inline void solve_upper(const real* L, Py_ssize_t n, Py_ssize_t stride, real* z) noexcept nogil:
    """z ← L⁻ᵀ z."""
    cdef Py_ssize_t i
    for i in range(n - 1, -1, -1):
        z[i] = over(z[i], L[i * stride + i])
        add_multiple(z, scaled(z[i], -1), L + i * stride, i)


cdef inline void solve_both(const real* L, Py_ssize_t n, Py_ssize_t stride, real* z) noexcept nogil:
    """z ← (L Lᵀ)⁻¹ z."""
    solve_lower(L, n, stride, z)
    solve_upper(L, n, stride, z)
