from isegoria.solvers.rows.arena cimport Arena


cdef double walk_to_corner(const double* held, Py_ssize_t rows, Py_ssize_t n, Py_ssize_t arms, double* x,
                           double* costs, Arena* arena) noexcept nogil
