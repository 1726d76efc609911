"""A positive system, solved by the factor of `cholesky.pxd`, as Python sees it."""

import numpy as np

from isegoria.solvers.algebra.pair cimport pair, put


def solved(matrix, b, double relative=0, double absolute=0, bint in_pairs=False):
    """(n,) the solution z of `matrix` z = `b`, for a positive `matrix` (n, n), in doubles or in pairs of them.

    >>> solved(np.array([[4.0, 2.0], [2.0, 2.0]]), np.array([2.0, 2.0])).tolist()
    [0.0, 1.0]
    """
    cdef double[:, ::1] L = np.array(matrix, dtype=float)
    cdef double[::1] z = np.array(b, dtype=float)
    cdef pair[:, ::1] long_L
    cdef pair[::1] long_z
    cdef Py_ssize_t i, j, n = len(b)
    if not in_pairs:
        factorise(&L[0, 0], 0, n, n, relative, absolute)
        solve_both(&L[0, 0], n, n, &z[0])
        return np.asarray(z)
    kind = [("hi", float), ("lo", float)]
    long_L, long_z = np.zeros((n, n), kind), np.zeros(n, kind)
    for i in range(n):
        put(&long_z[i], z[i])
        for j in range(n):
            put(&long_L[i, j], L[i, j])
    factorise(&long_L[0, 0], 0, n, n, relative, absolute)
    solve_both(&long_L[0, 0], n, n, &long_z[0])
    return np.array([long_z[i].hi for i in range(n)])
