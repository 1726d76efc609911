from libc.stdint cimport uint64_t

cpdef enum:
    CERTAIN = 0         # every set is one arm
    TIED = 1            # some agent has several candidates, none better than its surest one by more than the resolution
    UNRESOLVED = 2      # some agent has several candidates, and one may be better by more than that

cdef class Doubts:
    cdef public object pairs            # (K, N, FIELDS) float64, see bernstein
    cdef public object log_terms        # (K, N) float64: ln(2/α) of each pair
    cdef public object kept             # (N, K) uint8: arms not ruled out so far, when all arms are available
    cdef public object sets             # (n, K) uint8: the candidates of the agents present, as of the last refresh
    cdef public object doubtful         # (K,) uint8: the arms to explore, as of the last refresh
    cdef public int state               # CERTAIN, TIED or UNRESOLVED
    cdef readonly bint fading           # tastes may change: no running intersection, and sets may grow
    cdef bint settled                   # every set is one arm for good, as long as all arms are available
    cdef double[:, :, ::1] pair
    cdef double[:, ::1] log_term
    cdef unsigned char[:, ::1] keep, current
    cdef unsigned char[::1] doubt, fresh
    cdef bint refresh(self, const Py_ssize_t[::1] rows, const Py_ssize_t[::1] arms, double resolution) noexcept nogil
    cdef void fade_all(self, double share) noexcept nogil
    cdef bint see(self, Py_ssize_t arm, Py_ssize_t row, double reward) noexcept nogil
    cdef int settle(self, Py_ssize_t row, const Py_ssize_t[::1] arms, bint remember, double resolution) noexcept nogil
    cdef Py_ssize_t least_pulled(self, const Py_ssize_t[::1] pulls) noexcept nogil
    cdef bint differ(self, const unsigned char[:, ::1] truth) noexcept nogil
    cdef uint64_t digest(self) noexcept nogil
