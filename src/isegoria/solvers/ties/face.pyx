"""Which optimum, when there are several: a point of the face of optima of a smooth convex function.

All of them agree in the rows of the factor of the Hessian on the tight arms, so that these are equations which they
meet. `centre` is the point of least Euclidean norm, by the active set of `goldfarb_idnani`; `vertex` the
lexicographically largest corner (`corner`); `utilitarian` the one of largest total utility and then of least norm: a
corner says what that utility is, and which arms it leaves open. The equations come from pairs of doubles.

Why a second door beside `selection`: learners ask this one every round, without the interpreter. On 60 tied products of
8 sets over 10 arms `utilitarian` adds 1 µs to a product of 6 µs, and projections called from Python took 540 µs.
"""

from libc.math cimport INFINITY, fabs, sqrt
from libc.string cimport memcpy, memset

import numpy as np

from numpy cimport PyArray_DATA, PyArray_DIM, ndarray

from isegoria.utils import tolerances
from isegoria.solvers.rows.arena cimport carve_zeros, check_arena, close_arena, doubles, open_arena, places, zeros
from isegoria.solvers.rows.arrays cimport reals
from isegoria.solvers.rows.interrupt cimport interrupted
from isegoria.solvers.algebra.pivoted_cholesky cimport pivoted_cholesky
from isegoria.solvers.algebra.pair cimport pair_of, pairs, plus, put, real, rounded, times
from isegoria.solvers.ties.active_set cimport (
    ActiveSet, begin, most_negative, no_less_than_nothing, open_active_set, satisfy, sharpness, drop_most_negative,
)
from isegoria.solvers.ties.vertex cimport walk_to_corner
from isegoria.solvers.ties.tie_break cimport UTILITARIAN, VERTEX, Choice, choice_of

cdef double TIE = tolerances.OPTIMUM_TIE
cdef double ROUNDING = tolerances.OPTIMUM_ROUNDING
cdef double VIOLATION = tolerances.CONSTRAINT_VIOLATION
cdef double COSTLY = 10 * tolerances.OPTIMUM_ROUNDING  # pivots in doubles lose a digit
cdef double SLIP = 5 * tolerances.EQUALITY_RESIDUAL  # where doubles leave nothing at all

cdef Py_ssize_t equations(const pair* H, Py_ssize_t n, const Py_ssize_t* arms, Py_ssize_t size, double noise,
                          const pair* p, double** held, double* pivot, Arena* arena) noexcept nogil:
    """How many equations all optima meet, in `held` (rank, size + 1) a normal and its bound each: those of the factor
    of H on `arms`, in which p agrees with them. As many as arms: there is one optimum. 0 where memory was short."""
    cdef pair* L = <pair*> carve_zeros(arena, size * size, sizeof(pair))
    cdef pair* rest = pairs(arena, size)
    cdef Py_ssize_t* order = places(arena, size)
    cdef double* row
    cdef Py_ssize_t rank, i, j
    cdef pair bound
    if arena.failed:
        return 0
    rank = pivoted_cholesky(H, n, arms, size, noise, L, rest, order, pivot, &arena.failed)
    held[0] = row = doubles(arena, rank * (size + 1))
    for i in range(rank if row != NULL else 0):
        bound = pair_of(0)
        for j in range(size):
            row[j] = L[j * size + i].hi
            bound = plus(bound, times(pair_of(row[j]), p[arms[j]]))
        row[size] = bound.hi
        row += size + 1
    return rank


cdef Py_ssize_t most_useful(const double* held, Py_ssize_t rank, Py_ssize_t size, const double* direction, double* x,
                            Py_ssize_t* arms, double* margin, Arena* arena) noexcept nogil:
    """Move x (size,) to a corner of largest direction·x. List the `arms` that every such point plays alone, and how
    many; the others cost something, in `margin` the least that was not taken as a tie. 0: that is not proved."""
    cdef Py_ssize_t i, j, kept = 0, n = size + 1
    cdef double* rows = zeros(arena, (rank + 1) * (n + 1))
    cdef double* point = doubles(arena, n)
    cdef double* costs = doubles(arena, n)
    cdef double found
    if arena.failed:
        return 0
    rows[0] = -1  # the first variable is the value, direction·x
    point[0] = 0
    for j in range(size):
        rows[1 + j] = direction[j]
        point[1 + j] = x[j]
        point[0] += direction[j] * x[j]
    for i in range(rank):
        memcpy(rows + (i + 1) * (n + 1) + 1, held + i * (size + 1), (size + 1) * sizeof(double))
    found = walk_to_corner(rows, rank + 1, n, 1, point, costs, arena)
    if found == 0:
        return 0
    for j in range(size):
        x[j] = point[1 + j]
        if fabs(costs[1 + j]) > COSTLY:
            margin[0] = min(margin[0], fabs(costs[1 + j]))
        if costs[1 + j] <= TIE or x[j] > 0:
            arms[kept] = j
            kept += 1
    return kept


