from numpy cimport ndarray

from isegoria.rows.arena cimport Arena


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
    cdef int near(self, const double* p, double* normals, int room, double* slightest) noexcept nogil


cdef class Rows(Cuts):
    cdef double* columns     # (arms, stride) the same by arms, and the last agent again: sums go four at a time
    cdef Py_ssize_t stride


cdef class Ranked(Cuts):
    cdef ndarray kept_prefix
    cdef const double* prefix
    cdef double ranks
    cdef double* weights
    cdef double* utility
    cdef double* rest        # of their digits
    cdef int* order
    cdef int sorted_count
    cdef double _total(self, double rank) noexcept nogil
    cdef void _sort(self, const double* p) noexcept nogil
    cdef void _insertion(self, int lo, int hi) noexcept nogil
    cdef double _bend(self, double rank, int i, int j) noexcept nogil
    cdef double _median(self, int lo, int hi) noexcept nogil
