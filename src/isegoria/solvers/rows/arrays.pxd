"""NumPy arrays as plain C memory. Around small arrays a typed memoryview costs more than the work done on them.

Kind, layout and number of dimensions are checked; lengths are trusted, as everything inside is.
"""

from libc.stdint cimport int64_t, uint64_t
from numpy cimport (
    NPY_ARRAY_WRITEABLE, NPY_BOOL, NPY_DOUBLE, NPY_INT64, NPY_UINT64, PyArray_CLEARFLAGS, PyArray_DATA,
    PyArray_EMPTY, PyArray_ISCARRAY_RO, PyArray_NDIM, PyArray_TYPE, ndarray, npy_intp,
)


cdef inline void* memory(ndarray array, int kind, int dimensions) except NULL:
    """Where the entries of a C-contiguous array of this kind and number of dimensions begin."""
    if array is None:
        raise TypeError("a kernel was given None where it reads an array")
    if PyArray_TYPE(array) != kind or PyArray_NDIM(array) != dimensions or not PyArray_ISCARRAY_RO(array):
        raise TypeError(f"a kernel was given an array {(<object> array).shape} of {array.dtype} that it cannot read")
    return PyArray_DATA(array)


cdef inline const double* reals(ndarray array, int dimensions=1) except NULL:
    """The float64 entries of an array."""
    return <const double*> memory(array, NPY_DOUBLE, dimensions)


cdef inline const int64_t* counts(ndarray array) except NULL:
    """The int64 entries of a vector."""
    return <const int64_t*> memory(array, NPY_INT64, 1)


cdef inline const uint64_t* codes(ndarray array) except NULL:
    """The uint64 entries of a vector."""
    return <const uint64_t*> memory(array, NPY_UINT64, 1)


cdef inline const unsigned char* booleans(ndarray array, int dimensions=1) except NULL:
    """The booleans of an array, a byte each."""
    return <const unsigned char*> memory(array, NPY_BOOL, dimensions)


cdef inline ndarray vector(Py_ssize_t size, int kind=NPY_DOUBLE):
    """A new array (size,), not filled in."""
    cdef npy_intp length = size
    return PyArray_EMPTY(1, &length, kind, 0)


cdef inline ndarray table(Py_ssize_t rows, Py_ssize_t columns, int kind=NPY_DOUBLE):
    """A new array (rows, columns), not filled in."""
    cdef npy_intp[2] shape
    shape[0], shape[1] = rows, columns
    return PyArray_EMPTY(2, shape, kind, 0)


cdef inline ndarray frozen(ndarray array):
    """The same array, read-only."""
    PyArray_CLEARFLAGS(array, NPY_ARRAY_WRITEABLE)
    return array
