"""The columns of one chunk (unit) of a large table, as they are in the file, loaded in bundles of rows.

A column holds float64, float32, int8 or uint8; all are on one scale, and are loaded as doubles on [0, 1].
"""

import numpy as np

from numpy cimport PyArray_DATA, ndarray

from isegoria.solvers.rows.arena cimport carve, check_arena, close_arena, doubles, integers, open_arena
from isegoria.solvers.rows.arrays cimport counts

cdef extern from "out_of_core/column_chunk.h" nogil:
    enum: BUNDLE
    void load_double(const double* x, Py_ssize_t n, double low, double width, double* a)
    void load_float(const float* x, Py_ssize_t n, double low, double width, double* a)
    void load_int8(const int8_t* x, Py_ssize_t n, double low, double width, double* a)
    void load_uint8(const uint8_t* x, Py_ssize_t n, double low, double width, double* a)

KINDS = {np.dtype(np.float64): 0, np.dtype(np.float32): 1, np.dtype(np.int8): 2, np.dtype(np.uint8): 3}


cdef class Columns:
    """K columns of m numbers on a scale from `low` to `low` + `width`, and the `weights` (m,) of the rows, or None.

    >>> columns = Columns([np.array([1.0, 0.5]), np.array([0, 1], dtype=np.int8)])
    >>> columns.rows, columns.arms, columns.take([1]).tolist()
    (2, 2, [[0.5, 1.0]])
    """

    def __cinit__(self, list arrays, ndarray weights=None, double low=0, double width=0):
        cdef Py_ssize_t k
        cdef ndarray column
        self.arrays, self.weights, self.low, self.width = arrays, weights, low, width
        self.arms, self.rows = len(arrays), len(arrays[0])
        open_arena(&self.arena)
        self.starts = <const void**> carve(&self.arena, self.arms, sizeof(void*))
        self.kinds = integers(&self.arena, self.arms)
        self.every = <Py_ssize_t*> carve(&self.arena, self.arms, sizeof(Py_ssize_t))
        check_arena(&self.arena)
        self.weight = NULL
        if weights is not None:
            self.weight = counts(weights)
        for k in range(self.arms):
            column = arrays[k]
            if not column.flags.c_contiguous or len(column) != self.rows:
                raise TypeError("a column must lie in one piece, and all must be equally long")
            self.starts[k] = PyArray_DATA(column)
            self.kinds[k] = KINDS[column.dtype]
            self.every[k] = k

    def __dealloc__(self):
        close_arena(&self.arena)

    cdef void load(self, Py_ssize_t first, Py_ssize_t n, double* A) noexcept nogil:
        """Load `n` rows from `first` on into A (K, n)."""
        cdef Py_ssize_t k
        for k in range(self.arms):
            if self.kinds[k] == 0:
                load_double(<const double*> self.starts[k] + first, n, self.low, self.width, A + k * n)
            elif self.kinds[k] == 1:
                load_float(<const float*> self.starts[k] + first, n, self.low, self.width, A + k * n)
            elif self.kinds[k] == 2:
                load_int8(<const int8_t*> self.starts[k] + first, n, self.low, self.width, A + k * n)
            else:
                load_uint8(<const uint8_t*> self.starts[k] + first, n, self.low, self.width, A + k * n)

    cdef void weigh(self, Py_ssize_t first, Py_ssize_t n, double* w) noexcept nogil:
        cdef Py_ssize_t i
        for i in range(n):
            w[i] = <double> self.weight[first + i] if self.weight != NULL else 1

    def take(self, places):
        """Return the rows at these places (n, K), as doubles on [0, 1]."""
        taken = np.empty((len(places), self.arms))
        for k in range(self.arms):
            taken[:, k] = self.arrays[k][places]
        return taken if self.width == 0 else (taken - self.low) / self.width

    def weights_at(self, places):
        """Return the weights (n,) of the rows at these places."""
        return np.ones(len(places), dtype=np.int64) if self.weights is None else self.weights[places]


cdef int open_room(Room* room, Columns columns) except -1:
    """Allocate the buffers of one pass over the columns; `close_room` frees them."""
    cdef Py_ssize_t i
    open_arena(&room.arena)
    room.A = doubles(&room.arena, columns.arms * BUNDLE)
    room.w, room.d = doubles(&room.arena, BUNDLE), doubles(&room.arena, BUNDLE)
    room.u, room.best = doubles(&room.arena, BUNDLE), doubles(&room.arena, BUNDLE)
    room.ones = doubles(&room.arena, BUNDLE)
    if room.arena.failed:
        close_arena(&room.arena)
        raise MemoryError("no memory for the workspace of a kernel")
    for i in range(BUNDLE):
        room.ones[i] = 1
    return 0


cdef void close_room(Room* room) noexcept nogil:
    close_arena(&room.arena)
