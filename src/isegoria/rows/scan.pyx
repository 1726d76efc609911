"""One pass over the means: is every entry in [0, 1], which arms are each agent's favourites, how near is the next, and
what does each arm give on average?"""

from libc.math cimport INFINITY
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memset

import numpy as np

from numpy cimport NPY_UINT64, PyArray_DATA, PyArray_DIM, ndarray

from isegoria.rows.arrays cimport counts, reals, vector

CODE_ARMS = 64
"""How many arms fit the bits of a favourite code."""

cdef double SPLIT = 134217729.0  # 2^27 + 1 parts a double into two halves of its digits

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


def scan(ndarray means, double tolerance):
    """(flat position of the first entry not in [0, 1] or -1, smallest gap, codes): see `Instance`.

    `codes` (N,) has bit k set where arm k is within `tolerance` of the row's best; None when there are more than 64
    arms. The gap is the least distance from a row's best to an entry that is not that near; infinity if there is none.

    >>> scan(np.array([[0.9, 0.9, 0.4]]), 1e-12)
    (-1, 0.5, array([3], dtype=uint64))
    """
    cdef const double* entries = reals(means, 2)
    cdef Py_ssize_t N = PyArray_DIM(means, 0), K = PyArray_DIM(means, 1), bad
    cdef double gap = INFINITY
    cdef ndarray codes = vector(N, NPY_UINT64) if K <= CODE_ARMS else None
    cdef uint64_t* target = NULL if codes is None else <uint64_t*> PyArray_DATA(codes)
    with nogil:
        bad = scan_rows(entries, N, K, tolerance, target, &gap)
    return bad, gap, codes


def mean_row(ndarray rows, ndarray weights=None):
    """(K,) the mean of `rows` (N, K), each counted `weights` (N,) times, or once: what each arm gives the group.

    What each addition rounds off is added up beside the sum, so that it is the exact one rounded once: that of a table
    which is read in parts is the same.

    >>> mean_row(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([3, 1])).tolist()
    [0.75, 0.25]
    """
    cdef const double* entries = reals(rows, 2)
    cdef const int64_t* weight = NULL if weights is None else counts(weights)
    cdef Py_ssize_t N = PyArray_DIM(rows, 0), K = PyArray_DIM(rows, 1), i, k
    cdef double total = 0, w, x, s, b, c, wh, wl, xh, xl
    cdef ndarray mean = vector(K)
    cdef double* sums = <double*> PyArray_DATA(mean)
    cdef ndarray bundle = vector(K)
    cdef double* part = <double*> PyArray_DATA(bundle)
    with nogil:
        memset(sums, 0, K * sizeof(double))
        memset(part, 0, K * sizeof(double))
        for i in range(N):
            w = weight[i] if weight != NULL else 1
            total += w
            for k in range(K):
                x = w * entries[i * K + k]
                s = sums[k] + x
                b = s - sums[k]
                part[k] += (sums[k] - (s - b)) + (x - b)
                sums[k] = s
                if w != 1:  # what the product rounded off: w is a whole number below 2^53
                    c = SPLIT * w
                    wh = c - (c - w)
                    wl = w - wh
                    c = SPLIT * entries[i * K + k]
                    xh = c - (c - entries[i * K + k])
                    xl = entries[i * K + k] - xh
                    part[k] += ((wh * xh - x) + wh * xl + wl * xh) + wl * xl
        for k in range(K):
            sums[k] = (sums[k] + part[k]) / total
    return mean
