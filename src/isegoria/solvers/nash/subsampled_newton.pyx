"""The same maximum for tables too large to copy: a sample gives the curvature, full passes give the exact gradient.

A strided sample is solved first. From its optimum, each step reads the whole table once, in blocks that stay in the
cache, for the exact gradient of all rows, and takes the Hessian from the sample at the current point (from all rows
when that is too coarse). Nothing the size of the table is allocated, and the certificate is that of all rows.
"""

from libc.math cimport INFINITY, exp, log, sqrt
from libc.stdint cimport int64_t
from libc.string cimport memcpy

import numpy as np

from isegoria.utils import tolerances
from isegoria.errors import CertificationError
from isegoria.solvers.rows.arena cimport Arena, check_arena, close_arena, doubles, each_doubles, open_arena
from isegoria.solvers.rows.interrupt cimport interrupted
from isegoria.solvers.rows.simplex cimport exact
from isegoria.solvers.algebra.pair cimport add_multiple, clear
from isegoria.solvers.result import make_result
from isegoria.solvers.nash.columns cimport Columns, dense_columns, gradient, hessian, largest, mirror
from isegoria.solvers.nash.newton cimport (
    Work, bends, multiply, newton, newton_target, open_work, rescale, working_arms,
)
from isegoria.solvers.ties.face import pick

cdef extern from "solvers/rows/lanes.h" nogil:
    void lanes_transpose(const double* rows, Py_ssize_t stride, Py_ssize_t count, Py_ssize_t K, double* A)

cdef double ENOUGH = tolerances.NASH_GAP
cdef double NOISE = tolerances.NEWTON_NOISE
cdef double SETTLED = tolerances.NEWTON_CONVERGED
cdef double TINY = tolerances.TINY_ROW
cdef double ROUGH = 0.1  # of the sampling error, 1/√rows: a sample solved more finely would be no nearer to the table
cdef enum:
    BLOCK = 248             # rows at a time; columns 31 cache lines apart do not crowd each other out

cdef struct Table:
    const double* rows        # (N, K) row by row
    const int64_t* weights    # (N,) or NULL
    Py_ssize_t N, K
    Arena* arena
    double mean_log           # the mean logarithm of the values, after a pass that was asked for it
    double* block             # (K, BLOCK) transposed rows
    double* w                 # (BLOCK,) their weights,
    double* shift             # (BLOCK,) the logarithms of what they were divided by,
    double* d                 # (BLOCK,) values
    double* u                 # (BLOCK,) and w / d
    double* part              # (K,) of the gradient


cdef void load(Table* table, Py_ssize_t first, Py_ssize_t step, Py_ssize_t count, double* A, double* w,
               double* shift) noexcept nogil:
    """`count` rows from `first` by `step` as columns of A (K, count), with weights; a zero row gets weight 0. In
    `shift` the logarithm of what a tiny row was divided by."""
    cdef Py_ssize_t i, k, K = table.K
    cdef const double* row
    cdef double scale
    lanes_transpose(table.rows + first * K, step * K, count, K, A)
    for i in range(count):
        row = table.rows + (first + i * step) * K
        w[i] = table.weights[first + i * step] if table.weights != NULL else 1
        shift[i] = 0
        if row[0] < TINY:
            scale = largest(row, K)
            if scale == 0:
                w[i] = 0
            elif scale < TINY:
                shift[i] = log(scale)
            else:
                continue
            for k in range(K):
                A[k * count + i] = row[k] / scale if scale > 0 else 1


cdef double sweep(Table* table, const double* x, double* s, const Py_ssize_t* arms, Py_ssize_t size, double* H,
                  bint logs) noexcept nogil:
    """One pass over all rows: s (K,), the Hessian on `arms` if size > 0, the mean logarithm if `logs`; the gap."""
    cdef Py_ssize_t i, k, first, count, K = table.K
    cdef double* w = table.w
    cdef double total = 0, mean_log = 0, most = 0
    cdef Columns A
    table.mean_log = 0
    clear(s, K)
    clear(H, size * size)
    for first from 0 <= first < table.N by BLOCK:
        count = min(<Py_ssize_t> BLOCK, table.N - first)
        if interrupted(&table.arena.failed, count * (2.0 * K + 0.5 * size * size)):
            return INFINITY
        load(table, first, 1, count, table.block, w, table.shift)
        A = dense_columns(table.block, count, K)
        gradient(&A, w, x, table.d, table.u, table.part)
        add_multiple(s, 1.0, table.part, K)
        if size > 0:
            hessian(&A, arms, size, table.d, table.u, H)
        for i in range(count):
            total += w[i]
            if logs and w[i] > 0:
                mean_log += w[i] * (log(table.d[i]) + table.shift[i])
    for k in range(K):
        s[k] /= total
        if not s[k] <= most:
            most = s[k]
    for k in range(size * size):
        H[k] /= total
    mirror(H, size)
    table.mean_log = mean_log / total if total > 0 else 0
    return most - 1


cdef bint someone_waits(const double* s, Py_ssize_t K, const Py_ssize_t* arms, Py_ssize_t size) noexcept nogil:
    """Does an arm outside the (sorted) list ask to be played?"""
    cdef Py_ssize_t k, j = 0
    for k in range(K):
        if j < size and arms[j] == k:
            j += 1
        elif s[k] > 1:
            return True
    return False


