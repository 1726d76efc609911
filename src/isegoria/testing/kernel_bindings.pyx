"""Python wrappers of kernels that only other kernels call, for the package's own tests.

They are in one module because typed memoryviews, which are convenient here, make every module that uses them slow to
import.
"""

import numpy as np

from isegoria.utils import tolerances
from isegoria.solvers.algebra.cholesky cimport factorise, solve_both
from isegoria.solvers.algebra.gauss_jordan cimport invert
from isegoria.solvers.algebra.householder cimport reflect
from isegoria.solvers.algebra.inverse_iteration cimport least_eigenvalue
from isegoria.solvers.algebra.pair cimport minus, over, pair, plus, root, times
from isegoria.solvers.flow.network cimport Network
from isegoria.solvers.flow.network import on_links
from isegoria.solvers.flow.proportional_fitting cimport fit
from isegoria.solvers.nash.columns cimport Columns, dense_columns, gradient, hessian, mirror
from isegoria.solvers.nash.principal_pivoting cimport minimise_quadratic


def pair_arithmetic(str operation, tuple a, tuple b):
    """Compute a plus, minus, times or over b, or the root of a, for double-double pairs (hi, lo).

    >>> pair_arithmetic("over", (1.0, 0.0), (3.0, 0.0))
    (0.3333333333333333, 1.850371707708594e-17)
    """
    cdef pair x = pair(a[0], a[1]), y = pair(b[0], b[1])
    cdef pair found
    if operation == "plus":
        found = plus(x, y)
    elif operation == "minus":
        found = minus(x, y)
    elif operation == "times":
        found = times(x, y)
    else:
        found = over(x, y) if operation == "over" else root(x)
    return found.hi, found.lo


def solve_cholesky(matrix, b, double relative=0, double absolute=0, bint in_pairs=False):
    """Solve `matrix` z = `b` for z (n,), with a positive `matrix` (n, n), in doubles or in pairs of them.

    >>> solve_cholesky(np.array([[4.0, 2.0], [2.0, 2.0]]), np.array([2.0, 2.0])).tolist()
    [0.0, 1.0]
    """
    cdef Py_ssize_t n = len(b), digits = 2 if in_pairs else 1
    factor, solution = np.zeros((n, n, digits)), np.zeros((n, digits))
    factor[..., 0], solution[:, 0] = matrix, b
    cdef double[:, :, ::1] L = factor
    cdef double[:, ::1] z = solution
    if in_pairs:
        factorise(<pair*> &L[0, 0, 0], 0, n, n, relative, absolute)
        solve_both(<pair*> &L[0, 0, 0], n, n, <pair*> &z[0, 0])
    else:
        factorise(&L[0, 0, 0], 0, n, n, relative, absolute)
        solve_both(&L[0, 0, 0], n, n, &z[0, 0])
    return solution[:, 0]


def reflect_rows(rows, v):
    """Reflect the rows (m, n) at the plane through 0 whose normal is `v` (n,).

    >>> reflect_rows(np.array([[1.0, 2.0]]), np.array([1.0, 0.0])).tolist()
    [[-1.0, 2.0]]
    """
    cdef double[:, ::1] mirrored = np.array(rows, dtype=float)
    cdef double[::1] normal = np.array(v, dtype=float)
    reflect(&mirrored[0, 0], mirrored.shape[0], mirrored.shape[1], &normal[0], mirrored.shape[1])
    return np.asarray(mirrored)


def least(L):
    """Estimate the smallest eigenvalue of L Lᵀ, for a lower triangular `L` (n, n).

    >>> round(least(np.diag([3.0, 0.5])), 6)
    0.25
    """
    cdef double[:, ::1] factor = np.array(L, dtype=float)
    cdef double[::1] z = np.empty(len(factor))
    return least_eigenvalue(&factor[0, 0], len(z), len(z), &z[0])


def inverse(matrix):
    """Return the inverse of a `matrix` (n, n), or None if it is singular.

    >>> inverse(np.array([[0.0, 2.0], [1.0, 0.0]])).tolist()
    [[0.0, 1.0], [0.5, 0.0]]
    """
    cdef double[:, ::1] found = np.array(matrix, dtype=float)
    cdef int[::1] exchanged = np.empty(len(found), dtype=np.intc)
    return np.asarray(found) if invert(&found[0, 0], <int> len(found), &exchanged[0]) else None


