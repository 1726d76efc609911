"""Concave welfare functions that are the least of many linear ones: f(p) = min over cuts c of c·p.

A solver asks for the lowest cut at a policy: a row of A for the least utility, a sort for the Gini welfare.
A cut is a mixture of rows; cuts that are `traced` carry along how much of each row is in them, behind the arms.
"""

from libc.math cimport sqrt
from libc.stdint cimport int64_t
from libc.string cimport memcpy, memset

from numpy cimport PyArray_DATA, PyArray_DIM, ndarray

from isegoria.utils import tolerances
from isegoria.solvers.rows.arena cimport check_arena, close_arena, doubles, each_doubles, integers, open_arena
from isegoria.solvers.rows.arrays cimport counts, reals, vector
from isegoria.solvers.algebra.pair cimport dot, pair, pair_and, pair_of, pair_utilities

cdef extern from "solvers/rows/lanes.h" nogil:
    Py_ssize_t lanes_lowest(const double* A, Py_ssize_t stride, Py_ssize_t K, const double* p, double* least)

cdef double NEAR_ACTIVE = tolerances.NEAR_ACTIVE
cdef double UNDECIDED = tolerances.RANK_ORDER_TIE
cdef double SLIGHT = tolerances.SLIGHT_CURVATURE


cdef class Cuts:
    """A function f(p) = min over cuts c of c·p, through the lowest cut at any p."""

    cdef int _take(self, ndarray rows, bint traced) except -1:
        """Cuts are made of these rows."""
        self.rows = reals(rows, 2)
        self.kept = rows
        self.agents = <int>PyArray_DIM(rows, 0)
        self.arms = <int>PyArray_DIM(rows, 1)
        self.width = self.arms + (self.agents if traced else 0)
        open_arena(&self.arena)
        self.spare = doubles(&self.arena, self.width)
        check_arena(&self.arena)

    def __dealloc__(self):
        close_arena(&self.arena)

    cdef double lowest(self, const double* p, double* normal) noexcept nogil:
        """f(p), and its lowest cut in `normal`."""
        return 0

    cdef int near(self, const double* p, double* normals, int room, double* slightest) noexcept nogil:
        """Write up to `room` normals along which f bends near p; how many. In `slightest` the size of the slightest
        bend that is undecided at p: rounding may meet either side of it, and it turns what holds p as much as itself.
        """
        return 0

    cdef double exact(self, const double* p) noexcept nogil:
        """f(p), rounded once: sums of many arms in pairs of doubles."""
        return self.lowest(p, self.spare)

    def value(self, ndarray policy):
        """f(policy)."""
        return self.exact(reals(policy))

    def cut(self, ndarray policy):
        """f(policy) and its lowest cut, with how much of each row is in it if cuts are traced."""
        cdef ndarray normal = vector(self.width)
        return self.lowest(reals(policy), <double*>PyArray_DATA(normal)), normal


cdef class RowCuts(Cuts):
    """The least utility: the cuts are the rows of A."""

    cdef double* columns     # (arms, stride) the same by arms, and the last agent again: sums go four at a time
    cdef double* utility     # (agents,) what each gets,
    cdef double* rest        # and its further digits
    cdef Py_ssize_t stride

    def __cinit__(self, ndarray rows, bint traced=False):
        cdef Py_ssize_t i, k
        self._take(rows, traced)
        self.stride = (self.agents + 3) // 4 * 4
        self.columns = doubles(&self.arena, self.arms * self.stride)
        each_doubles(&self.arena, self.agents, &self.utility, &self.rest)
        check_arena(&self.arena)
        for i in range(self.stride):
            for k in range(self.arms):
                self.columns[k * self.stride + i] = self.rows[min(i, <Py_ssize_t> self.agents - 1) * self.arms + k]

    cdef double lowest(self, const double* p, double* normal) noexcept nogil:
        cdef double least = 0
        cdef Py_ssize_t best = lanes_lowest(self.columns, self.stride, self.arms, p, &least)
        memcpy(normal, self.rows + best * self.arms, self.arms * sizeof(double))
        if self.width > self.arms:
            memset(normal + self.arms, 0, self.agents * sizeof(double))
            normal[self.arms + best] = 1
        return least

    cdef double exact(self, const double* p) noexcept nogil:
        cdef Py_ssize_t i
        cdef double least
        pair_utilities(self.rows, self.arms, self.agents, self.arms, p, self.utility, self.rest)
        least = self.utility[0]
        for i in range(1, self.agents):
            least = min(least, self.utility[i])
        return least

    cdef int near(self, const double* p, double* normals, int room, double* slightest) noexcept nogil:
        cdef Py_ssize_t i
        cdef int count = 0
        cdef double least = self.lowest(p, self.spare)
        for i in range(self.agents):
            if dot(self.rows + i * self.arms, p, self.arms) <= least + NEAR_ACTIVE and count < room:
                memcpy(normals + count * self.arms, self.rows + i * self.arms, self.arms * sizeof(double))
                count += 1
        return count


