"""Householder reflections, as Python sees them."""

import numpy as np


def reflected(rows, v):
    """(m, n) the rows (m, n) mirrored at the plane through 0 whose normal is `v` (n,).

    >>> reflected(np.array([[1.0, 2.0]]), np.array([1.0, 0.0])).tolist()
    [[-1.0, 2.0]]
    """
    cdef double[:, ::1] mirrored = np.array(rows, dtype=float)
    cdef double[::1] normal = np.array(v, dtype=float)
    reflect(&mirrored[0, 0], mirrored.shape[0], mirrored.shape[1], &normal[0], mirrored.shape[1])
    return np.asarray(mirrored)
