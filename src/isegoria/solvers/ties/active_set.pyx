"""The constraints that hold a point: their normals kept as Q Lᵀ, their multipliers, and the steps of an active set.

The method is Goldfarb and Idnani's (1983): start at the point that meets the equalities, add a violated constraint,
drop those whose multiplier reaches 0. Nearly parallel normals do no harm beyond their own angle, because nothing here
is an inverse.
"""

from libc.math cimport INFINITY, sqrt
from libc.string cimport memcpy, memset

from numpy cimport PyArray_DATA, PyArray_DIM, ndarray

from isegoria.utils import tolerances
from isegoria.solvers.rows.arena cimport each_zeros
from isegoria.solvers.rows.interrupt cimport interrupted
from isegoria.solvers.rows.arrays cimport booleans, reals, table
from isegoria.solvers.algebra.cholesky cimport solve_lower, solve_upper
from isegoria.solvers.algebra.householder cimport reflect
from isegoria.solvers.algebra.inverse_iteration cimport least_eigenvalue
from isegoria.solvers.algebra.pair cimport add_multiple, dot, less_products, pair_products

cdef double DEPENDENT = tolerances.LINEAR_DEPENDENCE
cdef double HELD = tolerances.ACTIVE_MULTIPLIER
cdef double NEAR_ACTIVE = tolerances.NEAR_ACTIVE


def equalities(ndarray directions, ndarray tied, ndarray policy):
    """Return rows (E, K + 1), each (normal, bound), that fix what all optima share.

    The arms that are not `tied` (K,) play 0, and d·p keeps its value for every row d of `directions` (m, number of tied
    arms).
    """
    cdef const double* direction = reals(directions, 2)
    cdef const unsigned char* moving = booleans(tied)
    cdef const double* p = reals(policy)
    cdef Py_ssize_t k, j, K = PyArray_DIM(policy, 0), count = PyArray_DIM(directions, 0), idle = 0
    for k in range(K):
        idle += not moving[k]
    cdef ndarray rows = table(idle + count, K + 1)
    cdef double* row = <double*>PyArray_DATA(rows)
    memset(row, 0, (idle + count) * (K + 1) * sizeof(double))
    for k in range(K):
        if not moving[k]:
            row[k] = 1
            row += K + 1
    for j in range(count):
        for k in range(K):
            if moving[k]:
                row[k] = direction[0]
                row[K] += direction[0] * p[k]
                direction += 1
        row += K + 1
    return rows


cdef void open_active_set(ActiveSet* it, int arms, Arena* arena) noexcept nogil:
    """Room for constraints n·x = b in so many dimensions; they hold the point x."""
    cdef Py_ssize_t K = arms
    it.arms, it.failed = arms, &arena.failed
    each_zeros(arena, K * K, &it.Q, &it.L, &it.normals)
    each_zeros(arena, K, &it.bounds, &it.multipliers, &it.from_cuts, &it.x, &it.target, &it.d, &it.r, &it.normal)


cdef void begin(ActiveSet* it, const double* rows, int count) noexcept nogil:
    """From the target x to the nearest point that meets the equalities, `count` rows (normal, bound); dependent ones
    are left out."""
    cdef int j, K = it.arms
    cdef const double* row = rows
    cdef double length
    memset(it.Q, 0, K * K * sizeof(double))
    for j in range(K):
        it.Q[j * K + j] = 1
    memcpy(it.target, it.x, K * sizeof(double))
    it.active, it.cutting = 0, 0
    for j in range(count):
        if it.active < K and not interrupted(it.failed, 4.0 * K * K):
            length = reach(it, row)
            if length > DEPENDENT:
                _add(it, row, row[K], 0, length)
        row += K + 1
    it.equalities = it.active
    _settle(it)
    _settle(it)  # the first may have come from far
    it.farthest = 2 + 2 * sqrt(dot(it.x, it.x, K))


cdef double reach(ActiveSet* it, const double* normal) noexcept nogil:
    """d = Qᵀ normal; returns the length of its part outside the active span, and fills r = L⁻ᵀ d₁."""
    cdef int i, K = it.arms, q = it.active
    memset(it.d, 0, K * sizeof(double))
    for i in range(K):
        if normal[i] != 0:
            add_multiple(it.d, normal[i], it.Q + i * K, K)
    memcpy(it.r, it.d, q * sizeof(double))
    solve_upper(it.L, q, K, it.r)
    return sqrt(dot(it.d + q, it.d + q, K - q))


cdef void _add(ActiveSet* it, const double* normal, double bound, double multiplier, double length) noexcept nogil:
    """Make `normal` active: reflect the free columns of Q so that d keeps one entry beyond the active ones."""
    cdef int K = it.arms, q = it.active
    cdef double signed = -length if it.d[q] > 0 else length
    memcpy(it.normals + q * K, normal, K * sizeof(double))
    it.bounds[q] = bound
    it.multipliers[q] = multiplier
    it.from_cuts[q] = it.cutting
    it.d[q] -= signed
    reflect(it.Q + q, K, K, it.d + q, K - q)
    memcpy(it.L + q * K, it.d, q * sizeof(double))
    it.L[q * K + q] = signed
    it.active += 1


