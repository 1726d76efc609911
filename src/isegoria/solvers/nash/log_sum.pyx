"""max Σ_i w_i log(Ap)_i over the simplex, certified, and of several optima the one that is asked for.

Newton's method in doubles finds an optimum x. Then, in this order, until one answers:

1. x is the only optimum, as far as doubles tell and by a wide margin: it stays;
2. a point is picked from the face of optima around x, if that face is clear of rounding;
3. two more steps are taken in pairs of doubles, and a point is picked from the face around where they lead, so that
   two orders of the same data agree to far more than the tolerance of a tie;
4. if what was picked is not certified (a choice between probabilities that are all but rounding), x stays; where a
   corner is asked for, the one to which it leads on the arms that x plays, by the rows themselves.

The gap is computed last, from the policy that is returned.
"""

from libc.math cimport INFINITY, exp, log
from libc.string cimport memcpy, memset

import numpy as np

from numpy cimport PyArray_DATA, PyArray_DIM, ndarray

from isegoria.utils import tolerances
from isegoria.errors import CertificationError
from isegoria.solvers.rows.arena cimport check_arena, close_arena, doubles, each_doubles, open_arena, zeros
from isegoria.solvers.rows.arrays cimport reals, vector
from isegoria.solvers.rows.simplex cimport exact
from isegoria.solvers.algebra.pair cimport minus, pair, pair_of, pairs
from isegoria.solvers.result import make_result
from isegoria.solvers.nash.columns cimport Columns, combine, dense_columns, gradient, load_scaled
from isegoria.solvers.nash.newton cimport (
    PairWork, Work, bends, multiply, newton, newton_target, open_pair_work, open_work, rescale, working_arms,
)
from isegoria.solvers.ties.vertex cimport walk_to_corner
from isegoria.solvers.ties.face cimport only_optimum, pick_from_face
from isegoria.solvers.ties.tie_break cimport UTILITARIAN, VERTEX, Choice, choice_of, towards

cdef double ENOUGH = tolerances.NASH_GAP
cdef double NOISE = tolerances.NEWTON_NOISE
cdef double PAIR_NOISE = tolerances.NEWTON_PAIR_NOISE
cdef double SETTLED = tolerances.NEWTON_CONVERGED
cdef double CLEAR = tolerances.CLEAR_MARGIN
cdef double DUST = tolerances.VERTEX_NEGLIGIBLE
cdef Py_ssize_t CORNER_ROWS = 1_000       # rows that may hold a corner where the Hessian cannot tell
cdef Py_ssize_t PAIR_WORK = 4_000_000     # multiplications that a step in pairs may cost
cdef int[4] WARM_UP = [4, 20, 0, 100]     # multiplicative steps before Newton, for each start until one is certified

cdef struct Optima:           # an optimum and what is known of those around it
    Py_ssize_t size           # how many arms are worked with: `arms` of the `Work`, the others are idle
    double* start             # (K,) the optimum that was found first
    double* slack             # (K,) 1 − s
    double* slacks            # (size,) the same on the working arms, and so
    double* aims              # (size,) the direction
    double* copies            # (size,) of how many equal arms, or NULL
    pair* q                   # (size,) and the policy
    PairWork exactly          # x, s and H there
    double pivot              # the smallest pivot of H that was not taken as a tie
    double margin


cdef bint in_pairs(Optima* optima, const Work* work, Py_ssize_t m, Py_ssize_t K, Arena* arena) noexcept nogil:
    """The optimum that was found first and H there in pairs, with room for m rows; False where there is none."""
    cdef Py_ssize_t k
    if optima.exactly.x != NULL:
        return True
    optima.aims, optima.q = doubles(arena, K), pairs(arena, K)
    if not open_pair_work(&optima.exactly, m, K, arena):
        return False
    for k in range(K):
        optima.exactly.x[k] = pair_of(optima.start[k])
    for k in range(optima.size * optima.size):
        optima.exactly.H[k] = pair_of(work.H[k])
    return True


cdef void play(Optima* optima, Work* work, Py_ssize_t K) noexcept nogil:
    """work.x: work.z on the working arms, and 0 on the idle ones, whose slack the margin does not exceed."""
    cdef Py_ssize_t k, j = 0
    for k in range(K):
        if j < optima.size and work.arms[j] == k:
            work.x[k] = work.z[j]
            j += 1
        else:
            work.x[k] = 0
            optima.margin = min(optima.margin, optima.slack[k])


