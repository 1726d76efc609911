"""Where an objective does not change: the directions along which no agent's utility matters to it."""

from __future__ import annotations

import numpy as np

from isegoria import tolerances


def centred_rows(rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(N, K) the square root C of the variance: |Cp|² is twice the sample variance of the utilities rows @ p."""
    total = weights.sum()
    scale = 2 / (total - 1) if total > 1 else 0.0
    return (rows - weights @ rows / total) * np.sqrt(scale * weights)[:, None]


def fixed_directions(
    square_root: np.ndarray, policy: np.ndarray, tied: np.ndarray, tie: float = tolerances.CURVATURE_TIE
) -> tuple[list, float]:
    """(equalities, curvature): what a policy must share with `policy` to keep the utilities that matter.

    The equalities (normal, bound) keep the arms that are not `tied` at 0, and fix the policy along every direction
    d of the tied ones in which |square_root d|² is above `tie`; `curvature` is the smallest of those. They come
    from the rows, not from their K × K products: small singular values keep twice as many digits there.
    """
    inside = square_root[:, tied]
    inside = inside - inside.mean(axis=1, keepdims=True)  # moving all tied arms alike leaves the simplex
    _, singular, directions = np.linalg.svd(inside, full_matrices=False)
    curvatures = singular**2
    normals = np.zeros((int((curvatures > tie).sum()), len(policy)))
    normals[:, tied] = directions[curvatures > tie]
    near = curvatures[curvatures > tie / 2]
    equal = [(normal, 0.0) for normal in np.eye(len(policy))[~tied]]
    equal += [(normal, float(normal @ policy)) for normal in normals]
    return equal, float(near.min()) if near.size else np.inf
