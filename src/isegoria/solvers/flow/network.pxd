from libc.math cimport llrint

from isegoria.solvers.rows.arena cimport Arena, carve

ctypedef long long units

cdef enum:
    PER_UNIT = 1152921504606846976  # 2^60


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
    cdef int *arm_cursor
    cdef int *queue
    cdef units *space                   # (arms,) what each can take in a wave, and what it has taken
    cdef units *excess
    cdef void join_blocks(self) noexcept nogil


cdef Network network_of(types)

cdef inline units* amounts(Arena* arena, Py_ssize_t count) noexcept nogil:
    """An array (count,) from the arena."""
    return <units*> carve(arena, count, sizeof(units))


cdef inline units whole(double mass) noexcept nogil:
    """A probability as a whole number of units."""
    return llrint(mass * PER_UNIT)


cdef inline double mass(units amount) noexcept nogil:
    """A whole number of units as a probability."""
    return <double> amount / PER_UNIT
