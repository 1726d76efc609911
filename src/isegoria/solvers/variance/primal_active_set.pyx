"""The least pᵀGp on the simplex, twice the variance of u = Ap over agents of whole weights (`quadratic_form`).

A primal active set: the arms in play (`support`) carry the policy, the one of lowest slope enters, an arm that
reaches 0 leaves. Slopes come from the K × K matrix G until the set settles, and then from the rows themselves in
pairs of doubles: G is only known to 1e-16, which would move a policy by 1e-8 where its smallest eigenvalue is 1e-8.
"""

from libc.math cimport INFINITY, fabs, sqrt
from libc.stdint cimport int64_t
from libc.string cimport memcpy

from numpy cimport PyArray_DATA, PyArray_DIM, ndarray

from isegoria.utils import tolerances
from isegoria.solvers.rows.arena cimport (
    Arena, check_arena, check_side, close_arena, doubles, each_doubles, flags, integers, open_arena, places,
)
from isegoria.solvers.rows.arrays cimport counts, reals, table, vector
from isegoria.solvers.rows.interrupt cimport interrupted
from isegoria.solvers.rows.simplex cimport exact
from isegoria.solvers.algebra.cholesky cimport factorise, solve_lower, solve_upper
from isegoria.solvers.algebra.inverse_iteration cimport least_eigenvalue
from isegoria.solvers.algebra.pair cimport dot, less_products, pair_of, pair_over, pairs
from isegoria.solvers.result import make_result
from isegoria.solvers.nash.principal_pivoting cimport minimise_quadratic
from isegoria.solvers.variance.quadratic_form cimport (
    BLOCK, Program, apart, begin, exact_slopes, gap_at, mean_row, mean_slope, moments, rough_slopes, value_at,
)

cdef double ENTER_ROUGH = tolerances.SLOPE_DOUBLE
cdef double ENTER_EXACT = tolerances.SLOPE_PAIR
cdef double STEP_DONE = tolerances.NEWTON_LAST_STEP
cdef double STANDS = tolerances.NEWTON_NO_STEP
cdef double DEFINITE = 1e-3  # of the first: a pivot's root that is smaller may belong to arms that could be exchanged
cdef double PIVOT_FLOOR = tolerances.PIVOT_FLOOR
cdef int HASTY_TURNS = 40  # enough for some ten arms, which is what tables of low rank play
cdef enum:
    LOW_RANK = 8


cdef void _factorise(Program* it) noexcept nogil:
    """`factor` and `ones`; a vanishing pivot is floored, and its long step then truncated."""
    cdef int i, j, K = it.arms
    for i in range(it.known, it.size):
        for j in range(i + 1):
            it.factor[i * K + j] = it.G[it.support[i] * K + it.support[j]] + 1
    factorise(it.factor, it.known, it.size, K, 0, PIVOT_FLOOR)
    for i in range(it.known, it.size):
        it.ones[i] = less_products(1.0, it.factor + i * K, it.ones, i) / it.factor[i * K + i]
    it.known = it.size


cdef double _newton(Program* it) noexcept nogil:
    """Move to the least value on the support, or to the first arm that reaches 0, which leaves. The move, which is not
    made if it is at most STANDS; 2 when an arm left, -1 when there is no least value that numbers can tell."""
    cdef int s, k, leaving = -1, n = it.size
    cdef double along, across, reach = 1, largest = 0
    _factorise(it)
    for s in range(n):
        it.step[s] = apart(it, it.support[s]) / 2  # slopes relative to one arm: a constant is free
    solve_lower(it.factor, n, it.arms, it.step)
    along, across = dot(it.ones, it.step, n), dot(it.ones, it.ones, n)
    if not (fabs(along) < INFINITY and across < INFINITY):
        return -1  # too many arms of no curvature between them
    for s in range(n):
        it.step[s] = along / across * it.ones[s] - it.step[s]  # so that the step adds up to 0
    solve_upper(it.factor, n, it.arms, it.step)
    for s in range(n):
        k = it.support[s]
        if it.step[s] < 0 and it.p[k] + reach * it.step[s] < 0:
            reach = it.p[k] / -it.step[s]
            leaving = s
    for s in range(n):
        largest = max(largest, fabs(reach * it.step[s]))
    if leaving < 0 and largest <= STANDS:
        return largest
    for s in range(n):
        k = it.support[s]
        it.p[k] += reach * it.step[s]
        if s == leaving or it.p[k] < 0:
            it.p[k] = 0
    if leaving >= 0:
        for s in range(leaving, n - 1):
            it.support[s] = it.support[s + 1]
        it.size -= 1
        it.known = leaving
        return 2  # the set changed: not settled
    return largest