cdef void _drop(ActiveSet* it, int l) noexcept nogil:
    """Let active constraint l go: shift the rows of L, and rotate them triangular again."""
    cdef int i, j, K = it.arms, q = it.active - 1
    cdef double a, b, c, s, h
    for j in range(l, q):
        memcpy(it.normals + j * K, it.normals + (j + 1) * K, K * sizeof(double))
        it.bounds[j] = it.bounds[j + 1]
        it.multipliers[j] = it.multipliers[j + 1]
        it.from_cuts[j] = it.from_cuts[j + 1]
        memcpy(it.L + j * K, it.L + (j + 1) * K, (j + 2) * sizeof(double))
    for j in range(l, q):
        a, b = it.L[j * K + j], it.L[j * K + j + 1]
        h = sqrt(a * a + b * b)
        if h == 0:
            continue
        c, s = a / h, b / h
        for i in range(j, q):
            a, b = it.L[i * K + j], it.L[i * K + j + 1]
            it.L[i * K + j] = c * a + s * b
            it.L[i * K + j + 1] = c * b - s * a
        for i in range(K):
            a, b = it.Q[i * K + j], it.Q[i * K + j + 1]
            it.Q[i * K + j] = c * a + s * b
            it.Q[i * K + j + 1] = c * b - s * a
    it.active -= 1


cdef void _settle(ActiveSet* it) noexcept nogil:
    """Put x back on the active constraints, from which rounding has moved it."""
    cdef int i, j, K = it.arms, q = it.active
    pair_products(it.normals, K, q, K, it.x, it.d, it.r)  # the residual is what needs more digits
    for j in range(q):
        it.d[j] = (it.bounds[j] - it.d[j]) - it.r[j]
    solve_lower(it.L, q, K, it.d)
    for i in range(K):
        it.x[i] += dot(it.Q + i * K, it.d, q)


cdef bint drop_most_negative(ActiveSet* it) noexcept nogil:
    """Compute the multipliers afresh, as steps along nearly parallel normals may have been too long; drop the most
    negative one and move to the nearest point without it."""
    cdef int i, j, K = it.arms, q = it.active, worst = -1
    cdef double least = -HELD
    memset(it.d, 0, K * sizeof(double))
    for i in range(K):
        add_multiple(it.d, it.x[i] - it.target[i], it.Q + i * K, K)
    memcpy(it.multipliers, it.d, q * sizeof(double))
    solve_upper(it.L, q, K, it.multipliers)
    for j in range(it.equalities, q):
        if it.multipliers[j] < least:
            least = it.multipliers[j]
            worst = j
        it.multipliers[j] = max(it.multipliers[j], 0)
    if worst < 0:
        return False
    _drop(it, worst)
    q = it.active
    memset(it.d, 0, K * sizeof(double))
    for i in range(K):
        add_multiple(it.d + q, it.x[i] - it.target[i], it.Q + i * K + q, K - q)
    for i in range(K):
        it.x[i] = less_products(it.x[i], it.Q + i * K + q, it.d + q, K - q)
    _settle(it)
    return True


cdef int most_negative(ActiveSet* it, double slip, double* least) noexcept nogil:
    """The arm that plays least, if that is below −`slip`, and in `least` how much; else -1."""
    cdef int k, best = -1
    least[0] = -slip
    for k in range(it.arms):
        if it.x[k] < least[0]:
            least[0] = it.x[k]
            best = k
    return best


cdef void no_less_than_nothing(ActiveSet* it, int arm) noexcept nogil:
    """The constraint in hand: that the arm plays 0 at least."""
    memset(it.normal, 0, it.arms * sizeof(double))
    it.normal[arm] = 1


cdef bint satisfy(ActiveSet* it, double bound, double slack) noexcept nogil:
    """Move until the constraint in `normal` holds; False if nothing is left as far as rounding tells."""
    cdef int i, j, K = it.arms, blocking, q
    cdef double gained = 0, length, full, part, t
    while True:
        q = it.active
        length = reach(it, it.normal)
        full = INFINITY
        if q < K and length > DEPENDENT and -slack / length < it.farthest:
            full = -slack / (length * length)
        part = INFINITY
        blocking = -1
        for j in range(it.equalities, q):
            if it.r[j] > 0 and it.multipliers[j] < part * it.r[j]:
                part = it.multipliers[j] / it.r[j]
                blocking = j
        t = min(full, part)
        if t == INFINITY:
            return False
        for j in range(it.equalities, q):
            it.multipliers[j] -= t * it.r[j]
        gained += t
        if length > DEPENDENT:
            for i in range(K):
                for j in range(q, K):
                    it.x[i] += t * it.Q[i * K + j] * it.d[j]
        if full <= part:
            _add(it, it.normal, bound, gained, length)
            _settle(it)
            return True
        it.multipliers[blocking] = 0
        _drop(it, blocking)
        slack = -less_products(bound, it.normal, it.x, K)
        slack = min(slack, 0)  # even if it just holds: the multiplier gained so far needs it among the active


cdef double sharpness(ActiveSet* it) noexcept nogil:
    """How sharply x is determined: the least squared singular value of the active normals, or squared distance of an
    arm that is hardly played from their span."""
    cdef int k
    cdef double length, least = least_eigenvalue(it.L, it.active, it.arms, it.r)
    for k in range(it.arms):
        if it.x[k] <= NEAR_ACTIVE and not interrupted(it.failed, 2.0 * it.arms * it.arms):
            no_less_than_nothing(it, k)
            length = reach(it, it.normal)
            if length > DEPENDENT:
                least = min(least, length * length)
    return least
