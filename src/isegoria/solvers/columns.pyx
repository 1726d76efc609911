# distutils: extra_compile_args = -O3 -fno-math-errno -fno-trapping-math -fno-signed-zeros -fassociative-math
"""Sums over the columns of a table: a vector of values, a gradient, a Hessian.

Only here may the compiler reorder a sum, which lets it use vector instructions on a table kept column by column. A large
table of favourite sets is mostly 0, and is kept as lists of arms instead: it costs what is in it.
"""


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
    for i in range(A.m):
        u[i] = w[i] / d[i]
    for k in range(A.K):
        s[k] = 0 if A.dense == NULL else dot(u, A.dense + k * A.m, A.m)
    if A.dense == NULL:
        for i in range(A.m):
            for j in range(A.starts[i], A.starts[i + 1]):
                s[A.items[j]] += u[i]
    for k in range(A.K):
        if not s[k] <= most:
            most = s[k]
    return <double> (most - 1)


cdef void two_by_two(const real* t0, const real* t1, const double* a, const double* b, Py_ssize_t m,
                     real* sums) noexcept nogil:
    """The four dot products of t0, t1 with a, b: every number that is loaded is used twice."""
    cdef real aa = 0, ab = 0, ba = 0, bb = 0
    cdef Py_ssize_t i
    for i in range(m):
        aa += t0[i] * a[i]
        ab += t0[i] * b[i]
        ba += t1[i] * a[i]
        bb += t1[i] * b[i]
    sums[0] = aa
    sums[1] = ab
    sums[2] = ba
    sums[3] = bb


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
    """Add Aᵀ diag(u / d) A on the `size` listed arms to the lower triangle of H; `scratch` holds 2m reals."""
    cdef Py_ssize_t i, k, l, other_k, other_l, m = A.m
    cdef real[4] sums
    cdef real* t0 = scratch
    cdef real* t1 = scratch + m
    cdef real curve
    if A.dense == NULL:
        listed_hessian(A, arms, size, d, u, H)
        return
    for k in range(0, size, 2):
        other_k = min(k + 1, size - 1)  # an odd last arm is paired with itself, and its copies are not stored
        for i in range(m):
            curve = u[i] / d[i]
            t0[i] = curve * A.dense[arms[k] * m + i]
            t1[i] = curve * A.dense[arms[other_k] * m + i]
        for l in range(0, k + 1, 2):
            other_l = min(l + 1, size - 1)
            two_by_two(t0, t1, A.dense + arms[l] * m, A.dense + arms[other_l] * m, m, sums)
            H[k * size + l] += sums[0]
            if l < k:
                H[k * size + other_l] += sums[1]
            if other_k > k:
                H[other_k * size + l] += sums[2]
                H[other_k * size + other_l] += sums[3]


cdef void mirror(real* H, Py_ssize_t size) noexcept nogil:
    """Fill the upper triangle from the lower."""
    cdef Py_ssize_t k, l
    for k in range(size):
        for l in range(k):
            H[l * size + k] = H[k * size + l]