cdef bint nearest_to_nothing(ActiveSet* it, const double* rows, int count, double slip) noexcept nogil:
    """x ← the point of least norm that meets the equations, with no entry below −`slip`; False if none is found."""
    cdef int turn, arm
    cdef double least = 0
    memset(it.x, 0, it.arms * sizeof(double))
    begin(it, rows, count)
    for turn in range(20 * it.arms + 20):
        if interrupted(it.failed, 8.0 * it.arms * it.arms):
            return False
        arm = most_negative(it, slip, &least)
        if arm < 0 and not drop_most_negative(it):
            return True
        if arm >= 0:
            no_less_than_nothing(it, arm)
            if not satisfy(it, 0, least):
                return False
    return False


cdef double shortest(const double* held, Py_ssize_t rank, Py_ssize_t size, const Py_ssize_t* arms, Py_ssize_t kept,
                     const double* copies, double* x, Arena* arena) noexcept nogil:
    """x (size,) ← the point of least Σ x²/copies that meets the equations and plays some `arms` alone; its margin, 0 if
    it is not proved, and then x is what it was."""
    cdef ActiveSet it
    cdef Py_ssize_t i, j
    cdef double* rows = doubles(arena, rank * (kept + 1))
    cdef double* roots = doubles(arena, kept)
    open_active_set(&it, <int> kept, arena)
    if arena.failed:
        return 0
    for j in range(kept):
        roots[j] = 1 if copies == NULL else sqrt(copies[arms[j]])
    for i in range(rank):
        for j in range(kept):
            rows[i * (kept + 1) + j] = held[i * (size + 1) + arms[j]] * roots[j]
        rows[i * (kept + 1) + kept] = held[i * (size + 1) + size]
    if not nearest_to_nothing(&it, rows, <int> rank, VIOLATION) and not nearest_to_nothing(&it, rows, <int> rank, SLIP):
        return 0
    memset(x, 0, size * sizeof(double))
    for j in range(kept):
        x[arms[j]] = max(it.x[j] * roots[j], 0)
    return sharpness(&it)


cdef Py_ssize_t tight_arms(const double* slack, real* p, Py_ssize_t n, Py_ssize_t* arms,
                           double* margin) noexcept nogil:
    """List the arms that an optimum may play, and let the others play nothing; how many, and in `margin` the least
    slack that was not taken as a tie up to rounding."""
    cdef Py_ssize_t i, size = 0
    for i in range(n):
        if slack[i] <= TIE or rounded(p[i]) > TIE:
            arms[size] = i
            size += 1
        else:
            put(p + i, 0)
        if slack[i] > ROUNDING and rounded(p[i]) <= TIE:
            margin[0] = min(margin[0], slack[i])
    return size


cdef bint only_optimum(const double* H, Py_ssize_t n, const double* slack, double noise, double* p, double* pivot,
                       double* margin, Arena* arena) noexcept nogil:
    """Whether p is the only optimum as far as doubles tell: then nothing is to be chosen. See `pick_from_face`."""
    cdef Py_ssize_t* arms = places(arena, n)
    cdef Py_ssize_t* order = places(arena, n)
    cdef double* L = doubles(arena, n * n)
    cdef double* rest = doubles(arena, n)
    cdef Py_ssize_t size
    pivot[0] = margin[0] = INFINITY
    if arena.failed:
        return False
    size = tight_arms(slack, p, n, arms, margin)
    if pivoted_cholesky(H, n, arms, size, noise, L, rest, order, pivot, &arena.failed) < size:
        return False
    margin[0] = min(margin[0], pivot[0])
    return True


cdef double pick_on_equations(const double* held, Py_ssize_t rank, Py_ssize_t size, const double* direction,
                              const double* copies, Choice choice, double* x, Arena* arena) noexcept nogil:
    """Move x (size,), which meets held (rank, size + 1) · (x, −1) = 0, to the x ≥ 0 that does and that `choice` asks
    for; the margin, 0 if it is not proved, or if memory was short."""
    cdef Py_ssize_t* arms = places(arena, size)
    cdef Py_ssize_t j, count = size
    cdef double margin = INFINITY
    if arena.failed:
        return 0
    if choice == VERTEX:
        return walk_to_corner(held, rank, size, size, x, NULL, arena)
    for j in range(size):
        arms[j] = j
    if choice == UTILITARIAN:
        count = most_useful(held, rank, size, direction, x, arms, &margin, arena)
    return min(margin, shortest(held, rank, size, arms, count, copies, x, arena)) if count else 0


