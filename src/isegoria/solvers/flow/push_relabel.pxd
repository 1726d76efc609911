from isegoria.solvers.flow.network cimport Network

cdef void saturate_anew(Network network) noexcept nogil
cdef void widen(Network network, const double *room) noexcept nogil
cdef int check_flow(Network network) except -1
