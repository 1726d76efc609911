"""Singular values and right singular vectors of a few rows, by rotating pairs of rows until all are orthogonal.

One-sided Jacobi rotations (Hestenes 1958): small singular values come out to their own last digits. Many rows become
few by a QR decomposition first. All of it adds up in one order, so that every processor finds the same bits.
"""

from libc.math cimport fabs, sqrt
from libc.string cimport memcpy

import numpy as np

from numpy cimport PyArray_DATA, PyArray_DIM, ndarray

from isegoria.utils import tolerances
from isegoria.solvers.rows.arrays cimport booleans, reals, table, vector
from isegoria.solvers.algebra.householder cimport reflect
from isegoria.solvers.algebra.pair cimport dot

cdef double ORTHOGONAL = tolerances.ORTHOGONAL_COSINE
cdef int SWEEPS = 60  # each makes the angles quadratically smaller: a handful are needed


def centred_columns(ndarray rows, ndarray tied):
    """Return the `tied` (K,) columns of `rows` (N, K), each row minus its mean over them, as (N, t)."""
    cdef const double* row = reals(rows, 2)
    cdef const unsigned char* inside = booleans(tied)
    cdef Py_ssize_t N = PyArray_DIM(rows, 0), K = PyArray_DIM(rows, 1), i, k, c, t = 0
    cdef double mean
    for k in range(K):
        t += inside[k] != 0
    cdef ndarray centred = table(N, t)
    cdef double* C = <double*>PyArray_DATA(centred)
    for i in range(N):
        mean = 0
        c = 0
        for k in range(K):
            if inside[k]:
                C[c] = row[k]
                mean += row[k]
                c += 1
        mean /= t
        for c in range(t):
            C[c] -= mean
        row += K
        C += t
    return centred


def upper_triangle(ndarray matrix):
    """Return the factor R (n, n) of matrix (m, n) = QR, m ≥ n: rows of the same singular values and directions.

    >>> upper_triangle(np.array([[3.0], [4.0]])).tolist()
    [[-5.0]]
    """
    cdef const double* given = reals(matrix, 2)
    cdef Py_ssize_t m = PyArray_DIM(matrix, 0), n = PyArray_DIM(matrix, 1), i, j
    cdef ndarray columns = table(n, m), normal = vector(m), factor = table(n, n)
    cdef double* C = <double*>PyArray_DATA(columns)
    cdef double* v = <double*>PyArray_DATA(normal)
    cdef double* R = <double*>PyArray_DATA(factor)
    cdef double length
    with nogil:
        for i in range(m):
            for j in range(n):
                C[j * m + i] = given[i * n + j]
        for j in range(n):
            length = sqrt(dot(C + j * m + j, C + j * m + j, m - j))
            memcpy(v, C + j * m + j, (m - j) * sizeof(double))
            v[0] += length if v[0] >= 0 else -length
            reflect(C + j * m + j, n - j, m, v, m - j)
        for i in range(n):
            for j in range(n):
                R[i * n + j] = C[j * m + i] if j >= i else 0
    return factor


cdef bint rotate(double* a, double* b, Py_ssize_t n, double nothing) noexcept nogil:
    """Turn two rows in their plane so that they are orthogonal and the first is no shorter; False if they were.
    Products below `nothing` are rounding: what is left of rows that depend on others."""
    cdef double aa = dot(a, a, n), bb = dot(b, b, n), ab = dot(a, b, n), zeta, t, c, s, x
    cdef Py_ssize_t k
    if fabs(ab) <= ORTHOGONAL * sqrt(aa) * sqrt(bb) + nothing:
        if aa >= bb:
            return False
        c, s = 0, 1  # in the wrong order only: change places
    else:
        zeta = (aa - bb) / (2 * ab)
        t = (1 if zeta >= 0 else -1) / (fabs(zeta) + sqrt(1 + zeta * zeta))
        c = 1 / sqrt(1 + t * t)
        s = c * t
    for k in range(n):
        x = c * a[k] + s * b[k]
        b[k] = c * b[k] - s * a[k]
        a[k] = x
    return True


def row_directions(ndarray matrix):
    """Return (singular values (m,), decreasing; right singular vectors (m, n), 0 where a value is) of a matrix (m, n).

    >>> values, vectors = row_directions(np.array([[3.0, 4.0], [0.0, 0.0]]))
    >>> values.tolist(), vectors[0].round(3).tolist()
    ([5.0, 0.0], [0.6, 0.8])
    """
    cdef const double* given = reals(matrix, 2)
    cdef Py_ssize_t m = PyArray_DIM(matrix, 0), n = PyArray_DIM(matrix, 1), i, j, k
    cdef int sweep
    cdef bint turned
    cdef double nothing
    cdef ndarray rows = table(m, n), lengths = vector(m)
    cdef double* R = <double*>PyArray_DATA(rows)
    cdef double* length = <double*>PyArray_DATA(lengths)
    memcpy(R, given, m * n * sizeof(double))
    with nogil:
        nothing = ORTHOGONAL * ORTHOGONAL * dot(R, R, m * n)
        for sweep in range(SWEEPS):
            turned = False
            for i in range(m):
                for j in range(i + 1, m):
                    turned = rotate(R + i * n, R + j * n, n, nothing) or turned
            if not turned:
                break
        for i in range(m):
            length[i] = sqrt(dot(R + i * n, R + i * n, n))
            for k in range(i * n, (i + 1) * n):
                R[k] = R[k] / length[i] if length[i] > 0 else 0
    return lengths, rows
