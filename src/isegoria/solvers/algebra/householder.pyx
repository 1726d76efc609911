"""Householder reflections: the orthogonal steps by which an active set gains a constraint."""

import numpy as np

from isegoria.solvers.algebra.pair cimport add_multiple, dot, over, put, rounded, times


cdef void reflect(real* rows, Py_ssize_t count, Py_ssize_t stride, const real* v, Py_ssize_t n) noexcept nogil:
    """Each of `count` rows r (n,), `stride` reals apart, becomes r − 2 (r·v / v·v) v; none moves if v is 0."""
    cdef Py_ssize_t i
    cdef real twice
    cdef real square = dot(v, v, n)
    if not rounded(square) > 0:
        return
    put(&twice, -2)
    twice = over(twice, square)
    for i in range(count):
        add_multiple(rows + i * stride, times(dot(rows + i * stride, v, n), twice), v, n)


def reflected(rows, v):
    """(m, n) the rows (m, n) mirrored at the plane through 0 whose normal is `v` (n,).

    >>> reflected(np.array([[1.0, 2.0]]), np.array([1.0, 0.0])).tolist()
    [[-1.0, 2.0]]
    """
    cdef double[:, ::1] mirrored = np.array(rows, dtype=float)
    cdef double[::1] normal = np.array(v, dtype=float)
    reflect(&mirrored[0, 0], mirrored.shape[0], mirrored.shape[1], &normal[0], mirrored.shape[1])
    return np.asarray(mirrored)
