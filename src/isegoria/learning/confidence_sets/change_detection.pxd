from libc.stdint cimport int32_t, uint64_t

from isegoria.learning.confidence_sets.matched_pairs cimport Book, Pair

cdef struct Clock:                      # the state of all its members' pairs of an arm against their favourite
    int32_t members
    bint is_open
    unsigned char ahead_size, own_size, ahead_seen, own_seen

cdef struct Group:                      # the agents on the clocks of one favourite; arrays have spare room
    Py_ssize_t count, room
    double* block                       # all of these numbers:
    double* told                        # (room,) the last reward
    double* start                       # (room,) what the watch stakes on a change now
    double* limit                       # (room,) what the watch must gather for an alarm
    double* ahead                       # (K, room) Σ of the rewards of the open pair: of the favourite …
    double* own                         # … and of the arm
    double* slow                        # (K, room) what the watch has gathered, by either bet
    double* quick
    int32_t* member                     # (room,) who they are
    int32_t* paid                       # (K, room) full pairs of the watch so far

cdef double gather(Pair* pair, double behind, double slack) noexcept nogil

cdef class Clocks:
    cdef Py_ssize_t arms, agents, words
    cdef Clock* clock                   # (K, K) by favourite, then arm
    cdef Group* group                   # (K,) by favourite
    cdef int32_t* place                 # (N,) an agent's position in the group of its favourite; -1: none
    cdef unsigned char* whole           # (N,) whether all of its pairs go by a clock …
    cdef Py_ssize_t whole_members       # … and of how many agents that is so
    cdef double* told                   # (N,) the last reward of everyone
    cdef int32_t* alarmed               # (K · N,) whose watch has gathered enough; the first `alarms` entries
    cdef Py_ssize_t listed, alarms
    cdef void join(self, Book* book, Py_ssize_t i, double limit) noexcept nogil
    cdef bint fits(self, Book* book, Py_ssize_t i, Py_ssize_t k) noexcept nogil
    cdef bint listing(self, Book* book, Py_ssize_t i, double limit) noexcept nogil
    cdef void join_arm(self, Book* book, Py_ssize_t i, Py_ssize_t k) noexcept nogil
    cdef void leave(self, Book* book, Py_ssize_t i, bint write_down) noexcept nogil
    cdef void leave_arm(self, Book* book, Py_ssize_t i, Py_ssize_t k, bint write_down) noexcept nogil
    cdef void turn(self, Book* book, Py_ssize_t a, const double* told) noexcept nogil
    cdef bint ticks(self, Py_ssize_t f, Py_ssize_t k, bint front) noexcept nogil
    cdef void tick(self, Book* book, Py_ssize_t f, Py_ssize_t k, bint front) noexcept nogil
    cdef void pay_out(self, Book* book, Py_ssize_t f, Py_ssize_t k) noexcept nogil
