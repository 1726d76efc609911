from isegoria.rows.arena cimport Arena


cdef class ActiveSet:
    cdef readonly int arms, active, equalities
    cdef Arena arena
    cdef double* Q              # (K, K) orthogonal: the first `active` columns span the normals
    cdef double* L              # (K, K) lower triangular: the normals are the columns of Q Lᵀ
    cdef double* normals        # (K, K), one per row
    cdef double* bounds
    cdef double* multipliers
    cdef double* from_cuts      # 1 for a constraint that was added while `cutting` was 1
    cdef double* x
    cdef double* target
    cdef double* d
    cdef double* r
    cdef double* normal         # of the constraint in hand
    cdef double cutting
    cdef double _reach(self, const double* normal) noexcept nogil
    cdef void _add(self, const double* normal, double bound, double multiplier, double length) noexcept nogil
    cdef void _drop(self, int l) noexcept nogil
    cdef void _settle(self) noexcept nogil
    cdef bint _unneeded(self) noexcept nogil
