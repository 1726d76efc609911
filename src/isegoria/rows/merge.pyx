"""Equal rows merged, with their weights added up: a million agents with a thousand distinct rows cost a thousand rows.

Rows come out sorted (first column first; codes by value), so that nothing computed from them can depend on the order
in which the agents were listed.
"""

from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, malloc, qsort
from libc.string cimport memcpy

import numpy as np

from isegoria.rows.codes cimport CodeTable, close_table, count_code, open_table, sort_table

cdef enum:
    FEW = 64

cdef struct Row:
    const double* entries
    Py_ssize_t K
    int64_t place         # its position in the order of first appearance


cdef inline uint64_t digest(const double* row, Py_ssize_t K) noexcept nogil:
    """A 64-bit hash of a row; adding 0.0 makes minus zero and zero the same."""
    cdef uint64_t code = 0x9e3779b97f4a7c15ULL, bits
    cdef double entry
    cdef Py_ssize_t k
    for k in range(K):
        entry = row[k] + 0.0
        memcpy(&bits, &entry, 8)
        code = (code ^ bits) * <uint64_t> 0xff51afd7ed558ccdULL
        code ^= code >> 32
    return code


cdef inline bint same(const double* one, const double* other, Py_ssize_t K) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(K):
        if one[k] != other[k]:
            return False
    return True


cdef int by_entries(const void* one, const void* other) noexcept nogil:
    cdef const Row* a = <const Row*> one
    cdef const Row* b = <const Row*> other
    cdef Py_ssize_t k
    for k in range(a.K):
        if a.entries[k] != b.entries[k]:
            return 1 if a.entries[k] > b.entries[k] else -1
    return 0


cdef Py_ssize_t gather(const double* rows, const int64_t* weights, Py_ssize_t N, Py_ssize_t K, CodeTable* table,
                       int64_t* first, int64_t* member) noexcept nogil:
    """Count equal rows: the first row of each kind and each row's kind, in order of appearance. -1: no memory."""
    cdef Py_ssize_t i, place, known
    cdef uint64_t code
    cdef int64_t weight
    for i in range(N):
        code = digest(rows + i * K, K)
        weight = weights[i] if weights != NULL else 1
        while True:
            known = table.size
            place = count_code(table, code, weight)
            if place < 0:
                return -1
            if table.size > known:
                first[place] = i
                break
            if same(rows + first[place] * K, rows + i * K, K):
                break
            table.counts[place].weight -= weight  # another row with the same hash: give it the next one
            code += 1
        member[i] = place
    return table.size


cdef void sort_run(const double* rows, const int64_t* first, Py_ssize_t K, int64_t* order, Py_ssize_t count,
                   Row* run) noexcept nogil:
    """Sort `count` of the distinct rows, given by their places in `order`; `run` has room for them."""
    cdef Py_ssize_t j
    for j in range(count):
        run[j].entries = rows + first[order[j]] * K
        run[j].K = K
        run[j].place = order[j]
    qsort(run, count, sizeof(Row), by_entries)
    for j in range(count):
        order[j] = run[j].place


cdef int sort_runs(const double* rows, const int64_t* first, Py_ssize_t m, Py_ssize_t K, int64_t* order) noexcept nogil:
    """Finish an order of the distinct rows that is right in the first column only; 0 when there is no memory."""
    cdef Py_ssize_t start = 0, stop
    cdef Row* run = NULL
    while start < m:
        stop = start + 1
        while stop < m and rows[first[order[stop]] * K] == rows[first[order[start]] * K]:
            stop += 1
        if stop - start > 1:
            run = <Row*> malloc((stop - start) * sizeof(Row))
            if run == NULL:
                return 0
            sort_run(rows, first, K, order + start, stop - start, run)
            free(run)
        start = stop
    return 1


