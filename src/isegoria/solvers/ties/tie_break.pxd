cdef enum Choice:  # a TieBreak, inside kernels
    CENTRE
    VERTEX
    UTILITARIAN

cdef Choice choice_of(tie_break) except *
cdef const double* towards(direction, Choice choice) except? NULL
