"""Fast parser of well-formed ballots; malformed ones are left to a slower reader that can say what is wrong."""

from libc.stdint cimport int32_t, int64_t

import numpy as np

cdef int64_t MOST = 10 ** 17  # a larger count or number is rejected as malformed


cdef const char* number(const char* at, const char* end, int64_t* value) noexcept nogil:
    """Parse the digits at `at` and skip blanks; return their end, or NULL if none, too many or a leading 0."""
    cdef bint digits = False
    value[0] = 0
    while at < end and (at[0] == b" " or at[0] == b"\t"):
        at += 1
    while at < end and b"0" <= at[0] <= b"9":
        value[0] = 10 * value[0] + (at[0] - 48)
        if value[0] > MOST or (digits and value[0] < 10):
            return NULL
        digits = True
        at += 1
    while at < end and (at[0] == b" " or at[0] == b"\t"):
        at += 1
    return at if digits else NULL


cdef const char* place(const char* at, const char* end, int64_t first, Py_ssize_t arms, int32_t rank,
                       int32_t* ranks) noexcept nogil:
    """Set the rank of the alternative at `at`; return its end, or NULL if it is not one or was ranked before."""
    cdef int64_t id
    at = number(at, end, &id)
    if at == NULL or not first <= id < first + arms or ranks[id - first] >= 0:
        return NULL
    ranks[id - first] = rank
    return at


cdef const char* tied(const char* at, const char* end, int64_t first, Py_ssize_t arms, int32_t rank, int32_t* ranks,
                      bint strict, bint categories) noexcept nogil:
    """Set the rank of the alternatives in the braces opened before `at`; return the end after the braces, or NULL."""
    cdef Py_ssize_t members = 0
    while at < end and (at[0] == b" " or at[0] == b"\t"):
        at += 1
    while at < end and at[0] != b"}":
        at = place(at, end, first, arms, rank, ranks)
        members += 1
        if at == NULL or at >= end or (at[0] != b"," and at[0] != b"}"):
            return NULL
        if at[0] == b",":
            at += 1
            if at >= end or at[0] == b"}":
                return NULL
    if at >= end or (members == 0 and not categories) or (members > 1 and strict):
        return NULL
    at += 1
    while at < end and (at[0] == b" " or at[0] == b"\t"):
        at += 1
    return at


cdef int32_t ballot(const char* at, const char* end, int64_t first, Py_ssize_t arms, int32_t* ranks, bint strict,
                    bint categories) noexcept nogil:
    """Fill in the ranks of the ballot from `at` to `end`; return its number of classes, or -1 if malformed."""
    cdef int32_t rank = 0
    while True:
        while at < end and (at[0] == b" " or at[0] == b"\t"):
            at += 1
        if at < end and at[0] == b"{":
            at = tied(at + 1, end, first, arms, rank, ranks, strict, categories)
        else:
            at = place(at, end, first, arms, rank, ranks)
        rank += 1
        if at == NULL:
            return -1
        if at == end:
            return rank
        if at[0] != b",":
            return -1
        at += 1


def scan_ballots(bytes text, Py_ssize_t start, Py_ssize_t lines, int64_t first, Py_ssize_t arms, bint strict,
                 bint categories):
    """Parse the ballots in `text` from byte `start` on.

    Return (counts (n,), ranks (n, arms), classes (n,)), or None if any line is not a well-formed ballot. There are at
    most `lines` of them, and `first` is the number of the first alternative. An arm that a ballot leaves out has the
    rank -1.

    >>> [part.tolist() for part in scan_ballots(b"3: 1,{2,3}\\n1: 2", 0, 2, 1, 3, False, False)]
    [[3, 1], [[0, 1, 1], [-1, 0, -1]], [2, 1]]
    >>> scan_ballots(b"3: 1,{2,3\\n", 0, 1, 1, 3, False, False)
    """
    cdef const char* at = text
    cdef const char* end = at + len(text)
    cdef const char* stop
    cdef int64_t[::1] count = np.empty(lines, dtype=np.int64)
    cdef int32_t[:, ::1] rank = np.full((lines, arms), -1, dtype=np.int32)
    cdef int64_t[::1] size = np.empty(lines, dtype=np.int64)
    cdef Py_ssize_t row = 0
    at += start
    with nogil:
        while at < end:
            stop = at
            while stop < end and stop[0] != b"\n" and stop[0] != b"\r":
                stop += 1
            if stop > at:
                if row == lines:
                    row = -1
                    break
                at = number(at, stop, &count[row])
                if at == NULL or at == stop or at[0] != b":" or count[row] < 1:
                    row = -1
                    break
                size[row] = ballot(at + 1, stop, first, arms, &rank[row, 0], strict, categories)
                if size[row] < 0:
                    row = -1
                    break
                row += 1
            at = stop + 1
    if row < 0:
        return None
    return np.asarray(count)[:row], np.asarray(rank)[:row], np.asarray(size)[:row]
