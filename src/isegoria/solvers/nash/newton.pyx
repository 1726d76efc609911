"""Newton's method for max Σ_i w_i log(Ap)_i on the simplex, Σ w = 1, rows of A scaled to maximum 1.

It is min −Σ w log(Ax) + Σ x over x ≥ 0, whose solution sums to 1 by itself. With s = Aᵀ(w / Ax), a few multiplicative
steps x_k ← x_k s_k come first; then Newton steps whose quadratic model is minimised exactly over x ≥ 0 on the arms that
matter, with a line search on the slope (no logarithm, nothing to cancel).
"""

from libc.math cimport INFINITY, fabs
from libc.string cimport memcpy

from isegoria.utils import tolerances
from isegoria.solvers.rows.arena cimport each_doubles, flags, places
from isegoria.solvers.rows.interrupt cimport interrupted
from isegoria.solvers.algebra.pair cimport clear, each_pairs, over, plus, put, rounded, scaled, times
from isegoria.solvers.nash.columns cimport combine, gradient, hessian, mirror
from isegoria.solvers.nash.principal_pivoting cimport minimise_quadratic

cdef double ENOUGH = tolerances.NASH_GAP
cdef double NOISE = tolerances.NEWTON_NOISE
cdef int LAST_STEPS = 3  # once the gap is small enough: an arm of small probability converges last
cdef double IDLE = 0.1  # an unplayed arm whose s_k is below 1 − IDLE waits outside; s is checked on every arm, always


cdef bint open_work(Work* work, Py_ssize_t m, Py_ssize_t K, Arena* arena) noexcept nogil:
    """Room for m rows and K arms; False where there is none."""
    each_doubles(arena, m, &work.d, &work.u, &work.change)
    each_doubles(arena, K, &work.s, &work.z, &work.best, &work.b, &work.answer, &work.part)
    each_doubles(arena, K * K, &work.H, &work.B, &work.L)
    work.arms, work.index, work.free = places(arena, K), places(arena, K), flags(arena, K)
    work.failed = &arena.failed
    return not arena.failed


cdef bint open_pair_work(PairWork* work, Py_ssize_t m, Py_ssize_t K, Arena* arena) noexcept nogil:
    """The same in pairs."""
    each_pairs(arena, m, &work.d, &work.u)
    each_pairs(arena, K, &work.x, &work.s, &work.z, &work.b, &work.answer, &work.part)
    each_pairs(arena, K * K, &work.H, &work.B, &work.L)
    work.index, work.free = places(arena, K), flags(arena, K)
    work.failed = &arena.failed
    return not arena.failed


cdef void rescale(real* x, Py_ssize_t K) noexcept nogil:
    """x ← x / Σx."""
    cdef real total
    cdef Py_ssize_t k
    put(&total, 0)
    for k in range(K):
        total = plus(total, x[k])
    for k in range(K):
        x[k] = over(x[k], total)


cdef void multiply(const Columns* A, const double* w, int steps, Work* work) noexcept nogil:
    """`steps` times x_k ← x_k s_k: each raises the product, from anywhere inside the simplex."""
    cdef Py_ssize_t k
    cdef int turn
    for turn in range(steps):
        if interrupted(work.failed, 2.0 * A.m * A.K):
            return
        gradient(A, w, work.x, work.d, work.u, work.s)
        for k in range(A.K):
            work.x[k] *= work.s[k]
    rescale(work.x, A.K)


cdef Py_ssize_t working_arms(const double* x, const double* s, Py_ssize_t K, Py_ssize_t* arms) noexcept nogil:
    """List the arms that are played or may soon be; how many there are."""
    cdef Py_ssize_t k, size = 0
    for k in range(K):
        if x[k] > 0 or s[k] > 1 - IDLE:
            arms[size] = k
            size += 1
    return size


