"""max Σ_i w_i log(Ap)_i over the simplex, certified, and of several optima the one that is asked for.

Newton's method in doubles finds an optimum. Where the answer hangs on small differences, two more steps are taken in
long double, so that two orders of the same data agree to far more than the tolerance of a tie; then one point is picked
from the face of optima. The gap is computed last, from the policy that is returned.
"""

from libc.math cimport INFINITY, exp, log
from libc.stdlib cimport free, malloc

import numpy as np

from numpy cimport PyArray_DATA, PyArray_DIM, ndarray

from isegoria import tolerances
from isegoria.errors import CertificationError
from isegoria.rows.arrays cimport reals, vector
from isegoria.solvers.nash.columns cimport Columns, combine, dense_columns, gradient, hessian, mirror
from isegoria.solvers.ties.face cimport face_reals, pick_from_face
from isegoria.solvers.nash.newton cimport (
    Work, close_work, multiply, newton, newton_target, open_work, rescale, working_arms,
)
from isegoria.solvers.algebra.simplex cimport exact
from isegoria.solvers.answer import Answer
from isegoria.solvers.ties.tie_break cimport UTILITARIAN, Choice, choice_of, towards

cdef double ENOUGH = tolerances.NASH_GAP
cdef double NOISE = tolerances.NEWTON_NOISE
cdef double LONG_NOISE = tolerances.NEWTON_LONG_NOISE
cdef double SETTLED = tolerances.NEWTON_SETTLED
cdef double CLEAR = tolerances.CLEAR_MARGIN
cdef Py_ssize_t LONG_WORK = 4_000_000     # multiplications that a step in long double may cost
cdef int[4] WARM_UP = [4, 20, 0, 100]     # multiplicative steps before Newton, for each start until one is certified


cdef double pick_on_arms(const long double* H, Py_ssize_t size, const Py_ssize_t* arms, Py_ssize_t K,
                         const double* slack, const double* direction, Choice choice, double noise, long double* p,
                         double* pivot, long double* small, Py_ssize_t* index) noexcept nogil:
    """`pick_from_face` on the listed arms, the others being idle; the tie margin over all arms."""
    cdef double* aim = <double*> (small + face_reals(K))
    cdef double* slacks = aim + K
    cdef long double* q = small + face_reals(K) + 2 * K
    cdef Py_ssize_t j, k
    cdef double margin
    for j in range(size):
        q[j] = p[arms[j]]
        slacks[j] = slack[arms[j]]
        aim[j] = direction[arms[j]] if choice == UTILITARIAN else 0
    margin = pick_from_face(H, size, slacks, aim, choice, noise, q, pivot, small, index)
    j = 0
    for k in range(K):
        p[k] = 0
        if j < size and arms[j] == k:
            p[k] = q[j]
            j += 1
        else:
            margin = min(margin, slack[k])
    return margin


cdef void polish(const Columns* A, const double* w, long double* p, long double* s,
                 long double* H, Py_ssize_t size, long double* rows, long double* small,
                 Work* work) noexcept nogil:
    """Two Newton steps in long double from p with one Hessian, computed in long double too where that is cheap."""
    cdef Py_ssize_t m = A.m, K = A.K
    cdef long double* d = rows
    cdef long double* u = rows + m
    cdef long double* z = small
    cdef long double* old = small + K
    cdef double noise = NOISE, before = gradient(A, w, p, d, u, s), gap
    cdef Py_ssize_t k
    cdef int turn
    if m * size * size <= LONG_WORK:
        noise = LONG_NOISE
        for k in range(size * size):
            H[k] = 0
        hessian(A, work.arms, size, d, u, H, rows + 2 * m)
        mirror(H, size)
    for turn in range(2):
        newton_target(H, s, p, K, work.arms, size, <long double> noise, z, work.free, small + 2 * K, work.index)
        for k in range(K):
            old[k] = p[k]
            p[k] = z[k]
        rescale(p, K)
        gap = gradient(A, w, p, d, u, s)
        if not gap < before:
            for k in range(K):
                p[k] = old[k]
            gradient(A, w, p, d, u, s)
            return
        before = gap


