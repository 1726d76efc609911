"""Equal rows merged, with their weights added up: a million agents with a thousand distinct rows cost a thousand rows.

Rows come out sorted (first column first; codes by value), so that nothing computed from them can depend on the order
in which the agents were listed.
"""

from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport qsort
from libc.string cimport memcpy

import numpy as np

from numpy cimport NPY_INT64, NPY_UINT64, PyArray_DATA, PyArray_DIM, ndarray

from isegoria.solvers.rows.arena cimport Arena, carve, check_arena, close_arena, open_arena, whole_numbers
from isegoria.solvers.rows.arrays cimport codes as code_words, counts, frozen, reals, table as new_table, vector
from isegoria.solvers.rows.codes cimport CodeTable, close_table, count_code, count_codes, open_table, sort_table

cdef enum:
    FEW = 64
    GLANCE = 16  # rows by which columns are told apart before all of them are compared

cdef struct Row:
    const double* entries
    Py_ssize_t K
    int64_t place         # its position in the order of first appearance


cdef inline uint64_t stir(uint64_t code, double entry) noexcept nogil:
    """A hash with one more entry in it; adding 0.0 makes minus zero and zero the same."""
    cdef uint64_t bits
    entry = entry + 0.0
    memcpy(&bits, &entry, 8)
    code = (code ^ bits) * <uint64_t> 0xff51afd7ed558ccdULL
    return code ^ (code >> 32)


cdef inline uint64_t digest(const double* row, Py_ssize_t K) noexcept nogil:
    """A 64-bit hash of a row: in two halves at once, so that one need not wait for the other."""
    cdef uint64_t one = 0x9e3779b97f4a7c15ULL, two = 0xc2b2ae3d27d4eb4fULL
    cdef Py_ssize_t k, half = K // 2
    for k in range(half):
        one = stir(one, row[k])
        two = stir(two, row[half + k])
    if K % 2:
        one = stir(one, row[K - 1])
    return one ^ (two * <uint64_t> 0x9fb21c651e98df25ULL)


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


cdef Py_ssize_t run_at(const double* rows, const int64_t* first, Py_ssize_t m, Py_ssize_t K, const int64_t* order,
                       Py_ssize_t start) noexcept nogil:
    """How many of the distinct rows from `start` on have the same first entry."""
    cdef Py_ssize_t stop = start + 1
    while stop < m and rows[first[order[stop]] * K] == rows[first[order[start]] * K]:
        stop += 1
    return stop - start


cdef void sort_runs(const double* rows, const int64_t* first, Py_ssize_t m, Py_ssize_t K, int64_t* order,
                    Arena* arena) noexcept nogil:
    """Finish an order of the distinct rows that is right in the first column only, unless memory is short."""
    cdef Py_ssize_t start = 0, count, longest = 0
    cdef Row* run
    while start < m:
        count = run_at(rows, first, m, K, order, start)
        longest = max(longest, count)
        start += count
    run = <Row*> carve(arena, longest, sizeof(Row))
    start = 0
    while start < m and run != NULL:
        count = run_at(rows, first, m, K, order, start)
        if count > 1:
            sort_run(rows, first, K, order + start, count, run)
        start += count


cdef int sort_places(const double* rows, const int64_t* first, Py_ssize_t m, Py_ssize_t K, int64_t* order,
                     Arena* arena) except 0:
    """The places of the m distinct rows in sorted order; many rows by their first column, and then run by run."""
    cdef Row[FEW] few
    cdef ndarray heads
    cdef double* head
    cdef const int64_t* by_head
    cdef Py_ssize_t j
    for j in range(m):
        order[j] = j
    if m <= FEW:  # for a small group a call of NumPy costs more than the sort
        sort_run(rows, first, K, order, m, few)
        return 1
    heads = vector(m)
    head = <double*> PyArray_DATA(heads)
    for j in range(m):
        head[j] = rows[first[j] * K]
    heads = np.argsort(heads).astype(np.int64, copy=False)
    by_head = counts(heads)
    for j in range(m):
        order[j] = by_head[j]
    sort_runs(rows, first, m, K, order, arena)
    check_arena(arena)
    return 1


