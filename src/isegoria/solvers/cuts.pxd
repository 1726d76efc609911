cdef class Cuts:
    cdef readonly int arms, width
    cdef double lowest(self, const double* p, double* normal) noexcept nogil
    cdef int near(self, const double* p, double slack, double* normals, int room) noexcept nogil


cdef class Rows(Cuts):
    cdef const double[:, ::1] rows


cdef class Ranked(Cuts):
    cdef const double[:, ::1] rows
    cdef const double[::1] weights, prefix
    cdef double ranks
    cdef double* utility
    cdef int* order
    cdef int sorted_count
    cdef double _total(self, double rank) noexcept nogil
    cdef void _sort(self, const double* p) noexcept nogil
    cdef void _insertion(self, int lo, int hi) noexcept nogil
    cdef double _median(self, int lo, int hi) noexcept nogil