cdef void pick_on_arms(Optima* optima, const double* direction, Choice choice, double noise, Work* work,
                       Py_ssize_t K, Arena* arena) noexcept nogil:
    """work.x: the optimum that `choice` asks for, from the one in pairs; the margin of the choice over all arms."""
    cdef Py_ssize_t j
    for j in range(optima.size):
        optima.q[j] = optima.exactly.x[work.arms[j]]
        optima.slacks[j] = optima.slack[work.arms[j]]
        optima.aims[j] = direction[work.arms[j]] if choice == UTILITARIAN else 0
    optima.margin = pick_from_face(optima.exactly.H, optima.size, optima.slacks, optima.aims, optima.copies, choice,
                                   noise, optima.q, &optima.pivot, arena)
    for j in range(optima.size):
        work.z[j] = optima.q[j].hi
    play(optima, work, K)


cdef bint stays(Optima* optima, Work* work, Py_ssize_t K, Arena* arena) noexcept nogil:
    """Whether work.x is the only optimum, as far as doubles tell; idle arms then play nothing at all."""
    cdef Py_ssize_t j
    for j in range(optima.size):
        work.z[j] = work.x[work.arms[j]]
        optima.slacks[j] = optima.slack[work.arms[j]]
    if not only_optimum(work.H, optima.size, optima.slacks, NOISE, work.z, &optima.pivot, &optima.margin, arena):
        return False
    play(optima, work, K)
    return True


cdef double polish(const Columns* A, const double* w, Optima* optima, Work* work) noexcept nogil:
    """Two Newton steps in pairs from `start` with one Hessian, computed in pairs too where that is cheap; its noise."""
    cdef PairWork* at = &optima.exactly
    cdef Py_ssize_t k, K = A.K
    cdef double noise = NOISE, gap, before
    cdef int turn
    before = gradient(A, w, at.x, at.d, at.u, at.s)
    if A.m * optima.size * optima.size <= PAIR_WORK:
        noise = PAIR_NOISE
        bends(A, work.arms, optima.size, at)
    for turn in range(2):
        newton_target(K, work.arms, optima.size, noise, at)
        at.x, at.z = at.z, at.x
        rescale(at.x, K)
        gap = gradient(A, w, at.x, at.d, at.u, at.s)
        if not gap < before:
            at.x, at.z = at.z, at.x
            gradient(A, w, at.x, at.d, at.u, at.s)
            break
        before = gap
    for k in range(K):
        optima.slack[k] = minus(pair_of(1), at.s[k]).hi
    return noise


cdef double certified_gap(const Columns* A, const double* w, Work* work) noexcept nogil:
    """The gap of work.x, made an exact point of the simplex."""
    exact(work.x, A.K)
    return gradient(A, w, work.x, work.d, work.u, work.s)


cdef void corner_of_support(const Columns* A, Work* work, Arena* arena) noexcept nogil:
    """work.x: the corner of the policies on its own arms that give every row what it gives, work.d; as it is, where
    rows are too many or memory is short."""
    cdef Py_ssize_t i, j, k, size = 0, m = A.m, K = A.K
    cdef double* held
    cdef double* x = doubles(arena, K)
    for k in range(K):
        work.arms[size] = k
        size += work.x[k] > DUST
    held = zeros(arena, m * (size + 1) if m <= CORNER_ROWS else 0)
    if arena.failed or m > CORNER_ROWS:
        return
    for i in range(m):
        held[i * (size + 1) + size] = 1
    for j in range(size):
        x[j] = work.x[work.arms[j]]
        for i in range(m if A.dense != NULL else 0):
            held[i * (size + 1) + j] = A.dense[work.arms[j] * m + i] / work.d[i]
    for i in range(m if A.dense == NULL else 0):
        j = 0
        for k in range(A.starts[i], A.starts[i + 1]):
            while j < size and work.arms[j] < A.items[k]:
                j += 1
            if j < size and work.arms[j] == A.items[k]:
                held[i * (size + 1) + j] = 1 / work.d[i]
    if walk_to_corner(held, m, size, size, x, NULL, arena) > 0:
        memset(work.x, 0, K * sizeof(double))
        for j in range(size):
            work.x[work.arms[j]] = x[j]


