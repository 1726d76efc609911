"""Cholesky factors L Lᵀ of positive matrices, and systems solved with them, in either precision.

L (n, n) is the lower triangle of rows that lie `stride` reals apart; nothing above the diagonal is looked at.
"""

from libc.math cimport INFINITY, sqrt

from isegoria.solvers.algebra.pair cimport (
    add_multiple, less_products, minus, over, put, real, root, rounded, scaled, times,
)


cdef inline void factorise(real* L, Py_ssize_t known, Py_ssize_t n, Py_ssize_t stride, double relative,
                           double absolute) noexcept nogil:
    """Replace the lower triangle of a matrix by its factor, of which the first rows may be `known`.

    A pivot that rounding may have made is lifted to `relative` times its diagonal plus `absolute`; where both are 0 it
    becomes infinite, which (in doubles) leaves its coordinate of every solution at 0.
    """
    cdef Py_ssize_t i, j, first = known, last
    cdef double least
    cdef real* row
    while first < n:
        last = first + 4 if first + 4 <= n else first + 1
        if last > first + 1:
            for j in range(first):
                _next_of_four(L + first * stride, stride, j, L + j * stride)
        for i in range(first, last):
            row = L + i * stride
            least = relative * rounded(row[i]) + absolute
            for j in range(first if last > first + 1 else 0, i):
                row[j] = over(less_products(row[j], row, L + j * stride, j), L[j * stride + j])
            row[i] = less_products(row[i], row, row, i)
            if rounded(row[i]) > least:
                row[i] = root(row[i])
            else:
                put(row + i, sqrt(least) if least > 0 else INFINITY)
        first = last


cdef inline void _next_of_four(real* rows, Py_ssize_t stride, Py_ssize_t j, const real* known) noexcept nogil:
    """Entry j of four rows, from those before it and the `known` row j of the factor: each sum is taken in its own
    order, and none waits for its last term alone."""
    cdef real* a = rows
    cdef real* b = a + stride
    cdef real* c = b + stride
    cdef real* d = c + stride
    cdef real s = a[j], t = b[j], u = c[j], v = d[j]
    cdef Py_ssize_t k
    for k in range(j):
        s = minus(s, times(a[k], known[k]))
        t = minus(t, times(b[k], known[k]))
        u = minus(u, times(c[k], known[k]))
        v = minus(v, times(d[k], known[k]))
    a[j], b[j], c[j], d[j] = over(s, known[j]), over(t, known[j]), over(u, known[j]), over(v, known[j])


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
