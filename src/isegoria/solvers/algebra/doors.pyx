"""The algebra that kernels take inline from the .pxd files of this folder, as Python sees it."""

import numpy as np

from numpy cimport PyArray_DATA, PyArray_DIM, ndarray

from isegoria.rows.arrays cimport reals, vector
from isegoria.solvers.algebra.cholesky cimport factorise, solve_both
from isegoria.solvers.algebra.gauss_jordan cimport invert
from isegoria.solvers.algebra.householder cimport reflect
from isegoria.solvers.algebra.inverse_iteration cimport least_eigenvalue
from isegoria.solvers.algebra.pair cimport minus, over, pair, pair_products, plus, root, times


def products(ndarray rows, ndarray x):
    """(m,) the products rows · x of a matrix (m, n), summed in pairs of doubles and rounded once.

    >>> products(np.array([[1e16, 1.0, -1e16]]), np.ones(3)).tolist()
    [1.0]
    """
    cdef Py_ssize_t m = PyArray_DIM(rows, 0), n = PyArray_DIM(rows, 1)
    cdef ndarray found = vector(m), rest = vector(m)
    pair_products(reals(rows, 2), n, m, n, reals(x), <double*> PyArray_DATA(found), <double*> PyArray_DATA(rest))
    return found


def computed(str operation, tuple a, tuple b):
    """(hi, lo): a plus, minus, times or over b, or the root of a, for pairs.

    >>> computed("over", (1.0, 0.0), (3.0, 0.0))
    (0.3333333333333333, 1.850371707708594e-17)
    """
    cdef pair x = pair(a[0], a[1]), y = pair(b[0], b[1])
    cdef pair found
    if operation == "plus":
        found = plus(x, y)
    elif operation == "minus":
        found = minus(x, y)
    elif operation == "times":
        found = times(x, y)
    else:
        found = over(x, y) if operation == "over" else root(x)
    return found.hi, found.lo


def solved(matrix, b, double relative=0, double absolute=0, bint in_pairs=False):
    """(n,) the solution z of `matrix` z = `b`, for a positive `matrix` (n, n), in doubles or in pairs of them.

    >>> solved(np.array([[4.0, 2.0], [2.0, 2.0]]), np.array([2.0, 2.0])).tolist()
    [0.0, 1.0]
    """
    cdef Py_ssize_t n = len(b), digits = 2 if in_pairs else 1
    factor, solution = np.zeros((n, n, digits)), np.zeros((n, digits))
    factor[..., 0], solution[:, 0] = matrix, b
    cdef double[:, :, ::1] L = factor
    cdef double[:, ::1] z = solution
    if in_pairs:
        factorise(<pair*> &L[0, 0, 0], 0, n, n, relative, absolute)
        solve_both(<pair*> &L[0, 0, 0], n, n, <pair*> &z[0, 0])
    else:
        factorise(&L[0, 0, 0], 0, n, n, relative, absolute)
        solve_both(&L[0, 0, 0], n, n, &z[0, 0])
    return solution[:, 0]


def reflected(rows, v):
    """(m, n) the rows (m, n) mirrored at the plane through 0 whose normal is `v` (n,).

    >>> reflected(np.array([[1.0, 2.0]]), np.array([1.0, 0.0])).tolist()
    [[-1.0, 2.0]]
    """
    cdef double[:, ::1] mirrored = np.array(rows, dtype=float)
    cdef double[::1] normal = np.array(v, dtype=float)
    reflect(&mirrored[0, 0], mirrored.shape[0], mirrored.shape[1], &normal[0], mirrored.shape[1])
    return np.asarray(mirrored)


def least(L):
    """About the smallest eigenvalue of L Lᵀ, for a lower triangular `L` (n, n).

    >>> round(least(np.diag([3.0, 0.5])), 6)
    0.25
    """
    cdef double[:, ::1] factor = np.array(L, dtype=float)
    cdef double[::1] z = np.empty(len(factor))
    return least_eigenvalue(&factor[0, 0], len(z), len(z), &z[0])


def inverse(matrix):
    """(n, n) the inverse of a `matrix` (n, n), or None if it has none.

    >>> inverse(np.array([[0.0, 2.0], [1.0, 0.0]])).tolist()
    [[0.0, 1.0], [0.5, 0.0]]
    """
    cdef double[:, ::1] found = np.array(matrix, dtype=float)
    cdef int[::1] exchanged = np.empty(len(found), dtype=np.intc)
    return np.asarray(found) if invert(&found[0, 0], <int> len(found), &exchanged[0]) else None
