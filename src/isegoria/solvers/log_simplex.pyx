"""max Σ_i w_i log(Ap)_i over the simplex, certified: the decision-share Nash product and the Nash welfare.

Equivalent to min −Σ w log(Ax) + Σ x over x ≥ 0 when Σ w = 1. A few multiplicative steps p_k ← p_k s_k with
s = Aᵀ(w / Ap), then Newton steps whose quadratic model is minimised exactly over x ≥ 0, with a line search on the
slope (no logarithm, nothing to cancel). The last steps are taken in long double, so that two orders of the same data
agree to far more than the tolerance of a tie; then one optimum is picked from the face of optima.
Rows of `A` must be scaled to maximum 1, and `w` to sum 1.
"""

from libc.math cimport INFINITY, fabs
from libc.stdlib cimport free as release, malloc

import numpy as np

from isegoria import tolerances
from isegoria.errors import CertificationError
from isegoria.solvers.face cimport face_reals, pick_from_face
from isegoria.solvers.face import TIE_BREAKS
from isegoria.solvers.nonneg_quadratic cimport minimise_quadratic, real
from isegoria.solvers.simplex cimport exact

cdef double ENOUGH = tolerances.NASH_GAP
cdef double NOISE = tolerances.NEWTON_NOISE
cdef double LONG_NOISE = tolerances.NEWTON_LONG_NOISE
cdef double SETTLED = tolerances.NEWTON_SETTLED
cdef Py_ssize_t POLISH_WORK = 1_000_000   # multiplications in one long-double Hessian; above it, doubles must do
cdef int[4] WARM_UP = [4, 20, 0, 100]     # multiplicative steps before Newton, for each start until one is certified


cdef double gradient(const double* A, const double* w, Py_ssize_t m, Py_ssize_t K, const real* x,
                     real* d, real* u, real* s) noexcept nogil:
    """d = Ax, u = w / d, s = Aᵀu; returns max_k s_k − 1, the certified gap when x is in the simplex."""
    cdef Py_ssize_t i, k
    cdef real total, most = 0
    cdef const double* row
    for k in range(K):
        s[k] = 0
    for i in range(m):
        row = A + i * K
        total = 0
        for k in range(K):
            total += row[k] * x[k]
        d[i] = total
        u[i] = w[i] / total
        for k in range(K):
            s[k] += u[i] * row[k]
    for k in range(K):
        if not s[k] <= most:
            most = s[k]
    return <double> (most - 1)


cdef void hessian(const double* A, Py_ssize_t m, Py_ssize_t K, const real* d, const real* u, real* H) noexcept nogil:
    """H = Aᵀ diag(u / d) A."""
    cdef Py_ssize_t i, k, l
    cdef real curve, a
    cdef const double* row
    for k in range(K * K):
        H[k] = 0
    for i in range(m):
        row = A + i * K
        curve = u[i] / d[i]
        for k in range(K):
            if row[k] != 0:
                a = curve * row[k]
                for l in range(k + 1):
                    H[k * K + l] += a * row[l]
    for k in range(K):
        for l in range(k):
            H[l * K + k] = H[k * K + l]


cdef void newton_target(const real* H, const real* s, const real* x, Py_ssize_t K, real noise, real* B, real* b,
                        real* z, char* free, real* work, Py_ssize_t* index) noexcept nogil:
    """z ≥ 0: the minimiser of the quadratic model at x, with a proximal ridge, which does not move the fixed point."""
    cdef Py_ssize_t k, l
    cdef real ridge
    for k in range(K):
        b[k] = s[k] - 1
        for l in range(K):
            B[k * K + l] = H[k * K + l]
            b[k] += H[k * K + l] * x[l]
        ridge = 100 * noise * H[k * K + k] + noise
        B[k * K + k] += ridge
        b[k] += ridge * x[k]
        free[k] = x[k] > 0 or s[k] > 1
    minimise_quadratic(B, b, K, noise, z, free, work, index)


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


cdef double step_length(const double* w, const double* d, const double* change, Py_ssize_t m,
                        double drift) noexcept nogil:
    """t in (0, 1] where the convex function along the step is nearly least: the root of its slope, safeguarded."""
    cdef double low = 0, high = 1, t = 1, bend = 0, here
    cdef double first = slope_along(w, d, change, m, drift, 0, &bend)
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


cdef void rescale(real* x, Py_ssize_t K) noexcept nogil:
    cdef real total = 0
    cdef Py_ssize_t k
    for k in range(K):
        total += x[k]
    for k in range(K):
        x[k] /= total


cdef double newton(const double* A, const double* w, Py_ssize_t m, Py_ssize_t K, double* x, double* work,
                   char* free, Py_ssize_t* index) noexcept nogil:
    """Newton steps from x until the gap is settled; x is the best point seen, and its gap comes back."""
    cdef double* d = work
    cdef double* u = d + m
    cdef double* change = u + m
    cdef double* s = change + m
    cdef double* b = s + K
    cdef double* z = b + K
    cdef double* best = z + K
    cdef double* H = best + K
    cdef double* B = H + K * K
    cdef double* inner = B + K * K
    cdef double gap, least = INFINITY, drift, t
    cdef Py_ssize_t i, k
    cdef int turn, worse = 0, last = 0
    for turn in range(80):
        gap = gradient(A, w, m, K, x, d, u, s)
        if gap < least:
            least = gap
            worse = 0
            for k in range(K):
                best[k] = x[k]
        else:
            worse += 1
        if last or gap <= SETTLED or worse > 12:
            break
        last = gap <= ENOUGH  # one more step: the convergence is quadratic
        hessian(A, m, K, d, u, H)
        newton_target(H, s, x, K, NOISE, B, b, z, free, inner, index)
        drift = 0
        for k in range(K):
            drift += z[k] - x[k]
        for i in range(m):
            change[i] = -d[i]
            for k in range(K):
                change[i] += A[i * K + k] * z[k]
        t = step_length(w, d, change, m, drift)
        for k in range(K):
            x[k] = z[k] if t == 1 else x[k] + t * (z[k] - x[k])
        rescale(x, K)
    for k in range(K):
        x[k] = best[k]
    return least


