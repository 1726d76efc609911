"""The directions in which a quadratic does not bend: a null basis of a positive semidefinite matrix on some arms."""

from libc.math cimport sqrtl

from isegoria import tolerances

cdef double TIE = tolerances.OPTIMUM_TIE
cdef double ROUNDING = tolerances.OPTIMUM_ROUNDING


cdef Py_ssize_t null_space(const long double* H, Py_ssize_t n, const Py_ssize_t* arms, Py_ssize_t size, double noise,
                           long double* L, Py_ssize_t* order, long double* Z, double* margin) noexcept nogil:
    """Z (size, q): an orthonormal null basis of H on `arms` by pivoted Cholesky; q, and in `margin` the next miss."""
    cdef Py_ssize_t rank = 0, i, j, k, best, q
    cdef long double pivot, total
    cdef long double* rest = L + size * size
    for i in range(size):
        order[i] = i
        rest[i] = H[arms[i] * n + arms[i]]
    while rank < size:
        best = rank
        for i in range(rank + 1, size):
            if rest[order[i]] > rest[order[best]]:
                best = i
        pivot = rest[order[best]]
        if pivot <= TIE or pivot <= noise * H[arms[order[best]] * n + arms[order[best]]]:
            if pivot > ROUNDING and pivot > noise * H[arms[order[best]] * n + arms[order[best]]]:
                margin[0] = min(margin[0], <double> pivot)
            break
        margin[0] = min(margin[0], <double> pivot)
        order[rank], order[best] = order[best], order[rank]
        k = order[rank]
        pivot = sqrtl(pivot)
        L[k * size + rank] = pivot
        for i in range(rank + 1, size):
            total = H[arms[order[i]] * n + arms[k]]
            for j in range(rank):
                total -= L[order[i] * size + j] * L[k * size + j]
            L[order[i] * size + rank] = total / pivot
            rest[order[i]] -= L[order[i] * size + rank] * L[order[i] * size + rank]
        rank += 1
    q = size - rank
    for j in range(q):
        for i in range(q):
            Z[order[rank + i] * q + j] = 1 if i == j else 0
        for i in range(rank - 1, -1, -1):
            total = L[order[rank + j] * size + i]
            for k in range(i + 1, rank):
                total += L[order[k] * size + i] * Z[order[k] * q + j]
            Z[order[i] * q + j] = -total / L[order[i] * size + i]
    orthonormalise(Z, size, q)
    return q


cdef void orthonormalise(long double* Z, Py_ssize_t size, Py_ssize_t q) noexcept nogil:
    """Gram-Schmidt on the columns of Z, twice, which is enough."""
    cdef Py_ssize_t i, j, k, turn
    cdef long double dot
    for j in range(q):
        for turn in range(2):
            for k in range(j):
                dot = 0
                for i in range(size):
                    dot += Z[i * q + j] * Z[i * q + k]
                for i in range(size):
                    Z[i * q + j] -= dot * Z[i * q + k]
            dot = 0
            for i in range(size):
                dot += Z[i * q + j] * Z[i * q + j]
            dot = sqrtl(dot)
            for i in range(size):
                Z[i * q + j] /= dot
