"""The policy of the largest product of decision shares, from favourite sets alone: what learners ask every round.

Favourite sets are bit codes (bit k: arm k is a favourite), merged and sorted first, so that the answer is a function
of how often each set occurs and not of the order of the agents, bit for bit.
"""

from libc.math cimport INFINITY, exp, log

import numpy as np

from numpy cimport PyArray_DATA, PyArray_DIM, ndarray

from isegoria.utils import tolerances
from isegoria.errors import CertificationError
from isegoria.solvers.rows.arena cimport Arena, check_arena, close_arena, doubles, has_raised, integers, open_arena
from isegoria.solvers.rows.arrays cimport codes as code_words, reals, vector
from isegoria.solvers.rows.codes cimport CodeCount, CodeTable, close_table, count_codes, open_table, sort_table
from isegoria.solvers.rows.codes import pack, shares
from isegoria.solvers.rows.merge import merge_codes, merge_rows
from isegoria.solvers.rows.scan_means import CODE_ARMS
from isegoria.solvers.rows.simplex cimport exact
from isegoria.solvers.nash.columns cimport Columns, dense_columns, gradient
from isegoria.solvers.nash.log_sum cimport maximise_log_sum
from isegoria.solvers.result import make_result
from isegoria.solvers.ties.tie_break cimport CENTRE, Choice, choice_of, towards

cdef double ENOUGH = tolerances.NASH_GAP
cdef Py_ssize_t SMALL_TABLE = 4096  # entries; a table this small is in the cache anyway
cdef Py_ssize_t SPARSE = 4          # lists pay when at most one entry in this many is 1


cdef extern from *:
    int popcount "__builtin_popcountll"(uint64_t code) nogil  # how many arms a set has
    int lowest "__builtin_ctzll"(uint64_t code) nogil         # its first arm


cdef double largest_product(const Columns* A, const double* w, Choice choice, const double* direction, int warm,
                            double* p, double* margin, double* mean_log, Arena* arena) noexcept nogil:
    """The gap of the policy written to p, and in `mean_log` the mean logarithm of its decision shares.

    It ends with a step p_k ← p_k s_k, after which y_ik = w_i p_k A_ik / d_i (from the p before) is an exact witness.
    """
    cdef double gap = maximise_log_sum(A, w, choice, direction, warm, p, margin, arena)
    cdef double* d = doubles(arena, A.m)
    cdef double* u = doubles(arena, A.m)
    cdef double* s = doubles(arena, A.K)
    cdef Py_ssize_t i, k
    if arena.failed or not gap <= ENOUGH:
        return INFINITY if arena.failed else gap
    gradient(A, w, p, d, u, s)
    for k in range(A.K):
        p[k] *= s[k]
    exact(p, A.K)
    gap = gradient(A, w, p, d, u, s)
    mean_log[0] = 0
    for i in range(A.m):
        mean_log[0] += w[i] * log(d[i])
    return max(gap, 0.0)


cdef void list_by_size(const uint64_t* codes, Py_ssize_t step, const double* w, Py_ssize_t m, int* items, int* starts,
                       double* weights) noexcept nogil:
    """The arms of the m sets, where each begins, and their weights; the smallest sets first, and those of one size side
    by side: the processor then foresees the end of every inner loop."""
    cdef Py_ssize_t[66] places   # by size: the next free place
    cdef int[66] at              # by size: where the next list begins
    cdef Py_ssize_t i, size, place
    cdef uint64_t code
    cdef int item
    for size in range(66):
        places[size] = 0
    for i in range(m):
        places[popcount(codes[i * step]) + 1] += 1
    at[0] = 0
    for size in range(1, 66):
        at[size] = at[size - 1] + <int> ((size - 1) * places[size])
        places[size] += places[size - 1]
    for i in range(m):
        code = codes[i * step]
        size = popcount(code)
        place = places[size]
        places[size] += 1
        weights[place] = w[i]
        item = at[size]
        starts[place] = item
        at[size] += <int> size
        while code:
            items[item] = lowest(code)
            item += 1
            code &= code - 1
    starts[m] = at[64]


cdef double largest_product_of_sets(const uint64_t* codes, Py_ssize_t step, const double* w, Py_ssize_t m, Py_ssize_t K,
                                    Choice choice, const double* direction, int warm, double* p, double* margin,
                                    double* mean_log, Arena* arena) noexcept nogil:
    """For m distinct codes, `step` words apart, with weights of sum 1: as a table, or as lists if that is smaller."""
    cdef Py_ssize_t i, k, total = 0
    cdef Columns A = dense_columns(NULL, m, K)
    cdef double* dense
    cdef double* weights
    cdef int* items
    cdef int* starts
    for i in range(m):
        total += popcount(codes[i * step])
    if m * K < SMALL_TABLE or SPARSE * total > m * K:
        dense = doubles(arena, m * K)
        if dense == NULL:
            return INFINITY
        for i in range(m):
            for k in range(K):
                dense[k * m + i] = (codes[i * step] >> k) & 1
        A.dense = dense
        return largest_product(&A, w, choice, direction, warm, p, margin, mean_log, arena)
    items, starts, A.place = integers(arena, total), integers(arena, m + 1), integers(arena, K)
    weights = doubles(arena, m)
    if arena.failed:
        return INFINITY
    list_by_size(codes, step, w, m, items, starts, weights)
    A.items, A.starts = items, starts
    return largest_product(&A, weights, choice, direction, warm, p, margin, mean_log, arena)


