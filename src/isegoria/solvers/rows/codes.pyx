"""Counting 64-bit codes: favourite sets as bits, merged with their weights, in an order that the agents cannot change.

A small hash table, so that ten million agents with a hundred distinct sets cost ten million look-ups in a table that
stays in the cache, and memory for a hundred. It has no arena: when it grows, its smaller self is given back at once,
and ten million distinct codes are not held one and a half times.
"""

from libc.stdlib cimport calloc, free, malloc, qsort, realloc
from libc.string cimport memset

import numpy as np

from numpy cimport NPY_BOOL, PyArray_DATA, PyArray_DIM, ndarray

from isegoria.solvers.rows.arrays cimport codes as code_words, counts, frozen, table as new_table, vector


cdef enum:
    DIGIT = 8            # bits by which many codes are sorted at a time
    DIGITS = 1 << DIGIT
    FEW = 256            # up to here comparing is faster than counting


cdef inline uint64_t scatter(uint64_t code) noexcept nogil:
    """A mixer of all 64 bits (the finaliser of splitmix64), so that similar sets do not share a slot."""
    code = (code ^ (code >> 30)) * <uint64_t> 0xbf58476d1ce4e5b9ULL
    code = (code ^ (code >> 27)) * <uint64_t> 0x94d049bb133111ebULL
    return code ^ (code >> 31)


cdef int open_table(CodeTable* table) noexcept nogil:
    """An empty table; 0 when there is no memory."""
    table.size = 0
    table.capacity = 32
    table.mask = 63
    table.counts = <CodeCount*> malloc(table.capacity * sizeof(CodeCount))
    table.slots = <int64_t*> calloc(table.mask + 1, sizeof(int64_t))
    return table.counts != NULL and table.slots != NULL


cdef void close_table(CodeTable* table) noexcept nogil:
    free(table.counts)
    free(table.slots)


cdef int grow(CodeTable* table) noexcept nogil:
    """Twice the room; 0 when there is no memory."""
    cdef Py_ssize_t i
    cdef uint64_t slot, mask = 4 * <uint64_t> table.capacity - 1
    cdef int64_t* slots = <int64_t*> calloc(mask + 1, sizeof(int64_t))
    cdef CodeCount* larger = <CodeCount*> realloc(table.counts, 2 * table.capacity * sizeof(CodeCount))
    if larger != NULL:
        table.counts = larger
    if larger == NULL or slots == NULL:
        free(slots)
        return 0
    for i in range(table.size):
        slot = scatter(larger[i].code) & mask
        while slots[slot]:
            slot = (slot + 1) & mask
        slots[slot] = i + 1
    free(table.slots)
    table.slots = slots
    table.mask = mask
    table.capacity *= 2
    return 1


cdef Py_ssize_t count_code(CodeTable* table, uint64_t code, int64_t weight) noexcept nogil:
    """Add `weight` to `code`; its position among the distinct codes, or -1 when there is no memory."""
    cdef uint64_t slot = scatter(code) & table.mask
    cdef Py_ssize_t found
    while table.slots[slot]:
        found = table.slots[slot] - 1
        if table.counts[found].code == code:
            table.counts[found].weight += weight
            return found
        slot = (slot + 1) & table.mask
    if table.size == table.capacity:
        if not grow(table):
            return -1
        return count_code(table, code, weight)
    table.counts[table.size].code = code
    table.counts[table.size].weight = weight
    table.counts[table.size].order = table.size
    table.size += 1
    table.slots[slot] = table.size
    return table.size - 1


cdef Py_ssize_t count_codes(CodeTable* table, const uint64_t* codes, const int64_t* weights, Py_ssize_t N,
                            int64_t* member) noexcept nogil:
    """Count N codes; their kinds, in order of appearance, go to `member` unless NULL. -1: no memory."""
    cdef Py_ssize_t i, found = 0
    for i in range(N):
        found = count_code(table, codes[i], weights[i] if weights != NULL else 1)
        if found < 0:
            break
        if member != NULL:
            member[i] = found
    return found


cdef int by_code(const void* one, const void* other) noexcept nogil:
    cdef uint64_t a = (<const CodeCount*> one).code, b = (<const CodeCount*> other).code
    return (a > b) - (a < b)


cdef void by_digit(const CodeCount* given, CodeCount* sorted, Py_ssize_t size, int shift) noexcept nogil:
    """Order the codes by the DIGIT bits that begin at `shift`, those that have them in common as they were."""
    cdef Py_ssize_t[DIGITS] starts
    cdef Py_ssize_t i, digit, here, next_start = 0
    memset(starts, 0, sizeof(starts))
    for i in range(size):
        starts[(given[i].code >> shift) & (DIGITS - 1)] += 1
    for digit in range(DIGITS):
        here = starts[digit]
        starts[digit] = next_start
        next_start += here
    for i in range(size):
        digit = (given[i].code >> shift) & (DIGITS - 1)
        sorted[starts[digit]] = given[i]
        starts[digit] += 1


cdef void sort_table(CodeTable* table) noexcept nogil:
    """Order the distinct codes; `order` keeps where each was first placed. No code may be counted after this."""
    cdef CodeCount* other = NULL
    cdef uint64_t used = 0
    cdef Py_ssize_t i
    cdef int shift = 0
    if table.size > FEW:
        other = <CodeCount*> malloc(table.capacity * sizeof(CodeCount))
    if other == NULL:
        qsort(table.counts, table.size, sizeof(CodeCount), by_code)
        return
    for i in range(table.size):
        used |= table.counts[i].code
    while shift < 64 and used >> shift:
        by_digit(table.counts, other, table.size, shift)
        table.counts, other = other, table.counts
        shift += DIGIT
    free(other)


def pack(favourites):
    """Return the bit codes (N,) of a boolean (N, K) matrix with K ≤ 64.

    >>> pack(np.array([[True, False, True]])).tolist()
    [5]
    """
    bits = np.packbits(favourites, axis=1, bitorder="little")
    codes = np.zeros((len(bits), 8), dtype=np.uint8)
    codes[:, : bits.shape[1]] = bits
    return codes.view(np.uint64).ravel()


def unpack(ndarray codes, Py_ssize_t K):
    """Return the boolean rows (m, K) of m bit codes, read-only.

    >>> unpack(np.array([5], dtype=np.uint64), 3).tolist()
    [[True, False, True]]
    """
    cdef const uint64_t* code = code_words(codes)
    cdef Py_ssize_t i, k, m = PyArray_DIM(codes, 0)
    cdef ndarray rows = new_table(m, K, NPY_BOOL)
    cdef unsigned char* entry = <unsigned char*> PyArray_DATA(rows)
    for i in range(m):
        for k in range(K):
            entry[i * K + k] = (code[i] >> k) & 1
    return frozen(rows)


def shares(ndarray weights):
    """Return `weights` (m,) divided by their sum, read-only.

    >>> shares(np.array([3, 1])).tolist()
    [0.75, 0.25]
    """
    cdef const int64_t* weight = counts(weights)
    cdef Py_ssize_t i, m = PyArray_DIM(weights, 0)
    cdef ndarray parts = vector(m)
    cdef double* part = <double*> PyArray_DATA(parts)
    cdef int64_t total = 0
    for i in range(m):
        total += weight[i]
    for i in range(m):
        part[i] = <double> weight[i] / <double> total
    return frozen(parts)