cdef int64_t[::1] sorted_places(const double[:, ::1] rows, const int64_t[::1] first, Py_ssize_t m):
    """The places of the m distinct rows in sorted order; many rows by their first column, and then run by run."""
    cdef int64_t[::1] order
    cdef double[::1] head
    cdef Py_ssize_t j, K = rows.shape[1]
    cdef Row[FEW] few
    if m <= FEW:  # for a small group a call of NumPy costs more than the sort
        order = np.empty(m, np.int64)
        for j in range(m):
            order[j] = j
        sort_run(&rows[0, 0], &first[0], K, &order[0], m, few)
        return order
    heads = np.empty(m)
    head = heads
    for j in range(m):
        head[j] = rows[first[j], 0]
    order = np.argsort(heads)
    if not sort_runs(&rows[0, 0], &first[0], m, K, &order[0]):
        raise MemoryError(f"no memory to sort {m} rows")
    return order


def merge_rows(const double[:, ::1] rows, weights=None):
    """(first (m,), totals (m,), member (N,)) of the m distinct rows, sorted: rows[first] lists them.

    >>> first, totals, member = merge_rows(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]))
    >>> first.tolist(), totals.tolist(), member.tolist()
    ([1, 0], [1, 2], [1, 0, 1])
    """
    cdef Py_ssize_t N = rows.shape[0], K = rows.shape[1], m = -1, j
    cdef CodeTable table
    cdef const int64_t[::1] weight = weights
    cdef const int64_t* weight_at = NULL if weights is None else &weight[0]
    seen, member = np.empty(N, dtype=np.int64), np.empty(N, dtype=np.int64)
    cdef int64_t[::1] seen_view = seen, member_view = member
    with nogil:
        if open_table(&table):
            m = gather(&rows[0, 0], weight_at, N, K, &table, &seen_view[0], &member_view[0])
    if m < 0:
        close_table(&table)
        raise MemoryError(f"no memory to merge {N} rows")
    first, totals, place = np.empty(m, np.int64), np.empty(m, np.int64), np.empty(m, np.int64)
    cdef int64_t[::1] first_view = first, totals_view = totals, place_view = place, order
    try:
        order = sorted_places(rows, seen_view, m)
        for j in range(m):
            first_view[j] = seen_view[order[j]]
            totals_view[j] = table.counts[order[j]].weight
            place_view[order[j]] = j
        for j in range(N):
            member_view[j] = place_view[member_view[j]]
    finally:
        close_table(&table)
    return first, totals, member


def merge_codes(const uint64_t[::1] codes, weights=None, bint members=False):
    """(distinct codes (m,), totals (m,), member (N,) or None unless `members`), sorted by code.

    >>> [part.tolist() for part in merge_codes(np.array([2, 1, 2], dtype=np.uint64), members=True)]
    [[1, 2], [1, 2], [1, 0, 1]]
    """
    cdef Py_ssize_t N = codes.shape[0], m, i, found = 0
    cdef CodeTable table
    cdef const int64_t[::1] weight = weights
    cdef bint weighted = weights is not None
    member = np.empty(N, dtype=np.int64) if members else None
    cdef int64_t[::1] member_view = member
    cdef int ready = open_table(&table)
    with nogil:
        for i in range(N):
            found = count_code(&table, codes[i], weight[i] if weighted else 1) if ready else -1
            if found < 0:
                break
            if members:
                member_view[i] = found
        if found >= 0:
            sort_table(&table)
    m = table.size
    distinct, totals, place = np.empty(m, dtype=np.uint64), np.empty(m, dtype=np.int64), np.empty(m, dtype=np.int64)
    cdef uint64_t[::1] distinct_view = distinct
    cdef int64_t[::1] totals_view = totals, place_view = place
    for i in range(m):
        distinct_view[i] = table.counts[i].code
        totals_view[i] = table.counts[i].weight
        place_view[table.counts[i].order] = i
    close_table(&table)
    if found < 0:
        raise MemoryError(f"no memory to merge {N} codes")
    return distinct, totals, place[member] if members else None
