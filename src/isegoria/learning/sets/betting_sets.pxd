from libc.stdint cimport int32_t, int64_t, uint64_t

from isegoria.learning.sets.favourite_sets cimport FavouriteSets
from isegoria.learning.sets.tally cimport Tally

cpdef enum:
    CERTAIN = 0         # every set is one arm
    TIED = 1            # some agent has several candidates, all close enough to its best
    UNRESOLVED = 2      # some agent has several candidates, and one may be better by more than the resolution

cdef class BettingSets(FavouriteSets):
    cdef Tally tally
    cdef public object spread           # (K, N) V: squared distances of the rewards from the running mean before them
    cdef public object capital          # (K, N) what the bets against "k is a favourite of i" have made of 1
    cdef public object price            # (K, N) the capital at which k is dropped: 1/α of the pair
    cdef public object kept             # (words, N) uint64: the candidates of everyone who ever joined
    cdef public object resolved         # (N,) uint8: all candidates are known to be close
    cdef public object bets             # (K, N) λ of the running sweep
    cdef public object waiting          # (K, N) its rewards so far, NaN where there is none
    cdef public object leaders          # (N,) int32: the arm that each agent's bets are for; -1: no bets
    cdef public object swept            # (K,) uint8: the arms of the running sweep
    cdef public object pulled           # (K,) int64: the round of each one's first pull in it, 0 when it has none
    cdef public object told             # (K,) uint8: that ticket is closed
    cdef public bint running
    cdef public int state               # of the running sweep, or at the last look
    cdef public bint fading             # tastes may change: what was seen fades, and sets may grow
    cdef readonly double resolution
    cdef bint fresh                     # `codes` are those of `kept` for everyone present, with all arms available
    cdef bint certain                   # nobody has several candidates
    cdef double[:, ::1] V, wealth, cost, bet, wait, seen, total
    cdef public object faded            # (2, K, N) counts and sums that fade, or None: then the tally's own
    cdef uint64_t[:, ::1] keep
    cdef uint64_t[::1] open_arms        # the available arms of the round, as bits
    cdef unsigned char[::1] close, sweep, done, scope
    cdef int32_t[::1] leader
    cdef int64_t[::1] first
    cdef object present, available      # the arrays behind `rows` and `here`
    cdef object every_arm
    cdef const Py_ssize_t[::1] rows     # the agents present
    cdef const Py_ssize_t[::1] here     # the available arms of the round
    cdef Py_ssize_t[::1] doubtful       # what `look` found: the arms worth a pull …
    cdef double[::1] best, scatter      # room for a number of every agent: its leader's mean and variance
    cdef int32_t[::1] members           # … and how many candidates it has in the sweep
    cdef double least_log               # ln(32/α) of the pair with the largest α
    cdef Py_ssize_t doubts              # … and how many they are
    cdef int arms_of(self, arms) except -1
    cdef bint refresh(self) noexcept nogil
    cdef void mask(self) noexcept nogil
    cdef bint by_bounds(self, Py_ssize_t row, Py_ssize_t i) noexcept nogil
    cdef int look(self) noexcept nogil
    cdef int size(self, Py_ssize_t i, bint available) noexcept nogil
    cdef int spot(self) noexcept nogil
    cdef void settle(self, int64_t t, Py_ssize_t arm, bint forced) noexcept nogil
    cdef void start(self) noexcept nogil
    cdef void choose_leaders(self) noexcept nogil
    cdef void place_bets(self, Py_ssize_t k) noexcept nogil
    cdef void record(self, Py_ssize_t arm, const double* rewards, const Py_ssize_t[::1] rows) noexcept nogil
    cdef void close_ticket(self, int64_t t, Py_ssize_t arm, const double* rewards,
                           const Py_ssize_t[::1] rows) noexcept nogil
    cdef void end(self) noexcept nogil
    cdef void pay(self, Py_ssize_t k) noexcept nogil
    cdef void judge(self, Py_ssize_t i) noexcept nogil
    cdef void bounds(self, Py_ssize_t k, Py_ssize_t i, double* lower, double* upper) noexcept nogil
    cdef void fade_all(self, double share) noexcept nogil
