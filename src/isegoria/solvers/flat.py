"""Where an objective does not change: the directions along which no agent's utility matters to it."""

from __future__ import annotations

import numpy as np

from isegoria import tolerances
from isegoria.solvers.projection import equalities


def fixed_directions(
    square_root: np.ndarray, policy: np.ndarray, tied: np.ndarray, tie: float = tolerances.CURVATURE_TIE
) -> tuple[np.ndarray, float]:
    """(equalities, curvature): what a policy must share with `policy` to keep the utilities that matter.

    The equalities (E, K + 1), each a normal and its bound, keep the arms that are not `tied` at 0, and fix the policy
    along every direction d of the tied ones in which |square_root d|² is above `tie`; `curvature` is the smallest of
    those. They come from the rows, not from their K × K products: small singular values keep twice as many digits there.
    """
    inside = square_root[:, tied]
    inside -= inside.sum(axis=1, keepdims=True) / inside.shape[1]  # moving all tied arms alike leaves the simplex
    _, singular, directions = np.linalg.svd(inside, full_matrices=False)
    curvatures = [value * value for value in singular.tolist()]  # in decreasing order
    fixed = sum(curvature > tie for curvature in curvatures)
    near = [curvature for curvature in curvatures if curvature > tie / 2]
    return equalities(directions[:fixed], tied, policy), near[-1] if near else float("inf")
