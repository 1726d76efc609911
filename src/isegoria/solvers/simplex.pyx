"""Exact points of the simplex: non-negative, summing to 1 as closely as doubles can."""

import numpy as np


cdef void exact(double* p, int arms) noexcept nogil:
    """Clip `p` at 0 and scale it to sum 1; the rounding that is left goes to the largest entry."""
    cdef long double total = 0
    cdef int k, largest = 0
    for k in range(arms):
        if not p[k] > 0:
            p[k] = 0
        total += p[k]
    for k in range(arms):
        p[k] = <double>(p[k] / total)
        if p[k] > p[largest]:
            largest = k
    total = 1
    for k in range(arms):
        if k != largest:
            total -= p[k]
    p[largest] = <double>total


def simplex_point(values):
    """The exact point of the simplex nearest in proportion to `values` (K,), whose entries are about right.

    >>> simplex_point(np.array([2.0, -1e-17, 1.0])).tolist()
    [0.6666666666666667, 0.0, 0.3333333333333333]
    """
    cdef double[::1] p = np.array(values, dtype=np.float64)
    exact(&p[0], <int>p.shape[0])
    return np.asarray(p)