def merge_rows(ndarray rows, ndarray weights=None):
    """Merge equal rows; return (distinct (m, K), sorted; totals (m,); member (N,)).

    `totals` is how often each distinct row occurs, `member` the distinct row of each agent.

    >>> [part.tolist() for part in merge_rows(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]))]
    [[[0.0, 1.0], [1.0, 0.0]], [1, 2], [1, 0, 1]]
    """
    cdef const double* entries = reals(rows, 2)
    cdef const int64_t* weight = NULL if weights is None else counts(weights)
    cdef Py_ssize_t N = PyArray_DIM(rows, 0), K = PyArray_DIM(rows, 1), m = -1, j
    cdef ndarray member = vector(N, NPY_INT64), distinct, totals
    cdef int64_t* kind = <int64_t*> PyArray_DATA(member)
    cdef int64_t* first
    cdef int64_t* places = NULL
    cdef double* row
    cdef CodeTable table
    cdef Arena arena
    open_arena(&arena)
    try:
        with nogil:
            first = whole_numbers(&arena, N)
            if open_table(&table) and first != NULL:
                m = gather(entries, weight, N, K, &table, first, kind)
            if m >= 0:
                places = whole_numbers(&arena, 2 * m)
        if places == NULL:
            raise MemoryError(f"no memory to merge {N} rows")
        sort_places(entries, first, m, K, places, &arena)
        distinct, totals = new_table(m, K), vector(m, NPY_INT64)
        row = <double*> PyArray_DATA(distinct)
        with nogil:
            for j in range(m):
                memcpy(row + j * K, entries + first[places[j]] * K, K * sizeof(double))
                (<int64_t*> PyArray_DATA(totals))[j] = table.counts[places[j]].weight
                places[m + places[j]] = j
            for j in range(N):
                kind[j] = places[m + kind[j]]
    finally:
        close_table(&table)
        close_arena(&arena)
    return frozen(distinct), frozen(totals), frozen(member)


cdef bint any_twice(const uint64_t* codes, Py_ssize_t count) noexcept nogil:
    """Whether two of a few codes are equal."""
    cdef Py_ssize_t i, k
    for k in range(1, count):
        for i in range(k):
            if codes[i] == codes[k]:
                return True
    return False


def may_have_equal_columns(ndarray rows):
    """Return whether two columns of a table (N, K) may be equal, by a hash of the first rows; False is certain.

    >>> may_have_equal_columns(np.array([[1.0, 0.5, 1.0]])), may_have_equal_columns(np.array([[1.0, 0.5]]))
    (True, False)
    """
    cdef const double* entries = reals(rows, 2)
    cdef Py_ssize_t N = min(PyArray_DIM(rows, 0), <Py_ssize_t> GLANCE), K = PyArray_DIM(rows, 1), i, k
    cdef uint64_t[FEW] code
    cdef ndarray codes
    if K > FEW:
        codes = np.zeros(K, dtype=np.uint64)
        for i in range(N):
            for k in range(K):
                (<uint64_t*> PyArray_DATA(codes))[k] = stir((<uint64_t*> PyArray_DATA(codes))[k], entries[i * K + k])
        return len(np.unique(codes)) < K
    for k in range(K):
        code[k] = 0
    for i in range(N):
        for k in range(K):
            code[k] = stir(code[k], entries[i * K + k])
        if not any_twice(code, K):
            return False
    return K > 1


def merge_codes(ndarray codes, ndarray weights=None, bint members=False):
    """Return (distinct codes (m,), totals (m,), member (N,) or None unless `members`), sorted by code.

    >>> [part.tolist() for part in merge_codes(np.array([2, 1, 2], dtype=np.uint64), members=True)]
    [[1, 2], [1, 2], [1, 0, 1]]
    """
    cdef const uint64_t* code = code_words(codes)
    cdef const int64_t* weight = NULL if weights is None else counts(weights)
    cdef Py_ssize_t N = PyArray_DIM(codes, 0), m, i, found = -1
    cdef ndarray member = vector(N, NPY_INT64) if members else None, distinct, totals
    cdef int64_t* kind = <int64_t*> PyArray_DATA(member) if members else NULL
    cdef int64_t* places = NULL
    cdef CodeTable table
    cdef Arena arena
    open_arena(&arena)
    try:
        with nogil:
            if open_table(&table):
                found = count_codes(&table, code, weight, N, kind)
            if found >= 0:
                sort_table(&table)
                places = whole_numbers(&arena, table.size)
        if places == NULL:
            raise MemoryError(f"no memory to merge {N} codes")
        m = table.size
        distinct, totals = vector(m, NPY_UINT64), vector(m, NPY_INT64)
        for i in range(m):
            (<uint64_t*> PyArray_DATA(distinct))[i] = table.counts[i].code
            (<int64_t*> PyArray_DATA(totals))[i] = table.counts[i].weight
            places[table.counts[i].order] = i
        if members:
            for i in range(N):
                kind[i] = places[kind[i]]
            frozen(member)
    finally:
        close_table(&table)
        close_arena(&arena)
    return frozen(distinct), frozen(totals), member
