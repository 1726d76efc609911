"""Passes over a sparse table: values and slopes, products with the Hessian, the Hessian itself, conjugate gradients.

A table A (m, K) is kept row by row: the arms of row i are `items[starts[i]:starts[i+1]]`, ascending, and their entries
stand at the same places in `entries`; without those they are all 1. Every function here costs one pass over what is
not 0 (`curvature` a little more), and forms nothing larger than its answer.
"""

from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy

import numpy as np

from isegoria.solvers.algebra.pair cimport dot
from isegoria.solvers.rows.arena cimport check_signal
from isegoria.solvers.rows.interrupt cimport interrupted

cdef struct Lists:
    Py_ssize_t m, K
    const int64_t* starts
    const int32_t* items
    const double* entries  # NULL: all 1


cdef class SparseRows:
    """A table (m, K) by its rows."""

    cdef Lists lists
    cdef readonly object starts, items, entries
    cdef readonly Py_ssize_t rows, arms

    def __init__(self, const int64_t[::1] starts, const int32_t[::1] items, const double[::1] entries, Py_ssize_t arms):
        self.starts, self.items = np.asarray(starts), np.asarray(items)
        self.rows, self.arms = starts.shape[0] - 1, arms
        self.lists.m, self.lists.K, self.lists.starts = self.rows, arms, &starts[0]
        self.lists.items = &items[0] if items.shape[0] else NULL
        self.entries = None if entries is None else np.asarray(entries)
        self.lists.entries = &entries[0] if entries is not None and entries.shape[0] else NULL

    def on(self, arms):
        """The same rows on the listed arms alone, which are numbered anew."""
        place = np.full(self.arms, -1, dtype=np.int32)
        place[arms] = np.arange(len(arms), dtype=np.int32)
        moved = place[self.items]
        kept = moved >= 0
        counted = np.concatenate(([0], np.cumsum(kept, dtype=np.int64)))
        entries = None if self.entries is None else self.entries[kept]
        return SparseRows(counted[self.starts], moved[kept], entries, len(arms))

    def values(self, const double[::1] policy):
        """(m,) A p."""
        found = np.empty(self.rows)
        cdef double[::1] d = found
        with nogil:
            multiply(&self.lists, &policy[0], &d[0])
        return found

    def slopes(self, const double[::1] weights, const double[::1] policy):
        """(d, s): the values d = A p (m,), and s = Aᵀ(w / d) (K,), the slopes of Σ w log(A p)."""
        values, slopes = np.empty(self.rows), np.zeros(self.arms)
        cdef double[::1] d = values, s = slopes
        with nogil:
            multiply(&self.lists, &policy[0], &d[0])
            spread(&self.lists, &weights[0], &d[0], &s[0])
        return values, slopes

    def totals(self, const double[::1] weights):
        """(K,) Aᵀ w."""
        found = np.zeros(self.arms)
        cdef double[::1] s = found
        with nogil:
            spread(&self.lists, &weights[0], NULL, &s[0])
        return found

    def diagonal(self, const double[::1] curves):
        """(K,) the diagonal of Aᵀ diag(c) A."""
        found = np.zeros(self.arms)
        cdef double[::1] h = found
        with nogil:
            squares(&self.lists, &curves[0], &h[0])
        return found

    def curvature(self, const double[::1] curves, const int64_t[::1] arms):
        """(n, n) Aᵀ diag(c) A on the n listed arms."""
        cdef Py_ssize_t n = arms.shape[0]
        cdef int failed = 0
        found, places = np.zeros((n, n)), np.full(self.arms, -1, dtype=np.int32)
        cdef double[:, ::1] H = found
        cdef int32_t[::1] place = places
        places[arms] = np.arange(n)
        if n:
            with nogil:
                pairs(&self.lists, &curves[0], &place[0], n, &H[0, 0], &failed)
            check_signal(failed)
        return found

    def conjugate_gradients(self, const double[::1] curves, const double[::1] ridge, const double[::1] target,
                            double tolerance, int most):
        """(x (K,), turns): the x with (Aᵀ diag(c) A + diag(ridge)) x = target, to a relative `tolerance` in the norm of
        the diagonal, which is the preconditioner, or after `most` turns."""
        found, block = np.zeros(self.arms), np.empty((4, self.arms))
        cdef double[::1] x = found
        cdef double[:, ::1] room = block
        cdef int turns, failed = 0
        with nogil:
            turns = descend(&self.lists, &curves[0], &ridge[0], &target[0], tolerance, most, &x[0], &room[0, 0],
                            &failed)
        check_signal(failed)
        return found, turns


cdef inline double entry(const Lists* A, int64_t j) noexcept nogil:
    """Compilers ask once for each loop, not in it."""
    return 1 if A.entries == NULL else A.entries[j]


cdef inline double row_sum(const Lists* A, Py_ssize_t i, const double* p) noexcept nogil:
    """(A p)_i."""
    cdef double total = 0
    cdef int64_t j
    for j in range(A.starts[i], A.starts[i + 1]):
        total += entry(A, j) * p[A.items[j]]
    return total


cdef inline void add_row(const Lists* A, Py_ssize_t i, double u, double* s) noexcept nogil:
    """s ← s + u times row i."""
    cdef int64_t j
    for j in range(A.starts[i], A.starts[i + 1]):
        s[A.items[j]] += u * entry(A, j)


cdef void multiply(const Lists* A, const double* p, double* d) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(A.m):
        d[i] = row_sum(A, i, p)


