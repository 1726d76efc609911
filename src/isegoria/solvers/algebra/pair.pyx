"""Pairs of doubles, as Python sees them: what the kernels compute with where sixteen digits are too few."""

import numpy as np

from numpy cimport PyArray_DATA, PyArray_DIM, ndarray

from isegoria.rows.arrays cimport reals, vector


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
