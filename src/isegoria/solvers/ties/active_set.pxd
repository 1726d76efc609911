from isegoria.solvers.rows.arena cimport Arena


cdef struct ActiveSet:
    int arms, active, equalities
    double* Q              # (K, K) orthogonal: the first `active` columns span the normals
    double* L              # (K, K) lower triangular: the normals are the columns of Q Lᵀ
    double* normals        # (K, K), one per row
    double* bounds
    double* multipliers
    double* from_cuts      # 1 for a constraint that was added while `cutting` was 1
    double* x
    double* target
    double* d
    double* r
    double* normal         # of the constraint in hand
    double cutting
    int* failed            # of the arena
    double farthest        # no step is longer than the start is from any point of the simplex

cdef void open_active_set(ActiveSet* it, int arms, Arena* arena) noexcept nogil
cdef void begin(ActiveSet* it, const double* rows, int count) noexcept nogil
cdef double reach(ActiveSet* it, const double* normal) noexcept nogil
cdef int most_negative(ActiveSet* it, double slip, double* least) noexcept nogil
cdef void no_less_than_nothing(ActiveSet* it, int arm) noexcept nogil
cdef bint satisfy(ActiveSet* it, double bound, double slack) noexcept nogil
cdef bint drop_most_negative(ActiveSet* it) noexcept nogil
cdef double sharpness(ActiveSet* it) noexcept nogil