cdef double refine(Table* table, const Columns* A, const double* w, Py_ssize_t* known, Work* work) noexcept nogil:
    """Steps with the exact gradient, work.s, from the sample's optimum x; x is the best point seen; its gap.

    The first step takes its Hessian from the sample, the second from all rows; that one serves until it is too old.
    `known` is on how many of the listed arms the Hessian of all rows is known at the end.
    """
    cdef Py_ssize_t k, size = 0, K = table.K
    cdef double gap, before = INFINITY, least = INFINITY
    cdef double* x = work.x
    cdef bint fresh = False, wanted = False
    cdef int turn, worse = 0
    for turn in range(60):
        gap = sweep(table, x, work.s, work.arms, size if wanted else 0, work.H, False)
        fresh, wanted = fresh or wanted, False
        if table.arena.failed:
            break
        if not gap < INFINITY:  # a row that the sample did not know has nothing: give every arm a little
            for k in range(K):
                x[k] = 0.99 * x[k] + 0.01 / K
            continue
        worse = 0 if gap < least else worse + 1
        if gap < least:
            least = gap
            memcpy(work.best, x, K * sizeof(double))
        if gap <= SETTLED or worse > 6 or (least <= ENOUGH and gap > 0.5 * before):
            break
        wanted = not fresh or gap > 0.1 * before
        before = gap
        if not fresh or someone_waits(work.s, K, work.arms, size):
            size = working_arms(x, work.s, K, work.arms)
            gradient(A, w, x, work.d, work.u, table.part)  # the Hessian is the sample's
            bends(A, work.arms, size, work)
            fresh, wanted = False, True
        newton_target(K, work.arms, size, NOISE, work)
        for k in range(K):
            x[k] = work.z[k] if gap < 0.5 else 0.5 * (x[k] + work.z[k])
        rescale(x, K)
    memcpy(x, work.best, K * sizeof(double))
    known[0] = size if fresh and not someone_waits(work.s, K, work.arms, size) else 0
    return least


cdef double solve_table(Table* table, Py_ssize_t count, double* x, double* s, double* H,
                        Arena* arena) noexcept nogil:
    """x (K,) an optimum over all rows, from a sample of `count`; its gap, and s (K,) and H (K, K) there on the arms
    that matter. Infinity when there is no memory."""
    cdef Work work
    cdef Py_ssize_t j, k, size = 0, K = table.K
    cdef double* dense = doubles(arena, count * K)
    cdef double* w = doubles(arena, count)
    cdef double* shift = doubles(arena, count)
    cdef Columns A = dense_columns(dense, count, K)
    cdef double gap, total = 0
    each_doubles(arena, BLOCK, &table.w, &table.shift, &table.d, &table.u)
    table.block, table.part = doubles(arena, K * BLOCK), doubles(arena, K)
    if not open_work(&work, count, K, arena):
        return INFINITY
    work.x, work.s = x, s
    for k in range(K):
        x[k] = 1.0 / K
    load(table, 0, table.N // count, count, dense, w, shift)  # a strided sample
    for j in range(count):
        total += w[j]
    if total > 0:
        for j in range(count):
            w[j] /= total
        multiply(&A, w, 4, &work)
        newton(&A, w, ROUGH / sqrt(count), &work)
    gap = refine(table, &A, w, &size, &work)
    if size == 0:
        size = working_arms(x, s, K, work.arms)
        sweep(table, x, s, work.arms, size, work.H, False)
    clear(H, K * K)
    for j in range(size):
        for k in range(size):
            H[work.arms[j] * K + work.arms[k]] = work.H[j * size + k]
    return gap


def maximise_rows(const double[:, ::1] rows, weights=None, tie_break="centre", direction=None, copies=None):
    """Run `log_sum.maximise` without a copy of the rows (N, K); `weights` (N,) are integers, 1 by default.

    >>> policy, value, gap, margin = maximise_rows(np.array([[1.0, 0.0], [0.0, 0.5], [0.0, 0.0]]))
    >>> policy.round(6).tolist(), round(value, 6)
    ([0.5, 0.5], 0.353553)
    """
    cdef Py_ssize_t N = rows.shape[0], K = rows.shape[1], count = min(N, max(2000, min(N // 8, 20_000)))
    cdef Table table
    cdef const int64_t[::1] weight = weights
    cdef double gap
    cdef Arena arena
    policy, slope, hess = np.empty(K), np.empty(K), np.empty((K, K))
    cdef double[::1] p = policy, s = slope
    cdef double[:, ::1] H = hess
    table.rows, table.N, table.K, table.arena = &rows[0, 0], N, K, &arena
    table.weights = NULL if weights is None else &weight[0]
    open_arena(&arena)
    try:
        with nogil:
            gap = solve_table(&table, count, &p[0], &s[0], &H[0, 0], &arena)
        check_arena(&arena)
        if gap <= ENOUGH:
            policy, margin = pick(hess, policy, 1 - slope, tie_break, direction, NOISE, copies)
            p = policy
            with nogil:
                exact(&p[0], K)
                gap = sweep(&table, &p[0], &s[0], NULL, 0, NULL, True)
            check_arena(&arena)
    finally:
        close_arena(&arena)
    if not gap <= ENOUGH:
        raise CertificationError(
            f"the product over {N} rows and {K} arms could not be certified: the gap is {gap:.3g}, "
            f"above {ENOUGH:.0e}. Entries many orders of magnitude below their row's best may be set to 0."
        )
    return make_result((policy, exp(table.mean_log), max(gap, 0.0), margin))
