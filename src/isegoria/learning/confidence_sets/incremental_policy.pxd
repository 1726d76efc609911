from libc.stdint cimport int64_t, uint64_t

from isegoria.learning.confidence_sets.betting_sets cimport BettingSets

cdef class OwnVoices:
    cdef BettingSets sets
    cdef readonly object policy         # (K,) P, as of the last refresh
    cdef public object resolved_policy  # (K,) that of the resolved agents alone
    cdef readonly Py_ssize_t version    # how often P has changed
    cdef double explore, lend, trickle
    cdef double share                   # what P has of the resolved policy
    cdef double[::1] p, p_resolved, trickled
    cdef object weights
    cdef object rule                    # (sets, weights) -> (K,) policy of the resolved; None: the procedural one
    cdef const int64_t[::1] weight      # (n,) of the agents present
    cdef Py_ssize_t[::1] place          # (N,) position of an agent among those present; -1: absent
    cdef int64_t total, in_doubt, resolved
    cdef int64_t[::1] lead              # (K,) the weight of the doubters whom each arm leads
    cdef int64_t[:, ::1] beside         # (some sizes, K) that of those who also hold it possible, by how many they do
    cdef Py_ssize_t[::1] line           # (K + 1,) which line of `beside` a size has; -1: nobody's set has it
    cdef int64_t[::1] users             # (some sizes,) how many doubters each line is for
    cdef Py_ssize_t[::1] shown_leader   # (n,) what of each agent is in the sums; -1: resolved
    cdef Py_ssize_t[::1] shown_size
    cdef uint64_t[:, ::1] shown         # (n, words)
    cdef unsigned char[::1] touched     # (K,) arms whose P must be recomputed
    cdef bint any_touched, stale        # … and the resolved policy
    cdef int refresh(self) except -1
    cdef void apply(self, Py_ssize_t i, Py_ssize_t row) noexcept nogil
    cdef void add(self, Py_ssize_t i, int64_t weight) noexcept nogil
    cdef Py_ssize_t line_of(self, Py_ssize_t size) noexcept nogil
    cdef int solve(self) except -1
    cdef void mix(self, Py_ssize_t k) noexcept nogil
