from isegoria.solvers.nash.columns cimport Columns
from isegoria.solvers.nash.principal_pivoting cimport real

cdef struct Work:
    double* d             # (m,) the values Ax
    double* u             # (m,) w / d
    double* change        # (m,) how a step changes d
    double* scratch       # (2m,)
    double* s             # (K,) the gradient
    double* z             # (K,) where a step leads
    double* best          # (K,)
    double* H             # (K, K) on the working arms
    double* small         # 2K² + 6K, for the quadratic subproblem
    char* free            # (K,)
    Py_ssize_t* arms      # (K,) the working arms
    Py_ssize_t* index     # (3K,)

cdef int open_work(Work* work, Py_ssize_t m, Py_ssize_t K) noexcept nogil
cdef void close_work(Work* work) noexcept nogil
cdef void multiply(const Columns* A, const double* w, int steps, double* x, Work* work) noexcept nogil
cdef double newton(const Columns* A, const double* w, double* x, double settled, Work* work) noexcept nogil
cdef Py_ssize_t working_arms(const real* x, const real* s, Py_ssize_t K, Py_ssize_t* arms) noexcept nogil
cdef void newton_target(const real* H, const real* s, const real* x, Py_ssize_t K, const Py_ssize_t* arms,
                        Py_ssize_t size, real noise, real* z, char* free, real* small, Py_ssize_t* index) noexcept nogil
cdef void rescale(real* x, Py_ssize_t K) noexcept nogil
