"""The smallest eigenvalue, as Python sees it."""

import numpy as np


def least(L):
    """About the smallest eigenvalue of L Lᵀ, for a lower triangular `L` (n, n).

    >>> round(least(np.diag([3.0, 0.5])), 6)
    0.25
    """
    cdef double[:, ::1] factor = np.array(L, dtype=float)
    cdef double[::1] z = np.empty(len(factor))
    return least_eigenvalue(&factor[0, 0], len(z), len(z), &z[0])
