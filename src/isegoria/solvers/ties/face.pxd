from isegoria.solvers.ties.tie_break cimport Choice

cdef double pick_from_face(const long double* H, Py_ssize_t n, const double* slack, const double* direction,
                           Choice choice, double noise, long double* p, double* pivot, long double* work,
                           Py_ssize_t* index) noexcept nogil
cdef Py_ssize_t face_reals(Py_ssize_t n) noexcept nogil
