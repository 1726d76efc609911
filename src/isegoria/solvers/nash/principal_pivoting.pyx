"""min ½ xᵀBx − bᵀx over x ≥ 0 for a positive definite B: the subproblem of every Newton step on the simplex.

Block principal pivoting (Júdice and Pires, 1994): guess which coordinates are free, solve for them, and exchange every
coordinate of the wrong sign; if that stops making progress, exchange one at a time, which ends but for rounding; where
rounding rules, start again from 0 and never go uphill. One source serves double and long double: the last steps of a
solve are taken in the longer one.
"""

from libc.math cimport sqrt, sqrtl

import numpy as np

from isegoria import tolerances


cdef inline real root(real value) noexcept nogil:
    if real is double:
        return sqrt(value)
    else:
        return sqrtl(value)


cdef void factor(const real* B, Py_ssize_t n, const Py_ssize_t* index, Py_ssize_t size, real noise,
                 real* L) noexcept nogil:
    """L Lᵀ = B on the indexed rows; a pivot lost to rounding is lifted to the noise of its diagonal."""
    cdef Py_ssize_t i, j, k
    cdef real total
    cdef const real* row
    for i in range(size):
        row = B + index[i] * n
        for j in range(i + 1):
            total = row[index[j]]
            for k in range(j):
                total -= L[i * n + k] * L[j * n + k]
            if j < i:
                L[i * n + j] = total / L[j * n + j]
            else:
                if not total > noise * row[index[i]]:
                    total = noise * row[index[i]]
                L[i * n + i] = root(total)


cdef void substitute(const real* L, Py_ssize_t n, Py_ssize_t size, real* z) noexcept nogil:
    """z ← (L Lᵀ)⁻¹ z."""
    cdef Py_ssize_t i, k
    for i in range(size):
        for k in range(i):
            z[i] -= L[i * n + k] * z[k]
        z[i] /= L[i * n + i]
    for i in range(size - 1, -1, -1):
        z[i] /= L[i * n + i]
        for k in range(i):
            z[k] -= L[i * n + k] * z[i]


cdef void solve_free(const real* B, const real* b, Py_ssize_t n, real noise, real* x, const char* free,
                     real* work, Py_ssize_t* index) noexcept nogil:
    """x: the unconstrained minimiser over the free coordinates, 0 elsewhere."""
    cdef Py_ssize_t i, size = 0
    cdef real* z = work + n * n
    for i in range(n):
        x[i] = 0
        if free[i]:
            index[size] = i
            z[size] = b[i]
            size += 1
    factor(B, n, index, size, noise, work)
    substitute(work, n, size, z)
    for i in range(size):
        x[index[i]] = z[i]


cdef Py_ssize_t wrong_signs(const real* B, const real* b, Py_ssize_t n, real noise, const real* x, const char* free,
                            Py_ssize_t* wrong) noexcept nogil:
    """How many coordinates break the optimality conditions, and which: free ones below 0, others that want to rise."""
    cdef Py_ssize_t i, k, count = 0
    cdef real slope
    for i in range(n):
        if free[i]:
            if x[i] < 0:
                wrong[count] = i
                count += 1
        else:
            slope = -b[i]
            for k in range(n):
                slope += B[i * n + k] * x[k]
            if slope < -noise:
                wrong[count] = i
                count += 1
    return count


cdef Py_ssize_t most_wanted(const real* B, const real* b, Py_ssize_t n, real noise, const real* x,
                            const char* free) noexcept nogil:
    """The coordinate at 0 that lowers the function fastest, or -1 if none does by more than rounding."""
    cdef Py_ssize_t i, k, most = -1
    cdef real slope, steepest = -10 * noise
    for i in range(n):
        if not free[i]:
            slope = -b[i]
            for k in range(n):
                slope += B[i * n + k] * x[k]
            if slope < steepest:
                steepest = slope
                most = i
    return most


cdef bint towards_least(const real* B, const real* b, Py_ssize_t n, real noise, real* x, char* free, real* work,
                        Py_ssize_t* index) noexcept nogil:
    """Move x ≥ 0 to the minimiser over the free coordinates, or as far as the first that reaches 0; whether it did."""
    cdef Py_ssize_t j, size = 0, first = -1
    cdef real part = 1
    cdef real* z = work + n * n
    for j in range(n):
        if free[j]:
            index[size] = j
            z[size] = b[j]
            size += 1
    factor(B, n, index, size, noise, work)
    substitute(work, n, size, z)
    for j in range(size):
        if z[j] <= 0 and (first < 0 or x[index[j]] < part * (x[index[j]] - z[j])):
            part = x[index[j]] / (x[index[j]] - z[j]) if x[index[j]] > 0 else 0
            first = index[j]
    for j in range(size):
        x[index[j]] += part * (z[j] - x[index[j]])
        if x[index[j]] <= 0 or index[j] == first:
            x[index[j]] = 0
            free[index[j]] = 0
    return first < 0


cdef int one_by_one(const real* B, const real* b, Py_ssize_t n, real noise, real* x, char* free, real* work,
                    Py_ssize_t* index) noexcept nogil:
    """The minimiser again, from 0 (Lawson and Hanson, 1974): never uphill, so that it ends where B is all but singular.

    Coordinates that depend on the free ones are not wanted, and so the matrices that are solved stay sound.
    """
    cdef Py_ssize_t i, entering, step
    for i in range(n):
        x[i] = 0
        free[i] = 0
    for step in range(4 * n + 20):
        entering = most_wanted(B, b, n, noise, x, free)
        if entering < 0:
            return 1
        free[entering] = 1
        while not towards_least(B, b, n, noise, x, free, work, index):
            if x[entering] == 0:
                return 0
    return 0


cdef int minimise_quadratic(const real* B, const real* b, Py_ssize_t n, real noise,
                            real* x, char* free, real* work, Py_ssize_t* index) noexcept nogil:
    """x ≥ 0, the minimiser; `free` is the first guess and the final answer of its support. 1 if it was proved, else 0.

    `work` holds n² + n reals and `index` n integers. `noise` is the relative rounding error to forgive.
    """
    cdef Py_ssize_t fewest = n + 1, patience = 3, count, i
    cdef Py_ssize_t step
    for step in range(4 * n + 20):
        solve_free(B, b, n, noise, x, free, work, index)
        count = wrong_signs(B, b, n, noise, x, free, index)
        if count == 0:
            return 1
        if count < fewest:
            fewest = count
            patience = 3
        elif patience > 0:
            patience -= 1
        if patience > 0:
            for i in range(count):
                free[index[i]] ^= 1
        else:
            free[index[count - 1]] ^= 1
    return one_by_one(B, b, n, noise, x, free, work, index)


def minimise(double[:, ::1] B, double[::1] b, double noise=tolerances.NEWTON_NOISE):
    """(x, proved): the minimiser of ½ xᵀBx − bᵀx over x ≥ 0, for a positive definite B (n, n).

    >>> import numpy as np
    >>> minimise(np.eye(2), np.array([0.5, -1.0]))[0].tolist()
    [0.5, 0.0]
    """
    cdef Py_ssize_t n = b.shape[0]
    x = np.empty(n)
    free = np.ones(n, dtype=np.int8)
    work = np.empty(n * n + n)
    index = np.empty(n, dtype=np.intp)
    cdef double[::1] x_view = x, work_view = work
    cdef signed char[::1] free_view = free
    cdef Py_ssize_t[::1] index_view = index
    proved = minimise_quadratic[double](&B[0, 0], &b[0], n, noise, &x_view[0], <char*> &free_view[0],
                                        &work_view[0], &index_view[0])
    return x, bool(proved)
