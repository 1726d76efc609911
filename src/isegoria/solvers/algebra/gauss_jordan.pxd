"""Inverses by Gauss–Jordan elimination, in place, with row exchanges."""

from libc.math cimport fabs


cdef inline bint invert(double* w, int m, int* exchanged) noexcept nogil:
    """Replace w (m, m) by its inverse; False if it has none. `exchanged` (m,): room for what rows change places."""
    cdef int i, j, c, best
    cdef double pivot, factor
    for c in range(m):
        best = c
        for i in range(c + 1, m):
            if fabs(w[i * m + c]) > fabs(w[best * m + c]):
                best = i
        pivot = w[best * m + c]
        if pivot == 0:
            return False
        exchanged[c] = best
        for j in range(m):
            w[best * m + j], w[c * m + j] = w[c * m + j], w[best * m + j] / pivot
        w[c * m + c] = 1 / pivot
        for i in range(m):
            factor = w[i * m + c]
            if i != c and factor != 0:
                w[i * m + c] = 0
                for j in range(m):
                    w[i * m + j] -= factor * w[c * m + j]
    for c in range(m - 1, -1, -1):
        best = exchanged[c]
        for i in range(m):
            w[i * m + c], w[i * m + best] = w[i * m + best], w[i * m + c]
    return True
