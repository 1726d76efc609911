"""The policy of the largest product of decision shares, from favourite sets alone: what learners ask every round.

Favourite sets are bit codes (bit k: arm k is a favourite), merged and sorted first, so that the answer is a function
of how often each set occurs and not of the order of the agents, bit for bit.
"""

from libc.math cimport INFINITY
from libc.stdlib cimport free, malloc

import numpy as np

from isegoria import tolerances
from isegoria.errors import CertificationError
from isegoria.solvers.codes cimport CodeTable, close_table, count_code, open_table, sort_table
from isegoria.solvers.log_simplex cimport maximise_log_sum
from isegoria.solvers.log_simplex import TIE_BREAKS
from isegoria.solvers.simplex cimport exact

cdef double ENOUGH = tolerances.NASH_GAP
CODE_ARMS = 64
"""How many arms a bit code can hold."""


cdef double finish(const double* A, const double* w, Py_ssize_t m, Py_ssize_t K, double* p, double* s) noexcept nogil:
    """One step p_k ← p_k s_k, after which y_ik = w_i p_k A_ik / d_i (from the p before it) is an exact witness.

    The gap of the new p comes back, recomputed from it.
    """
    cdef Py_ssize_t i, k
    cdef double d, gap = -1
    cdef int turn
    for turn in range(2):
        for k in range(K):
            s[k] = 0
        for i in range(m):
            d = 0
            for k in range(K):
                d += A[i * K + k] * p[k]
            for k in range(K):
                s[k] += w[i] / d * A[i * K + k]
        if turn == 0:
            for k in range(K):
                p[k] *= s[k]
            exact(p, K)
    for k in range(K):
        gap = max(gap, s[k] - 1)
    return max(gap, 0.0)


cdef double procedural_from_rows(const double* A, const double* w, Py_ssize_t m, Py_ssize_t K, int tie_break,
                                 const double* direction, int warm, double* p, double* margin) noexcept nogil:
    cdef double gap = maximise_log_sum(A, w, m, K, tie_break, direction, warm, p, margin)
    cdef double* s
    if gap <= ENOUGH:
        s = <double*> malloc(K * sizeof(double))
        gap = finish(A, w, m, K, p, s)
        free(s)
    return gap


cdef double procedural_from_counts(const CodeCount* counts, Py_ssize_t m, Py_ssize_t K, int tie_break,
                                   const double* direction, int warm, double* p, double* margin) noexcept nogil:
    """The gap of the policy written to `p` (K,), for distinct sorted sets with their weights."""
    cdef double* A = <double*> malloc((m * K + m) * sizeof(double))
    cdef double* w = A + m * K
    cdef double gap, total = 0
    cdef Py_ssize_t i, k
    for i in range(m):
        total += counts[i].weight
    for i in range(m):
        w[i] = counts[i].weight / total
        for k in range(K):
            A[i * K + k] = (counts[i].code >> k) & 1
    gap = procedural_from_rows(A, w, m, K, tie_break, direction, warm, p, margin)
    free(A)
    return gap


cdef double procedural_from_codes(const uint64_t* codes, const int64_t* weights, Py_ssize_t N, Py_ssize_t K,
                                  int warm, double* p, double* margin) noexcept nogil:
    """The gap of the `centre` policy written to `p` (K,), for N non-empty sets over K ≤ 64 arms; weights may be NULL.

    With `warm`, `p` is also the start. A gap above NASH_GAP (or infinity) means that nothing was certified.
    """
    cdef CodeTable table
    cdef double gap = INFINITY
    cdef Py_ssize_t i
    if open_table(&table):
        for i in range(N):
            count_code(&table, codes[i], weights[i] if weights != NULL else 1)
        sort_table(&table)
        gap = procedural_from_counts(table.counts, table.size, K, 0, NULL, warm, p, margin)
    close_table(&table)
    return gap


def pack(favourites):
    """(N,) bit codes of a boolean (N, K) matrix with K ≤ 64.

    >>> pack(np.array([[True, False, True]])).tolist()
    [5]
    """
    bits = np.packbits(favourites, axis=1, bitorder="little")
    codes = np.zeros((len(bits), 8), dtype=np.uint8)
    codes[:, : bits.shape[1]] = bits
    return codes.view(np.uint64).ravel()


def _merged(favourites, weights):
    """(rows as floats, weights summing to 1) of the distinct rows, in the order of their packed bytes."""
    bits = np.packbits(favourites, axis=1)
    _, first, member = np.unique(bits, axis=0, return_index=True, return_inverse=True)
    total = np.bincount(member.reshape(-1), weights=weights)
    return np.ascontiguousarray(favourites[first], dtype=float), total / total.sum()


def procedural_policy(favourites, weights=None, start=None, str tie_break="centre", direction=None):
    """(policy (K,), gap, tie margin) of the largest product of decision shares; `favourites` is boolean (N, K).

    Every row has a favourite. `weights` (N,) are whole numbers, 1 by default; `start` (K,) is a policy to begin from
    when an earlier answer is near (it changes rounding only); `direction` (K,) is each arm's total utility, which
    `tie_break="utilitarian"` needs.

    >>> import numpy as np
    >>> policy, gap, margin = procedural_policy(np.array([[1, 0], [1, 0], [0, 1]], dtype=bool))
    >>> policy.round(6).tolist()
    [0.666667, 0.333333]
    """
    cdef Py_ssize_t N = favourites.shape[0], K = favourites.shape[1]
    cdef double margin = INFINITY, gap
    cdef int warm = start is not None, choice = TIE_BREAKS[tie_break]
    policy = np.empty(K) if start is None else np.array(start, dtype=float)
    cdef double[::1] p = policy
    cdef double[::1] towards = policy if direction is None else np.ascontiguousarray(direction, dtype=float)
    cdef double[:, ::1] A
    cdef double[::1] w
    cdef CodeTable table
    cdef Py_ssize_t i
    cdef uint64_t[::1] codes
    cdef const int64_t[::1] counts = np.ones(1, np.int64) if weights is None else np.asarray(weights, dtype=np.int64)
    cdef int weighted = weights is not None
    if K <= CODE_ARMS:
        codes = pack(favourites)
        with nogil:
            open_table(&table)
            for i in range(N):
                count_code(&table, codes[i], counts[i] if weighted else 1)
            sort_table(&table)
            gap = procedural_from_counts(table.counts, table.size, K, choice, &towards[0], warm, &p[0], &margin)
            close_table(&table)
    else:
        A, w = _merged(favourites, counts if weighted else None)
        gap = procedural_from_rows(&A[0, 0], &w[0], A.shape[0], K, choice, &towards[0], warm, &p[0], &margin)
    if not gap <= ENOUGH:
        raise CertificationError(
            f"the decision shares of {N} agents over {K} arms could not be certified: the gap is {gap:.3g}, "
            f"above {ENOUGH:.0e}. Weights that span fewer orders of magnitude may help."
        )
    return policy, gap, margin
