"""Exact points of the simplex: non-negative, summing to 1 as closely as doubles can."""

from libc.math cimport INFINITY

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


def best_arms(const double[::1] values, double tie, bint first=False):
    """(policy, best, margin): uniform over the arms within `tie` of the best value, or on the `first` of them alone.

    `margin` is how far the best of the other arms is, infinity if there is none.

    >>> best_arms(np.array([0.5, 0.75, 0.75]), 1e-12)[0].tolist()
    [0.0, 0.5, 0.5]
    """
    cdef Py_ssize_t k, arms = values.shape[0], tied = 0
    cdef double best = values[0], margin = INFINITY
    policy = np.zeros(arms)
    cdef double[::1] p = policy
    for k in range(arms):
        best = max(best, values[k])
    for k in range(arms):
        if best - values[k] > tie:
            margin = min(margin, best - values[k])
        elif tied == 0 or not first:
            p[k] = 1
            tied += 1
    exact(&p[0], <int>arms)
    return policy, best, margin
