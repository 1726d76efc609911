"""Maximise the level of some rows while others keep what they have, by a linear program refined on its basis.

It serves where the matrix games of `levels` fail: rows that are held leave bases of which rounding cannot tell whether
they are singular. HiGHS says which arms are played and which rows are tight. The equations of that basis are then
solved by corrections of least norm with residuals in pairs of doubles, which no singular basis can harm.
"""

from __future__ import annotations

import numpy as np

from isegoria.solvers.algebra.pair_products import products
from isegoria.solvers.maximin.levels import Level
from isegoria.solvers.rows.simplex import simplex_point
from isegoria.utils import tolerances

REFINEMENT_STEPS = 2


def highest_level_by_program(rows: np.ndarray, held: np.ndarray) -> Level | None:
    """Maximise t with rows[i] @ p ≥ t for free rows (`held` is NaN) and rows[j] @ p = held[j] for the others.

    The multipliers of held rows may be negative. None if HiGHS finds no optimum.

    >>> found = highest_level_by_program(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([np.nan, 0.25]))
    >>> found.level, found.policy.tolist()
    (0.75, [0.75, 0.25])
    """
    from scipy.optimize import linprog

    free, arms = np.isnan(held), rows.shape[1]
    equal = np.vstack([np.column_stack([rows[~free], np.zeros((~free).sum())]), np.append(np.ones(arms), 0.0)])
    solved = linprog(
        np.append(np.zeros(arms), -1.0),
        A_ub=np.column_stack([-rows[free], np.ones(free.sum())]),
        b_ub=np.zeros(free.sum()),
        A_eq=equal,
        b_eq=np.append(held[~free], 1.0),
        bounds=[(0, None)] * arms + [(None, None)],
        method="highs-ds",
        options={"presolve": False},  # it takes longer than the few pivots that are left
    )
    if solved.status != 0:
        return None
    multipliers = np.zeros(len(rows))
    multipliers[free], multipliers[~free] = -solved.ineqlin.marginals, solved.eqlin.marginals[:-1]
    tight = ~free | (multipliers > tolerances.NEAR_TIE)
    worth = multipliers @ rows
    played = solved.x[:-1] > tolerances.NEAR_TIE
    policy = _refine_policy(rows, held, np.where(played, solved.x[:-1], 0.0), solved.x[-1], tight, played)
    multipliers = _refine_multipliers(rows, free, np.where(tight, multipliers, 0.0), float(worth.max()), tight, played)
    level = float((multipliers @ rows).max()) - float(multipliers[~free] @ held[~free])
    gained = rows @ policy
    value = min(float(gained[free].min()), level + float((gained - held)[~free].min(initial=0.0)))
    return Level(level, multipliers, policy, value)


def _refine_policy(
    rows: np.ndarray, held: np.ndarray, policy: np.ndarray, level: float, tight: np.ndarray, played: np.ndarray
) -> np.ndarray:
    """Return the policy on the arms `played` under which the tight free rows get one level."""
    free = np.isnan(held[tight]).astype(float)
    equations = np.column_stack([rows[tight][:, played], -free, np.where(free > 0, 0.0, held[tight])])
    system = np.vstack([equations, np.append(np.ones(int(played.sum())), [0.0, 1.0])])
    found = _solve_by_refinement(system, np.append(policy[played], level))
    exact = np.zeros_like(policy)
    exact[played] = found[:-1]
    return simplex_point(np.maximum(exact, 0.0))


def _refine_multipliers(
    rows: np.ndarray, free: np.ndarray, multipliers: np.ndarray, worth: float, tight: np.ndarray, played: np.ndarray
) -> np.ndarray:
    """Return the multipliers of `tight` rows to which all arms `played` are worth the same; those of free rows sum to
    1."""
    equations = np.column_stack([rows[tight][:, played].T, -np.ones(int(played.sum())), np.zeros(int(played.sum()))])
    system = np.vstack([equations, np.append(free[tight].astype(float), [0.0, 1.0])])
    exact = multipliers.copy()
    exact[tight] = _solve_by_refinement(system, np.append(multipliers[tight], worth))[:-1]
    exact[free] = np.maximum(exact[free], 0.0)
    return exact / exact[free].sum()


def _solve_by_refinement(system: np.ndarray, near: np.ndarray) -> np.ndarray:
    """Return x close to `near` with system · (x, −1) = 0: the correction of least norm, refined."""
    from scipy.linalg import lstsq

    system, found = np.ascontiguousarray(system), near
    for _ in range(REFINEMENT_STEPS):
        missed = products(system, np.append(found, -1.0))
        found = found - lstsq(system[:, :-1], missed, tolerances.RANK_PIVOT, lapack_driver="gelsy")[0]
    return found
