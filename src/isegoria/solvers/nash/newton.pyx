"""Newton's method for max Σ_i w_i log(Ap)_i on the simplex, Σ w = 1, rows of A scaled to maximum 1.

It is min −Σ w log(Ax) + Σ x over x ≥ 0, whose solution sums to 1 by itself. With s = Aᵀ(w / Ax), a few multiplicative
steps x_k ← x_k s_k come first; then Newton steps whose quadratic model is minimised exactly over x ≥ 0 on the arms that
matter, with a line search on the slope (no logarithm, nothing to cancel). Tables of m rows and K arms are kept by
columns.
"""

from libc.math cimport INFINITY, fabs
from libc.stdlib cimport free, malloc

from isegoria import tolerances
from isegoria.solvers.nash.columns cimport Columns, combine, gradient, hessian, mirror
from isegoria.solvers.nash.principal_pivoting cimport minimise_quadratic

cdef double ENOUGH = tolerances.NASH_GAP
cdef double NOISE = tolerances.NEWTON_NOISE
cdef int LAST_STEPS = 3  # once the gap is small enough: an arm of small probability converges last
cdef double IDLE = 0.1  # an unplayed arm whose s_k is below 1 − IDLE waits outside; s is checked on every arm, always


cdef int open_work(Work* work, Py_ssize_t m, Py_ssize_t K) noexcept nogil:
    """Memory for m rows and K arms; 0 when there is none."""
    cdef double* block = <double*> malloc((5 * m + 3 * K * K + 9 * K) * sizeof(double))
    work.index = <Py_ssize_t*> malloc(4 * K * sizeof(Py_ssize_t))
    work.free = <char*> malloc(K)
    work.d = block
    work.u = block + m
    work.change = block + 2 * m
    work.scratch = block + 3 * m
    work.s = block + 5 * m
    work.z = work.s + K
    work.best = work.z + K
    work.H = work.best + K
    work.small = work.H + K * K
    work.arms = work.index + 3 * K
    return block != NULL and work.index != NULL and work.free != NULL


cdef void close_work(Work* work) noexcept nogil:
    free(work.d)
    free(work.index)
    free(work.free)


cdef void rescale(real* x, Py_ssize_t K) noexcept nogil:
    """x ← x / Σx."""
    cdef real total = 0
    cdef Py_ssize_t k
    for k in range(K):
        total += x[k]
    for k in range(K):
        x[k] /= total


cdef void multiply(const Columns* A, const double* w, int steps, double* x, Work* work) noexcept nogil:
    """`steps` times x_k ← x_k s_k: each raises the product, from anywhere inside the simplex."""
    cdef Py_ssize_t k
    cdef int turn
    for turn in range(steps):
        gradient(A, w, x, work.d, work.u, work.s)
        for k in range(A.K):
            x[k] *= work.s[k]
    rescale(x, A.K)


cdef Py_ssize_t working_arms(const real* x, const real* s, Py_ssize_t K, Py_ssize_t* arms) noexcept nogil:
    """List the arms that are played or may soon be; how many there are."""
    cdef Py_ssize_t k, size = 0
    for k in range(K):
        if x[k] > 0 or s[k] > 1 - IDLE:
            arms[size] = k
            size += 1
    return size


cdef void newton_target(const real* H, const real* s, const real* x, Py_ssize_t K, const Py_ssize_t* arms,
                        Py_ssize_t size, real noise, real* z, char* free, real* small,
                        Py_ssize_t* index) noexcept nogil:
    """z (K,) ≥ 0: the minimiser of the quadratic model at x, with a proximal ridge that does not move the fixed point.

    `small` holds 2K² + 3K reals.
    """
    cdef Py_ssize_t k, l
    cdef real ridge
    cdef real* B = small
    cdef real* b = small + size * size
    cdef real* answer = b + size
    for k in range(size):
        b[k] = s[arms[k]] - 1
        for l in range(size):
            B[k * size + l] = H[k * size + l]
            b[k] += H[k * size + l] * x[arms[l]]
        ridge = 100 * noise * H[k * size + k] + noise
        B[k * size + k] += ridge
        b[k] += ridge * x[arms[k]]
        free[k] = x[arms[k]] > 0 or s[arms[k]] > 1
    minimise_quadratic(B, b, size, noise, answer, free, answer + size, index)
    for k in range(K):
        z[k] = 0
    for k in range(size):
        z[arms[k]] = answer[k]


