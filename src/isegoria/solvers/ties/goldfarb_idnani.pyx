"""The point of a polytope inside the simplex that is nearest to a target, by a dual active set.

The polytope is {p ≥ 0, Σp = 1, n·p = b for given equalities, n·p ≥ b for given cuts, f(p) ≥ level for a `Cuts` f, and
every further cut that a separation oracle finds}. The method is Goldfarb and Idnani's: start at the point that meets
the equalities, add the most violated constraint, drop those whose multiplier reaches 0. Where arms stand for `copies`,
distances are Σ (p − target)²/copies: the search goes on in units of their roots, in which that is a plain square.
"""

from libc.math cimport INFINITY, sqrt
from libc.string cimport memcpy, memset

import numpy as np

from numpy cimport PyArray_DATA, PyArray_DIM, ndarray

from isegoria import tolerances
from isegoria.rows.arena cimport check_arena, doubles, zeros
from isegoria.rows.arrays cimport reals, vector
from isegoria.solvers.algebra.inverse_iteration cimport least_eigenvalue
from isegoria.solvers.algebra.pair cimport dot, less_products
from isegoria.solvers.maximin.cuts cimport Cuts
from isegoria.solvers.ties.active_set cimport ActiveSet

cdef double VIOLATION = tolerances.VIOLATION
cdef double DEPENDENT = tolerances.DEPENDENT
cdef double NEAR_ACTIVE = tolerances.NEAR_ACTIVE
cdef int NEAR_ROOM = 64        # constraints close to active that are looked at for the margin


