"""Map functions on one chunk (unit) of a large table: pure functions of its columns.

They process bundles of rows that fit the nearest cache.

Every function releases the GIL, so that threads are as fast as processes.
"""

from libc.math cimport INFINITY, log
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memset

import numpy as np

from numpy cimport NPY_UINT64, PyArray_DATA, PyArray_DIM, ndarray

from isegoria.solvers.rows.arrays cimport reals, table, vector
from isegoria.out_of_core.column_chunk cimport Columns, Room, close_room, open_room

cdef extern from "out_of_core/column_chunk.h" nogil:
    enum: BUNDLE
    int columns_best(const double* A, Py_ssize_t n, Py_ssize_t K, double* best)
    void columns_favourites(const double* A, Py_ssize_t n, Py_ssize_t K, double tolerance, const double* best,
                            uint64_t* codes, double* next, double* gap)
    void columns_sum(const double* x, const double* w, Py_ssize_t n, double* high, double* low)
    void lanes_combine(const double* A, Py_ssize_t m, Py_ssize_t K, const double* x, double* d)
    void lanes_dots(const double* A, Py_ssize_t m, Py_ssize_t K, const double* u, double* s)
    void lanes_hessian(const double* A, Py_ssize_t m, const Py_ssize_t* arms, Py_ssize_t size, const double* d,
                       const double* u, double* H)

cdef Py_ssize_t FEW = 128     # rows that stay in the nearest cache while several policies are tried on them
cdef double TINY = 1e-100     # a row whose best is below this is divided by it, so that squares stay finite
cdef double SMALL = 1e-250    # products of utilities are turned into logarithms before they fall below


def look(Columns columns, double tolerance):
    """Compute the first pass on a chunk: (bad, gap, codes (m,), high (K,), low (K,), moments (K, K), nothing).

    `bad` is the flat row-major position of the first entry outside [0, 1], or -1; `gap` the minimum distance that is
    not a tie; `codes` the favourite sets as bits, meaningless beyond 64 arms; `high` + `low` the weighted sums of the
    columns; `moments` the lower triangle of Σ w (a − ½)(a − ½)ᵀ; `nothing` the weight of rows that are all 0.
    """
    cdef Py_ssize_t K = columns.arms, m = columns.rows, first, n, i, k, bad = -1
    cdef ndarray codes = vector(m, NPY_UINT64), high = vector(K), low = vector(K), moments = table(K, K)
    cdef double* highs = <double*> PyArray_DATA(high)
    cdef double* lows = <double*> PyArray_DATA(low)
    cdef double* H = <double*> PyArray_DATA(moments)
    cdef uint64_t* code = <uint64_t*> PyArray_DATA(codes)
    cdef double gap = INFINITY, nothing = 0
    cdef Room room
    open_room(&room, columns)
    with nogil:
        memset(highs, 0, K * sizeof(double))
        memset(lows, 0, K * sizeof(double))
        memset(H, 0, K * K * sizeof(double))
        first = 0
        while first < m and bad < 0:
            n = min(<Py_ssize_t> BUNDLE, m - first)
            columns.load(first, n, room.A)
            columns.weigh(first, n, room.w)
            if columns_best(room.A, n, K, room.best):
                for i in range(n):
                    for k in range(K):
                        if not (0 <= room.A[k * n + i] <= 1) and bad < 0:
                            bad = (first + i) * K + k
            columns_favourites(room.A, n, K, tolerance, room.best, code + first, room.d, &gap)
            for i in range(n):
                if room.best[i] == 0:
                    nothing += room.w[i]
            for k in range(K):
                columns_sum(room.A + k * n, NULL if columns.weight == NULL else room.w, n, highs + k, lows + k)
                for i in range(n):
                    room.A[k * n + i] -= 0.5
            lanes_hessian(room.A, n, columns.every, K, room.ones, room.w, H)
            first += n
    close_room(&room)
    return bad, gap, codes, high, low, moments, nothing


def vary(Columns columns, ndarray policy, double level):
    """Compute (Σ w v, Σ w v², Σ w v a (K,)) for v = a·p − level, over the rows a of a chunk."""
    cdef Py_ssize_t K = columns.arms, m = columns.rows, first, n, i, k
    cdef const double* p = reals(policy)
    cdef ndarray slopes = vector(K), part = vector(K)
    cdef double* slope = <double*> PyArray_DATA(slopes)
    cdef double* parts = <double*> PyArray_DATA(part)
    cdef double total = 0, square = 0, one, two
    cdef Room room
    open_room(&room, columns)
    with nogil:
        memset(slope, 0, K * sizeof(double))
        first = 0
        while first < m:
            n = min(<Py_ssize_t> BUNDLE, m - first)
            columns.load(first, n, room.A)
            columns.weigh(first, n, room.w)
            lanes_combine(room.A, n, K, p, room.d)
            one, two = 0, 0
            for i in range(n):
                room.d[i] -= level
                room.u[i] = room.w[i] * room.d[i]
                one += room.u[i]
                two += room.u[i] * room.d[i]
            lanes_dots(room.A, n, K, room.u, parts)
            for k in range(K):
                slope[k] += parts[k]
            total += one
            square += two
            first += n
    close_room(&room)
    return total, square, slopes


