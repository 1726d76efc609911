from isegoria.solvers.rows.arena cimport Arena
from isegoria.solvers.algebra.pair cimport pair
from isegoria.solvers.ties.tie_break cimport Choice

cdef bint only_optimum(const double* H, Py_ssize_t n, const double* slack, double noise, double* p, double* pivot,
                       double* margin, Arena* arena) noexcept nogil
cdef double pick_from_face(const pair* H, Py_ssize_t n, const double* slack, const double* direction,
                           const double* copies, Choice choice, double noise, pair* p, double* pivot,
                           Arena* arena) noexcept nogil
