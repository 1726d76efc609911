cdef class Tally:
    cdef public object sums, means      # (K, N) float64
    cdef readonly object pull_counts    # (K, N) float64: whole numbers, kept as doubles for the radius
    cdef double[:, ::1] s, mu, n
    cdef public object even             # (K,) uint8: every agent has answered this arm equally often
    cdef unsigned char[::1] level
    cdef Py_ssize_t agents, arms
    cdef void record(self, Py_ssize_t arm, const double* rewards, const Py_ssize_t[::1] rows) noexcept nogil