cdef double procedural_from_codes(const uint64_t* codes, const int64_t* weights, Py_ssize_t N, Py_ssize_t K,
                                  int warm, double* p, double* margin) except -1 nogil:
    """The gap of the `centre` policy written to `p` (K,), for N non-empty sets of K ≤ 64 arms; weights may be NULL. -1
    where a signal has raised an exception."""
    cdef CodeTable table
    cdef double gap = INFINITY, total = 0, mean_log
    cdef double* w = NULL
    cdef Py_ssize_t i
    cdef bint raised
    cdef Arena arena
    open_arena(&arena)
    if open_table(&table) and count_codes(&table, codes, weights, N, NULL) >= 0:
        sort_table(&table)
        w = doubles(&arena, table.size)
    if w != NULL:
        for i in range(table.size):
            total += table.counts[i].weight
        for i in range(table.size):
            w[i] = table.counts[i].weight / total
        gap = largest_product_of_sets(&table.counts[0].code, sizeof(CodeCount) // sizeof(uint64_t), w, table.size, K,
                                      CENTRE, NULL, warm, p, margin, &mean_log, &arena)
    raised = arena.failed and has_raised()
    close_arena(&arena)
    close_table(&table)
    return -1 if raised else gap


cdef _policy(const uint64_t* code, Columns A, weights, tie_break, direction, start):
    """The `Answer` for A.m distinct sets over A.K arms, by their codes or, if that is NULL, as a table."""
    cdef ndarray voices = shares(weights)
    cdef ndarray policy = vector(A.K) if start is None else np.array(start, dtype=float)
    cdef const double* w = reals(voices)
    cdef double* p = <double*> PyArray_DATA(policy)
    cdef double margin = INFINITY, mean_log = 0, gap
    cdef int warm = start is not None
    cdef Choice choice = choice_of(tie_break)
    cdef const double* aim = towards(direction, choice)
    cdef Arena arena
    open_arena(&arena)
    try:
        with nogil:
            if code != NULL:
                gap = largest_product_of_sets(code, 1, w, A.m, A.K, choice, aim, warm, p, &margin, &mean_log, &arena)
            else:
                gap = largest_product(&A, w, choice, aim, warm, p, &margin, &mean_log, &arena)
        check_arena(&arena)
    finally:
        close_arena(&arena)
    if not gap <= ENOUGH:
        raise CertificationError(
            f"the decision shares of {A.m} favourite sets over {A.K} arms could not be certified: the gap is {gap:.3g},"
            f" above {ENOUGH:.0e}. Weights that span fewer orders of magnitude may help."
        )
    return make_result((policy, exp(mean_log), gap, margin))


def policy_of_codes(ndarray codes, ndarray weights, Py_ssize_t K, tie_break="centre", direction=None, start=None):
    """Return the `Answer` for m distinct favourite sets as bit codes; its value is the geometric mean of the shares.

    `weights` (m,) count the agents of each set; see `log_sum.maximise`; `start` (K,) is a policy to begin from.

    >>> policy, value, gap, margin = policy_of_codes(np.array([1, 2], dtype=np.uint64), np.array([2, 1]), 2)
    >>> policy.round(6).tolist(), round(value, 6)
    ([0.666667, 0.333333], 0.529134)
    """
    cdef Columns sets = dense_columns(NULL, PyArray_DIM(codes, 0), K)
    return _policy(code_words(codes), sets, weights, tie_break, direction, start)


def policy_of_rows(rows, weights, tie_break="centre", direction=None, start=None):
    """Return `policy_of_codes` for any number of arms: the sets are the boolean rows (m, K).

    >>> policy_of_rows(np.eye(2, dtype=bool), np.array([2, 1]))[0].round(6).tolist()
    [0.666667, 0.333333]
    """
    cdef ndarray columns = np.ascontiguousarray(rows.T, dtype=float)
    cdef Columns A = dense_columns(reals(columns, 2), PyArray_DIM(columns, 1), PyArray_DIM(columns, 0))
    return _policy(NULL, A, weights, tie_break, direction, start)


def procedural_policy(favourites, weights=None, start=None):
    """Return the `Answer` of the maximum product of decision shares; `favourites` is boolean (N, K).

    Every row has at least one. `weights` (N,) are integers, 1 by default; a `start` (K,) changes rounding only.

    >>> procedural_policy(np.array([[1, 0], [1, 0], [0, 1]], dtype=bool)).policy.round(6).tolist()
    [0.666667, 0.333333]
    """
    if weights is not None:
        weights = np.ascontiguousarray(weights, dtype=np.int64)
    n_arms = favourites.shape[1]
    if n_arms <= CODE_ARMS:
        codes, totals, _ = merge_codes(pack(favourites), weights)
        return policy_of_codes(codes, totals, n_arms, start=start)
    sets, totals, _ = merge_rows(np.ascontiguousarray(favourites, dtype=float), weights)
    return policy_of_rows(sets, totals, start=start)
