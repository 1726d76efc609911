"""A Cholesky factor of a positive semidefinite matrix on some arms, the largest pivot first, and its rank.

Points that have the same products with the columns of the factor lie where a quadratic does not bend.
"""

from isegoria.utils import tolerances
from isegoria.solvers.rows.interrupt cimport interrupted
from isegoria.solvers.algebra.pair cimport less_products, minus, over, root, rounded, times

cdef double TIE = tolerances.OPTIMUM_TIE
cdef double ROUNDING = tolerances.OPTIMUM_ROUNDING


cdef Py_ssize_t pivoted_cholesky(const real* H, Py_ssize_t n, const Py_ssize_t* arms, Py_ssize_t size, double noise,
                                 real* L, real* rest, Py_ssize_t* order, double* margin, int* failed) noexcept nogil:
    """The rank of H (n, n) on `arms`, the largest remaining diagonal first; in `margin` the smallest pivot that counts.

    L (size, size): the factor, one row for each of the arms. `order` (size,): the arms of the rank, in the order of
    the columns of L, then the others. `rest` (size,): what is left of the diagonal. A signal ends the search.
    """
    cdef Py_ssize_t rank, i, j, k, best
    cdef double pivot, least
    for i in range(size):
        order[i] = i
        rest[i] = H[arms[i] * n + arms[i]]
    for rank in range(size):
        if interrupted(failed, (1 if real is double else 10) * rank * (size - rank)):
            return 0
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
