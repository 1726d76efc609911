"""The directions in which a quadratic does not bend: a null basis of a positive semidefinite matrix on some arms."""

from isegoria import tolerances
from isegoria.rows.arena cimport places
from isegoria.solvers.algebra.pair cimport (
    add_multiple, dot, less_products, minus, over, pair_of, pair_over, pair_scaled, pairs, plus, root, rounded,
    scaled, times,
)

cdef double TIE = tolerances.OPTIMUM_TIE
cdef double ROUNDING = tolerances.OPTIMUM_ROUNDING


cdef Py_ssize_t pivoted_cholesky(const real* H, Py_ssize_t n, const Py_ssize_t* arms, Py_ssize_t size, double noise,
                                 real* L, real* rest, Py_ssize_t* order, double* margin) noexcept nogil:
    """The rank of H (n, n) on `arms`, the largest remaining diagonal first; in `margin` the smallest pivot that counts.

    L (size, size): the factor, one row for each of the arms. `order` (size,): the arms of the rank, in the order of
    the columns of L, then the others. `rest` (size,): what is left of the diagonal.
    """
    cdef Py_ssize_t rank, i, j, k, best
    cdef double pivot, least
    for i in range(size):
        order[i] = i
        rest[i] = H[arms[i] * n + arms[i]]
    for rank in range(size):
        best = rank
        for i in range(rank + 1, size):
            if rounded(rest[order[i]]) > rounded(rest[order[best]]):
                best = i
        k = order[best]
        pivot = rounded(rest[k])
        least = noise * rounded(H[arms[k] * n + arms[k]])
        if pivot > least and pivot > ROUNDING:
            margin[0] = min(margin[0], pivot)
        if not (pivot > TIE and pivot > least):
            return rank
        order[best] = order[rank]
        order[rank] = k
        L[k * size + rank] = root(rest[k])
        for i in range(rank + 1, size):
            j = order[i]
            L[j * size + rank] = over(
                less_products(H[arms[j] * n + arms[k]], L + j * size, L + k * size, rank), L[k * size + rank]
            )
            rest[j] = minus(rest[j], times(L[j * size + rank], L[j * size + rank]))
    return size


cdef void orthonormalise(pair* rows, Py_ssize_t count, Py_ssize_t size) noexcept nogil:
    """Gram–Schmidt on `count` rows of `size`, twice, which is enough."""
    cdef Py_ssize_t i, j, turn
    cdef pair* row
    cdef pair length
    for j in range(count):
        row = rows + j * size
        for turn in range(2):
            for i in range(j):
                add_multiple(row, pair_scaled(dot(row, rows + i * size, size), -1), rows + i * size, size)
            length = root(dot(row, row, size))
            for i in range(size):
                row[i] = pair_over(row[i], length)


cdef Py_ssize_t null_space(const pair* H, Py_ssize_t n, const Py_ssize_t* arms, Py_ssize_t size, double noise,
                           pair* Z, double* margin, Arena* arena) noexcept nogil:
    """Z (size, q): an orthonormal null basis of H on `arms`; q, or 0 where memory was short. See `pivoted_cholesky`."""
    cdef pair* L = pairs(arena, size * size)
    cdef pair* rows = pairs(arena, size * size)
    cdef pair* rest = pairs(arena, size)
    cdef Py_ssize_t* order = places(arena, size)
    cdef Py_ssize_t rank, i, j, k, q
    cdef pair* row
    cdef pair total
    if arena.failed:
        return 0
    rank = pivoted_cholesky(H, n, arms, size, noise, L, rest, order, margin)
    q = size - rank
    for j in range(q):
        row = rows + j * size
        for i in range(q):
            row[order[rank + i]] = pair_of(i == j)
        for i in range(rank - 1, -1, -1):
            total = L[order[rank + j] * size + i]
            for k in range(i + 1, rank):
                total = plus(total, times(L[order[k] * size + i], row[order[k]]))
            row[order[i]] = over(scaled(total, -1), L[order[i] * size + i])
    orthonormalise(rows, q, size)
    for i in range(size):
        for j in range(q):
            Z[i * q + j] = rows[j * size + i]
    return q