cdef double pick_from_face(const pair* H, Py_ssize_t n, const double* slack, const double* direction,
                           const double* copies, Choice choice, double noise, pair* p, double* pivot,
                           Arena* arena) noexcept nogil:
    """Move the optimum p to the one that `choice` asks for; the tie margin, 0 if the choice is not proved.

    `slack` (n,) is how far each arm's gradient is from tight. Arm k stands for `copies[k]` equal ones, which share its
    probability evenly; NULL: for itself alone. In `pivot` the smallest pivot of H that was not taken as a tie: what
    rounding in H and in the slacks is to be compared with. Nothing moves where memory was short.
    """
    cdef Py_ssize_t* arms = places(arena, n)
    cdef double* x = doubles(arena, n)
    cdef double* aims = doubles(arena, n if choice == UTILITARIAN else 0)
    cdef double* alike = doubles(arena, n if copies != NULL else 0)
    cdef double* held = NULL
    cdef double margin = INFINITY
    cdef Py_ssize_t i, size, rank
    pivot[0] = INFINITY
    if arena.failed:
        return 0
    size = tight_arms(slack, p, n, arms, &margin)
    rank = equations(H, n, arms, size, noise, p, &held, pivot, arena)
    margin = min(margin, pivot[0])
    if arena.failed or rank == size:
        return margin
    for i in range(size):
        x[i] = p[arms[i]].hi
        if copies != NULL:
            alike[i] = copies[arms[i]]
        if choice == UTILITARIAN:
            aims[i] = direction[arms[i]]
    margin = min(margin, pick_on_equations(held, rank, size, aims, NULL if copies == NULL else alike, choice, x, arena))
    for i in range(size):
        p[arms[i]] = pair_of(x[i])
    return margin


def pick_on(ndarray held, ndarray point, tie_break, ndarray direction, ndarray copies=None):
    """Return (policy (K,), margin): the optimum that `tie_break` asks for, of all p ≥ 0 with held · (p, −1) = 0.

    `held` is (rows, K + 1), and `point` (K,) is one of these p; see `pick`. A margin of 0 means not proved.

    >>> import numpy as np
    >>> pick_on(np.ones((1, 4)), np.array([0.0, 0.0, 1.0]), "vertex", np.zeros(3))[0].tolist()
    [1.0, 0.0, 0.0]
    """
    cdef const double* equal = reals(held, 2)
    cdef const double* alike = NULL if copies is None else reals(copies)
    cdef ndarray policy = point.copy()
    cdef double margin
    cdef Arena arena
    open_arena(&arena)
    try:
        margin = pick_on_equations(equal, PyArray_DIM(held, 0), PyArray_DIM(point, 0), reals(direction), alike,
                                   choice_of(tie_break), <double*> PyArray_DATA(policy), &arena)
        check_arena(&arena)
    finally:
        close_arena(&arena)
    return policy, margin


def pick(H, p0, slack, tie_break="centre", direction=None, double noise=tolerances.NEWTON_NOISE,
         ndarray copies=None):
    """Return (policy (K,), tie margin): the optimum that `tie_break` asks for, from one optimum `p0` (K,).

    `H` (K, K) is the Hessian in units of the value, and its null vectors must sum to 0 on the tight arms (add 11ᵀ where
    they do not); `slack` (K,) is how far each arm's partial derivative is from the best, 0 where tight; `direction`
    (K,) is each arm's total utility, used by "utilitarian". `noise` is the relative error of `H`. Arm k stands for
    `copies[k]` duplicate arms.

    >>> import numpy as np
    >>> pick(np.zeros((3, 3)) + 1, [1, 0, 0], [0, 0, 0])[0].round(3).tolist()
    [0.333, 0.333, 0.333]
    >>> pick(np.zeros((2, 2)) + 1, [1, 0], [0, 0], copies=np.array([3.0, 1.0]))[0].round(3).tolist()
    [0.75, 0.25]
    """
    cdef const double* alike = NULL if copies is None else reals(copies)
    cdef Py_ssize_t n = len(p0)
    cdef ndarray bends = np.stack((H, np.zeros_like(H)), axis=-1).astype(float)
    cdef ndarray p = np.stack((p0, np.zeros(n)), axis=-1)
    cdef ndarray slacks = np.array(slack, dtype=float)
    cdef ndarray aim = np.zeros(n) if direction is None else np.array(direction, dtype=float)
    cdef double pivot
    cdef Arena arena
    open_arena(&arena)
    try:
        margin = pick_from_face(<pair*> reals(bends, 3), n, reals(slacks), reals(aim), alike, choice_of(tie_break),
                                noise, <pair*> reals(p, 2), &pivot, &arena)
        check_arena(&arena)
    finally:
        close_arena(&arena)
    return p[:, 0].copy(), margin
