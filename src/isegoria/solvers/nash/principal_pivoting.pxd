"""min ½ xᵀBx − bᵀx over x ≥ 0 for a positive definite B: the subproblem of every Newton step on the simplex.

Block principal pivoting (Júdice and Pires, 1994): guess which coordinates are free, solve for them, and exchange every
coordinate of the wrong sign; if that stops making progress, exchange one at a time, which ends but for rounding; where
rounding rules, start again from 0 and never go uphill.
"""

from isegoria.solvers.algebra.cholesky cimport factorise, solve_both
from isegoria.solvers.rows.interrupt cimport interrupted
from isegoria.solvers.algebra.pair cimport clear, dot, minus, over, plus, put, real, rounded, times


cdef inline Py_ssize_t solve_free(const real* B, const real* b, Py_ssize_t n, double noise, const unsigned char* free,
                                  real* L, real* z, Py_ssize_t* index) noexcept nogil:
    """z: the unconstrained minimiser over the free coordinates, which are listed in `index`; how many they are."""
    cdef Py_ssize_t i, j, size = 0
    for i in range(n):
        if free[i]:
            index[size] = i
            z[size] = b[i]
            size += 1
    for i in range(size):
        for j in range(i + 1):
            L[i * n + j] = B[index[i] * n + index[j]]
    factorise(L, 0, size, n, noise, 0)
    solve_both(L, size, n, z)
    return size


cdef inline double solve_work(const real* L, Py_ssize_t n) noexcept nogil:
    """The operations of one `solve_free`, which a signal waits for."""
    return (1 if real is double else 10) * (n * n * n / 3.0 + n * n)


cdef inline double slope(const real* B, const real* b, Py_ssize_t n, const real* x, Py_ssize_t i) noexcept nogil:
    return rounded(minus(dot(B + i * n, x, n), b[i]))


cdef inline Py_ssize_t wrong_signs(const real* B, const real* b, Py_ssize_t n, double noise, const real* x,
                                   const unsigned char* free, Py_ssize_t* wrong) noexcept nogil:
    """How many coordinates break the optimality conditions, and which: free ones below 0, others that want to rise."""
    cdef Py_ssize_t i, count = 0
    for i in range(n):
        if rounded(x[i]) < 0 if free[i] else slope(B, b, n, x, i) < -noise:
            wrong[count] = i
            count += 1
    return count


cdef inline Py_ssize_t most_wanted(const real* B, const real* b, Py_ssize_t n, double noise, const real* x,
                                   const unsigned char* free) noexcept nogil:
    """The coordinate at 0 that lowers the function fastest, or -1 if none does by more than rounding."""
    cdef Py_ssize_t i, most = -1
    cdef double here, steepest = -10 * noise
    for i in range(n):
        if not free[i]:
            here = slope(B, b, n, x, i)
            if here < steepest:
                steepest = here
                most = i
    return most


cdef inline bint towards_least(const real* B, const real* b, Py_ssize_t n, double noise, real* x, unsigned char* free,
                               real* L, real* z, Py_ssize_t* index) noexcept nogil:
    """Move x ≥ 0 to the minimiser over the free coordinates, or as far as the first that reaches 0; whether it did."""
    cdef Py_ssize_t j, k, size = solve_free(B, b, n, noise, free, L, z, index), first = -1
    cdef real part, here
    put(&part, 1)
    for j in range(size):
        k = index[j]
        if rounded(z[j]) <= 0:
            put(&here, 0)
            if rounded(x[k]) > 0:
                here = over(x[k], minus(x[k], z[j]))
            if first < 0 or rounded(here) < rounded(part):
                part = here
                first = k
    for j in range(size):
        k = index[j]
        x[k] = plus(x[k], times(part, minus(z[j], x[k])))
        if rounded(x[k]) <= 0 or k == first:
            put(x + k, 0)
            free[k] = 0
    return first < 0


cdef inline int one_by_one(const real* B, const real* b, Py_ssize_t n, double noise, real* x, unsigned char* free,
                           real* L, real* z, Py_ssize_t* index, int* failed) noexcept nogil:
    """The minimiser again, from 0 (Lawson and Hanson, 1974): never uphill, so that it ends where B is all but singular.
    Coordinates that depend on the free ones are not wanted, and so the matrices that are solved stay sound."""
    cdef Py_ssize_t i, entering, step
    clear(x, n)
    for i in range(n):
        free[i] = 0
    for step in range(4 * n + 20):
        if interrupted(failed, solve_work(L, n)):
            return 0
        entering = most_wanted(B, b, n, noise, x, free)
        if entering < 0:
            return 1
        free[entering] = 1
        while not towards_least(B, b, n, noise, x, free, L, z, index):
            if rounded(x[entering]) == 0 or interrupted(failed, solve_work(L, n)):
                return 0
    return 0


cdef inline int minimise_quadratic(const real* B, const real* b, Py_ssize_t n, double noise, real* x,
                                   unsigned char* free, real* L, real* z, Py_ssize_t* index,
                                   int* failed) noexcept nogil:
    """x ≥ 0, the minimiser; `free` is the first guess and the final answer of its support. 1 if it was proved, else 0.

    L (n, n), z (n,) and `index` (n,) are room to work in. `noise` is the relative rounding error to forgive. A signal
    ends the search, and is told in `failed`.
    """
    cdef Py_ssize_t fewest = n + 1, patience = 3, count, size, step, i
    for step in range(4 * n + 20):
        if interrupted(failed, solve_work(L, n)):
            return 0
        size = solve_free(B, b, n, noise, free, L, z, index)
        clear(x, n)
        for i in range(size):
            x[index[i]] = z[i]
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
    return one_by_one(B, b, n, noise, x, free, L, z, index, failed)
