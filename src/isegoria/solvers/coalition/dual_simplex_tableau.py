"""The best deviation of a coalition by a small dense simplex, where SciPy is not installed.

The linear program is that of `blocking`: maximise the total gain of the members over all policies by which nobody of
them loses. Its dual has a feasible start, all multipliers 0, so no first phase is needed: minimise t ≥ Σ_i (1 + λ_i)
g_ik for each arm k, with λ ≥ 0. The policy is read from the reduced costs, and a dual without a minimum proves that
every policy makes some member worse off.
"""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from isegoria.utils import tolerances

SOLVED, INTERRUPTED, INFEASIBLE = 0, 1, 2
"""The status codes of `scipy.optimize.linprog`."""
MAX_PIVOTS_PER_COLUMN = 50


def maximise_total_gain(gains: np.ndarray) -> SimpleNamespace:
    """Maximise the total of `gains` (members, arms) @ Q over policies Q with no negative gain.

    Parameters
    ----------
    gains : ndarray
        The gain of each member if an arm is played for certain.

    Returns
    -------
    SimpleNamespace
        What `blocking` reads of SciPy's result: `x`, `status` and `ineqlin.marginals`.

    Examples
    --------
    >>> answer = maximise_total_gain(np.array([[0.5, -0.25], [-0.1, 0.1]]))
    >>> answer.x.tolist(), answer.status
    ([0.5, 0.5], 0)
    >>> maximise_total_gain(np.array([[0.1, -0.2], [-0.2, 0.1]])).status
    2
    """
    members, arms = gains.shape
    totals = gains.sum(axis=0)
    top = int(totals.argmax())
    # Columns: the multipliers λ, the slack of each arm, the right-hand side. Arm `top` holds t, and its row is `costs`.
    table = np.hstack([(gains - gains[:, [top]]).T, np.eye(arms), (totals[top] - totals)[:, None]])
    table[:, members + top] = -1.0
    costs = np.hstack([gains[:, top], np.eye(arms)[top], [-totals[top]]])
    table, basis = np.delete(table, top, axis=0), np.delete(members + np.arange(arms), top)
    status = INTERRUPTED
    for _ in range(MAX_PIVOTS_PER_COLUMN * (members + arms)):
        entering = np.flatnonzero(costs[:-1] < -tolerances.LP_FEASIBILITY)
        if not entering.size:
            status = SOLVED
            break
        column = table[:, entering[0]]  # Bland's rule, which cannot cycle
        rows = np.flatnonzero(column > tolerances.LP_FEASIBILITY)
        if not rows.size:
            status = INFEASIBLE
            break
        ratios = table[rows, -1] / column[rows]
        ties = rows[ratios <= ratios.min()]
        row = ties[basis[ties].argmin()]
        table[row] /= table[row, entering[0]]
        others = np.arange(arms - 1) != row
        table[others] -= np.outer(table[others, entering[0]], table[row])
        costs = costs - costs[entering[0]] * table[row]
        basis[row] = entering[0]
    multipliers = np.zeros(members + arms)
    multipliers[basis] = table[:, -1]
    policy = np.maximum(costs[members:-1], 0.0) if status == SOLVED else None
    return SimpleNamespace(x=policy, status=status, ineqlin=SimpleNamespace(marginals=-multipliers[:members]))
