"""Directions along which an objective is flat: those that change no utility that matters to it."""

from __future__ import annotations

import numpy as np

from isegoria.solvers.algebra.jacobi import centred_columns, row_directions, upper_triangle
from isegoria.solvers.ties.active_set import equalities
from isegoria.utils import tolerances

MAX_JACOBI_ROWS = 32
"""Up to this many rows, Jacobi rotations are faster than the library's decomposition, whose set-up alone costs more."""


def fixed_directions(
    square_root: np.ndarray, policy: np.ndarray, tied: np.ndarray, tie: float = tolerances.CURVATURE_TIE
) -> tuple[np.ndarray, float]:
    """Return (equalities, curvature): what a policy must share with `policy` to keep the utilities that matter.

    The equalities (E, K + 1), each a normal and its bound, keep the arms that are not `tied` at 0, and fix the policy
    along every direction d of the tied ones in which |square_root d|² is above `tie`; `curvature` is the smallest of
    those. They are computed from the rows, not from their K × K products, where small singular values lose half their
    digits.
    """
    inside = centred_columns(square_root, tied)  # moving all tied arms by the same amount leaves the simplex
    singular, directions = _decompose(inside)
    curvatures = [value * value for value in singular.tolist()]  # in decreasing order
    fixed = sum(curvature > tie for curvature in curvatures)
    near = [curvature for curvature in curvatures if curvature > tie / 2]
    return equalities(directions[:fixed], tied, policy), near[-1] if near else float("inf")


def _decompose(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the singular values, in decreasing order, and the right singular vectors as rows.

    With few rows or few columns, sums have a fixed order, so that results are bit-identical on every processor and
    BLAS.
    """
    if min(matrix.shape) > MAX_JACOBI_ROWS:
        return np.linalg.svd(matrix, full_matrices=False)[1:]
    return row_directions(matrix if len(matrix) <= MAX_JACOBI_ROWS else upper_triangle(matrix))