cdef class RankedCuts(Cuts):
    """The Gini welfare Σ_r g_r u_(r) of utilities in increasing order, over W agents: row i counts weights[i] times.

    `prefix[r]` = g_1 + … + g_r for the ranks that matter; beyond them the sum no longer grows.
    """

    cdef ndarray kept_prefix
    cdef const double* prefix
    cdef double ranks
    cdef double* weights
    cdef double* utility
    cdef double* rest        # of their digits
    cdef int* order
    cdef int sorted_count

    def __cinit__(self, ndarray rows, ndarray weights, ndarray prefix, bint traced=False):
        cdef int i
        cdef const int64_t* weight = counts(weights)
        self._take(rows, traced)
        self.prefix = reals(prefix)
        self.kept_prefix = prefix
        self.ranks = PyArray_DIM(prefix, 0) - 1
        each_doubles(&self.arena, self.agents, &self.weights, &self.utility, &self.rest)
        self.order = integers(&self.arena, self.agents)
        check_arena(&self.arena)
        for i in range(self.agents):
            self.weights[i] = weight[i]

    cdef double _total(self, double rank) noexcept nogil:
        """G(rank), the weight of the first `rank` agents."""
        return self.prefix[<Py_ssize_t>min(rank, self.ranks)]

    cdef void _sort(self, const double* p) noexcept nogil:
        """Order the agents by utility, but only as far as the ranks that matter: a quicksort that works leftmost."""
        cdef int n = <int>self.agents, i, lo = 0, hi, top = 0, left, right, swap
        cdef double pivot, counted = 0
        cdef int[128] ends
        pair_utilities(self.rows, self.arms, n, self.arms, p, self.utility, self.rest)
        for i in range(n):
            self.order[i] = i
        ends[0] = n
        while lo < n and counted < self.ranks:
            hi = ends[top]
            if hi - lo <= 12 or top == 126:
                self._insertion(lo, hi)
                for i in range(lo, hi):
                    counted += self.weights[self.order[i]]
                lo = hi
                top -= 1
                continue
            pivot = self._median(lo, hi)
            left, right = lo, hi - 1
            while left <= right:
                while self.utility[self.order[left]] < pivot:
                    left += 1
                while self.utility[self.order[right]] > pivot:
                    right -= 1
                if left <= right:
                    swap = self.order[left]
                    self.order[left] = self.order[right]
                    self.order[right] = swap
                    left += 1
                    right -= 1
            top += 1
            ends[top] = left
        self.sorted_count = lo

    cdef void _insertion(self, int lo, int hi) noexcept nogil:
        cdef int i, j, row
        for i in range(lo + 1, hi):
            row = self.order[i]
            j = i
            while j > lo and self.utility[self.order[j - 1]] > self.utility[row]:
                self.order[j] = self.order[j - 1]
                j -= 1
            self.order[j] = row

    cdef double _median(self, int lo, int hi) noexcept nogil:
        cdef double a = self.utility[self.order[lo]]
        cdef double b = self.utility[self.order[(lo + hi) // 2]]
        cdef double c = self.utility[self.order[hi - 1]]
        return max(min(a, b), min(max(a, b), c))

    cdef double lowest(self, const double* p, double* normal) noexcept nogil:
        cdef int s, i, k
        cdef double rank = 0, before = 0, after, share
        cdef const double* row
        cdef pair value = pair_of(0)
        self._sort(p)
        memset(normal, 0, self.width * sizeof(double))
        for s in range(self.sorted_count):
            i = self.order[s]
            rank += self.weights[i]
            after = self._total(rank)
            share = after - before
            before = after
            value = pair_and(value, share * self.utility[i])
            row = self.rows + i * self.arms
            for k in range(self.arms):
                normal[k] += share * row[k]
            if self.width > self.arms:
                normal[self.arms + i] = share
            if rank >= self.ranks:
                break
        return value.hi + value.lo

    cdef double _bend(self, double rank, int i, int j) noexcept nogil:
        """What j would gain and i lose in weight if they changed places behind the first `rank` agents."""
        cdef double first = self._total(rank + self.weights[j]) - self._total(rank)
        return first - (self._total(rank + self.weights[i] + self.weights[j]) - self._total(rank + self.weights[i]))

    cdef int near(self, const double* p, double* normals, int room, double* slightest) noexcept nogil:
        cdef int s, i, j, k, count = 1
        cdef double rank = 0, change, apart, length
        cdef const double* one
        cdef const double* other
        self.lowest(p, normals)
        for s in range(self.sorted_count - 1):
            i, j = self.order[s], self.order[s + 1]
            one, other = self.rows + i * self.arms, self.rows + j * self.arms
            change = self._bend(rank, i, j)  # the next cut differs by this much
            apart = change * (self.utility[j] - self.utility[i])
            rank += self.weights[i]
            if apart <= NEAR_ACTIVE and count < room:
                for k in range(self.arms):
                    normals[count * self.arms + k] = change * (one[k] - other[k])
                count += 1
            if apart <= UNDECIDED and change >= SLIGHT:
                length = 0
                for k in range(self.arms):
                    length += (one[k] - other[k]) * (one[k] - other[k])
                length = change * sqrt(length)
                if length >= SLIGHT:
                    slightest[0] = min(slightest[0], length)
        return count
