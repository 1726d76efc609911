"""Concave welfare functions that are the least of many linear ones: f(p) = min over cuts c of c·p.

A solver asks for the lowest cut at a policy: a row of A for the least utility, a sort for the Gini welfare.
Rows may be wider than there are arms: a cut carries the further columns along, and they have no part in c·p.
"""

from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

import numpy as np


cdef class Cuts:
    """A function f(p) = min over cuts c of c·p, through the lowest cut at any p."""

    cdef double lowest(self, const double* p, double* normal) noexcept nogil:
        """f(p), and its lowest cut in `normal`."""
        return 0

    cdef int near(self, const double* p, double slack, double* normals, int room) noexcept nogil:
        """Write up to `room` normals along which f bends within `slack` of p; return how many."""
        return 0

    def value(self, const double[::1] policy):
        """f(policy)."""
        cdef double* normal = <double*>malloc(self.width * sizeof(double))
        if not normal:
            raise MemoryError
        cdef double found = self.lowest(&policy[0], normal)
        free(normal)
        return found

    def cut(self, const double[::1] policy):
        """f(policy) and its lowest cut, with what it carries."""
        normal = np.empty(self.width)
        cdef double[::1] c = normal
        return self.lowest(&policy[0], &c[0]), normal


cdef class Rows(Cuts):
    """The least utility: the cuts are the rows of A."""

    def __cinit__(self, const double[:, ::1] rows, int carried=0):
        self.rows = rows
        self.width = <int>rows.shape[1]
        self.arms = self.width - carried

    cdef double lowest(self, const double* p, double* normal) noexcept nogil:
        cdef Py_ssize_t i, best = 0
        cdef int k
        cdef double u, least = 0
        for i in range(self.rows.shape[0]):
            u = 0
            for k in range(self.arms):
                u += self.rows[i, k] * p[k]
            if i == 0 or u < least:
                least = u
                best = i
        memcpy(normal, &self.rows[best, 0], self.width * sizeof(double))
        return least

    cdef int near(self, const double* p, double slack, double* normals, int room) noexcept nogil:
        cdef Py_ssize_t i
        cdef int k, count = 0
        cdef double u, least = self.lowest(p, normals)
        for i in range(self.rows.shape[0]):
            u = 0
            for k in range(self.arms):
                u += self.rows[i, k] * p[k]
            if u <= least + slack and count < room:
                memcpy(normals + count * self.arms, &self.rows[i, 0], self.arms * sizeof(double))
                count += 1
        return count


cdef class Ranked(Cuts):
    """The Gini welfare Σ_r g_r u_(r) of utilities in increasing order, over W agents: row i counts weights[i] times.

    `prefix[r]` = g_1 + … + g_r for the ranks that matter; beyond them the sum no longer grows.
    """

    def __cinit__(self, const double[:, ::1] rows, const double[::1] weights, const double[::1] prefix,
                  int carried=0):
        cdef Py_ssize_t n = rows.shape[0]
        self.rows = rows
        self.weights = weights
        self.prefix = prefix
        self.width = <int>rows.shape[1]
        self.arms = self.width - carried
        self.ranks = prefix.shape[0] - 1
        self.utility = <double*>malloc(n * sizeof(double))
        self.order = <int*>malloc(n * sizeof(int))
        if not self.utility or not self.order:
            raise MemoryError

    def __dealloc__(self):
        free(self.utility)
        free(self.order)

    cdef double _total(self, double rank) noexcept nogil:
        """G(rank), the weight of the first `rank` agents."""
        return self.prefix[<Py_ssize_t>min(rank, self.ranks)]

    cdef void _sort(self, const double* p) noexcept nogil:
        """Order the agents by utility, but only as far as the ranks that matter: a quicksort that works leftmost."""
        cdef int n = <int>self.rows.shape[0], i, k, lo = 0, hi, top = 0, left, right, swap
        cdef long double u
        cdef double pivot, counted = 0
        cdef int[128] ends
        for i in range(n):
            u = 0
            for k in range(self.arms):
                u += <long double>self.rows[i, k] * p[k]
            self.utility[i] = <double>u
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
        cdef long double value = 0
        self._sort(p)
        memset(normal, 0, self.width * sizeof(double))
        for s in range(self.sorted_count):
            i = self.order[s]
            rank += self.weights[i]
            after = self._total(rank)
            share = after - before
            before = after
            value += <long double>share * self.utility[i]
            for k in range(self.width):
                normal[k] += share * self.rows[i, k]
            if rank >= self.ranks:
                break
        return <double>value

    cdef int near(self, const double* p, double slack, double* normals, int room) noexcept nogil:
        cdef int s, i, j, k, count = 1
        cdef double rank = 0, change
        self.lowest(p, normals)
        for s in range(self.sorted_count - 1):
            i, j = self.order[s], self.order[s + 1]
            # What j would gain and i lose in weight if they changed places: the next cut differs by this much.
            change = self._total(rank + self.weights[j]) - self._total(rank)
            change -= self._total(rank + self.weights[i] + self.weights[j]) - self._total(rank + self.weights[i])
            rank += self.weights[i]
            if change * (self.utility[j] - self.utility[i]) <= slack and count < room:
                for k in range(self.arms):
                    normals[count * self.arms + k] = change * (self.rows[i, k] - self.rows[j, k])
                count += 1
        return count
