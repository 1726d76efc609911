from libc.stdint cimport uint64_t

cdef class Step:
    cdef bint refresh(self, Py_ssize_t t) noexcept
    cdef double rate(self, Py_ssize_t t) noexcept
    cdef Py_ssize_t explored(self, double pick) noexcept
    cdef void record(self, Py_ssize_t arm, const double* rewards, bint last) noexcept
    cdef bint mistaken(self) noexcept
    cdef uint64_t digest(self) noexcept
