"""The least pᵀGp on the simplex, where pᵀGp = 2/(W − 1) Σ_i w_i (u_i − ū)² is twice the variance of u = Ap.

A primal active set: the arms in play (`support`) carry the policy, the one of lowest slope enters, an arm that
reaches 0 leaves. Slopes come from the K × K matrix G until the set settles, and then from the rows themselves in
long double: G is only known to 1e-16, which would move a policy by 1e-8 where its smallest eigenvalue is 1e-8.
"""

from libc.math cimport INFINITY, fabs, sqrt
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

import numpy as np

from numpy cimport PyArray_DATA, PyArray_DIM, ndarray

from isegoria import tolerances
from isegoria.rows.arrays cimport counts, reals, table, vector
from isegoria.solvers.algebra.simplex cimport exact
from isegoria.solvers.answer import Answer

cdef double ENTER_ROUGH = tolerances.SLOPE_ROUGH
cdef double ENTER_EXACT = tolerances.SLOPE_EXACT
cdef double STEP_DONE = tolerances.STEP_DONE
cdef double PIVOT_FLOOR = tolerances.PIVOT_FLOOR

cdef struct Program:
    const double* rows       # A, (N, K)
    double* weights          # w, (N,)
    int agents, arms, size   # N, K, and the number of arms in play
    long double total        # W, the sum of the weights
    long double scale        # 2 / (W − 1), or 0 for a single agent, who has no one to differ from
    double* G                # (K, K)
    double* factor           # (K, K) Cholesky factor of G + 11ᵀ on the support
    double* p
    double* best             # the policy of least gap so far
    double* step
    double* ones
    long double* slope       # ∇ = 2 G p
    long double* utility     # u = A p, then centred
    int* support


cdef void _moments(Program* it) noexcept nogil:
    """G = 2/(W − 1) Σ_i w_i (a_i − ā)(a_i − ā)ᵀ."""
    cdef int j, k, K = it.arms
    cdef Py_ssize_t i
    cdef double w, heavy
    cdef double* row
    cdef double* mean = it.step
    cdef double* centred = it.ones
    memset(mean, 0, K * sizeof(double))
    memset(it.G, 0, K * K * sizeof(double))
    for i in range(it.agents):
        for k in range(K):
            mean[k] += it.weights[i] * it.rows[i * K + k]
    for k in range(K):
        mean[k] /= <double>it.total
    for i in range(it.agents):
        w = <double>it.scale * it.weights[i]
        for k in range(K):
            centred[k] = it.rows[i * K + k] - mean[k]
        for j in range(K):
            heavy = w * centred[j]
            row = it.G + j * K
            for k in range(K):  # the whole row: twice the work of half of it, but in vectors
                row[k] += heavy * centred[k]
    for j in range(K):
        for k in range(j):
            it.G[k * K + j] = it.G[j * K + k]


cdef long double _exact_slopes(Program* it) noexcept nogil:
    """The value pᵀGp, and ∇ in `slope`, from the rows in long double."""
    cdef int k, K = it.arms
    cdef Py_ssize_t i
    cdef long double mean = 0, u, value = 0
    for i in range(it.agents):
        u = 0
        for k in range(K):
            u += <long double>it.p[k] * it.rows[i * K + k]
        it.utility[i] = u
        mean += it.weights[i] * u
    mean /= it.total
    for k in range(K):
        it.slope[k] = 0
    for i in range(it.agents):
        u = it.weights[i] * (it.utility[i] - mean)
        value += u * (it.utility[i] - mean)
        for k in range(K):
            it.slope[k] += u * it.rows[i * K + k]
    for k in range(K):
        it.slope[k] *= 2 * it.scale
    return it.scale * value


cdef void _rough_slopes(Program* it) noexcept nogil:
    """∇ = 2 G p in `slope`, over the support only."""
    cdef int j, k, s, K = it.arms
    cdef double total
    for k in range(K):
        total = 0
        for s in range(it.size):
            j = it.support[s]
            total += it.G[k * K + j] * it.p[j]
        it.slope[k] = 2 * total


cdef void _factorise(Program* it) noexcept nogil:
    """The Cholesky factor of G + 11ᵀ on the support; a vanishing pivot is floored, and its long step then truncated."""
    cdef int i, j, k, n = it.size, K = it.arms
    cdef double total
    for i in range(n):
        for j in range(i + 1):
            total = it.G[it.support[i] * K + it.support[j]] + 1
            for k in range(j):
                total -= it.factor[i * K + k] * it.factor[j * K + k]
            if i == j:
                it.factor[i * K + i] = sqrt(total) if total > PIVOT_FLOOR else sqrt(PIVOT_FLOOR)
            else:
                it.factor[i * K + j] = total / it.factor[j * K + j]


