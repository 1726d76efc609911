"""The point of a polytope inside the simplex that is nearest to a target, by a dual active set.

The polytope is {p ≥ 0, Σp = 1, n·p = b for given equalities, n·p ≥ b for given cuts, f(p) ≥ level for a `Cuts` f, and
every further cut that a separation oracle finds}. The most violated constraint is added each time. Where arms stand for
`copies`, distances are Σ (p − target)²/copies: the search goes on in units of their roots, in which that is a plain
square.
"""

from libc.math cimport INFINITY, sqrt
from libc.string cimport memcpy

import numpy as np

from numpy cimport PyArray_DATA, PyArray_DIM, ndarray

from isegoria.utils import tolerances
from isegoria.solvers.rows.arena cimport Arena, check_arena, check_side, close_arena, doubles, open_arena, zeros
from isegoria.solvers.rows.arrays cimport reals, vector
from isegoria.solvers.rows.interrupt cimport interrupted
from isegoria.solvers.algebra.pair cimport less_products
from isegoria.solvers.maximin.cuts cimport Cuts
from isegoria.solvers.ties.active_set cimport (
    ActiveSet, begin, drop_most_negative, most_negative, no_less_than_nothing, open_active_set, reach, satisfy,
    sharpness,
)

cdef double DEPENDENT = tolerances.LINEAR_DEPENDENCE
cdef double VIOLATION = tolerances.CONSTRAINT_VIOLATION
cdef int NEAR_ROOM = 64        # constraints close to active that are looked at for the margin


