from libc.stdint cimport uint64_t

from isegoria.learning.sets.favourite_sets cimport FavouriteSets
from isegoria.learning.sets.tally cimport Tally

cdef double PRIOR_MEAN, PRIOR_VARIANCE

cdef class Capital(FavouriteSets):
    cdef Tally tally
    cdef public object spread           # (K, N) V: squared distances of the rewards from the running mean before them
    cdef public object capital          # (K, N) what the bets against "k is a favourite of i" have made of 1
    cdef public object price            # (K, N) the capital at which k is dropped: 1/α of the pair
    cdef public object kept             # (words, N) uint64: the candidates of everyone who ever joined
    cdef public object resolved         # (N,) uint8: all candidates are known to be close
    cdef public bint fading             # tastes may change: what was seen fades, and sets may grow
    cdef readonly double resolution
    cdef bint fresh                     # `codes` are those of `kept` for everyone present, with all arms available
    cdef bint certain                   # nobody has several candidates
    cdef double[:, ::1] V, wealth, cost, seen, total
    cdef public object faded            # (2, K, N) counts and sums that fade, or None: then the tally's own
    cdef uint64_t[:, ::1] keep
    cdef uint64_t[::1] open_arms        # the available arms of the round, as bits
    cdef unsigned char[::1] close
    cdef object present, available      # the arrays behind `rows` and `here`
    cdef object every_arm
    cdef const Py_ssize_t[::1] rows     # the agents present
    cdef const Py_ssize_t[::1] here     # the available arms of the round
    cdef double least_log               # ln(32/α) of the pair with the largest α
    cdef int arms_of(self, arms) except -1
    cdef bint refresh(self) noexcept nogil
    cdef void mask(self) noexcept nogil
    cdef bint by_bounds(self, Py_ssize_t row, Py_ssize_t i) noexcept nogil
    cdef int size(self, Py_ssize_t i, bint available) noexcept nogil
    cdef void record(self, Py_ssize_t arm, const double* rewards, const Py_ssize_t[::1] rows) noexcept nogil
    cdef void judge(self, Py_ssize_t i) noexcept nogil
    cdef void bounds(self, Py_ssize_t k, Py_ssize_t i, double* lower, double* upper) noexcept nogil
    cdef void fade_all(self, double share) noexcept nogil
