"""One pass over the means: is every entry in [0, 1], which arms are each agent's favourites, how near is the next, and
what does each arm give on average?"""

from libc.math cimport INFINITY
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memset

import numpy as np

from numpy cimport NPY_UINT64, PyArray_DATA, PyArray_DIM, ndarray

from isegoria.solvers.rows.arrays cimport counts, frozen, reals, vector

CODE_ARMS = 64
"""How many arms fit the bits of a favourite code."""

cdef extern from "solvers/rows/lanes.h" nogil:
    int lanes_scan_row(const double* row, Py_ssize_t K, double tolerance, uint64_t* code, double* gap)

cdef extern from "solvers/rows/two_sum.h" nogil:
    double sum_rows(const double* rows, const int64_t* weights, Py_ssize_t N, Py_ssize_t K, double* high, double* low)


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
    """Return (flat index of the first entry not in [0, 1] or -1, smallest gap, codes): see `Instance`.

    `codes` (N,) has bit k set where arm k is within `tolerance` of the row's best; None if there are more than 64 arms.
    The gap is the minimum distance from a row's best to an entry further away than that; infinity if there is none.

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
    """Return the mean (K,) of `rows` (N, K), each counted `weights` (N,) times, or once.

    Rounding errors are summed separately (compensated summation), so the result is the exact sum rounded once, and is
    the same for a table read in chunks.

    >>> mean_row(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([3, 1])).tolist()
    [0.75, 0.25]
    """
    cdef const double* entries = reals(rows, 2)
    cdef const int64_t* weight = NULL if weights is None else counts(weights)
    cdef Py_ssize_t N = PyArray_DIM(rows, 0), K = PyArray_DIM(rows, 1), k
    cdef double total
    cdef ndarray mean = vector(K), further = vector(K)
    cdef double* high = <double*> PyArray_DATA(mean)
    cdef double* low = <double*> PyArray_DATA(further)
    with nogil:
        memset(high, 0, K * sizeof(double))
        memset(low, 0, K * sizeof(double))
        total = sum_rows(entries, weight, N, K, high, low)
        for k in range(K):
            high[k] = (high[k] + low[k]) / total
    return frozen(mean)
