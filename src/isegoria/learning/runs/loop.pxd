from libc.stdint cimport uint64_t

from isegoria.learning.sets.favourite_sets cimport FavouriteSets

cdef class Step:
    cdef FavouriteSets sets
    cdef const uint64_t[:, ::1] truth
    cdef bint refresh(self, Py_ssize_t t) noexcept
    cdef double rate(self, Py_ssize_t t) noexcept
    cdef Py_ssize_t explored(self, double pick) noexcept
    cdef void settle(self, Py_ssize_t t, Py_ssize_t arm) noexcept
    cdef void record(self, Py_ssize_t t, Py_ssize_t arm, const double* rewards) noexcept

cdef class Rewards:
    cdef object stream
    cdef bint by_round
    cdef Py_ssize_t agents
    cdef size_t[::1] blocks
    cdef Py_ssize_t[::1] sizes, used
    cdef const double[::1] row
    cdef const double* next(self, Py_ssize_t arm, Py_ssize_t t) except NULL