cdef void spread(const Lists* A, const double* w, const double* d, double* s) noexcept nogil:
    """Add Aᵀ(w / d) to s; d may be NULL for all 1."""
    cdef Py_ssize_t i
    for i in range(A.m):
        add_row(A, i, w[i] if d == NULL else w[i] / d[i], s)


cdef void squares(const Lists* A, const double* c, double* h) noexcept nogil:
    """Add the diagonal of Aᵀ diag(c) A to h."""
    cdef Py_ssize_t i
    cdef int64_t j
    for i in range(A.m):
        for j in range(A.starts[i], A.starts[i + 1]):
            h[A.items[j]] += c[i] * entry(A, j) * entry(A, j)


cdef void bend(const Lists* A, const double* c, const double* q, double* Hq) noexcept nogil:
    """Add Aᵀ diag(c) A q to Hq: a row is read once for both products."""
    cdef Py_ssize_t i
    for i in range(A.m):
        add_row(A, i, c[i] * row_sum(A, i, q), Hq)


cdef void pairs(const Lists* A, const double* c, const int32_t* place, Py_ssize_t n, double* H,
                int* failed) noexcept nogil:
    """Fill H (n, n): every pair of listed arms in a row adds its curvature; the lower triangle, then the other."""
    cdef Py_ssize_t i, k, l
    cdef int64_t j, other
    cdef double heavy
    for i in range(A.m):
        if interrupted(failed, <double> (A.starts[i + 1] - A.starts[i]) ** 2):
            return
        for j in range(A.starts[i], A.starts[i + 1]):
            k = place[A.items[j]]
            if k >= 0:
                heavy = c[i] * entry(A, j)
                for other in range(A.starts[i], j + 1):
                    l = place[A.items[other]]
                    if l >= 0:
                        H[k * n + l] += heavy * entry(A, other)
    for k in range(n):
        for l in range(k):
            H[l * n + k] = H[k * n + l]


cdef int descend(const Lists* A, const double* c, const double* ridge, const double* target, double tolerance,
                 int most, double* x, double* room, int* failed) noexcept nogil:
    """Preconditioned conjugate gradients from x = 0; how many turns were taken. `room` holds 4 K doubles."""
    cdef Py_ssize_t k, K = A.K
    cdef double* r = room
    cdef double* q = room + K
    cdef double* Hq = room + 2 * K
    cdef double* scale = room + 3 * K
    cdef double now = 0, first, before, step, bent
    cdef int turn
    memcpy(scale, ridge, K * sizeof(double))
    squares(A, c, scale)
    for k in range(K):
        r[k] = target[k]
        q[k] = r[k] / scale[k] if scale[k] > 0 else 0
        now += r[k] * q[k]
    first = now
    for turn in range(most):
        if not now > tolerance * tolerance * first or interrupted(failed, 4.0 * A.starts[A.m]):
            return turn
        for k in range(K):
            Hq[k] = ridge[k] * q[k]
        bend(A, c, q, Hq)
        bent = dot(q, Hq, K)
        if not bent > 0:
            return turn
        step = now / bent
        before, now = now, 0
        for k in range(K):
            x[k] += step * q[k]
            r[k] -= step * Hq[k]
            now += r[k] * r[k] / scale[k] if scale[k] > 0 else 0
        for k in range(K):
            q[k] = (r[k] / scale[k] if scale[k] > 0 else 0) + now / before * q[k]
    return most


def fixed_arms(SparseRows table):
    """Return (K,) booleans: the arms whose probability is fixed by the values A p of all rows.

    They are found by peeling: a row in which only one arm is not known yet fixes it. If all are fixed, no other policy
    has the same values.

    >>> starts, items = np.array([0, 1, 3, 5]), np.array([0, 0, 1, 2, 3], dtype=np.int32)
    >>> fixed_arms(SparseRows(starts, items, None, 4)).tolist()
    [True, True, False, False]
    """
    cdef const Lists* A = &table.lists
    cdef Py_ssize_t m = A.m, K = A.K, i, head = 0, tail = 0
    cdef int64_t j, e
    cdef int32_t k, arm
    cdef int64_t[::1] unknown = np.diff(table.starts)
    cdef int64_t[::1] queue = np.empty(m, dtype=np.int64), first = np.zeros(K + 1, dtype=np.int64)
    cdef int64_t[::1] owner = np.empty(A.starts[m], dtype=np.int64), cursor = np.empty(K, dtype=np.int64)
    known = np.zeros(K, dtype=bool)
    cdef unsigned char[::1] fixed = known.view(np.uint8)
    for e in range(A.starts[m]):
        first[A.items[e] + 1] += 1
    for k in range(K):
        first[k + 1] += first[k]
        cursor[k] = first[k]
    for i in range(m):
        for j in range(A.starts[i], A.starts[i + 1]):
            owner[cursor[A.items[j]]] = i
            cursor[A.items[j]] += 1
        if unknown[i] == 1:
            queue[tail] = i
            tail += 1
    while head < tail:
        i = queue[head]
        head += 1
        arm = -1
        for j in range(A.starts[i], A.starts[i + 1]):
            if not fixed[A.items[j]]:
                arm = A.items[j]
        if arm < 0:
            continue
        fixed[arm] = 1
        for e in range(first[arm], first[arm + 1]):
            unknown[owner[e]] -= 1
            if unknown[owner[e]] == 1:
                queue[tail] = owner[e]
                tail += 1
    return known