cdef class Projection(ActiveSet):
    """A polytope inside the simplex of K arms, onto which points can be projected.

    `equal` (E, K + 1) holds equalities, `given` lists cuts (normal, bound), each meaning normal·p ≥ bound; arm k stands
    for `copies[k]` equal ones, which share its probability evenly. Afterwards
    `empty` is whether nothing was there to project onto, and `margin` how sharply the answer is determined: the least
    squared singular value of the active normals, or squared distance of an almost active normal from their span.
    """

    cdef readonly double margin
    cdef readonly bint empty
    cdef Cuts cuts
    cdef double level
    cdef double farthest       # no step is longer than the start is from any point of the simplex
    cdef object separate
    cdef double* fixed         # rows (normal, bound): Σp = 1, the equalities, the given cuts
    cdef double* close         # (NEAR_ROOM, K) normals of constraints close to active, if there are `cuts`
    cdef double* roots         # (K,) of the copies; NULL: every arm stands for itself
    cdef double* p             # (K,) the policy that x is in those units
    cdef int fixed_count, fixed_start

    def __cinit__(self, int arms, Cuts cuts=None, double level=0, equal=None, given=(), separate=None,
                  ndarray copies=None):
        cdef int K = arms, j
        cdef const double* same = NULL if equal is None else reals(equal, 2)
        self.cuts, self.level, self.separate = cuts, level, separate
        self.fixed_start = 1 if equal is None else 1 + <int>PyArray_DIM(equal, 0)
        self.fixed_count = len(given)
        if cuts is not None and cuts.width != arms:
            raise ValueError(f"cuts of {cuts.width} columns hold no point of {arms} arms")
        self.fixed = zeros(&self.arena, (self.fixed_start + self.fixed_count) * (K + 1))
        self.close = doubles(&self.arena, 0 if cuts is None else NEAR_ROOM * K)
        self.p, self.roots = self.x, NULL
        if copies is not None:
            self.p, self.roots = doubles(&self.arena, K), doubles(&self.arena, K)
        check_arena(&self.arena)
        for j in range(K if copies is not None else 0):
            self.roots[j] = sqrt(reals(copies)[j])
        for j in range(K + 1):
            self.fixed[j] = 1
        if self.fixed_start > 1:
            memcpy(self.fixed + K + 1, same, (self.fixed_start - 1) * (K + 1) * sizeof(double))
        for j, (normal, bound) in enumerate(given, start=self.fixed_start):
            memcpy(self.fixed + j * (K + 1), reals(normal), K * sizeof(double))
            self.fixed[j * (K + 1) + K] = bound
        for j in range(self.fixed_start + self.fixed_count):
            self._times_roots(self.fixed + j * (K + 1))

    cdef void _times_roots(self, double* normal) noexcept nogil:
        """A normal of policies as one of x."""
        cdef int k
        for k in range(self.arms if self.roots != NULL else 0):
            normal[k] *= self.roots[k]

    cdef const double* _policy(self) noexcept nogil:
        """The policy that x is."""
        cdef int k
        for k in range(self.arms if self.roots != NULL else 0):
            self.p[k] = self.x[k] * self.roots[k]
        return self.p

    cdef void _begin(self, const double* target) noexcept nogil:
        """x = the point nearest to the target that meets the equalities; dependent ones are left out."""
        cdef int j, K = self.arms
        cdef double length
        cdef double* row
        memset(self.Q, 0, K * K * sizeof(double))
        for j in range(K):
            self.Q[j * K + j] = 1
        for j in range(K):
            self.x[j] = target[j] if self.roots == NULL else target[j] / self.roots[j]
        memcpy(self.target, self.x, K * sizeof(double))
        self.active, self.cutting, self.empty = 0, 0, False
        for j in range(self.fixed_start):
            row = self.fixed + j * (K + 1)
            if self.active < K:
                length = self._reach(row)
                if length > DEPENDENT:
                    self._add(row, row[K], 0, length)
        self.equalities = self.active
        self._settle()
        self._settle()  # the first may have come from far
        self.farthest = 2 + 2 * sqrt(dot(self.x, self.x, K))

    cdef double _most_violated(self, double* bound) noexcept nogil:
        """The slack of the most violated constraint; its normal in `self.normal`."""
        cdef int k, j, K = self.arms, best = -1
        cdef double least = -VIOLATION, slack
        cdef double* row
        self.cutting = 0
        for k in range(K):
            if self.x[k] < least:
                least = self.x[k]
                best = k
        for j in range(self.fixed_count):
            row = self.fixed + (self.fixed_start + j) * (K + 1)
            slack = -less_products(row[K], row, self.x, K)
            if slack < least:
                least = slack
                best = K + j
        if self.cuts is not None:
            slack = self.cuts.lowest(self._policy(), self.normal) - self.level
            if slack < least:
                self._times_roots(self.normal)
                bound[0] = self.level
                self.cutting = 1
                return slack
        if best < 0:
            return 0
        if best < K:
            memset(self.normal, 0, K * sizeof(double))
            self.normal[best] = 1
            bound[0] = 0
        else:
            row = self.fixed + (self.fixed_start + best - K) * (K + 1)
            memcpy(self.normal, row, K * sizeof(double))
            bound[0] = row[K]
        return least

    cdef bint _satisfy(self, double bound, double slack) noexcept nogil:
        """Move until the constraint in `self.normal` holds; False if the polytope is empty as far as rounding tells."""
        cdef int i, j, K = self.arms, blocking, q
        cdef double gained = 0, length, full, part, t
        while True:
            q = self.active
            length = self._reach(self.normal)
            full = INFINITY
            if q < K and length > DEPENDENT and -slack / length < self.farthest:
                full = -slack / (length * length)
            part = INFINITY
            blocking = -1
            for j in range(self.equalities, q):
                if self.r[j] > 0 and self.multipliers[j] < part * self.r[j]:
                    part = self.multipliers[j] / self.r[j]
                    blocking = j
            t = min(full, part)
            if t == INFINITY:
                self.empty = True
                return False
            for j in range(self.equalities, q):
                self.multipliers[j] -= t * self.r[j]
            gained += t
            if length > DEPENDENT:
                for i in range(K):
                    for j in range(q, K):
                        self.x[i] += t * self.Q[i * K + j] * self.d[j]
            if full <= part:
                self._add(self.normal, bound, gained, length)
                self._settle()
                return True
            self.multipliers[blocking] = 0
            self._drop(blocking)
            slack = -less_products(bound, self.normal, self.x, K)
            slack = min(slack, 0)  # even if it just holds: the multiplier gained so far needs it among the active

    cdef int _iterate(self, int limit) noexcept nogil:
        """Satisfy violated constraints until none is left; the number of turns."""
        cdef double bound = 0, slack
        cdef int turn
        for turn in range(limit):
            slack = self._most_violated(&bound)
            if slack >= 0 and not self._unneeded():
                return turn
            if slack < 0 and not self._satisfy(bound, slack):
                return turn
        return limit

    cdef double _sharpness(self) noexcept nogil:
        """The margin: the spread of the active normals, and how close the almost active ones come to their span."""
        cdef int i, j, count = 0, K = self.arms
        cdef double length = INFINITY, margin = least_eigenvalue(self.L, self.active, K, self.r)
        if self.cuts is not None:
            count = self.cuts.near(self._policy(), self.close, NEAR_ROOM, &length)
            margin = min(margin, length * length)
        for i in range(count):
            self._times_roots(self.close + i * K)
            length = self._reach(self.close + i * K)
            if length > DEPENDENT:
                margin = min(margin, length * length)
        for j in range(K):
            if self.x[j] <= NEAR_ACTIVE:
                memset(self.normal, 0, K * sizeof(double))
                self.normal[j] = 1
                length = self._reach(self.normal)
                if length > DEPENDENT:
                    margin = min(margin, length * length)
        return margin

    def nearest(self, ndarray target):
        """(K,) the point of the polytope nearest to `target`."""
        cdef const double* aim = reals(target)
        cdef int turns, limit = 100 * self.arms + 500
        cdef const double* normal
        cdef double bound, slack
        with nogil:
            self._begin(aim)
            turns = self._iterate(limit)
        while self.separate is not None and turns < limit and not self.empty:
            found = self.separate(self._point())
            if found is None:
                break
            bound, normal = found[1], reals(found[0])
            memcpy(self.normal, normal, self.arms * sizeof(double))
            self._times_roots(self.normal)
            self.cutting = 0
            slack = -less_products(bound, self.normal, self.x, self.arms)
            if slack >= 0 or not self._satisfy(bound, slack):
                break
            turns += 1 + self._iterate(limit)
        self.empty = self.empty or turns >= limit  # going round in circles: nothing is there that rounding can find
        self.margin = 0 if self.empty else self._sharpness()
        return self._point()

    cdef _point(self):
        """The policy that x is, as an array."""
        cdef ndarray point = vector(self.arms)
        memcpy(PyArray_DATA(point), self._policy(), self.arms * sizeof(double))
        return point

    def mixture(self):
        """The mixture of cuts of f that proves the polytope empty, or None if it is not or none are needed for that.

        The normal that could not be satisfied is Σ_j r_j n_j of the active ones with r_j ≤ 0, so a mixture of cuts
        lies nowhere on the polytope without them above the level.
        """
        cdef int i, j, K = self.arms
        cdef double weight, total = 0
        if not self.empty:
            return None
        cdef ndarray mixed = np.zeros(K)
        cdef double* m = <double*> PyArray_DATA(mixed)
        for j in range(-1, self.active):
            weight = self.cutting if j < 0 else -self.r[j] * self.from_cuts[j]
            if weight > 0:
                total += weight
                for i in range(K):
                    m[i] += weight * (self.normal[i] if j < 0 else self.normals[j * K + i])
        for i in range(K if self.roots != NULL else 0):
            m[i] /= self.roots[i]
        return mixed / total if total > 0 else None
