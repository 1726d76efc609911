"""The parting of a group into blocks that are heard alike, for the compiled rooms beside `parting`."""

from libc.stdint cimport uint64_t
from numpy cimport ndarray

from isegoria.solvers.flow.dinic cimport Network, units


cdef class Parting:
    cdef Network network
    cdef ndarray kept_shares, kept_policy, kept_ratios  # what these point into
    cdef const double *shares
    cdef const double *policy
    cdef double *ratio
    cdef double *capacity
    cdef double *block_share
    cdef double *block_policy
    cdef double *mass
    cdef double *link
    cdef units *flow
    cdef units *room
    cdef uint64_t *reach
    cdef uint64_t *own
    cdef int *is_open
    cdef int *reached
    cdef int *size
    cdef unsigned char *kept
    cdef unsigned char *tight
    cdef Py_ssize_t words
    cdef int blocks
    cdef void part_neglected(self) noexcept
    cdef bint part_uneven(self) noexcept
    cdef void send(self) noexcept
    cdef void split(self) noexcept
    cdef bint inside(self, Py_ssize_t t) noexcept