cdef double slope_along(const double* w, const double* d, const double* change, Py_ssize_t m, double drift, double t,
                        double* bend) noexcept nogil:
    """The derivative at d + t·change, and in `bend` the second one; infinity where a row would be lost."""
    cdef double total = drift, ratio
    cdef Py_ssize_t i
    bend[0] = 0
    for i in range(m):
        if d[i] + t * change[i] <= 0:
            return INFINITY
        ratio = change[i] / (d[i] + t * change[i])
        total -= w[i] * ratio
        bend[0] += w[i] * ratio * ratio
    return total


cdef double step_length(const double* w, const double* d, const double* change, Py_ssize_t m, double drift,
                        double first) noexcept nogil:
    """t in (0, 1] where the convex function along the step is nearly least: the root of its slope, safeguarded.

    `first` is the slope at 0. Slopes below the noise are as good as none.
    """
    cdef double low = 0, high = 1, t = 1, bend = 0, here
    cdef int turn
    for turn in range(40):
        here = slope_along(w, d, change, m, drift, t, &bend)
        if fabs(here) <= 0.1 * fabs(first) + NOISE or (t == 1 and here <= 0):
            return t
        if here > 0:
            high = t
        else:
            low = t
        t = t - here / bend if here < INFINITY else 0.5 * (low + high)
        if not (low < t < high):
            t = 0.5 * (low + high)
    return low if low > 0 else t


cdef void newton_step(const Columns* A, const double* w, double* x, Work* work) noexcept nogil:
    """One step from x, at which d, u and s are known."""
    cdef Py_ssize_t i, k, m = A.m, K = A.K, size = working_arms(x, work.s, K, work.arms)
    cdef double drift = 0, first = 0, t
    for k in range(size * size):
        work.H[k] = 0
    hessian(A, work.arms, size, work.d, work.u, work.H, work.scratch)
    mirror(work.H, size)
    newton_target(work.H, work.s, x, K, work.arms, size, NOISE, work.z, work.free, work.small, work.index)
    combine(A, work.z, work.change)
    for i in range(m):
        work.change[i] -= work.d[i]
    for k in range(K):
        drift += work.z[k] - x[k]
        first += (work.z[k] - x[k]) * (1 - work.s[k])
    t = step_length(w, work.d, work.change, m, drift, first)
    for k in range(K):
        x[k] = work.z[k] if t == 1 else x[k] + t * (work.z[k] - x[k])
    rescale(x, K)


cdef double hardly_played(const double* x, const double* s, Py_ssize_t K) noexcept nogil:
    """max_k min(x_k, 1 − s_k): how far x is from complementary, 0 where every arm is idle or tight."""
    cdef double most = 0
    cdef Py_ssize_t k
    for k in range(K):
        most = max(most, min(x[k], 1 - s[k]))
    return most


cdef double newton(const Columns* A, const double* w, double* x, double settled, Work* work) noexcept nogil:
    """Newton steps from x until nothing is off by more than `settled`; x becomes the best of them; its gap."""
    cdef double gap, off, least = INFINITY, proved = INFINITY
    cdef Py_ssize_t k, K = A.K
    cdef int turn, worse = 0, left = LAST_STEPS
    for turn in range(80):
        gap = gradient(A, w, x, work.d, work.u, work.s)
        off = max(gap, hardly_played(x, work.s, K)) if gap <= ENOUGH else 1 + gap  # what is certified comes first
        if off < least:
            least = off
            proved = gap
            worse = 0
            for k in range(K):
                work.best[k] = x[k]
        else:
            worse += 1
        if not left or off <= settled or worse > 12:
            break
        left -= proved <= ENOUGH
        newton_step(A, w, x, work)
    for k in range(K):
        x[k] = work.best[k]
    return proved
