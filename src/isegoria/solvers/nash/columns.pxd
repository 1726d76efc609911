"""Sums over the columns of a table: a vector of values, a gradient, a Hessian, in doubles or in pairs of them.

A table is kept column by column, and summed in vector lanes. A large table of favourite sets is mostly 0, and is kept
as lists of arms instead: it costs what is in it.
"""

from libc.math cimport log

from isegoria.solvers.algebra.pair cimport (
    at_most, clear, minus, over, pair_combine, pair_dots, pair_hessian, pair_of, plus, put, real, rounded,
)

cdef extern from "solvers/rows/lanes.h" nogil:
    void lanes_combine(const double* A, Py_ssize_t m, Py_ssize_t K, const double* x, double* d)
    void lanes_divide(const double* w, const double* d, Py_ssize_t m, double* u)
    void lanes_dots(const double* A, Py_ssize_t m, Py_ssize_t K, const double* u, double* s)
    void lanes_hessian(const double* A, Py_ssize_t m, const Py_ssize_t* arms, Py_ssize_t size, const double* d,
                       const double* u, double* H)


cdef struct Columns:
    Py_ssize_t m          # rows
    Py_ssize_t K          # arms, one column each
    const double* dense   # (K, m) column by column, or NULL for a table of 0 and 1 that is mostly 0:
    const int* items      # the arms of row after row, ascending
    const int* starts     # (m + 1,) where each row begins in items
    int* place            # (K,) room to note where an arm stands in a list
    const double* copies  # (K,) how many equal arms each stands for; NULL: for itself alone


cdef inline double largest(const double* row, Py_ssize_t K) noexcept nogil:
    """The largest entry (K,), and 0 if none is above it."""
    cdef double best = 0
    cdef Py_ssize_t k
    for k in range(K):
        best = row[k] if row[k] > best else best
    return best


cdef inline Columns dense_columns(const double* dense, Py_ssize_t m, Py_ssize_t K) noexcept nogil:
    """A table (K, m) of doubles, column by column."""
    return Columns(m, K, dense, NULL, NULL, NULL, NULL)


cdef inline Py_ssize_t load_scaled(const double* rows, Py_ssize_t N, Py_ssize_t K, const double* weights, double* A,
                                   double* w, double* shift, double* total) noexcept nogil:
    """Rows with some value, divided by their maximum, as columns of A (K, m), with weights of sum `total`; m. In
    `shift` the weighted sum of the logarithms of those maxima."""
    cdef Py_ssize_t i, k, m = 0, row = 0
    cdef const double* entries
    cdef double best
    for i in range(N):
        k = 0
        while k < K and rows[i * K + k] == 0:
            k += 1
        m += k < K
    total[0] = shift[0] = 0
    for i in range(N):
        entries = rows + i * K
        best = largest(entries, K)
        if best == 0:
            continue
        for k in range(K):
            A[k * m + row] = entries[k] / best
        w[row] = weights[i]
        total[0] += w[row]
        shift[0] += w[row] * log(best)
        row += 1
    for i in range(m):
        w[i] /= total[0]
    return m


cdef inline void combine(const Columns* A, const real* x, real* d) noexcept nogil:
    """d = Ax; arms that are not played cost nothing."""
    cdef Py_ssize_t i, j
    if A.dense == NULL:
        for i in range(A.m):
            put(d + i, 0)
            for j in range(A.starts[i], A.starts[i + 1]):
                d[i] = plus(d[i], x[A.items[j]])
    elif real is double:
        lanes_combine(A.dense, A.m, A.K, x, d)
    else:
        pair_combine(A.dense, A.m, A.K, x, d)


cdef inline double gradient(const Columns* A, const double* w, const real* x, real* d, real* u, real* s) noexcept nogil:
    """d = Ax, u = w / d, s = Aᵀu; returns max_k s_k − 1, the certified gap when x is in the simplex and Σw = 1."""
    cdef Py_ssize_t i, k, j
    cdef real one, most
    combine(A, x, d)
    if real is double:
        lanes_divide(w, d, A.m, u)
    else:
        for i in range(A.m):
            u[i] = over(pair_of(w[i]), d[i])
    if A.dense == NULL:
        clear(s, A.K)
        for i in range(A.m):
            for j in range(A.starts[i], A.starts[i + 1]):
                s[A.items[j]] = plus(s[A.items[j]], u[i])
    elif real is double:
        lanes_dots(A.dense, A.m, A.K, u, s)
    else:
        pair_dots(A.dense, A.m, A.K, u, s)
    put(&one, 1)
    put(&most, 0)
    for k in range(A.K):
        if not at_most(s[k], most):
            most = s[k]
    return rounded(minus(most, one))


cdef inline void listed_hessian(const Columns* A, const Py_ssize_t* arms, Py_ssize_t size, const real* d, const real* u,
                                real* H) noexcept nogil:
    """The Hessian of a table of lists: every pair of arms in a row adds the row's curvature."""
    cdef Py_ssize_t i, k, j, l, other
    cdef real curve
    for k in range(A.K):
        A.place[k] = -1
    for k in range(size):
        A.place[arms[k]] = <int> k
    for i in range(A.m):
        curve = over(u[i], d[i])
        for j in range(A.starts[i], A.starts[i + 1]):
            k = A.place[A.items[j]]
            if k >= 0:
                for other in range(A.starts[i], j + 1):
                    l = A.place[A.items[other]]
                    if l >= 0:
                        H[k * size + l] = plus(H[k * size + l], curve)


cdef inline void hessian(const Columns* A, const Py_ssize_t* arms, Py_ssize_t size, const real* d, const real* u,
                         real* H) noexcept nogil:
    """Add Aᵀ diag(u / d) A on the `size` listed arms to the lower triangle of H."""
    if A.dense == NULL:
        listed_hessian(A, arms, size, d, u, H)
    elif real is double:
        lanes_hessian(A.dense, A.m, arms, size, d, u, H)
    else:
        pair_hessian(A.dense, A.m, arms, size, d, u, H)


cdef inline void mirror(real* H, Py_ssize_t size) noexcept nogil:
    """Fill the upper triangle from the lower."""
    cdef Py_ssize_t k, l
    for k in range(size):
        for l in range(k):
            H[l * size + k] = H[k * size + l]