cdef void sift(double* keys, int64_t* places, Py_ssize_t size) noexcept nogil:
    """Sift down the first entry of a max-heap."""
    cdef Py_ssize_t at = 0, child
    cdef double key = keys[0]
    cdef int64_t place = places[0]
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        if child + 1 < size and keys[child + 1] > keys[child]:
            child += 1
        if keys[child] <= key:
            break
        keys[at], places[at] = keys[child], places[child]
        at = child
    keys[at], places[at] = key, place


cdef inline void offer(double* keys, int64_t* places, Py_ssize_t size, double key, int64_t place) noexcept nogil:
    """Add the key to the `size` smallest ones, if it is one of them."""
    if key < keys[0]:
        keys[0], places[0] = key, place
        sift(keys, places, size)


cdef tuple lowest(ndarray keys, ndarray places):
    """Return the filled-in keys of a heap and their places, smallest first."""
    order = np.lexsort((places, keys))
    filled = order[places[order] >= 0]
    return keys[filled], places[filled]


def worst(Columns columns, ndarray policies, Py_ssize_t count):
    """Return (utilities, places) of the `count` rows with the lowest utility, for each row of `policies` (P, K)."""
    cdef Py_ssize_t K = columns.arms, m = columns.rows, P = PyArray_DIM(policies, 0), first, n, i, j
    cdef const double* p = reals(policies, 2)
    cdef ndarray keys = np.full((P, count), np.inf), places = np.full((P, count), -1, dtype=np.int64)
    cdef double* key = <double*> PyArray_DATA(keys)
    cdef int64_t* place = <int64_t*> PyArray_DATA(places)
    cdef Room room
    open_room(&room, columns)
    with nogil:
        first = 0
        while first < m:
            n = min(FEW, m - first)
            columns.load(first, n, room.A)
            for j in range(P):
                lanes_combine(room.A, n, K, p + j * K, room.d)
                for i in range(n):
                    offer(key + j * count, place + j * count, count, room.d[i], first + i)
            first += n
    close_room(&room)
    return [lowest(keys[j], places[j]) for j in range(P)]


def newton(Columns columns, ndarray policy, Py_ssize_t count, bint bends):
    """Compute (s (K,), H (K, K), log, starved, ratios, places) of Σ w log(a·p), over the rows a that are not all 0.

    s = Σ w a/(a·p) is the gradient. H = Σ w aaᵀ/(a·p)², computed if `bends`, is minus the Hessian (the lower triangle).
    Rows with a·p = 0 are left out of both, and `starved` is their weight. `ratios` are the `count` smallest fractions
    a·p / max a that a row gets of its best, and `places` are their rows.
    """
    cdef Py_ssize_t K = columns.arms, m = columns.rows, first, n, i, k
    cdef const double* p = reals(policy)
    cdef ndarray slopes = vector(K), part = vector(K), curves = table(K, K)
    cdef ndarray keys = np.full(count, np.inf), places = np.full(count, -1, dtype=np.int64)
    cdef double* slope = <double*> PyArray_DATA(slopes)
    cdef double* parts = <double*> PyArray_DATA(part)
    cdef double* H = <double*> PyArray_DATA(curves)
    cdef double* key = <double*> PyArray_DATA(keys)
    cdef int64_t* place = <int64_t*> PyArray_DATA(places)
    cdef double total = 0, product = 1, starved = 0, ratio
    cdef Room room
    open_room(&room, columns)
    with nogil:
        memset(slope, 0, K * sizeof(double))
        memset(H, 0, K * K * sizeof(double))
        first = 0
        while first < m:
            n = min(<Py_ssize_t> BUNDLE, m - first)
            columns.load(first, n, room.A)
            columns.weigh(first, n, room.w)
            columns_best(room.A, n, K, room.best)
            for i in range(n):
                if 0 < room.best[i] < TINY:
                    total += room.w[i] * log(room.best[i])
                    for k in range(K):
                        room.A[k * n + i] /= room.best[i]
                    room.best[i] = 1
            lanes_combine(room.A, n, K, p, room.d)
            for i in range(n):
                if room.d[i] <= 0:
                    if room.best[i] > 0:
                        starved += room.w[i]
                        offer(key, place, count, 0, first + i)
                    room.d[i], room.u[i] = 1, 0
                    continue
                room.u[i] = room.w[i] / room.d[i]
                ratio = room.d[i] / room.best[i]
                if ratio < key[0]:
                    offer(key, place, count, ratio, first + i)
                if room.w[i] == 1:
                    product *= room.d[i]
                    if product < SMALL:
                        total += log(product)
                        product = 1
                else:
                    total += room.w[i] * log(room.d[i])
            lanes_dots(room.A, n, K, room.u, parts)
            for k in range(K):
                slope[k] += parts[k]
            if bends:
                lanes_hessian(room.A, n, columns.every, K, room.d, room.u, H)
            first += n
        total += log(product)
    close_room(&room)
    return slopes, curves, total, starved, *lowest(keys, places)
