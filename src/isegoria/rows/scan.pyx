"""One pass over the means: is every entry in [0, 1], which arms are each agent's favourites, how near is the next?"""

from libc.math cimport INFINITY
from libc.stdint cimport uint64_t

import numpy as np

CODE_ARMS = 64
"""How many arms fit the bits of a favourite code."""

cdef extern from "rows/lanes.h" nogil:
    int lanes_scan_row(const double* row, Py_ssize_t K, double tolerance, uint64_t* code, double* gap)


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
    cdef uint64_t code
    gap[0] = INFINITY
    for i in range(N):
        if lanes_scan_row(means + i * K, K, tolerance, &code, gap):
            k = first_bad(means + i * K, K)
            if k >= 0:
                return i * K + k
        if codes != NULL:
            codes[i] = code
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