cdef class Projection:
    """A polytope inside the simplex of K arms, onto which points can be projected.

    `equal` (E, K + 1) holds equalities, `given` lists cuts (normal, bound), each meaning normal·p ≥ bound; arm k stands
    for `copies[k]` equal ones, which share its probability evenly. Afterwards
    `empty` is whether nothing was there to project onto, and `margin` how sharply the answer is determined: the least
    squared singular value of the active normals, or squared distance of an almost active normal from their span.
    """

    cdef readonly double margin
    cdef readonly bint empty
    cdef ActiveSet it
    cdef Arena arena
    cdef Cuts cuts
    cdef double level
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
        open_arena(&self.arena)
        self.cuts, self.level, self.separate = cuts, level, separate
        self.fixed_start = 1 if equal is None else 1 + <int>PyArray_DIM(equal, 0)
        self.fixed_count = len(given)
        if cuts is not None and cuts.width != arms:
            raise ValueError(f"cuts of {cuts.width} columns hold no point of {arms} arms")
        check_side(arms)
        open_active_set(&self.it, arms, &self.arena)
        self.fixed = zeros(&self.arena, (self.fixed_start + self.fixed_count) * (K + 1))
        self.close = doubles(&self.arena, 0 if cuts is None else NEAR_ROOM * K)
        self.p, self.roots = self.it.x, NULL
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

    def __dealloc__(self):
        close_arena(&self.arena)

    cdef void _times_roots(self, double* normal) noexcept nogil:
        """A normal of policies as one of x."""
        cdef int k
        for k in range(self.it.arms if self.roots != NULL else 0):
            normal[k] *= self.roots[k]

    cdef const double* _policy(self) noexcept nogil:
        """The policy that x is."""
        cdef int k
        for k in range(self.it.arms if self.roots != NULL else 0):
            self.p[k] = self.it.x[k] * self.roots[k]
        return self.p

    cdef double _most_violated(self, double* bound) noexcept nogil:
        """The slack of the most violated constraint, 0 if there is none; its normal in hand."""
        cdef int j, K = self.it.arms, given = -1
        cdef double least, slack
        cdef int arm = most_negative(&self.it, VIOLATION, &least)
        cdef double* row = self.fixed + self.fixed_start * (K + 1)
        self.it.cutting = 0
        for j in range(self.fixed_count):
            slack = -less_products(row[j * (K + 1) + K], row + j * (K + 1), self.it.x, K)
            if slack < least:
                least = slack
                given = j
        if self.cuts is not None:
            slack = self.cuts.lowest(self._policy(), self.it.normal) - self.level
            if slack < least:
                self._times_roots(self.it.normal)
                bound[0] = self.level
                self.it.cutting = 1
                return slack
        if given >= 0:
            memcpy(self.it.normal, row + given * (K + 1), K * sizeof(double))
            bound[0] = row[given * (K + 1) + K]
        elif arm >= 0:
            no_less_than_nothing(&self.it, arm)
            bound[0] = 0
        return least if arm >= 0 or given >= 0 else 0

    cdef int _iterate(self, int limit) noexcept nogil:
        """Satisfy violated constraints until none is left; the number of turns."""
        cdef double bound = 0, slack
        cdef int turn
        for turn in range(limit):
            if interrupted(&self.arena.failed, 8.0 * self.it.arms * self.it.arms):
                self.empty = True
                return turn
            slack = self._most_violated(&bound)
            if slack >= 0 and not drop_most_negative(&self.it):
                return turn
            if slack < 0 and not satisfy(&self.it, bound, slack):
                self.empty = True
                return turn
        return limit

    cdef double _sharpness(self) noexcept nogil:
        """The margin: that of what holds the point, and how close cuts that are almost active come to their span."""
        cdef int i, count = 0, K = self.it.arms
        cdef double length = INFINITY, margin = sharpness(&self.it)
        if self.cuts is not None:
            count = self.cuts.near(self._policy(), self.close, NEAR_ROOM, &length)
            margin = min(margin, length * length)
        for i in range(count):
            self._times_roots(self.close + i * K)
            length = reach(&self.it, self.close + i * K)
            if length > DEPENDENT:
                margin = min(margin, length * length)
        return margin

    def nearest(self, ndarray target):
        """Return the point (K,) of the polytope nearest to `target`."""
        cdef const double* aim = reals(target)
        cdef int k, K = self.it.arms, turns, limit = 100 * K + 500
        cdef double slack
        for k in range(K):
            self.it.x[k] = aim[k] if self.roots == NULL else aim[k] / self.roots[k]
        self.empty = False
        with nogil:
            begin(&self.it, self.fixed, self.fixed_start)
            turns = self._iterate(limit)
        while self.separate is not None and turns < limit and not self.empty:
            found = self.separate(self._point())
            if found is None:
                break
            memcpy(self.it.normal, reals(found[0]), K * sizeof(double))
            self._times_roots(self.it.normal)
            self.it.cutting = 0
            slack = -less_products(<double> found[1], self.it.normal, self.it.x, K)
            if slack >= 0:
                break
            if not satisfy(&self.it, found[1], slack):
                self.empty = True
                break
            turns += 1 + self._iterate(limit)
        check_arena(&self.arena)
        self.empty = self.empty or turns >= limit  # going round in circles: nothing is there that rounding can find
        self.margin = 0 if self.empty else self._sharpness()
        return self._point()

    cdef _point(self):
        """The policy that x is, as an array."""
        cdef ndarray point = vector(self.it.arms)
        memcpy(PyArray_DATA(point), self._policy(), self.it.arms * sizeof(double))
        return point

    def mixture(self):
        """The mixture of cuts of f that proves the polytope empty, or None if it is not or none are needed for that.

        The normal that could not be satisfied is Σ_j r_j n_j of the active ones with r_j ≤ 0, so a mixture of cuts
        lies nowhere on the polytope without them above the level.
        """
        cdef int i, j, K = self.it.arms
        cdef double weight, total = 0
        if not self.empty:
            return None
        cdef ndarray mixed = np.zeros(K)
        cdef double* m = <double*> PyArray_DATA(mixed)
        for j in range(-1, self.it.active):
            weight = self.it.cutting if j < 0 else -self.it.r[j] * self.it.from_cuts[j]
            if weight > 0:
                total += weight
                for i in range(K):
                    m[i] += weight * (self.it.normal[i] if j < 0 else self.it.normals[j * K + i])
        for i in range(K if self.roots != NULL else 0):
            m[i] /= self.roots[i]
        return mixed / total if total > 0 else None
