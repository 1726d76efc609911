"""Sparse rows as lists: one pass over the nonzeros validates them, finds favourites, and hashes rows.

The arms of row i are `items[starts[i]:starts[i+1]]`, ascending, and their entries are at the same positions.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcpy

import numpy as np

cdef extern from "solvers/rows/lanes.h" nogil:
    double lanes_largest(const double* row, Py_ssize_t K)


def scan_lists(const int64_t[::1] starts, const int32_t[::1] items, const double[::1] entries, Py_ssize_t K,
               double tolerance):
    """Return (index of the first entry not in [0, 1] or -1, smallest gap, favourite starts, favourite items, best).

    `best` has shape (N,). A row in which nothing is above `tolerance` has every arm as a favourite, and an empty list
    here. The gap is the minimum distance from a row's best to an entry that is not a favourite, including a 0 that is
    not listed.

    >>> scan_lists(np.array([0, 2]), np.array([0, 2], dtype=np.int32), np.array([0.9, 0.4]), 4, 1e-12)[:2]
    (-1, 0.5)
    """
    cdef Py_ssize_t N = starts.shape[0] - 1, i
    cdef int64_t j, kept = 0, bad = -1
    cdef double gap = INFINITY, top, floor
    liked, first, most = np.empty(len(items), dtype=np.int32), np.zeros(N + 1, dtype=np.int64), np.zeros(N)
    cdef int32_t[::1] arm = liked
    cdef int64_t[::1] begin = first
    cdef double[::1] best = most
    with nogil:
        for i in range(N):
            top = 0
            for j in range(starts[i], starts[i + 1]):
                if not 0 <= entries[j] <= 1:
                    bad = j
                    break
                if entries[j] > top:
                    top = entries[j]
            if bad >= 0:
                break
            best[i] = top
            floor = top - tolerance
            if floor > 0:
                for j in range(starts[i], starts[i + 1]):
                    if entries[j] >= floor:
                        arm[kept] = items[j]
                        kept += 1
                    elif top - entries[j] < gap:
                        gap = top - entries[j]
                if starts[i + 1] - starts[i] < K and top < gap:
                    gap = top
            begin[i + 1] = kept
    return bad, gap, first, liked[:kept].copy(), most


def list_favourites(const double[:, ::1] means, double tolerance):
    """Return (starts (N + 1,), items): the favourites of every row of a dense table as lists.

    A row in which nothing is above `tolerance` has an empty list, since every arm is its favourite.

    >>> [part.tolist() for part in list_favourites(np.array([[0.5, 1.0, 1.0], [0.0, 0.0, 0.0]]), 1e-12)]
    [[0, 2, 2], [1, 2]]
    """
    cdef Py_ssize_t N = means.shape[0], K = means.shape[1], i, k, room = 16 * N + K
    cdef int64_t kept = 0
    cdef double top, floor
    cdef const double* row
    first, liked = np.zeros(N + 1, dtype=np.int64), np.empty(room, dtype=np.int32)
    cdef int64_t[::1] begin = first
    cdef int32_t[::1] arm = liked
    for i in range(N):
        if kept + K > room:
            room = 2 * room + K
            liked = np.resize(liked, room)
            arm = liked
        row = &means[i, 0]
        with nogil:
            top = lanes_largest(row, K)
            floor = top - tolerance
            if floor > 0:
                for k in range(K):
                    if row[k] >= floor:
                        arm[kept] = <int32_t> k
                        kept += 1
            begin[i + 1] = kept
    return first, liked[:kept].copy()


def list_entries(const double[:, ::1] means):
    """Return (starts (N + 1,), items, entries): the nonzeros of a dense table.

    >>> [part.tolist() for part in list_entries(np.array([[0.5, 0.0], [0.0, 0.0], [0.0, 1.0]]))]
    [[0, 1, 1, 2], [0, 1], [0.5, 1.0]]
    """
    cdef Py_ssize_t N = means.shape[0], K = means.shape[1], i, k
    cdef int64_t kept = 0, total = 0
    for i in range(N):
        for k in range(K):
            total += means[i, k] != 0  # NumPy would copy the table to count
    first, places, filled = np.zeros(N + 1, dtype=np.int64), np.empty(total, dtype=np.int32), np.empty(total)
    cdef int64_t[::1] begin = first
    cdef int32_t[::1] arm = places
    cdef double[::1] entry = filled
    with nogil:
        for i in range(N):
            for k in range(K):
                if means[i, k] != 0:
                    arm[kept] = <int32_t> k
                    entry[kept] = means[i, k]
                    kept += 1
            begin[i + 1] = kept
    return first, places, filled


cdef inline uint64_t stir(uint64_t code, uint64_t more) noexcept nogil:
    code = (code ^ more) * <uint64_t> 0xff51afd7ed558ccdULL
    return code ^ (code >> 32)


def digests(const int64_t[::1] starts, const int32_t[::1] items, const double[::1] entries=None):
    """Return a 64-bit hash (N,) of every list, and of its entries if there are any."""
    cdef Py_ssize_t N = starts.shape[0] - 1, i
    cdef int64_t j
    cdef uint64_t code, bits
    cdef double entry
    cdef bint valued = entries is not None
    found = np.empty(N, dtype=np.uint64)
    cdef uint64_t[::1] digest = found
    with nogil:
        for i in range(N):
            code = 0x9e3779b97f4a7c15ULL ^ <uint64_t> (starts[i + 1] - starts[i])
            for j in range(starts[i], starts[i + 1]):
                code = stir(code, <uint64_t> items[j] + 1)
                if valued:
                    entry = entries[j]
                    memcpy(&bits, &entry, 8)
                    code = stir(code, bits)
            digest[i] = code
    return found


def differ(const int64_t[::1] starts, const int32_t[::1] items, entries, const int64_t[::1] order):
    """Return (N,) booleans: whether row order[j] differs from row order[j − 1]; the first does."""
    cdef Py_ssize_t N = order.shape[0], r
    cdef int64_t a, b, size, j
    cdef const double[::1] entry = entries
    cdef bint valued = entries is not None
    found = np.ones(N, dtype=bool)
    cdef unsigned char[::1] other = found.view(np.uint8)
    with nogil:
        for r in range(1, N):
            a, b = starts[order[r - 1]], starts[order[r]]
            size = starts[order[r] + 1] - b
            if starts[order[r - 1] + 1] - a != size:
                continue
            other[r] = 0
            for j in range(size):
                if items[a + j] != items[b + j] or (valued and entry[a + j] != entry[b + j]):
                    other[r] = 1
                    break
    return found


def arm_digests(const int64_t[::1] starts, const int32_t[::1] items, entries, Py_ssize_t K):
    """Return a hash (K,) of the rows that list each arm, and of their entries for it; equal arms have equal hashes.

    >>> codes = arm_digests(np.array([0, 2, 3]), np.array([0, 2, 1], dtype=np.int32), None, 3)
    >>> bool(codes[0] == codes[2]), bool(codes[0] == codes[1])
    (True, False)
    """
    cdef Py_ssize_t i
    cdef int64_t j
    cdef uint64_t row, bits
    cdef bint plain = entries is None
    cdef const double[::1] entry = np.ones(1) if plain else entries
    digests_of = np.zeros(K, dtype=np.uint64)
    cdef uint64_t[::1] code = digests_of
    with nogil:
        for i in range(starts.shape[0] - 1):
            row = (<uint64_t> i + 1) * <uint64_t> 0x9e3779b97f4a7c15ULL
            for j in range(starts[i], starts[i + 1]):
                bits = 0
                if not plain:
                    memcpy(&bits, &entry[j], 8)
                bits = (row ^ (row >> 29) ^ bits) * <uint64_t> 0xff51afd7ed558ccdULL
                code[items[j]] += (bits ^ (bits >> 32)) * <uint64_t> 0xc2b2ae3d27d4eb4fULL
    return digests_of
