"""The columns of a chunk (unit) and the buffers of a pass over them, for the kernels of `passes`."""

from libc.stdint cimport int8_t, int64_t, uint8_t
from numpy cimport ndarray

from isegoria.solvers.rows.arena cimport Arena


cdef class Columns:
    cdef readonly list arrays
    cdef readonly ndarray weights
    cdef readonly Py_ssize_t rows, arms
    cdef readonly double low, width
    cdef Arena arena
    cdef const void** starts
    cdef int* kinds
    cdef const int64_t* weight
    cdef Py_ssize_t* every
    cdef void load(self, Py_ssize_t first, Py_ssize_t n, double* A) noexcept nogil
    cdef void weigh(self, Py_ssize_t first, Py_ssize_t n, double* w) noexcept nogil


cdef struct Room:       # the buffers of one pass
    Arena arena
    double* A           # (K, BUNDLE)
    double* w           # (BUNDLE,) and so the others
    double* d
    double* u
    double* best
    double* ones

cdef int open_room(Room* room, Columns columns) except -1
cdef void close_room(Room* room) noexcept nogil