cdef double choose(const Columns* A, const double* w, Choice choice,
                   const double* direction, double* x, double* margin, Work* work) noexcept nogil:
    """Move the optimum x to the one that `choice` asks for; its gap, recomputed. Infinity: no memory."""
    cdef Py_ssize_t m = A.m, K = A.K
    cdef size_t small_reals = face_reals(K) + 2 * K * K + 6 * K
    cdef bint affordable = m * K <= LONG_WORK
    cdef long double* block = <long double*> malloc((K * K + 3 * K + small_reals) * sizeof(long double))
    cdef long double* H = block
    cdef long double* p = H + K * K
    cdef long double* s = p + K
    cdef long double* small = s + 2 * K
    cdef long double* rows
    cdef double* start = work.best
    cdef double gap, pivot
    cdef Py_ssize_t k, size
    if block == NULL:
        return INFINITY
    gradient(A, w, x, work.d, work.u, work.s)
    size = working_arms(x, work.s, K, work.arms)
    for k in range(size * size):
        work.H[k] = 0
    hessian(A, work.arms, size, work.d, work.u, work.H, work.scratch)
    mirror(work.H, size)
    for k in range(size * size):
        H[k] = work.H[k]
    for k in range(K):
        start[k] = x[k]
        p[k] = x[k]
        work.z[k] = 1 - work.s[k]
    margin[0] = pick_on_arms(H, size, work.arms, K, work.z, direction, choice, NOISE, p, &pivot, small, work.index)
    for k in range(K):
        x[k] = <double> p[k]
    exact(x, K)
    gap = gradient(A, w, x, work.d, work.u, work.s)
    if affordable and not (pivot >= CLEAR and margin[0] >= ENOUGH and gap <= 10 * SETTLED):
        rows = <long double*> malloc(4 * m * sizeof(long double))
        if rows != NULL:
            for k in range(K):
                p[k] = start[k]
            polish(A, w, p, s, H, size, rows, small, work)
            for k in range(K):
                work.z[k] = <double> (1 - s[k])
            margin[0] = pick_on_arms(H, size, work.arms, K, work.z, direction, choice,
                                     LONG_NOISE if m * size * size <= LONG_WORK else NOISE, p, &pivot, small,
                                     work.index)
            for k in range(K):
                x[k] = <double> p[k]
            exact(x, K)
            gap = gradient(A, w, x, work.d, work.u, work.s)
            free(rows)
    if not gap <= ENOUGH:  # a choice between probabilities that are all but rounding: keep the optimum that was found
        for k in range(K):
            x[k] = start[k]
        exact(x, K)
        gap = gradient(A, w, x, work.d, work.u, work.s)
        margin[0] = 0
    free(block)
    return gap


cdef double maximise_log_sum(const Columns* A, const double* w, Choice choice,
                             const double* direction, int warm, double* p, double* margin) noexcept nogil:
    """The certified gap of the policy written to `p` (K,), which is also the start if `warm`; `margin`: the tie margin.

    A gap above NASH_GAP means that nothing was certified. `direction` (K,) is needed by
    "utilitarian" alone.
    """
    cdef Work work
    cdef double gap = INFINITY
    cdef Py_ssize_t k, K = A.K
    cdef int start
    if open_work(&work, A.m, K):
        for start in range(4):
            if not (warm and start == 0):
                for k in range(K):
                    p[k] = 1.0 / K
                multiply(A, w, WARM_UP[start], p, &work)
            gap = newton(A, w, p, SETTLED, &work)
            if gap <= ENOUGH:
                gap = choose(A, w, choice, direction, p, margin, &work)
                break
    close_work(&work)
    return gap


cdef Py_ssize_t load_scaled(const double* rows, Py_ssize_t N, Py_ssize_t K, const double* weights, double* A, double* w,
                            double* shift, double* total) noexcept nogil:
    """Rows with some value, divided by their maximum, as columns of A (K, m), with weights of sum `total`; m.

    In `shift` the weighted sum of the logarithms of those maxima.
    """
    cdef Py_ssize_t i, k, m = 0, row = 0
    cdef const double* entries
    cdef double best
    for i in range(N):
        m += any_positive(rows + i * K, K)
    total[0] = 0
    shift[0] = 0
    for i in range(N):
        best = 0
        entries = rows + i * K
        for k in range(K):
            best = entries[k] if entries[k] > best else best
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


cdef inline bint any_positive(const double* row, Py_ssize_t K) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(K):
        if row[k] > 0:
            return True
    return False


def maximise(ndarray rows, ndarray weights, str tie_break="centre", direction=None):
    """The `Answer` of max Σ w_i log(rows p)_i; its value is the geometric mean of the values.

    `rows` (m, K) are not negative; rows of zeros do not count, but some row must. `weights` (m,) are positive.
    `direction` (K,) is each arm's total utility, which `tie_break="utilitarian"` needs.

    >>> policy, value, gap, margin = maximise(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([2.0, 1.0]))
    >>> policy.round(6).tolist(), gap < 1e-12, round(value, 6)
    ([0.666667, 0.333333], True, 0.529134)
    """
    cdef const double* entries = reals(rows, 2)
    cdef const double* weight = reals(weights)
    cdef Py_ssize_t m = PyArray_DIM(rows, 0), K = PyArray_DIM(rows, 1), i
    cdef Choice choice = choice_of(tie_break)
    cdef const double* aim = towards(direction, choice)
    cdef double margin = INFINITY, gap = INFINITY, shift = 0, total = 1, mean_log = 0
    cdef ndarray policy = vector(K)
    cdef double* p = <double*> PyArray_DATA(policy)
    cdef double* block = <double*> malloc((m * K + 2 * m) * sizeof(double))
    cdef double* w = block + m * K
    cdef Columns A
    if block == NULL:
        raise MemoryError(f"no memory for {m} rows")
    with nogil:
        m = load_scaled(entries, m, K, weight, block, w, &shift, &total)
        A = dense_columns(block, m, K)
        gap = maximise_log_sum(&A, w, choice, aim, 0, p, &margin)
        combine(&A, p, w + m)
        for i in range(m):
            mean_log += w[i] * log(w[m + i])
        free(block)
    if not gap <= ENOUGH:
        raise CertificationError(
            f"the product over {m} distinct rows and {K} arms could not be certified: the gap is {gap:.3g}, "
            f"above {ENOUGH:.0e}. Entries many orders of magnitude below their row's best may be set to 0."
        )
    return Answer(policy, exp(mean_log + shift / total), max(gap, 0.0), margin)
