"""Householder reflections, in either precision: the orthogonal steps by which an active set gains a constraint."""

from isegoria.solvers.algebra.pair cimport add_multiple, dot, over, put, real, rounded, times


cdef inline void reflect(real* rows, Py_ssize_t count, Py_ssize_t stride, const real* v, Py_ssize_t n) noexcept nogil:
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
