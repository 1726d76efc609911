"""The constraints that hold a point: their normals kept as Q Lᵀ, their multipliers, and the steps of an active set.

Nearly parallel normals do no harm beyond their own angle, because nothing here is an inverse.
"""

from libc.math cimport sqrt
from libc.string cimport memcpy, memset

from numpy cimport PyArray_DATA, PyArray_DIM, ndarray

from isegoria import tolerances
from isegoria.rows.arena cimport check_arena, check_side, close_arena, each_zeros, open_arena
from isegoria.rows.arrays cimport booleans, reals, table
from isegoria.solvers.algebra.cholesky cimport solve_lower, solve_upper
from isegoria.solvers.algebra.householder cimport reflect
from isegoria.solvers.algebra.pair cimport add_multiple, dot, less_products, pair_products

cdef double HELD = tolerances.HELD


def equalities(ndarray directions, ndarray tied, ndarray policy):
    """(E, K + 1) rows (normal, bound): the arms that are not `tied` (K,) play 0, and d·p stays as it is for every row d
    of `directions` (m, number of tied arms)."""
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


cdef class ActiveSet:
    """Active constraints n·x = b in K dimensions, the first `equalities` of which stay; x is the point they hold."""

    def __cinit__(self, int arms, *args, **kwargs):
        cdef int K = arms
        self.arms = arms
        open_arena(&self.arena)
        check_side(arms)
        each_zeros(&self.arena, K * K, &self.Q, &self.L, &self.normals)
        each_zeros(&self.arena, K, &self.bounds, &self.multipliers, &self.from_cuts, &self.x, &self.target, &self.d,
                   &self.r, &self.normal)
        check_arena(&self.arena)

    def __dealloc__(self):
        close_arena(&self.arena)

    cdef double _reach(self, const double* normal) noexcept nogil:
        """d = Qᵀ normal; returns the length of its part outside the active span, and fills r = L⁻ᵀ d₁."""
        cdef int i, K = self.arms, q = self.active
        memset(self.d, 0, K * sizeof(double))
        for i in range(K):
            if normal[i] != 0:
                add_multiple(self.d, normal[i], self.Q + i * K, K)
        memcpy(self.r, self.d, q * sizeof(double))
        solve_upper(self.L, q, K, self.r)
        return sqrt(dot(self.d + q, self.d + q, K - q))

    cdef void _add(self, const double* normal, double bound, double multiplier, double length) noexcept nogil:
        """Make `normal` active: reflect the free columns of Q so that d keeps one entry beyond the active ones."""
        cdef int K = self.arms, q = self.active
        cdef double signed = -length if self.d[q] > 0 else length
        memcpy(self.normals + q * K, normal, K * sizeof(double))
        self.bounds[q] = bound
        self.multipliers[q] = multiplier
        self.from_cuts[q] = self.cutting
        self.d[q] -= signed
        reflect(self.Q + q, K, K, self.d + q, K - q)
        memcpy(self.L + q * K, self.d, q * sizeof(double))
        self.L[q * K + q] = signed
        self.active += 1

    cdef void _drop(self, int l) noexcept nogil:
        """Let active constraint l go: shift the rows of L, and rotate them triangular again."""
        cdef int i, j, K = self.arms, q = self.active - 1
        cdef double a, b, c, s, h
        for j in range(l, q):
            memcpy(self.normals + j * K, self.normals + (j + 1) * K, K * sizeof(double))
            self.bounds[j] = self.bounds[j + 1]
            self.multipliers[j] = self.multipliers[j + 1]
            self.from_cuts[j] = self.from_cuts[j + 1]
            memcpy(self.L + j * K, self.L + (j + 1) * K, (j + 2) * sizeof(double))
        for j in range(l, q):
            a, b = self.L[j * K + j], self.L[j * K + j + 1]
            h = sqrt(a * a + b * b)
            if h == 0:
                continue
            c, s = a / h, b / h
            for i in range(j, q):
                a, b = self.L[i * K + j], self.L[i * K + j + 1]
                self.L[i * K + j] = c * a + s * b
                self.L[i * K + j + 1] = c * b - s * a
            for i in range(K):
                a, b = self.Q[i * K + j], self.Q[i * K + j + 1]
                self.Q[i * K + j] = c * a + s * b
                self.Q[i * K + j + 1] = c * b - s * a
        self.active -= 1

    cdef void _settle(self) noexcept nogil:
        """Put x back on the active constraints, from which rounding has moved it."""
        cdef int i, j, K = self.arms, q = self.active
        pair_products(self.normals, K, q, K, self.x, self.d, self.r)  # the residual is what needs more digits
        for j in range(q):
            self.d[j] = (self.bounds[j] - self.d[j]) - self.r[j]
        solve_lower(self.L, q, K, self.d)
        for i in range(K):
            self.x[i] += dot(self.Q + i * K, self.d, q)

    cdef bint _unneeded(self) noexcept nogil:
        """Compute the multipliers afresh, as steps along nearly parallel normals may have been too long; drop the most
        negative one and move to the nearest point without it."""
        cdef int i, j, K = self.arms, q = self.active, worst = -1
        cdef double least = -HELD
        memset(self.d, 0, K * sizeof(double))
        for i in range(K):
            add_multiple(self.d, self.x[i] - self.target[i], self.Q + i * K, K)
        memcpy(self.multipliers, self.d, q * sizeof(double))
        solve_upper(self.L, q, K, self.multipliers)
        for j in range(self.equalities, q):
            if self.multipliers[j] < least:
                least = self.multipliers[j]
                worst = j
            self.multipliers[j] = max(self.multipliers[j], 0)
        if worst < 0:
            return False
        self._drop(worst)
        q = self.active
        memset(self.d, 0, K * sizeof(double))
        for i in range(K):
            add_multiple(self.d + q, self.x[i] - self.target[i], self.Q + i * K + q, K - q)
        for i in range(K):
            self.x[i] = less_products(self.x[i], self.Q + i * K + q, self.d + q, K - q)
        self._settle()
        return True
