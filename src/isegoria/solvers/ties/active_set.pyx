"""The constraints that hold a point: their normals kept as Q R, their multipliers, and the steps of an active set.

Nearly parallel normals do no harm beyond their own angle, because nothing here is an inverse.
"""

from libc.math cimport sqrt
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from isegoria import tolerances

cdef double HELD = tolerances.HELD


cdef class ActiveSet:
    """Active constraints n·x = b in K dimensions, the first `equalities` of which stay; x is the point they hold."""

    def __cinit__(self, int arms, *args, **kwargs):
        cdef int K = arms
        self.arms = arms
        self.memory = <double*>calloc(3 * K * K + 9 * K + 5, sizeof(double))
        if not self.memory:
            raise MemoryError
        self.Q = self.memory
        self.R = self.Q + K * K
        self.normals = self.R + K * K
        self.bounds = self.normals + K * K
        self.multipliers = self.bounds + K + 1
        self.from_cuts = self.multipliers + K + 1
        self.x = self.from_cuts + K + 1
        self.target = self.x + K
        self.d = self.target + K
        self.r = self.d + K
        self.normal = self.r + K + 1

    def __dealloc__(self):
        free(self.memory)

    cdef void _clear(self, const double* target) noexcept nogil:
        """No constraint at all: x is the target."""
        cdef int i, K = self.arms
        memset(self.Q, 0, K * K * sizeof(double))
        for i in range(K):
            self.Q[i * K + i] = 1
        memcpy(self.x, target, K * sizeof(double))
        memcpy(self.target, target, K * sizeof(double))
        self.active = 0
        self.cutting = 0

    cdef double _reach(self, const double* normal) noexcept nogil:
        """d = Qᵀ normal; returns the length of its part outside the active span, and fills r = R⁻¹ d₁."""
        cdef int i, j, K = self.arms, q = self.active
        cdef double total = 0
        memset(self.d, 0, K * sizeof(double))
        for i in range(K):
            if normal[i] != 0:
                for j in range(K):
                    self.d[j] += self.Q[i * K + j] * normal[i]
        for j in range(q, K):
            total += self.d[j] * self.d[j]
        for i in range(q - 1, -1, -1):
            self.r[i] = self.d[i]
            for j in range(i + 1, q):
                self.r[i] -= self.R[i * K + j] * self.r[j]
            self.r[i] /= self.R[i * K + i]
        return sqrt(total)

    cdef void _add(self, const double* normal, double bound, double multiplier, double length) noexcept nogil:
        """Make `normal` active: reflect the free columns of Q so that d keeps one entry beyond the active ones."""
        cdef int i, j, K = self.arms, q = self.active
        cdef double scale, dot, signed = -length if self.d[q] > 0 else length
        memcpy(self.normals + q * K, normal, K * sizeof(double))
        self.bounds[q] = bound
        self.multipliers[q] = multiplier
        self.from_cuts[q] = self.cutting
        self.d[q] -= signed
        scale = 0
        for j in range(q, K):
            scale += self.d[j] * self.d[j]
        if scale > 0:
            for i in range(K):
                dot = 0
                for j in range(q, K):
                    dot += self.Q[i * K + j] * self.d[j]
                dot *= 2 / scale
                for j in range(q, K):
                    self.Q[i * K + j] -= dot * self.d[j]
        for i in range(q):
            self.R[i * K + q] = self.d[i]
        self.R[q * K + q] = signed
        self.active += 1

    cdef void _drop(self, int l) noexcept nogil:
        """Let active constraint l go: shift the columns of R, and rotate them triangular again."""
        cdef int i, j, K = self.arms, q = self.active - 1
        cdef double a, b, c, s, h
        for j in range(l, q):
            memcpy(self.normals + j * K, self.normals + (j + 1) * K, K * sizeof(double))
            self.bounds[j] = self.bounds[j + 1]
            self.multipliers[j] = self.multipliers[j + 1]
            self.from_cuts[j] = self.from_cuts[j + 1]
            for i in range(j + 2):
                self.R[i * K + j] = self.R[i * K + j + 1]
        for j in range(l, q):
            a, b = self.R[j * K + j], self.R[(j + 1) * K + j]
            h = sqrt(a * a + b * b)
            if h == 0:
                continue
            c, s = a / h, b / h
            for i in range(j, q):
                a, b = self.R[j * K + i], self.R[(j + 1) * K + i]
                self.R[j * K + i] = c * a + s * b
                self.R[(j + 1) * K + i] = c * b - s * a
            for i in range(K):
                a, b = self.Q[i * K + j], self.Q[i * K + j + 1]
                self.Q[i * K + j] = c * a + s * b
                self.Q[i * K + j + 1] = c * b - s * a
        self.active -= 1

    cdef void _settle(self) noexcept nogil:
        """Put x back on the active constraints, from which rounding has moved it."""
        cdef int i, j, K = self.arms, q = self.active
        cdef long double total
        for j in range(q):
            total = self.bounds[j]
            for i in range(K):
                total -= <long double>self.normals[j * K + i] * self.x[i]
            for i in range(j):
                total -= self.R[i * K + j] * self.d[i]
            self.d[j] = <double>(total / self.R[j * K + j])
        for i in range(K):
            total = 0
            for j in range(q):
                total += self.Q[i * K + j] * self.d[j]
            self.x[i] += <double>total

    cdef bint _unneeded(self) noexcept nogil:
        """Compute the multipliers afresh; drop the most negative one and move to the nearest point without it.

        Multipliers are updated step by step, and nearly parallel normals make those steps large: at the end a
        constraint may be held that should not be."""
        cdef int i, j, K = self.arms, q = self.active, worst = -1
        cdef double least = -HELD
        memset(self.d, 0, K * sizeof(double))
        for i in range(K):
            for j in range(K):
                self.d[j] += self.Q[i * K + j] * (self.x[i] - self.target[i])
        for i in range(q - 1, -1, -1):
            for j in range(i + 1, q):
                self.d[i] -= self.R[i * K + j] * self.multipliers[j]
            self.multipliers[i] = self.d[i] / self.R[i * K + i]
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
            for j in range(q, K):
                self.d[j] += self.Q[i * K + j] * (self.x[i] - self.target[i])
        for i in range(K):
            for j in range(q, K):
                self.x[i] -= self.Q[i * K + j] * self.d[j]
        self._settle()
        return True

    cdef double _spread(self) noexcept nogil:
        """The smallest squared singular value of the active normals, by inverse iteration on RᵀR."""
        cdef int i, j, turn, K = self.arms, q = self.active
        cdef double norm
        for i in range(q):
            self.r[i] = 1 + i % 3 - 2 * (i % 2)
        for turn in range(4):
            norm = 0
            for i in range(q):
                norm += self.r[i] * self.r[i]
            norm = sqrt(norm)
            for i in range(q):
                self.r[i] /= norm
                for j in range(i):
                    self.r[i] -= self.R[j * K + i] * self.r[j]
                self.r[i] /= self.R[i * K + i]
            for i in range(q - 1, -1, -1):
                for j in range(i + 1, q):
                    self.r[i] -= self.R[i * K + j] * self.r[j]
                self.r[i] /= self.R[i * K + i]
        norm = 0
        for i in range(q):
            norm += self.r[i] * self.r[i]
        return 1 / sqrt(norm)
