from numpy cimport ndarray

from isegoria.solvers.rows.arena cimport Arena


cdef class Cuts:
    cdef readonly int arms
    cdef readonly Py_ssize_t width
    cdef ndarray kept        # what `rows` points into
    cdef const double* rows  # (agents, arms)
    cdef int agents
    cdef Arena arena
    cdef double* spare       # (width,) a cut that nobody looks at
    cdef int _take(self, ndarray rows, bint traced) except -1
    cdef double lowest(self, const double* p, double* normal) noexcept nogil
    cdef double exact(self, const double* p) noexcept nogil
    cdef int near(self, const double* p, double* normals, int room, double* slightest) noexcept nogil
