"""Deficit sampling: arms that were played less often than the policies promised get more probability."""

import numpy as np

from libc.stdlib cimport free, malloc


def chances(const double[::1] deficit, const double[::1] policy, const Py_ssize_t[::1] arms, double floor):
    """Return (q, its running sums): the probabilities q of the draw, for a `deficit` d of promised minus played.

    With e = d + policy, q_k = max(e_k, 0) / Σ_j max(e_j, 0) over the available `arms`. A share `floor` of the draw is
    the policy itself, so that with a positive `floor` every arm of the policy has a positive probability in q.

    >>> arms = np.arange(2)
    >>> chances(np.array([0.5, -0.5]), np.array([0.5, 0.5]), arms, 0.0)
    ((1.0, 0.0), [1.0, 1.0])
    >>> chances(np.array([0.25, -0.25]), np.array([0.5, 0.5]), arms, 0.5)
    ((0.625, 0.375), [0.625, 1.0])
    """
    cdef Py_ssize_t k, K = policy.shape[0]
    cdef double total = 0.0
    cdef double* q = <double*> malloc(K * sizeof(double))
    if q == NULL:
        raise MemoryError
    write_probabilities(&deficit[0], &policy[0], arms, K, floor, q)
    found, sums = [], []
    for k in range(K):
        total = q[k] if k == 0 else total + q[k]
        found.append(q[k])
        sums.append(total)
    free(q)
    return tuple(found), sums


def record_play(double[::1] deficit, const double[::1] policy, Py_ssize_t arm):
    """Add a round to the `deficit`: the policy was promised, and `arm` was played."""
    settle(&deficit[0], &policy[0], policy.shape[0], arm)


cdef void write_probabilities(const double* deficit, const double* policy, const Py_ssize_t[::1] arms, Py_ssize_t K,
                              double floor, double* chances) noexcept nogil:
    cdef Py_ssize_t a, k
    cdef double total = 0.0
    for k in range(K):
        chances[k] = 0.0
    for a in range(arms.shape[0]):
        k = arms[a]
        chances[k] = max(deficit[k] + policy[k], 0.0)
        total += chances[k]
    for k in range(K):
        if total > 0.0:
            chances[k] = (1.0 - floor) * (chances[k] / total) + floor * policy[k]
        else:
            chances[k] = policy[k]      # only if no available arm has a positive claim


cdef void settle(double* deficit, const double* policy, Py_ssize_t K, Py_ssize_t arm) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(K):
        deficit[k] += policy[k]
    deficit[arm] -= 1.0
