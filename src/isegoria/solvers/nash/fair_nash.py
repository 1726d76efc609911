"""The largest Nash product among the procedurally fair policies."""

from __future__ import annotations

import numpy as np

from isegoria import tolerances
from isegoria.errors import CertificationError
from isegoria.rows.simplex import simplex_point
from isegoria.rows.views import placed
from isegoria.solvers.answer import Answer, Selection
from isegoria.solvers.fair_set.polytope import Fair
from isegoria.solvers.fair_set.simplicial_decomposition import climb
from isegoria.solvers.nash.log_sum import maximise
from isegoria.solvers.ties.flat_directions import fixed_directions
from isegoria.solvers.ties.selection import choose_fair
from isegoria.threads import one_thread


@one_thread()
def nash_within(rows: np.ndarray, shares: np.ndarray, fair: Fair, choice: Selection) -> Answer:
    """The `Answer` of max Σ_i shares_i log(rows_i · p) over the fair p, its value their geometric mean.

    Optimal policies share every utility; they are those that keep it and whose slope is still the largest.
    """

    def slope_at(policy: np.ndarray) -> np.ndarray:
        return (shares / (rows @ policy)) @ rows

    held = np.empty(0)  # the weights of the corners so far

    def master(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        nonlocal held
        seen = rows @ corners.T
        used = np.append(held > 0, np.ones(len(corners) - len(held), dtype=bool))
        held = _weights(seen, shares, used)
        policy = held @ corners
        return policy, slope_at(policy)

    policy, slope = climb(fair, _start(rows, fair, choice.direction), master)
    square_root = np.sqrt(shares)[:, None] * rows / (rows @ policy)[:, None]
    everywhere = np.ones(len(policy), dtype=bool)
    equal, margin = fixed_directions(square_root, policy, everywhere, tolerances.NASH_CURVATURE_TIE)
    if len(equal) < len(policy) - 1:
        chosen, sharpness = choose_fair(fair, slope, tolerances.OPTIMUM_TIE, equal, choice, policy)
        margin = min(margin, sharpness)
        if sharpness > 0:  # else the set of optima is too thin to choose from, and the one that was found stays
            policy = chosen
    policy = simplex_point(policy)
    gap = max(fair.support(slope_at(policy)) - 1, 0.0)
    return Answer(policy, float(np.exp(shares @ np.log(rows @ policy))), gap, margin)


def _weights(seen: np.ndarray, shares: np.ndarray, used: np.ndarray) -> np.ndarray:
    """The weights of the corners in the largest product; if all are too alike for that, of those that were `used`."""
    try:
        return maximise(np.ascontiguousarray(seen), shares)[0]
    except CertificationError:
        return placed(maximise(np.ascontiguousarray(seen[:, used]), shares)[0], used, len(used))


def _start(rows: np.ndarray, fair: Fair, direction: np.ndarray) -> np.ndarray:
    """(m, K) corners that leave no row at 0: one to begin with, and one for each row to which it gives nothing."""
    corner = fair.corner(direction)
    nothing = rows @ corner == 0
    return np.vstack([corner, *(fair.corner(row) for row in rows[nothing])])
