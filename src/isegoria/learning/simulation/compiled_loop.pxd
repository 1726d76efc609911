from libc.stdint cimport uint64_t

from isegoria.learning.confidence_sets.favourite_sets cimport FavouriteSets

cdef enum:
    SETS = 1        # some set has changed …
    POLICY = 2      # … and so has the policy

cdef class Step:
    cdef FavouriteSets sets
    cdef const uint64_t[:, ::1] truth
    cdef int refresh(self, Py_ssize_t t) except -1
    cdef int policy(self, learner, double* p) except -1
    cdef double rate(self, Py_ssize_t t) noexcept
    cdef Py_ssize_t explored(self, double pick) noexcept
    cdef int settle(self, Py_ssize_t t, Py_ssize_t arm) except -1
    cdef void record(self, Py_ssize_t t, Py_ssize_t arm, const double* rewards) noexcept

cdef class Rewards:
    cdef object stream
    cdef bint by_round
    cdef Py_ssize_t agents
    cdef size_t[::1] blocks
    cdef Py_ssize_t[::1] sizes, used
    cdef const double[::1] row
    cdef const double* next(self, Py_ssize_t arm, Py_ssize_t t) except NULL
