from libc.stdint cimport uint64_t

from isegoria.learning.sets.tally cimport Tally

cdef class CandidateSets:
    cdef public object codes            # (words, n) uint64: bit k & 63 of word k >> 6 says that arm k is a candidate
    cdef uint64_t[:, ::1] code
    cdef uint64_t[::1] fresh
    cdef double[::1] lower, best
    cdef readonly bint known            # False until the sets were first computed
    cdef Py_ssize_t words, n
    cdef bint refresh(self, Tally tally, const Py_ssize_t[::1] rows, const Py_ssize_t[::1] arms, double log_term,
                      double alpha) noexcept nogil
    cdef uint64_t digest(self) noexcept nogil

cdef double log_term_at(Py_ssize_t agents, Py_ssize_t arms, Py_ssize_t t) noexcept nogil
