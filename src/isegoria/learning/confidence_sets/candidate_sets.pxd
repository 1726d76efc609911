from isegoria.learning.confidence_sets.favourite_sets cimport FavouriteSets
from isegoria.learning.base.reward_tally cimport Tally

from libc.stdint cimport uint64_t

cdef class CandidateSets(FavouriteSets):
    cdef uint64_t[::1] fresh
    cdef double[::1] lower, best
    cdef bint all_full                  # every set held every arm at the last refresh
    cdef bint refresh(self, Tally tally, const Py_ssize_t[::1] rows, const Py_ssize_t[::1] arms, double log_term,
                      double alpha) noexcept nogil

cdef double log_term_at(Py_ssize_t agents, Py_ssize_t arms, Py_ssize_t t) noexcept nogil
