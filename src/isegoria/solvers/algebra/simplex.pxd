cdef void exact(double* p, int arms) noexcept nogil