cdef void bends(const Columns* A, const Py_ssize_t* arms, Py_ssize_t size, AnyWork* work) noexcept nogil:
    """work.H: the Hessian on the `size` listed arms, at the point where work.d and work.u are known."""
    clear(work.H, size * size)
    if interrupted(work.failed, (1 if AnyWork is Work else 10) * 0.5 * A.m * size * size):
        return
    hessian(A, arms, size, work.d, work.u, work.H)
    mirror(work.H, size)


cdef void newton_target(Py_ssize_t K, const Py_ssize_t* arms, Py_ssize_t size, double noise,
                        AnyWork* work) noexcept nogil:
    """work.z (K,) ≥ 0: the minimiser of the quadratic model at work.x, where work.s and work.H are known, on the `size`
    listed arms; with a proximal ridge that does not move the fixed point."""
    cdef Py_ssize_t k, l, arm
    cdef double ridge
    for k in range(size):
        arm = arms[k]
        put(&work.b[k], -1)
        work.b[k] = plus(work.b[k], work.s[arm])
        for l in range(size):
            work.B[k * size + l] = work.H[k * size + l]
            work.b[k] = plus(work.b[k], times(work.H[k * size + l], work.x[arms[l]]))
        ridge = 100 * noise * rounded(work.H[k * size + k]) + noise
        put(&work.answer[k], ridge)
        work.B[k * size + k] = plus(work.B[k * size + k], work.answer[k])
        work.b[k] = plus(work.b[k], scaled(work.x[arm], ridge))
        work.free[k] = rounded(work.x[arm]) > 0 or rounded(work.s[arm]) > 1
    minimise_quadratic(work.B, work.b, size, noise, work.answer, work.free, work.L, work.part, work.index,
                       work.failed)
    clear(work.z, K)
    for k in range(size):
        work.z[arms[k]] = work.answer[k]


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
    """t in (0, 1] where the convex function along the step, of slope `first` at 0, is nearly least: the root of its
    slope, safeguarded. Slopes below the noise are as good as none."""
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


cdef void newton_step(const Columns* A, const double* w, Work* work) noexcept nogil:
    """One step from x, at which d, u and s are known."""
    cdef Py_ssize_t i, k, size = working_arms(work.x, work.s, A.K, work.arms)
    cdef double drift = 0, first = 0, t
    cdef double* x = work.x
    bends(A, work.arms, size, work)
    newton_target(A.K, work.arms, size, NOISE, work)
    combine(A, work.z, work.change)
    for i in range(A.m):
        work.change[i] -= work.d[i]
    for k in range(A.K):
        drift += work.z[k] - x[k]
        first += (work.z[k] - x[k]) * (1 - work.s[k])
    t = step_length(w, work.d, work.change, A.m, drift, first)
    for k in range(A.K):
        x[k] = work.z[k] if t == 1 else x[k] + t * (work.z[k] - x[k])
    rescale(x, A.K)


cdef double complementarity_error(const double* x, const double* s, Py_ssize_t K) noexcept nogil:
    """max_k min(x_k, 1 − s_k): how far x is from complementary, 0 where every arm is idle or tight."""
    cdef double most = 0
    cdef Py_ssize_t k
    for k in range(K):
        most = max(most, min(x[k], 1 - s[k]))
    return most


cdef double newton(const Columns* A, const double* w, double settled, Work* work) noexcept nogil:
    """Newton steps from work.x until nothing is off by more than `settled`; it becomes the best of them; its gap."""
    cdef double gap, off, least = INFINITY, proved = INFINITY
    cdef int turn, worse = 0, left = LAST_STEPS
    for turn in range(80):
        gap = gradient(A, w, work.x, work.d, work.u, work.s)
        # the certificate comes first
        off = max(gap, complementarity_error(work.x, work.s, A.K)) if gap <= ENOUGH else 1 + gap
        worse += 1
        if off < least:
            least, proved, worse = off, gap, 0
            memcpy(work.best, work.x, A.K * sizeof(double))
        if not left or off <= settled or worse > 12 or interrupted(work.failed, 2.0 * A.m * A.K):
            break
        left -= proved <= ENOUGH
        newton_step(A, w, work)
    memcpy(work.x, work.best, A.K * sizeof(double))
    return proved
