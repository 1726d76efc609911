"""Sums over the columns of a table: a vector of values, a gradient, a Hessian.

A table is kept column by column, and its doubles are summed in vector lanes; long doubles, which have none, one by one.
A large table of favourite sets is mostly 0, and is kept as lists of arms instead: it costs what is in it.
"""

cdef extern from "rows/lanes.h" nogil:
    void lanes_combine(const double* A, Py_ssize_t m, Py_ssize_t K, const double* x, double* d)
    void lanes_divide(const double* w, const double* d, Py_ssize_t m, double* u)
    void lanes_dots(const double* A, Py_ssize_t m, Py_ssize_t K, const double* u, double* s)
    void lanes_hessian(const double* A, Py_ssize_t m, const Py_ssize_t* arms, Py_ssize_t size, const double* d,
                       const double* u, double* H)


cdef Columns dense_columns(const double* dense, Py_ssize_t m, Py_ssize_t K) noexcept nogil:
    """A table (K, m) of doubles, column by column."""
    cdef Columns A
    A.m = m
    A.K = K
    A.dense = dense
    A.items = NULL
    A.starts = NULL
    A.place = NULL
    return A


cdef void combine(const Columns* A, const real* x, real* d) noexcept nogil:
    """d = Ax; arms that are not played cost nothing."""
    cdef Py_ssize_t i, k, j
    cdef const double* column
    cdef real total
    if A.dense == NULL:
        for i in range(A.m):
            total = 0
            for j in range(A.starts[i], A.starts[i + 1]):
                total += x[A.items[j]]
            d[i] = total
        return
    if real is double:
        lanes_combine(A.dense, A.m, A.K, x, d)
    else:
        for i in range(A.m):
            d[i] = 0
        for k in range(A.K):
            if x[k] != 0:
                column = A.dense + k * A.m
                for i in range(A.m):
                    d[i] += x[k] * column[i]


cdef inline real dot(const real* u, const double* column, Py_ssize_t m) noexcept nogil:
    cdef real total = 0
    cdef Py_ssize_t i
    for i in range(m):
        total += u[i] * column[i]
    return total


cdef double gradient(const Columns* A, const double* w, const real* x, real* d, real* u, real* s) noexcept nogil:
    """d = Ax, u = w / d, s = Aᵀu; returns max_k s_k − 1, the certified gap when x is in the simplex and Σw = 1."""
    cdef Py_ssize_t i, k, j
    cdef real most = 0
    combine(A, x, d)
    if real is double:
        lanes_divide(w, d, A.m, u)
    else:
        for i in range(A.m):
            u[i] = w[i] / d[i]
    if A.dense == NULL:
        for k in range(A.K):
            s[k] = 0
        for i in range(A.m):
            for j in range(A.starts[i], A.starts[i + 1]):
                s[A.items[j]] += u[i]
    elif real is double:
        lanes_dots(A.dense, A.m, A.K, u, s)
    else:
        for k in range(A.K):
            s[k] = dot(u, A.dense + k * A.m, A.m)
    for k in range(A.K):
        if not s[k] <= most:
            most = s[k]
    return <double> (most - 1)


cdef void listed_hessian(const Columns* A, const Py_ssize_t* arms, Py_ssize_t size, const real* d, const real* u,
                         real* H) noexcept nogil:
    """The Hessian of a table of lists: every pair of arms in a row adds the row's curvature."""
    cdef Py_ssize_t i, k, j, other
    cdef real curve
    for k in range(A.K):
        A.place[k] = -1
    for k in range(size):
        A.place[arms[k]] = <int> k
    for i in range(A.m):
        curve = u[i] / d[i]
        for j in range(A.starts[i], A.starts[i + 1]):
            k = A.place[A.items[j]]
            if k >= 0:
                for other in range(A.starts[i], j + 1):
                    if A.place[A.items[other]] >= 0:
                        H[k * size + A.place[A.items[other]]] += curve


cdef void hessian(const Columns* A, const Py_ssize_t* arms, Py_ssize_t size, const real* d, const real* u,
                  real* H, real* scratch) noexcept nogil:
    """Add Aᵀ diag(u / d) A on the `size` listed arms to the lower triangle of H; `scratch` holds m reals."""
    cdef Py_ssize_t i, k, l
    if A.dense == NULL:
        listed_hessian(A, arms, size, d, u, H)
    elif real is double:
        lanes_hessian(A.dense, A.m, arms, size, d, u, H)
    else:
        for k in range(size):
            for i in range(A.m):
                scratch[i] = u[i] / d[i] * A.dense[arms[k] * A.m + i]
            for l in range(k + 1):
                H[k * size + l] += dot(scratch, A.dense + arms[l] * A.m, A.m)


cdef void mirror(real* H, Py_ssize_t size) noexcept nogil:
    """Fill the upper triangle from the lower."""
    cdef Py_ssize_t k, l
    for k in range(size):
        for l in range(k):
            H[l * size + k] = H[k * size + l]
