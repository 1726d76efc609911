"""Names concatenated in one array of bytes: a hash of each, and the first blank one."""

from libc.stdint cimport int64_t, uint64_t
from numpy cimport NPY_UINT8, NPY_UINT64, PyArray_DATA, PyArray_DIM, ndarray

from isegoria.solvers.rows.arrays cimport counts, memory, vector


def hash_names(ndarray data, ndarray ends):
    """Return 64-bit hashes (N,) of the names data[ends[i]:ends[i + 1]]: Fowler–Noll–Vo, with a final mix.

    >>> import numpy as np
    >>> one, two, three = hash_names(np.frombuffer(b"annannzoe", np.uint8), np.array([0, 3, 6, 9]))
    >>> bool(one == two), bool(one == three)
    (True, False)
    """
    cdef const unsigned char* text = <const unsigned char*> memory(data, NPY_UINT8, 1)
    cdef const int64_t* end = counts(ends)
    cdef Py_ssize_t N = PyArray_DIM(ends, 0) - 1, i, j
    cdef ndarray hashes = vector(N, NPY_UINT64)
    cdef uint64_t* found = <uint64_t*> PyArray_DATA(hashes)
    cdef uint64_t code
    with nogil:
        for i in range(N):
            code = 14695981039346656037ULL
            for j in range(end[i], end[i + 1]):
                code = (code ^ text[j]) * 1099511628211ULL
            code ^= code >> 32
            found[i] = code * 0x9E3779B97F4A7C15ULL
    return hashes


def blank_name(ndarray data, ndarray ends):
    """Return the index of the first name with only ASCII white space, or -1.

    >>> import numpy as np
    >>> blank_name(np.frombuffer(b"ann  ", np.uint8), np.array([0, 3, 5]))
    1
    """
    cdef const unsigned char* text = <const unsigned char*> memory(data, NPY_UINT8, 1)
    cdef const int64_t* end = counts(ends)
    cdef Py_ssize_t N = PyArray_DIM(ends, 0) - 1, i, j
    for i in range(N):
        for j in range(end[i], end[i + 1]):
            if text[j] > 32:
                break
        else:
            return i
    return -1
