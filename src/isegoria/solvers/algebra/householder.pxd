"""Householder reflections, in either precision."""

from isegoria.solvers.algebra.pair cimport real

cdef void reflect(real* rows, Py_ssize_t count, Py_ssize_t stride, const real* v, Py_ssize_t n) noexcept nogil