cdef int _lowest(Program* it, double tolerance) noexcept nogil:
    """The arm out of play whose slope is lowest below the policy's mean slope (first index on ties), or −1."""
    cdef int k, s, best = -1
    cdef bint playing
    cdef double least = -tolerance, below, level = mean_slope(it)
    for k in range(it.arms):
        below = apart(it, k) - level
        if below < least:
            playing = False
            for s in range(it.size):
                playing = playing or it.support[s] == k
            if not playing:
                best = k
                least = below
    return best


cdef double _descend(Program* it, bint precise, int limit) noexcept nogil:
    """Alternate between entering arms and Newton moves until neither changes the policy.

    If `precise`, it is an exact point of the simplex, whose value comes back; otherwise 0, or -1 if the `limit` is met.
    Arms with next to no curvature between them may go round in circles: then the best policy on the way is kept.
    """
    cdef double tolerance = ENTER_EXACT if precise else ENTER_ROUGH
    cdef double moved = 2, value = 0, gap, least = INFINITY
    cdef int turn, entering
    for turn in range(limit):
        if interrupted(it.failed, (20.0 * it.agents + it.size * it.size) * it.arms):
            break
        if precise:
            exact(it.p, it.arms)
            value = exact_slopes(it)
            gap = gap_at(it)
            if gap < least:
                least = gap
                memcpy(it.best, it.p, it.arms * sizeof(double))
        else:
            rough_slopes(it)
        if moved < 2 or it.size == 0:
            entering = _lowest(it, tolerance)
            if entering >= 0:
                it.support[it.size] = entering
                it.size += 1
            elif moved <= STEP_DONE:
                return value
        moved = _newton(it)
        if moved < 0:
            break
        if precise and moved <= STANDS and _lowest(it, tolerance) < 0:
            return value
    if least < INFINITY:
        memcpy(it.p, it.best, it.arms * sizeof(double))
    return exact_slopes(it) if precise else -1


cdef bint _pivot(Program* it) noexcept nogil:
    """Play what the z ≥ 0 of least zᵀ(G + c11ᵀ)z/2 − Σz plays, in proportion: the optimum but for rounding, all arms at
    once instead of one by one; c, an arm's mean variance, keeps z bounded where the optimum is 0. False, with the same
    policy as before, where G is not clearly definite on them."""
    cdef int k, s, K = it.arms
    cdef double total = 0, lift = 0
    cdef bint found
    for k in range(K):
        it.ones[k], it.free[k] = 1, 1
        lift += it.G[k * K + k] / K
    for k in range(K * K):
        it.G[k] += lift
    found = minimise_quadratic(it.G, it.ones, K, ENTER_ROUGH, it.p, it.free, it.factor, it.step, it.places,
                               it.failed)
    for k in range(K * K):
        it.G[k] -= lift
    if not found:
        return False
    it.size, it.known = 0, 0
    for k in range(K):
        if it.p[k] > 0:
            it.support[it.size] = k
            it.size += 1
            total += it.p[k]
    if not 0 < total < INFINITY:
        return False
    for s in range(it.size):
        if it.factor[s * K + s] <= DEFINITE * it.factor[0]:
            return False
    for s in range(it.size):
        it.p[it.support[s]] /= total
    return True


cdef bint _has_low_rank(Program* it) noexcept nogil:
    """Whether a few pivots leave nothing of G: then few arms are in play, and no matrix of many is definite."""
    cdef int rank, j, k, best, K = it.arms
    cdef double root
    cdef double* left = it.step  # of the diagonal
    cdef double* row
    for k in range(K):
        left[k] = it.G[k * K + k]
    for rank in range(LOW_RANK if K > LOW_RANK else 0):
        best = 0
        for k in range(K):
            best = k if left[k] > left[best] else best
        if left[best] <= 10 * ENTER_ROUGH * it.G[best * K + best]:
            return True
        root = sqrt(left[best])
        for k in range(K):
            row = it.factor + k * LOW_RANK
            row[rank] = it.G[k * K + best]
            for j in range(rank):
                row[rank] -= row[j] * it.factor[best * LOW_RANK + j]
            row[rank] /= root
            left[k] -= row[rank] * row[rank]
        left[best] = 0
    return False


cdef double _curvature(Program* it, const double* reduced, double tied) noexcept nogil:
    """About the smallest eigenvalue of G + 11ᵀ on the tied arms, by inverse iteration."""
    cdef int k, s
    it.size = 0
    for k in range(it.arms):
        if reduced[k] <= tied:
            if it.support[it.size] != k:  # up to here the factor stays
                it.support[it.size], it.known = k, min(it.known, it.size)
            it.size += 1
    it.known = min(it.known, it.size)
    _factorise(it)
    for s in range(it.size):
        if it.factor[s * it.arms + s] <= sqrt(PIVOT_FLOOR):
            return 0
    return least_eigenvalue(it.factor, it.size, it.arms, it.step)


