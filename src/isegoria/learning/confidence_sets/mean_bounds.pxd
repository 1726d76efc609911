from isegoria.learning.confidence_sets.favourite_sets cimport FavouriteSets
from isegoria.learning.confidence_sets.matched_pairs cimport Book

from libc.stdint cimport uint64_t

cdef class MeanBounds(FavouriteSets):
    cdef Book book
    cdef public object pairs            # (K, N) of `PAIR`
    cdef public object heard            # (K, N) of `HEARD`
    cdef public object kept             # (words, N) uint64: the candidates of everyone who ever joined
    cdef public object leaders          # (N,) int32: each one's candidate of largest mean, the lowest index on ties
    cdef public object prices           # what evidence costs everyone who ever joined
    cdef object owned                   # the other arrays behind `book`
    cdef const double[::1] width, loss
    cdef readonly Py_ssize_t agents     # all who ever joined
    cdef bint fresh                     # `codes` are those of `kept` for everyone present, with all arms available
    cdef object present, available      # the arrays behind `rows` and `here`
    cdef object every_arm
    cdef const Py_ssize_t[::1] rows     # the agents present
    cdef const Py_ssize_t[::1] here     # the available arms of the round
    cdef uint64_t[::1] open_arms        # the same as bits
    cdef int arms_of(self, arms) except -1
    cdef bint refresh_sets(self) noexcept nogil
    cdef bint by_bounds(self, Py_ssize_t row, Py_ssize_t i) noexcept nogil
    cdef void bounds(self, Py_ssize_t k, Py_ssize_t i, double* lower, double* upper) noexcept nogil
    cdef int size(self, Py_ssize_t i) noexcept nogil
