"""Reals of one of two precisions: a kernel written with these serves doubles and pairs of doubles (`pair.h`)."""

from libc.math cimport sqrt

from isegoria.solvers.rows.arena cimport Arena, carve

cdef extern from "solvers/rows/pair.h" nogil:
    ctypedef struct pair:
        double hi
        double lo
    pair pair_of(double x)
    pair pair_settled(double hi, double lo)
    pair pair_plus(pair a, pair b)
    pair pair_minus(pair a, pair b)
    pair pair_times(pair a, pair b)
    pair pair_scaled(pair a, double b)
    pair pair_and(pair total, double x)
    pair pair_over(pair a, pair b)
    pair pair_root(pair a)
    void each_pairs "ARENA_PAIRS" (Arena* arena, Py_ssize_t count, ...)  # several, each named by its address

cdef extern from "solvers/algebra/pair_sums.h" nogil:
    void pair_products(const double* rows, Py_ssize_t width, Py_ssize_t count, Py_ssize_t K, const double* p,
                       double* high, double* low)
    void pair_utilities(const double* rows, Py_ssize_t width, Py_ssize_t count, Py_ssize_t K, const double* p,
                        double* high, double* low)
    pair pair_total(const double* w, const double* high, const double* low, Py_ssize_t n)
    pair pair_apart(const double* w, pair mean, Py_ssize_t n, double* high, double* low)
    void pair_gather_rows(const double* heavy_high, const double* heavy_low, const double* rows, Py_ssize_t n,
                          Py_ssize_t K, double* high, double* low)
    void pair_combine(const double* A, Py_ssize_t m, Py_ssize_t K, const pair* x, pair* d)
    void pair_dots(const double* A, Py_ssize_t m, Py_ssize_t K, const pair* u, pair* s)
    void pair_hessian(const double* A, Py_ssize_t m, const Py_ssize_t* arms, Py_ssize_t size, const pair* d,
                      const pair* u, pair* H)

ctypedef fused real:
    double
    pair


cdef inline pair* pairs(Arena* arena, Py_ssize_t count) noexcept nogil:
    """An array (count,) from the arena."""
    return <pair*> carve(arena, count, sizeof(pair))


cdef inline double rounded(real x) noexcept nogil:
    """The nearest double: enough to compare by, since a pair has the sign of its first."""
    if real is double:
        return x
    else:
        return x.hi


cdef inline void put(real* x, double value) noexcept nogil:
    """x ← value."""
    if real is double:
        x[0] = value
    else:
        x[0] = pair_of(value)


cdef inline void clear(real* x, Py_ssize_t n) noexcept nogil:
    """x (n,) ← 0."""
    cdef Py_ssize_t i
    for i in range(n):
        put(x + i, 0)


cdef inline real plus(real a, real b) noexcept nogil:
    if real is double:
        return a + b
    else:
        return pair_plus(a, b)


cdef inline real minus(real a, real b) noexcept nogil:
    if real is double:
        return a - b
    else:
        return pair_minus(a, b)


cdef inline real times(real a, real b) noexcept nogil:
    if real is double:
        return a * b
    else:
        return pair_times(a, b)


cdef inline real scaled(real a, double b) noexcept nogil:
    if real is double:
        return a * b
    else:
        return pair_scaled(a, b)


cdef inline real over(real a, real b) noexcept nogil:
    if real is double:
        return a / b
    else:
        return pair_over(a, b)


cdef inline real root(real a) noexcept nogil:
    if real is double:
        return sqrt(a)
    else:
        return pair_root(a)


cdef inline real dot(const real* a, const real* b, Py_ssize_t n) noexcept nogil:
    """Σ a_i b_i."""
    cdef real total
    cdef Py_ssize_t i
    put(&total, 0)
    for i in range(n):
        total = plus(total, times(a[i], b[i]))
    return total


cdef inline real less_products(real total, const real* a, const real* b, Py_ssize_t n) noexcept nogil:
    """total − Σ a_i b_i."""
    cdef Py_ssize_t i
    for i in range(n):
        total = minus(total, times(a[i], b[i]))
    return total


cdef inline bint at_most(real a, real b) noexcept nogil:
    """a ≤ b, and not so where either is no number."""
    if real is double:
        return a <= b
    else:
        return pair_minus(a, b).hi <= 0


cdef inline void add_multiple(real* y, real a, const real* x, Py_ssize_t n) noexcept nogil:
    """y (n,) ← y + a x."""
    cdef Py_ssize_t i
    for i in range(n):
        y[i] = plus(y[i], times(a, x[i]))
