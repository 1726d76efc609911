from isegoria.solvers.rows.arena cimport Arena
from isegoria.solvers.nash.columns cimport Columns
from isegoria.solvers.ties.tie_break cimport Choice

cdef double maximise_log_sum(const Columns* A, const double* w, Choice choice, const double* direction, int warm,
                             double* p, double* margin, Arena* arena) noexcept nogil