cdef class Variance:
    """Twice the variance of Ap over agents of whole weights w (all 1 if None), ready to be minimised or evaluated."""

    cdef Program it
    cdef Arena arena
    cdef readonly ndarray rows, weights

    def __cinit__(self, ndarray rows, ndarray weights=None):
        cdef const int64_t* weight = NULL if weights is None else counts(weights)
        cdef Py_ssize_t n = PyArray_DIM(rows, 0), k = PyArray_DIM(rows, 1), i
        cdef Program* it = &self.it
        self.rows, self.weights = rows, weights
        it.rows = reals(rows, 2)
        check_side(k)
        it.agents, it.arms, it.size = <int>n, <int>k, 0
        open_arena(&self.arena)
        each_doubles(&self.arena, n, &it.weights, &it.utility, &it.rest)
        each_doubles(&self.arena, k * k, &it.G, &it.factor)
        each_doubles(&self.arena, k, &it.p, &it.best, &it.step, &it.ones, &it.high, &it.low)
        it.slope, it.support, it.places = pairs(&self.arena, k), integers(&self.arena, k), places(&self.arena, k)
        it.free = flags(&self.arena, k)
        it.failed = &self.arena.failed
        it.columns = doubles(&self.arena, k * min(n, BLOCK))
        check_arena(&self.arena)
        it.support[0] = 0
        it.total = 0
        for i in range(n):
            it.weights[i] = weight[i] if weight != NULL else 1
            it.total += it.weights[i]
        it.scale = pair_over(pair_of(2), pair_of(it.total - 1)) if it.total > 1 else pair_of(0)

    def __dealloc__(self):
        close_arena(&self.arena)

    def minimise(self, double tied, bint patient=True):
        """(answer, reduced slopes (K,), curvature): a vertex of the optima, and about the smallest eigenvalue on the
        arms whose reduced slope is at most `tied`. The margin is that, or the least slope above half of `tied`.

        None if it is not `patient` and would have to take more than a few arms one by one."""
        cdef Program* it = &self.it
        cdef int k, K = it.arms
        cdef double level, gap, value, curvature, nearest = INFINITY
        cdef ndarray policy = vector(K), reduced = vector(K)
        cdef double* slack = <double*>PyArray_DATA(reduced)
        cdef bint hasty, settled
        with nogil:
            moments(it)
            hasty = it.agents < K or _has_low_rank(it) or not _pivot(it)
            if hasty:
                begin(it)
            hasty = hasty and not patient
            settled = _descend(it, False, HASTY_TURNS if hasty else 30 * K + 30) == 0
        check_arena(&self.arena)
        if hasty and not settled:
            return None
        with nogil:
            value = _descend(it, True, 10 * K + 10)
            level, gap = mean_slope(it), gap_at(it)
            for k in range(K):
                slack[k] = apart(it, k) - level
                if tied / 2 < slack[k] < nearest:
                    nearest = slack[k]
            curvature = _curvature(it, slack, tied)
            memcpy(PyArray_DATA(policy), it.p, K * sizeof(double))
        check_arena(&self.arena)
        return make_result((policy, value, gap, min(curvature, nearest))), reduced, curvature

    def square_root(self):
        """(N, K) the centred rows C, each with the root of its weight: |Cp|² is the value of p."""
        cdef Program* it = &self.it
        cdef int k, K = it.arms
        cdef Py_ssize_t i
        cdef double root
        cdef ndarray centred = table(it.agents, K)
        cdef double* C = <double*>PyArray_DATA(centred)
        mean_row(it, it.step)
        for i in range(it.agents):
            root = sqrt(it.scale.hi * it.weights[i])
            for k in range(K):
                C[i * K + k] = (it.rows[i * K + k] - it.step[k]) * root
        return centred

    def matrix(self):
        """(K, K) the matrix G."""
        cdef int K = self.it.arms
        cdef ndarray G = table(K, K)
        moments(&self.it)
        check_arena(&self.arena)
        memcpy(PyArray_DATA(G), self.it.G, K * K * sizeof(double))
        return G

    def values(self, ndarray policies):
        """(P,) the value of each row of `policies` (P, K)."""
        cdef Program* it = &self.it
        cdef const double* policy = reals(policies, 2)
        cdef Py_ssize_t row
        cdef ndarray found = vector(PyArray_DIM(policies, 0))
        cdef double* value = <double*>PyArray_DATA(found)
        for row in range(PyArray_DIM(policies, 0)):
            memcpy(it.p, policy + row * it.arms, it.arms * sizeof(double))
            value[row] = value_at(it)
        return found

    def evaluate(self, ndarray policy):
        """(value, gap, slopes ∇) of any policy."""
        cdef Program* it = &self.it
        cdef int k
        cdef double value
        cdef ndarray slopes = vector(it.arms)
        cdef double* slope = <double*>PyArray_DATA(slopes)
        memcpy(it.p, reals(policy), it.arms * sizeof(double))
        value = exact_slopes(it)
        for k in range(it.arms):
            slope[k] = it.slope[k].hi
        return value, gap_at(it), slopes