def derivatives(double[:, ::1] A, double[::1] w, double[::1] x, bint in_pairs=False):
    """Compute (gap, d = Ax, s = Aᵀ(w / d), H = Aᵀ diag(w / d²) A) for a table `A` (K, m), stored column by column.

    The last axis of the results holds the parts of a number: one double, or two with `in_pairs`.

    >>> gap, d, s, H = derivatives(np.eye(2), np.array([0.5, 0.5]), np.array([0.25, 0.75]))
    >>> gap, d.ravel().tolist(), s.ravel().round(3).tolist()
    (1.0, [0.25, 0.75], [2.0, 0.667])
    """
    cdef Py_ssize_t K = A.shape[0], m = A.shape[1], digits = 2 if in_pairs else 1  # doubles that a number takes
    cdef Columns table = dense_columns(&A[0, 0], m, K)
    cdef Py_ssize_t[::1] arms = np.arange(K, dtype=np.intp)
    point, d, u, s, H = (np.zeros((*size, digits)) for size in ((K,), (m,), (m,), (K,), (K, K)))
    point[:, 0] = x
    cdef double[:, ::1] px = point, pd = d, pu = u, ps = s
    cdef double[:, :, ::1] pH = H
    if in_pairs:
        gap = gradient(&table, &w[0], <pair*> &px[0, 0], <pair*> &pd[0, 0], <pair*> &pu[0, 0], <pair*> &ps[0, 0])
        hessian(&table, &arms[0], K, <pair*> &pd[0, 0], <pair*> &pu[0, 0], <pair*> &pH[0, 0, 0])
        mirror(<pair*> &pH[0, 0, 0], K)
    else:
        gap = gradient(&table, &w[0], &px[0, 0], &pd[0, 0], &pu[0, 0], &ps[0, 0])
        hessian(&table, &arms[0], K, &pd[0, 0], &pu[0, 0], &pH[0, 0, 0])
        mirror(&pH[0, 0, 0], K)
    return gap, d, s, H


def minimise(double[:, ::1] B, double[::1] b, double noise=tolerances.NEWTON_NOISE):
    """Minimise ½ xᵀBx − bᵀx over x ≥ 0, for a positive definite B (n, n); return (x, proved).

    >>> minimise(np.eye(2), np.array([0.5, -1.0]))[0].tolist()
    [0.5, 0.0]
    """
    cdef Py_ssize_t n = b.shape[0]
    cdef double[::1] x = np.empty(n), z = np.empty(n)
    cdef double[:, ::1] L = np.empty((n, n))
    cdef unsigned char[::1] free = np.ones(n, dtype=np.uint8)
    cdef Py_ssize_t[::1] index = np.empty(n, dtype=np.intp)
    cdef int failed = 0
    proved = minimise_quadratic(&B[0, 0], &b[0], n, noise, &x[0], &free[0], &L[0, 0], &z[0], &index[0], &failed)
    return np.asarray(x), bool(proved)


def fit_claims(rows, masses, policy, tight):
    """Fit the claims of types with favourites `rows` (m, K) and `masses` (m,) on a `policy`: (y (m, K), overspent).

    Arms that are `tight` (K,) must be used up; claims on the others are at most what the policy gives them.

    >>> y, overspent = fit_claims(np.ones((1, 2), dtype=bool), [0.8], [0.5, 0.5], [False, False])
    >>> y.round(6).tolist(), overspent
    ([[0.4, 0.4]], 0.0)
    """
    cdef Network network = Network(rows)
    cdef double[::1] mass = np.array(masses, dtype=float), p = np.array(policy, dtype=float)
    cdef double[::1] y = np.zeros(network.edges)
    cdef unsigned char[::1] kept = np.ones(network.edges, np.uint8), full = np.array(tight, dtype=np.uint8)
    overspent = fit(network, &kept[0], &mass[0], &p[0], &full[0], &y[0])
    return on_links(rows, np.asarray(y)), overspent
