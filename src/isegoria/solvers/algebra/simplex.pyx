"""Exact points of the simplex: non-negative, summing to 1 as closely as doubles can; and products with them."""

from libc.math cimport INFINITY
from libc.string cimport memcpy, memset

import numpy as np

from numpy cimport PyArray_DATA, PyArray_DIM, ndarray

from isegoria.rows.arrays cimport reals, vector
from isegoria.solvers.algebra.pair cimport dot, pair_products
from isegoria.solvers.answer import answered


def simplex_point(ndarray values):
    """The exact point of the simplex nearest in proportion to `values` (K,), whose entries are about right.

    >>> simplex_point(np.array([2.0, -1e-17, 1.0])).tolist()
    [0.6666666666666667, 0.0, 0.3333333333333333]
    """
    cdef const double* value = reals(values)
    cdef Py_ssize_t arms = PyArray_DIM(values, 0)
    cdef ndarray point = vector(arms)
    memcpy(PyArray_DATA(point), value, arms * sizeof(double))
    exact(<double*>PyArray_DATA(point), <int>arms)
    return point


def best_arms(ndarray values, double tie, bint first=False):
    """The `Answer` of max values·p: uniform over the arms within `tie` of the best, or on the `first` of them alone.

    Its margin is how far the best of the other arms is, infinity if there is none.

    >>> best_arms(np.array([0.5, 0.75, 0.75]), 1e-12).policy.tolist()
    [0.0, 0.5, 0.5]
    """
    cdef const double* value = reals(values)
    cdef Py_ssize_t k, arms = PyArray_DIM(values, 0), tied = 0
    cdef double best = value[0], margin = INFINITY
    cdef ndarray policy = vector(arms)
    cdef double* p = <double*>PyArray_DATA(policy)
    memset(p, 0, arms * sizeof(double))
    for k in range(arms):
        best = max(best, value[k])
    for k in range(arms):
        if best - value[k] > tie:
            margin = min(margin, best - value[k])
        elif tied == 0 or not first:
            p[k] = 1
            tied += 1
    exact(p, <int>arms)
    cdef double reached = dot(value, p, arms)
    return answered((policy, reached, max(best - reached, 0.0), margin))


def inner(ndarray one, ndarray other):
    """Σ_k one_k other_k as a float: NumPy's product of two short vectors costs ten times as much.

    >>> inner(np.array([0.5, 0.5]), np.array([1.0, 0.0]))
    0.5
    """
    return dot(reals(one), reals(other), PyArray_DIM(one, 0))


def products(ndarray rows, ndarray x):
    """(m,) the products rows · x of a matrix (m, n), summed in pairs of doubles and rounded once.

    >>> products(np.array([[1e16, 1.0, -1e16]]), np.ones(3)).tolist()
    [1.0]
    """
    cdef Py_ssize_t m = PyArray_DIM(rows, 0), n = PyArray_DIM(rows, 1)
    cdef ndarray found = vector(m), rest = vector(m)
    pair_products(reals(rows, 2), n, m, n, reals(x), <double*> PyArray_DATA(found), <double*> PyArray_DATA(rest))
    return found
