from libc.stdint cimport int64_t, uint64_t

cdef class FavouriteSets:
    cdef public object codes            # (words, n) uint64: bit k & 63 of word k >> 6 says that arm k is in the set
    cdef uint64_t[:, ::1] code
    cdef readonly object weights        # (n,) int64, the voices of each agent; None where all of them have one
    cdef const int64_t* weight          # the same, or NULL
    cdef readonly bint known            # False until the sets were first computed
    cdef readonly Py_ssize_t arms
    cdef Py_ssize_t words, n
    cdef bint differ(self, const uint64_t[:, ::1] truth) noexcept nogil
    cdef uint64_t digest(self) noexcept nogil
