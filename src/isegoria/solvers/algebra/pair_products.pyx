"""Products of a matrix with a vector, summed in pairs of doubles so that cancellation loses nothing."""

import numpy as np

from numpy cimport PyArray_DATA, PyArray_DIM, ndarray

from isegoria.solvers.rows.arrays cimport reals, vector
from isegoria.solvers.algebra.pair cimport pair_products


def products(ndarray rows, ndarray x):
    """Return the products (m,) rows · x of a matrix (m, n), summed in pairs of doubles and rounded once.

    >>> products(np.array([[1e16, 1.0, -1e16]]), np.ones(3)).tolist()
    [1.0]
    """
    cdef Py_ssize_t m = PyArray_DIM(rows, 0), n = PyArray_DIM(rows, 1)
    cdef ndarray found = vector(m), rest = vector(m)
    pair_products(reals(rows, 2), n, m, n, reals(x), <double*> PyArray_DATA(found), <double*> PyArray_DATA(rest))
    return found