cdef double choose(const Columns* A, const double* w, Choice choice, const double* direction, double* margin,
                   Work* work, Arena* arena) noexcept nogil:
    """Move the optimum work.x to the one that `choice` asks for; its gap, recomputed. Infinity: no memory."""
    cdef Optima optima
    cdef Py_ssize_t k, K = A.K
    cdef Py_ssize_t m = A.m if A.m * K <= PAIR_WORK else 0  # rows that steps in pairs can afford
    cdef double gap
    each_doubles(arena, K, &optima.start, &optima.slack, &optima.slacks)
    if arena.failed:
        return INFINITY
    optima.exactly.x, optima.copies = NULL, NULL
    gradient(A, w, work.x, work.d, work.u, work.s)
    optima.size = working_arms(work.x, work.s, K, work.arms)
    if A.copies != NULL:
        optima.copies = doubles(arena, optima.size)
        if optima.copies == NULL:
            return INFINITY
        for k in range(optima.size):
            optima.copies[k] = A.copies[work.arms[k]]
    bends(A, work.arms, optima.size, work)
    for k in range(K):
        optima.start[k] = work.x[k]
        optima.slack[k] = 1 - work.s[k]
    if not stays(&optima, work, K, arena):
        if not in_pairs(&optima, work, m, K, arena):
            return INFINITY
        pick_on_arms(&optima, direction, choice, NOISE, work, K, arena)
    gap = certified_gap(A, w, work)
    if m and not (optima.pivot >= CLEAR and optima.margin >= ENOUGH and gap <= 10 * SETTLED):
        if not in_pairs(&optima, work, m, K, arena):
            return INFINITY
        pick_on_arms(&optima, direction, choice, polish(A, w, &optima, work), work, K, arena)
        gap = certified_gap(A, w, work)
    if not gap <= ENOUGH:
        optima.margin = 0
        memcpy(work.x, optima.start, K * sizeof(double))
        gap = certified_gap(A, w, work)
        if choice == VERTEX:
            corner_of_support(A, work, arena)
            gap = certified_gap(A, w, work)
            if not gap <= ENOUGH:
                memcpy(work.x, optima.start, K * sizeof(double))
                gap = certified_gap(A, w, work)
    margin[0] = optima.margin
    return INFINITY if arena.failed else gap


cdef double maximise_log_sum(const Columns* A, const double* w, Choice choice, const double* direction, int warm,
                             double* p, double* margin, Arena* arena) noexcept nogil:
    """The gap of the policy written to `p` (K,), also the start if `warm`; above NASH_GAP nothing is certified.
    `margin`: the tie margin. `direction` (K,) is needed by "utilitarian" alone."""
    cdef Work work
    cdef double gap = INFINITY
    cdef Py_ssize_t k, K = A.K
    cdef int start
    if not open_work(&work, A.m, K, arena):
        return INFINITY
    work.x = p
    for start in range(4):
        if not (warm and start == 0):
            for k in range(K):
                p[k] = 1.0 / K
            multiply(A, w, WARM_UP[start], &work)
        gap = newton(A, w, SETTLED, &work)
        if arena.failed:
            return INFINITY
        if gap <= ENOUGH:
            return choose(A, w, choice, direction, margin, &work, arena)
    return gap


def maximise(ndarray rows, ndarray weights, tie_break="centre", direction=None, ndarray copies=None, start=None):
    """Maximise Σ w_i log(rows p)_i; the value of the `Answer` is the geometric mean of the values.

    `rows` (m, K) are not negative; rows of zeros do not count, but at least one row must. `weights` (m,) are positive.
    `direction` (K,) is each arm's total utility, which `tie_break="utilitarian"` needs. Arm k stands for `copies[k]`
    duplicate arms, which share its probability evenly. A `start` (K,), a policy that is close and leaves no row with
    nothing, saves steps and changes rounding only.

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
    cdef ndarray policy = vector(K) if start is None else np.array(start, dtype=float)
    cdef int warm = start is not None
    cdef double* p = <double*> PyArray_DATA(policy)
    cdef double* dense
    cdef double* w
    cdef double* d
    cdef const double* alike = NULL if copies is None else reals(copies)
    cdef Columns A
    cdef Arena arena
    open_arena(&arena)
    try:
        with nogil:
            dense, w, d = doubles(&arena, m * K), doubles(&arena, m), doubles(&arena, m)
            if not arena.failed:
                m = load_scaled(entries, m, K, weight, dense, w, &shift, &total)
                A = dense_columns(dense, m, K)
                A.copies = alike
                gap = maximise_log_sum(&A, w, choice, aim, warm, p, &margin, &arena)
            if not arena.failed:
                combine(&A, p, d)
                for i in range(m):
                    mean_log += w[i] * log(d[i])
        check_arena(&arena)
    finally:
        close_arena(&arena)
    if not gap <= ENOUGH:
        raise CertificationError(
            f"the product over {m} distinct rows and {K} arms could not be certified: the gap is {gap:.3g}, "
            f"above {ENOUGH:.0e}. Entries many orders of magnitude below their row's best may be set to 0."
        )
    return make_result((policy, exp(mean_log + shift / total), max(gap, 0.0), margin))
