"""Exact points of the simplex: non-negative, summing to 1 as closely as doubles can."""

from libc.string cimport memcpy

import numpy as np

from numpy cimport PyArray_DATA, PyArray_DIM, ndarray

from isegoria.solvers.rows.arrays cimport reals, vector


def simplex_point(ndarray values):
    """Return the exact point of the simplex proportional to `values` (K,), whose entries are about right.

    >>> simplex_point(np.array([2.0, -1e-17, 1.0])).tolist()
    [0.6666666666666667, 0.0, 0.3333333333333333]
    """
    cdef const double* value = reals(values)
    cdef Py_ssize_t arms = PyArray_DIM(values, 0)
    cdef ndarray point = vector(arms)
    memcpy(PyArray_DATA(point), value, arms * sizeof(double))
    exact(<double*>PyArray_DATA(point), <int>arms)
    return point


def inner(ndarray one, ndarray other):
    """Return Σ_k one_k other_k as a float: NumPy's product of two short vectors costs ten times as much.

    >>> inner(np.array([0.5, 0.5]), np.array([1.0, 0.0]))
    0.5
    """
    cdef const double* a = reals(one)
    cdef const double* b = reals(other)
    cdef double total = 0
    cdef Py_ssize_t k
    for k in range(PyArray_DIM(one, 0)):
        total += a[k] * b[k]
    return total
