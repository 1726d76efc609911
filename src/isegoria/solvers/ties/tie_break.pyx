"""Which optimum is asked for, and which arms share where the best are told by one number each."""

from enum import StrEnum

from libc.math cimport INFINITY
from libc.string cimport memset

import numpy as np

from numpy cimport PyArray_DATA, PyArray_DIM, ndarray

from isegoria.solvers.rows.arrays cimport reals, vector
from isegoria.solvers.rows.simplex cimport exact
from isegoria.solvers.algebra.pair cimport dot
from isegoria.solvers.result import make_result


class TieBreak(StrEnum):
    """The choice among several optima, by its public name.

    >>> TieBreak("vertex") is TieBreak.VERTEX, TieBreak.CENTRE == "centre"
    (True, True)
    """

    CENTRE = "centre"            # of least Euclidean norm
    VERTEX = "vertex"            # a corner of the set of optima, lowest index first
    UTILITARIAN = "utilitarian"  # of largest direction·p, and then of least norm


cdef dict CHOICES = {"centre": CENTRE, "vertex": VERTEX, "utilitarian": UTILITARIAN}


cdef Choice choice_of(tie_break) except *:
    """The choice that a kernel makes for a `TieBreak` or its name."""
    return CHOICES[tie_break]


cdef const double* towards(direction, Choice choice) except? NULL:
    """Where the direction (K,) begins, or NULL if there is none; "utilitarian" cannot do without."""
    if direction is None:
        if choice == UTILITARIAN:
            raise TypeError('tie_break="utilitarian" needs the direction that it maximises')
        return NULL
    return reals(direction)


def best_arms(ndarray values, double tie, bint first=False):
    """Return the `Answer` of max values·p: uniform over the arms within `tie` of the best, or all on the `first`.

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
    return make_result((policy, reached, max(best - reached, 0.0), margin))
