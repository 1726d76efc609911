"""Where a sum of squares does not change: the directions in which all agents' utilities move alike."""

from __future__ import annotations

import numpy as np

from isegoria import tolerances


def level_rows(rows: np.ndarray, weights: np.ndarray, tied: np.ndarray, policy: np.ndarray) -> tuple[list, float]:
    """(equalities, curvature): what a policy must share with `policy` to have the same variance of utilities.

    The equalities (normal, bound) keep the arms that are not `tied` at 0 and fix the policy along every direction
    of the tied ones whose curvature is above the tolerance; `curvature` is the smallest of those. They come from the
    centred rows, not from their K × K products: small singular values keep twice as many digits there.
    """
    total = weights.sum()
    scale = 2 / (total - 1) if total > 1 else 0.0
    centred = rows[:, tied] - weights @ rows[:, tied] / total
    centred -= centred.mean(axis=1, keepdims=True)  # moving all tied arms alike is not a direction of the simplex
    centred *= np.sqrt(scale * weights)[:, None]
    _, singular, directions = np.linalg.svd(centred, full_matrices=False)
    kept = singular**2 > tolerances.CURVATURE_TIE
    normals = np.zeros((int(kept.sum()), len(policy)))
    normals[:, tied] = directions[kept]
    near = singular[singular**2 > tolerances.CURVATURE_TIE / 2]
    equal = [(normal, 0.0) for normal in np.eye(len(policy))[~tied]]
    equal += [(normal, float(normal @ policy)) for normal in normals]
    return equal, float(near.min() ** 2) if near.size else np.inf
