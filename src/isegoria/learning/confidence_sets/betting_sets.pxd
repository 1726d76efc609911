from libc.stdint cimport int64_t

from isegoria.learning.confidence_sets.mean_bounds cimport MeanBounds
from isegoria.learning.confidence_sets.change_detection cimport Clocks

cdef class BettingSets(MeanBounds):
    cdef public object close            # (N,) uint8: several candidates, all known to be within the resolution
    cdef public object doubting         # (N,) uint8: several candidates, not known to be close
    cdef public object resolved_at      # (N,) int64: the round from which on an agent is resolved; -1: in doubt
    cdef public object alarmed_at       # (N,) int64: the round of its last alarm that nobody has looked at; 0: none
    cdef public object unfit            # (N,) int32: the arm that its answers did not fit any more, at its last alarm
    cdef public object moved            # (N,) uint8: whose voice is another one since somebody last looked …
    cdef public Py_ssize_t movers       # … and of how many agents that is so
    # Whether someone was resolved, or alarmed, since somebody last looked:
    cdef public bint news
    cdef readonly double resolution
    cdef unsigned char[::1] near, doubt, stir
    cdef unsigned char[::1] paying      # (N,) whether the last reward made one of its pairs full
    cdef int64_t[::1] settled_at, alarm_at
    cdef Py_ssize_t[::1] mover          # (N,) the first `movers` entries: who they are
    cdef int[::1] misfit
    cdef double[::1] richest            # (N,) no capital against one of its candidates is above it, in the mean
    cdef const double[::1] part, alarm
    cdef double bet_error
    cdef bint watched
    cdef Clocks clocks                  # by which the pairs of the watch run together
    cdef void hear_all(self, int64_t t, Py_ssize_t a, const double* rewards, const Py_ssize_t[::1] rows,
                       const double* shares) noexcept nogil
    cdef bint all_listed_answer(self, const double* rewards, const Py_ssize_t[::1] rows) noexcept nogil
    cdef bint fill_all(self, Py_ssize_t a, const double* rewards, const Py_ssize_t[::1] rows,
                       bint together) noexcept nogil
    cdef void count_all(self, Py_ssize_t a, const double* rewards, const Py_ssize_t[::1] rows,
                        bint everyone) noexcept nogil
    cdef void settle_all(self, int64_t t, Py_ssize_t a, const double* rewards,
                         const Py_ssize_t[::1] rows) noexcept nogil
    cdef void turn_clocks(self, int64_t t, Py_ssize_t a, const double* told) noexcept nogil
    cdef void join_clocks(self, const double* rewards, const Py_ssize_t[::1] rows) noexcept nogil
    cdef void pay_doubter(self, int64_t t, Py_ssize_t i) noexcept nogil
    cdef bint alarms_one(self, int64_t t, Py_ssize_t i) noexcept nogil
    cdef void move(self, Py_ssize_t i) noexcept nogil
    cdef void pay(self, Py_ssize_t i, Py_ssize_t k, bint worst) noexcept nogil
    cdef double pay_watch(self, Py_ssize_t i, Py_ssize_t k, bint worst) noexcept nogil
    cdef void drop(self, Py_ssize_t i) noexcept nogil
    cdef void remove(self, Py_ssize_t i, Py_ssize_t k) noexcept nogil
    cdef void judge(self, int64_t t, Py_ssize_t i) noexcept nogil
    cdef bint candidates_are_near(self, Py_ssize_t i) noexcept nogil
    cdef void start_anew(self, int64_t t, Py_ssize_t i) noexcept nogil