cdef void _substitute(Program* it, double* b) noexcept nogil:
    """Solve (G + 11ᵀ) x = b on the support, in place."""
    cdef int i, k, n = it.size, K = it.arms
    for i in range(n):
        for k in range(i):
            b[i] -= it.factor[i * K + k] * b[k]
        b[i] /= it.factor[i * K + i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            b[i] -= it.factor[k * K + i] * b[k]
        b[i] /= it.factor[i * K + i]


cdef double _newton(Program* it) noexcept nogil:
    """Move to the least value on the support, or to the first arm that reaches 0, which leaves. The move; 2 when
    an arm left, -1 when there is no least value that numbers can tell."""
    cdef int s, k, leaving = -1, n = it.size
    cdef double tau, sum_step = 0, sum_ones = 0, reach = 1, largest = 0
    cdef long double base = it.slope[it.support[0]]
    _factorise(it)
    for s in range(n):
        it.step[s] = <double>((it.slope[it.support[s]] - base) / 2)  # slopes relative to one arm: a constant is free
        it.ones[s] = 1
    _substitute(it, it.step)
    _substitute(it, it.ones)
    for s in range(n):
        sum_step += it.step[s]
        sum_ones += it.ones[s]
    if not (fabs(sum_step) < INFINITY and fabs(sum_ones) < INFINITY):
        return -1  # too many arms of no curvature between them
    tau = sum_step / sum_ones
    for s in range(n):
        it.step[s] = tau * it.ones[s] - it.step[s]
        k = it.support[s]
        if it.step[s] < 0 and it.p[k] + reach * it.step[s] < 0:
            reach = it.p[k] / -it.step[s]
            leaving = s
    for s in range(n):
        k = it.support[s]
        it.p[k] += reach * it.step[s]
        if s == leaving or it.p[k] < 0:
            it.p[k] = 0
        largest = max(largest, fabs(reach * it.step[s]))
    if leaving >= 0:
        for s in range(leaving, n - 1):
            it.support[s] = it.support[s + 1]
        it.size -= 1
        return 2  # the set changed: not settled
    return largest


cdef int _lowest(Program* it, double tolerance) noexcept nogil:
    """The arm out of play whose slope is lowest below the policy's mean slope (first index on ties), or −1."""
    cdef int k, s, best = -1
    cdef bint playing
    cdef long double base = it.slope[it.support[0]], level = base, least
    for k in range(it.arms):
        level += it.p[k] * (it.slope[k] - base)  # the rounding of Σp times a slope would be more than the tolerance
    least = level - tolerance
    for k in range(it.arms):
        if it.slope[k] < least:
            playing = False
            for s in range(it.size):
                playing = playing or it.support[s] == k
            if not playing:
                best = k
                least = it.slope[k]
    return best


cdef void _begin(Program* it) noexcept nogil:
    """On the arm of least variance alone."""
    cdef int k, best = 0, K = it.arms
    for k in range(K):
        it.p[k] = 0
        if it.G[k * K + k] < it.G[best * K + best]:
            best = k
    it.p[best] = 1
    it.support[0] = best
    it.size = 1


cdef double _gap(Program* it) noexcept nogil:
    """p·∇ − min ∇: how far from the least value p can be at most, by the slopes at hand."""
    cdef long double level = 0, least = it.slope[0]
    cdef int k
    for k in range(it.arms):
        least = min(least, it.slope[k])
    for k in range(it.arms):
        level += it.p[k] * (it.slope[k] - least)
    return <double>level


cdef void _descend(Program* it, bint precise, int limit) noexcept nogil:
    """Alternate between entering arms and Newton moves until neither changes the policy.

    Arms with next to no curvature between them may go round in circles: then the best policy on the way is kept.
    """
    cdef double tolerance = ENTER_EXACT if precise else ENTER_ROUGH
    cdef double moved = 2, gap, least = INFINITY
    cdef int turn, entering
    for turn in range(limit):
        if precise:
            _exact_slopes(it)
            gap = _gap(it)
            if gap < least:
                least = gap
                memcpy(it.best, it.p, it.arms * sizeof(double))
        else:
            _rough_slopes(it)
        if moved < 2 or it.size == 0:
            entering = _lowest(it, tolerance)
            if entering >= 0:
                it.support[it.size] = entering
                it.size += 1
            elif moved <= STEP_DONE:
                return
        moved = _newton(it)
        if moved < 0:
            break
    if least < INFINITY:
        memcpy(it.p, it.best, it.arms * sizeof(double))


cdef double _certify(Program* it, double* reduced, double* gap) noexcept nogil:
    """The value; the reduced slopes ∇_k − p·∇ and the gap p·∇ − min ∇, from the exact policy."""
    cdef long double level = 0, value = _exact_slopes(it)
    cdef int k
    for k in range(it.arms):
        level += it.p[k] * it.slope[k]
    for k in range(it.arms):
        reduced[k] = <double>(it.slope[k] - level)
    gap[0] = _gap(it)
    return <double>value


cdef double _curvature(Program* it, const double* reduced, double tied) noexcept nogil:
    """About the smallest eigenvalue of G + 11ᵀ on the tied arms, by inverse iteration."""
    cdef int k, s, turn
    cdef double norm = 1
    it.size = 0
    for k in range(it.arms):
        if reduced[k] <= tied:
            it.support[it.size] = k
            it.size += 1
    _factorise(it)
    for s in range(it.size):
        if it.factor[s * it.arms + s] <= sqrt(PIVOT_FLOOR):
            return 0
        it.step[s] = 1 + s % 3 - 2 * (s % 2)
    for turn in range(4):
        norm = 0
        for s in range(it.size):
            norm += it.step[s] * it.step[s]
        norm = sqrt(norm)
        for s in range(it.size):
            it.step[s] /= norm
        _substitute(it, it.step)
    norm = 0
    for s in range(it.size):
        norm += it.step[s] * it.step[s]
    return 1 / sqrt(norm)


cdef class Variance:
    """Twice the variance of Ap over agents of whole weights w (all 1 if None), ready to be minimised or evaluated."""

    cdef Program it
    cdef void* memory
    cdef readonly ndarray rows, weights

    def __cinit__(self, ndarray rows, ndarray weights=None):
        cdef const double* entries = reals(rows, 2)
        cdef const int64_t* weight = NULL if weights is None else counts(weights)
        cdef Py_ssize_t n = PyArray_DIM(rows, 0), k = PyArray_DIM(rows, 1), i
        cdef Program* it = &self.it
        self.rows, self.weights = rows, weights
        it.rows = entries
        it.agents, it.arms, it.size = <int>n, <int>k, 0
        self.memory = malloc((k + n) * sizeof(long double) + (n + 2 * k * k + 4 * k) * sizeof(double) + k * sizeof(int))
        if not self.memory:
            raise MemoryError
        it.slope = <long double*>self.memory
        it.utility = it.slope + k
        it.weights = <double*>(it.utility + n)
        it.total = 0
        for i in range(n):
            it.weights[i] = weight[i] if weight != NULL else 1
            it.total += it.weights[i]
        it.scale = 2 / (it.total - 1) if it.total > 1 else 0
        it.G = it.weights + n
        it.factor = it.G + k * k
        it.p = it.factor + k * k
        it.best = it.p + k
        it.step = it.best + k
        it.ones = it.step + k
        it.support = <int*>(it.ones + k)

    def __dealloc__(self):
        free(self.memory)

    def minimise(self, double tied):
        """(answer, reduced slopes (K,), curvature): a vertex of the optima, and about the smallest eigenvalue on the
        arms whose reduced slope is at most `tied`: the optimum is unique when that is not tiny. The answer's margin is
        the least reduced slope above half of `tied`, infinity if there is none."""
        cdef Program* it = &self.it
        cdef int k, K = it.arms
        cdef double gap = 0, value, curvature, apart = INFINITY
        cdef ndarray policy = vector(K), reduced = vector(K)
        cdef double* slack = <double*>PyArray_DATA(reduced)
        with nogil:
            _moments(it)
            _begin(it)
            _descend(it, False, 30 * K + 30)
            _descend(it, True, 10 * K + 10)
            exact(it.p, K)
            value = _certify(it, slack, &gap)
            curvature = _curvature(it, slack, tied)
            memcpy(PyArray_DATA(policy), it.p, K * sizeof(double))
            for k in range(K):
                if tied / 2 < slack[k] < apart:
                    apart = slack[k]
        return Answer(policy, value, gap, apart), reduced, curvature

    def square_root(self):
        """(N, K) the centred rows C, each with the root of its weight: |Cp|² is the value of p."""
        cdef Program* it = &self.it
        cdef int k, K = it.arms
        cdef Py_ssize_t i
        cdef double root
        cdef ndarray centred = table(it.agents, K)
        cdef double* C = <double*>PyArray_DATA(centred)
        memset(it.step, 0, K * sizeof(double))
        for i in range(it.agents):
            for k in range(K):
                it.step[k] += it.weights[i] * it.rows[i * K + k]
        for i in range(it.agents):
            root = sqrt(<double>it.scale * it.weights[i])
            for k in range(K):
                C[i * K + k] = (it.rows[i * K + k] - it.step[k] / <double>it.total) * root
        return centred

    def matrix(self):
        """(K, K) the matrix G."""
        cdef int K = self.it.arms
        _moments(&self.it)
        return np.array(<double[:K, :K]>self.it.G)

    def values(self, ndarray policies):
        """(P,) the value of each row of `policies` (P, K)."""
        cdef Program* it = &self.it
        cdef const double* policy = reals(policies, 2)
        cdef Py_ssize_t row
        cdef ndarray found = vector(PyArray_DIM(policies, 0))
        cdef double* value = <double*>PyArray_DATA(found)
        for row in range(PyArray_DIM(policies, 0)):
            memcpy(it.p, policy + row * it.arms, it.arms * sizeof(double))
            value[row] = <double>_exact_slopes(it)
        return found

    def evaluate(self, ndarray policy):
        """(value, gap, slopes ∇) of any policy."""
        cdef Program* it = &self.it
        cdef int k
        cdef double gap = 0, value
        cdef ndarray slopes = vector(it.arms)
        cdef double* slope = <double*>PyArray_DATA(slopes)
        memcpy(it.p, reals(policy), it.arms * sizeof(double))
        value = _certify(it, slope, &gap)
        for k in range(it.arms):
            slope[k] = <double>it.slope[k]
        return value, gap, slopes