cdef void multiply(const double* A, const double* w, Py_ssize_t m, Py_ssize_t K, int steps, double* x,
                   double* work) noexcept nogil:
    """`steps` times p_k ← p_k s_k: each raises the product, from anywhere inside the simplex."""
    cdef Py_ssize_t k
    cdef int turn
    cdef double* s = work + 2 * m
    for turn in range(steps):
        gradient(A, w, m, K, x, work, work + m, s)
        for k in range(K):
            x[k] *= s[k]
    rescale(x, K)


cdef double choose(const double* A, const double* w, Py_ssize_t m, Py_ssize_t K, int tie_break,
                   const double* direction, double* x, double* slack, long double* work, char* free,
                   Py_ssize_t* index) noexcept nogil:
    """Two long-double Newton steps on one Hessian, then the pick among the optima. The tie margin comes back."""
    cdef long double* d = work
    cdef long double* u = d + m
    cdef long double* p = u + m
    cdef long double* s = p + K
    cdef long double* b = s + K
    cdef long double* z = b + K
    cdef long double* H = z + K
    cdef long double* B = H + K * K
    cdef long double* inner = B + K * K
    cdef long double* old = inner + K * K + K
    cdef Py_ssize_t k
    cdef int turn
    cdef double gap, before, margin
    for k in range(K):
        p[k] = x[k]
    before = gradient(A, w, m, K, p, d, u, s)
    hessian(A, m, K, d, u, H)
    for turn in range(2):
        newton_target(H, s, p, K, <long double> LONG_NOISE, B, b, z, free, inner, index)
        for k in range(K):
            old[k] = p[k]
            p[k] = z[k]
        rescale(p, K)
        gap = gradient(A, w, m, K, p, d, u, s)
        if not gap < before:
            for k in range(K):
                p[k] = old[k]
            gradient(A, w, m, K, p, d, u, s)
            break
        before = gap
    for k in range(K):
        slack[k] = <double> (1 - s[k])
    margin = pick_from_face(H, K, slack, direction, tie_break, LONG_NOISE, p, inner, index)
    for k in range(K):
        x[k] = <double> p[k]
    return margin


cdef double maximise_log_sum(const double* A, const double* w, Py_ssize_t m, Py_ssize_t K, int tie_break,
                             const double* direction, int warm, double* p, double* margin) noexcept nogil:
    """The certified gap of the policy written to `p` (K,), which is also the start if `warm`; `margin`: the tie margin.

    A gap above NASH_GAP means that nothing was certified. `direction` (K,) is needed by "utilitarian" alone.
    """
    cdef size_t doubles = 3 * m + 3 * K * K + 8 * K
    cdef size_t longs = 2 * m + 3 * K * K + 6 * K + face_reals(K)
    cdef double* work = <double*> malloc(doubles * sizeof(double))
    cdef long double* long_work = <long double*> malloc(longs * sizeof(long double))
    cdef Py_ssize_t* index = <Py_ssize_t*> malloc(3 * K * sizeof(Py_ssize_t))
    cdef char* free = <char*> malloc(K)
    cdef double* kept = work + doubles - 3 * K
    cdef double gap = INFINITY
    cdef Py_ssize_t k
    cdef int start
    for start in range(4):
        if not (warm and start == 0):
            for k in range(K):
                p[k] = 1.0 / K
            multiply(A, w, m, K, WARM_UP[start], p, work)
        gap = newton(A, w, m, K, p, work, free, index)
        if gap <= ENOUGH:
            break
    if gap <= ENOUGH:
        for k in range(K):
            kept[k] = p[k]
        margin[0] = choose(A, w, m, K, tie_break, direction, p, kept + K, long_work, free, index)
        exact(p, K)
        gap = gradient(A, w, m, K, p, work, work + m, work + 2 * m)
    release(work)
    release(long_work)
    release(index)
    release(free)
    return gap


def maximise(const double[:, ::1] A, const double[::1] w, str tie_break="centre", direction=None, start=None):
    """(policy (K,), gap, tie margin) of max Σ w_i log(Ap)_i; rows of A (m, K) have maximum 1, w (m,) sums to 1.

    >>> import numpy as np
    >>> policy, gap, margin = maximise(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([2 / 3, 1 / 3]))
    >>> policy.round(6).tolist(), gap < 1e-12
    ([0.666667, 0.333333], True)
    """
    cdef Py_ssize_t m = A.shape[0], K = A.shape[1]
    cdef int choice = TIE_BREAKS[tie_break]
    cdef double margin = INFINITY, gap
    policy = np.empty(K) if start is None else np.array(start, dtype=float)
    cdef double[::1] p = policy
    cdef double[::1] towards = policy if direction is None else np.ascontiguousarray(direction, dtype=float)
    cdef int warm = start is not None
    with nogil:
        gap = maximise_log_sum(&A[0, 0], &w[0], m, K, choice, &towards[0], warm, &p[0], &margin)
    if not gap <= ENOUGH:
        raise CertificationError(
            f"the product over {m} distinct rows and {K} arms could not be certified: the gap is {gap:.3g}, "
            f"above {ENOUGH:.0e}. Entries many orders of magnitude below their row's best may be set to 0."
        )
    return policy, gap, margin
