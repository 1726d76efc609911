from isegoria.solvers.rows.arena cimport Arena
from isegoria.solvers.algebra.pair cimport pair, real
from isegoria.solvers.nash.columns cimport Columns

cdef struct Work:
    double* x             # (K,) the point in hand
    double* d             # (m,) the values Ax
    double* u             # (m,) w / d
    double* change        # (m,) how a step changes d
    double* s             # (K,) the gradient
    double* z             # (K,) where a step leads
    double* best          # (K,)
    double* H             # (K, K) on the working arms
    double* B             # (K, K) of the quadratic model, and its
    double* b             # (K,)
    double* answer        # (K,)
    double* L             # (K, K) a factor
    double* part          # (K,) of the answer
    Py_ssize_t* arms      # (K,) the working arms
    Py_ssize_t* index     # (K,)
    unsigned char* free   # (K,)
    int* failed           # of the arena

cdef struct PairWork:     # the same in pairs
    pair* x
    pair* d
    pair* u
    pair* s
    pair* z
    pair* H
    pair* B
    pair* b
    pair* answer
    pair* L
    pair* part
    Py_ssize_t* index
    unsigned char* free
    int* failed

ctypedef fused AnyWork:
    Work
    PairWork

cdef bint open_work(Work* work, Py_ssize_t m, Py_ssize_t K, Arena* arena) noexcept nogil
cdef bint open_pair_work(PairWork* work, Py_ssize_t m, Py_ssize_t K, Arena* arena) noexcept nogil
cdef void rescale(real* x, Py_ssize_t K) noexcept nogil
cdef void multiply(const Columns* A, const double* w, int steps, Work* work) noexcept nogil
cdef double newton(const Columns* A, const double* w, double settled, Work* work) noexcept nogil
cdef Py_ssize_t working_arms(const double* x, const double* s, Py_ssize_t K, Py_ssize_t* arms) noexcept nogil
cdef void bends(const Columns* A, const Py_ssize_t* arms, Py_ssize_t size, AnyWork* work) noexcept nogil
cdef void newton_target(Py_ssize_t K, const Py_ssize_t* arms, Py_ssize_t size, double noise,
                        AnyWork* work) noexcept nogil
