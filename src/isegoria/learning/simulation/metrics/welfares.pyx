"""Welfares of many policies, each computed separately, so that the bits do not depend on the other policies."""

import numpy as np

from libc.math cimport INFINITY, log
from libc.stdlib cimport free, malloc

cdef extern from *:
    """
    #include "solvers/rows/lanes.h"

    /* u = Σ_k p_k m_k over a table m (K, n), arm by arm in their order; but for the first, arms that are not played
       cost nothing. */
    WIDE void utilities_of(const double *m, ptrdiff_t n, ptrdiff_t K, const double *p, double *restrict u)
    {
        for (ptrdiff_t i = 0; i < n; i++)
            u[i] = p[0] * m[i];
        for (ptrdiff_t k = 1; k < K;) {
            const double *c[4];
            double y[4];
            int found = 0;
            for (; k < K && found < 4; k++)
                if (p[k] != 0) {
                    c[found] = m + k * n;
                    y[found++] = p[k];
                }
            if (found == 4)
                for (ptrdiff_t i = 0; i < n; i++)
                    u[i] = (((u[i] + y[0] * c[0][i]) + y[1] * c[1][i]) + y[2] * c[2][i]) + y[3] * c[3][i];
            else
                for (int j = 0; j < found; j++)
                    for (ptrdiff_t i = 0; i < n; i++)
                        u[i] += y[j] * c[j][i];
        }
    }
    """
    void utilities_of(const double* means, Py_ssize_t n, Py_ssize_t K, const double* policy, double* utilities) nogil

WELFARES = ("utilitarian", "inequality", "nash", "egalitarian", "gini")
cdef enum:
    RANKS = 64              # 2^-(r-1) summed beyond this rank no longer changes a double
    TOGETHER = 8            # utilities whose product is taken before its logarithm …
cdef double TINY = 1e-30    # … unless one is below this, so that no product underflows


def welfares(const double[:, ::1] by_arm, const double[::1] weights, const double[:, ::1] spread,
             const double[:, ::1] policies):
    """Return the welfares (P, 5) of each of `policies` (P, K), in the order of `WELFARES`.

    They are the mean utility; pᵀGp with `spread` G (K, K); the mean logarithm of the utilities of the agents who could
    have any; the minimum utility; and the Gini welfare with weights 1, ½, ¼, … The means are given `by_arm` (K, N), and
    `weights` (N,) are integers.

    >>> means, G = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]), np.eye(2)
    >>> welfares(np.ascontiguousarray(means.T), np.ones(3), G, np.array([[0.5, 0.5]])).round(3).tolist()
    [[0.5, 0.5, -0.693, 0.5, 0.875]]
    """
    cdef Py_ssize_t row, i, K = by_arm.shape[0], N = by_arm.shape[1]
    cdef double* utility = <double*> malloc(N * sizeof(double))
    cdef double total = 0.0, counted = 0.0
    could = np.asarray(by_arm).max(axis=0) > 0
    found, counts = np.empty((policies.shape[0], 5)), np.where(could, weights, 0.0)
    cdef double[:, ::1] worth = found
    cdef double[::1] share = counts
    if utility == NULL:
        raise MemoryError
    for i in range(N):
        total += weights[i]
        counted += share[i]
    for row in range(policies.shape[0]):
        utilities_of(&by_arm[0, 0], N, K, &policies[row, 0], utility)
        worth[row, 0] = weighted_sum(utility, weights) / total
        worth[row, 1] = quadratic(spread, &policies[row, 0])
        worth[row, 2] = logarithms(utility, share) / counted if counted > 0.0 else -INFINITY
        gini(utility, weights, &worth[row, 3])
    free(utility)
    return found


cdef double weighted_sum(const double* utility, const double[::1] weights) noexcept nogil:
    cdef Py_ssize_t i
    cdef double found = 0.0
    for i in range(weights.shape[0]):
        found += weights[i] * utility[i]
    return found


cdef double quadratic(const double[:, ::1] spread, const double* p) noexcept nogil:
    cdef Py_ssize_t j, k
    cdef double found = 0.0, line
    for j in range(spread.shape[0]):
        line = 0.0
        for k in range(spread.shape[1]):
            line += spread[j, k] * p[k]
        found += p[j] * line
    return found


cdef double logarithms(const double* utility, const double[::1] shares) noexcept nogil:
    """Return Σ w ln U over the agents with a weight; −∞ if one of them has nothing."""
    cdef Py_ssize_t i, held = 0
    cdef double found = 0.0, product = 1.0
    for i in range(shares.shape[0]):
        if shares[i] == 0.0:
            continue
        if shares[i] == 1.0 and utility[i] > TINY:
            product *= utility[i]
            held += 1
            if held == TOGETHER:
                found += log(product)
                product, held = 1.0, 0
        else:
            found += shares[i] * log(utility[i]) if utility[i] > 0.0 else -INFINITY
    return found + log(product)


cdef void gini(const double* utility, const double[::1] weights, double* least) noexcept nogil:
    """Write the minimum utility, and next to it Σ_r 2^-(r-1) u_(r), for which only the lowest `RANKS` rows matter."""
    cdef double[RANKS] low, weight
    cdef Py_ssize_t i, j, held = 0
    cdef double found = 0.0, before = 1.0, after
    for i in range(weights.shape[0]):
        if held == RANKS and utility[i] >= low[RANKS - 1]:
            continue
        j = held if held < RANKS else RANKS - 1
        while j > 0 and low[j - 1] > utility[i]:
            low[j], weight[j] = low[j - 1], weight[j - 1]
            j -= 1
        low[j], weight[j] = utility[i], weights[i]
        held += held < RANKS
    for j in range(held):
        after = before * 0.5 ** weight[j]
        found += low[j] * (before - after)
        before = after
    least[0], least[1] = low[0], 2.0 * found
