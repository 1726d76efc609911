from libc.stdint cimport int32_t, int64_t

from isegoria.learning.sets.capital cimport Capital

cpdef enum:
    CERTAIN = 0         # every set is one arm
    TIED = 1            # some agent has several candidates, all close enough to its best
    UNRESOLVED = 2      # some agent has several candidates, and one may be better by more than the resolution

cdef class BettingSets(Capital):
    cdef public object bets             # (K, N) λ of the running sweep
    cdef public object waiting          # (K, N) its rewards so far, NaN where there is none
    cdef public object leaders          # (N,) int32: the arm that each agent's bets are for; -1: no bets
    cdef public object swept            # (K,) uint8: the arms of the running sweep
    cdef public object pulled           # (K,) int64: the round of each one's first pull in it, 0 when it has none
    cdef public object told             # (K,) uint8: that ticket is closed
    cdef public bint running
    cdef public int state               # of the running sweep, or at the last look
    cdef double[:, ::1] bet, wait
    cdef unsigned char[::1] sweep, done, scope
    cdef int32_t[::1] leader
    cdef int64_t[::1] first
    cdef Py_ssize_t[::1] doubtful       # what `look` found: the arms worth a pull …
    cdef double[::1] best, scatter      # room for a number of every agent: its leader's mean and variance
    cdef int32_t[::1] members           # … and how many candidates it has in the sweep
    cdef Py_ssize_t doubts              # … and how many they are
    cdef int look(self) noexcept nogil
    cdef int spot(self) noexcept nogil
    cdef void settle(self, int64_t t, Py_ssize_t arm, bint forced) noexcept nogil
    cdef void start(self) noexcept nogil
    cdef void choose_leaders(self) noexcept nogil
    cdef void place_bets(self, Py_ssize_t k) noexcept nogil
    cdef void close_ticket(self, int64_t t, Py_ssize_t arm, const double* rewards,
                           const Py_ssize_t[::1] rows) noexcept nogil
    cdef void end(self) noexcept nogil
    cdef void pay(self, Py_ssize_t k) noexcept nogil
