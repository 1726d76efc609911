from libc.stdint cimport int32_t, uint64_t

from isegoria.learning.sets.matched_pairs cimport Book, Pair

cdef struct Clock:                      # the state of all its members' pairs of an arm against their favourite
    int32_t members
    bint is_open
    unsigned char ahead_size, own_size, ahead_seen, own_seen

cdef double gather(Pair* pair, double behind, double slack) noexcept nogil

cdef class Clocks:
    cdef Py_ssize_t arms, agents, words
    cdef Clock* clock                   # (K, K) by favourite, then arm
    cdef int32_t* member                # (K, N) who goes by a clock, by favourite; the first `count` entries
    cdef int32_t* count                 # (K,)
    cdef int32_t* place                 # (N,) where someone is among them; -1: nowhere
    cdef unsigned char* whole           # (N,) whether all of its pairs go by one
    cdef double* told                   # (N,) the last reward of everyone who goes by a clock
    cdef int32_t* alarmed               # (K · N,) whose watch has gathered enough; the first `alarms` entries
    cdef Py_ssize_t listed, alarms
    cdef void join(self, Book* book, Py_ssize_t i) noexcept nogil
    cdef void leave(self, Book* book, Py_ssize_t i, bint write_down) noexcept nogil
    cdef void leave_arm(self, Book* book, Py_ssize_t i, Py_ssize_t k, bint write_down) noexcept nogil
    cdef void turn(self, Book* book, Py_ssize_t a, const double[::1] alarm) noexcept nogil
    cdef void tick(self, Book* book, Py_ssize_t f, Py_ssize_t k, bint front, const double[::1] alarm) noexcept nogil
