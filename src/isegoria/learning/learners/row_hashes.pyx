"""Hashes of what is known of each agent, independent of the agent's position, for sorting agents."""

import numpy as np

from libc.stdint cimport uint64_t
from libc.string cimport memcpy

cdef uint64_t FIRST = 0x9E3779B97F4A7C15, SECOND = 0xC2B2AE3D27D4EB4F, THIRD = 0x165667B19E3779F9


cdef inline uint64_t mix_bits(uint64_t h) noexcept nogil:
    h = (h ^ (h >> 32)) * FIRST
    h = (h ^ (h >> 29)) * SECOND
    return h ^ (h >> 32)


def row_hashes(const double[:, ::1] table, const Py_ssize_t[::1] arms, const Py_ssize_t[::1] rows, weights):
    """Return 64-bit hashes (n,) of the agents `rows`: of their numbers in `table` (K, N) for `arms`, and their weights.

    Agents with equal data have equal hashes, so sorting by hash does not depend on the order of the agents, except
    among agents with equal data (or, with probability 2^-64 for a pair, among agents whose hashes collide).

    >>> table = np.array([[0.5, 0.25, 0.5], [1.0, 0.0, 1.0]])
    >>> a, b, c = row_hashes(table, np.arange(2), np.arange(3), np.array([1, 1, 1])).tolist()
    >>> a == c, a == b
    (True, False)
    """
    cdef Py_ssize_t a, i, n = rows.shape[0]
    hashes = np.array(weights, dtype=np.uint64)
    cdef uint64_t[::1] h = hashes
    cdef uint64_t bits, salt
    with nogil:
        for a in range(arms.shape[0]):
            salt = mix_bits((<uint64_t> arms[a] + 1) * THIRD)
            for i in range(n):
                memcpy(&bits, &table[arms[a], rows[i]], sizeof(uint64_t))
                h[i] += ((bits ^ (bits >> 32)) * FIRST ^ salt) * SECOND
        for i in range(n):
            h[i] = mix_bits(h[i])
    return hashes
