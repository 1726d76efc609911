"""One pass over the means: is every entry in [0, 1], which arms are each agent's favourites, how near is the next?"""

from libc.math cimport INFINITY
from libc.stdint cimport uint64_t

import numpy as np

CODE_ARMS = 64
"""How many arms fit the bits of a favourite code."""

cdef uint64_t ONE = 0x3FF0000000000000ULL  # the bits of 1.0: doubles in [0, 1] are those whose bits are at most these


cdef inline bint outside(const double* row, Py_ssize_t K) noexcept nogil:
    """Is some entry not in [0, 1]? Integer arithmetic on the bits sees NaN and infinity too, and vectorises."""
    cdef const uint64_t* bits = <const uint64_t*> row
    cdef uint64_t alarm = 0
    cdef Py_ssize_t k
    for k in range(K):
        alarm |= bits[k] | (ONE - bits[k])
    return alarm >> 63


cdef inline double largest(const double* row, Py_ssize_t K) noexcept nogil:
    """The largest entry, by four chains that the processor can follow at once."""
    cdef double a = row[0], b = row[0], c = row[0], d = row[0]
    cdef Py_ssize_t k = 0
    while k + 4 <= K:
        a = row[k] if row[k] > a else a
        b = row[k + 1] if row[k + 1] > b else b
        c = row[k + 2] if row[k + 2] > c else c
        d = row[k + 3] if row[k + 3] > d else d
        k += 4
    while k < K:
        a = row[k] if row[k] > a else a
        k += 1
    a = b if b > a else a
    c = d if d > c else c
    return c if c > a else a


cdef Py_ssize_t first_bad(const double* row, Py_ssize_t K) noexcept nogil:
    """The column of the first entry not in [0, 1], or -1: a minus zero is a zero."""
    cdef Py_ssize_t k
    for k in range(K):
        if not (0 <= row[k] <= 1):
            return k
    return -1


cdef Py_ssize_t scan_rows(const double* means, Py_ssize_t N, Py_ssize_t K, double tolerance, uint64_t* codes,
                          double* gap) noexcept nogil:
    """The flat position of the first bad entry, or -1; fills `codes` (N,) unless NULL, and the smallest gap."""
    cdef Py_ssize_t i, k
    cdef double best, floor, other, entry, least = INFINITY
    cdef uint64_t code, favourite
    cdef const double* row
    for i in range(N):
        row = means + i * K
        if outside(row, K):
            k = first_bad(row, K)
            if k >= 0:
                return i * K + k
        best = largest(row, K)
        floor = best - tolerance
        other = -1
        code = 0
        for k in range(K):
            favourite = row[k] >= floor
            code |= favourite << (k & 63)
            entry = -1 if favourite else row[k]
            other = entry if entry > other else other
        if other >= 0 and best - other < least:
            least = best - other
        if codes != NULL:
            codes[i] = code
    gap[0] = least
    return -1


def scan(const double[:, ::1] means, double tolerance):
    """(flat position of the first entry not in [0, 1] or -1, smallest gap, codes): see `Instance`.

    `codes` (N,) has bit k set where arm k is within `tolerance` of the row's best; None when there are more than 64
    arms. The gap is the least distance from a row's best to an entry that is not that near; infinity if there is none.

    >>> scan(np.array([[0.9, 0.9, 0.4]]), 1e-12)
    (-1, 0.5, array([3], dtype=uint64))
    """
    cdef Py_ssize_t N = means.shape[0], K = means.shape[1], bad
    cdef double gap = INFINITY
    codes = np.empty(N, dtype=np.uint64) if K <= CODE_ARMS else None
    cdef uint64_t[::1] view = codes
    cdef uint64_t* target = NULL if codes is None else &view[0]
    with nogil:
        bad = scan_rows(&means[0, 0], N, K, tolerance, target, &gap)
    return bad, gap, codes
