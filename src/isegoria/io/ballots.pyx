"""Lines of ballots that are in good order, at the speed of a scan; what is not is left to a reader that can say why."""

from libc.stdint cimport int32_t, int64_t

import numpy as np

cdef int64_t MOST = 10 ** 17  # a count or a number with more digits is not in good order


cdef const char* number(const char* at, const char* end, int64_t* value) noexcept nogil:
    """Where the digits at `at` end, blanks around them skipped; NULL if there are none, too many, or a leading 0."""
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
    """Give the alternative at `at` its rank; where it ends, or NULL if it is none, or stands twice."""
    cdef int64_t id
    at = number(at, end, &id)
    if at == NULL or not first <= id < first + arms or ranks[id - first] >= 0:
        return NULL
    ranks[id - first] = rank
    return at


cdef const char* tied(const char* at, const char* end, int64_t first, Py_ssize_t arms, int32_t rank, int32_t* ranks,
                      bint strict, bint categories) noexcept nogil:
    """Give the alternatives in the braces that open before `at` their rank; past the closing one, or NULL."""
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
    """How many classes the ballot between `at` and `end` has, their ranks filled in; -1 if it is not in good order."""
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
    """(counts (n,), ranks (n, arms), classes (n,)) of the ballots in `text` from byte `start` on; None if any line
    there is not a ballot in good order. `lines` bounds their number, `first` is the number of the first alternative;
    an arm that a ballot leaves out has the rank -1.

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
