"""The flow network, for the compiled rooms beside `flow`."""

from libc.stdint cimport int64_t

from isegoria.rows.arena cimport Arena

ctypedef long long units


cdef class Network:
    cdef readonly Py_ssize_t types, arms, edges
    cdef readonly object rows           # (m, K) the types that it was made of
    cdef Arena arena
    cdef int *first
    cdef int *arm
    cdef int *owner
    cdef int *arm_first
    cdef int *arm_edge
    cdef int *type_block
    cdef int *arm_block
    cdef int *type_level
    cdef int *arm_level
    cdef units *carried
    cdef units *left
    cdef units *room
    cdef int *type_cursor
    cdef int *arm_cursor
    cdef int *queue
    cdef void list_types(self, const unsigned char* rows) noexcept nogil
    cdef void copy_types(self, const int64_t[::1] starts, const int64_t[::1] items) noexcept nogil
    cdef void link(self) noexcept nogil
    cdef void join_blocks(self) noexcept nogil
    cdef void start_with(self, int degree_limit) noexcept nogil
    cdef bint layer(self) noexcept nogil
    cdef units from_type(self, int t, units amount) noexcept nogil
    cdef units from_arm(self, int k, units amount) noexcept nogil
    cdef void saturate(self) noexcept nogil
    cdef void widen(self, const double *room) noexcept nogil


cdef Network network_of(types)
cdef units* amounts(Arena* arena, Py_ssize_t count) noexcept nogil
cdef units whole(double mass) noexcept nogil
cdef double mass(units amount) noexcept nogil
