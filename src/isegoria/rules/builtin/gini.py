"""Generalised Gini welfare: utilities in increasing order with decreasing weights, so the worst-off count most."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from isegoria.errors import InputError
from isegoria.profiles import Instance, Profile, is_streamed, require_instance
from isegoria.rules.inputs import fair_polytope_within, make_selection
from isegoria.rules.solution import Solution, require_certificate
from isegoria.solvers import method_limits
from isegoria.solvers.maximin.dispatch import is_large, solve_maximin
from isegoria.solvers.maximin.welfare_functions import GiniWelfare
from isegoria.utils import tolerances

GINI_RANKS = 64  # 2^-(r-1) summed beyond this rank no longer changes a double
HALVING_PREFIX_SUMS = np.concatenate([[0.0], 1.0 - 0.5 ** np.arange(1, GINI_RANKS + 1)])


def evaluate(instance: Profile, policy: np.ndarray, gini_weights: Any = None) -> float:
    """Return the welfare Σ_r g_r u_(r) over the W agents, smallest utility first; g_r = 2^-(r-1) unless given."""
    if is_streamed(instance):
        return 2 * instance.least_welfare("gini", policy)
    rows, welfare, total = _welfare(require_instance(instance), gini_weights)
    return total * welfare.value(rows @ policy)


def optimise(
    instance: Profile, tie_break: str = "centre", within: str | None = None, gini_weights: Any = None
) -> Solution:
    """Maximise the Gini welfare; the gap is the dual bound, from a mixture of orders, minus the value.

    Ties are measured in units of the sum of the weights.
    """
    if is_streamed(instance):
        if gini_weights is not None:
            _raise_custom_weights()
        found, total = instance.answer("gini", tie_break, within), 2.0
    else:
        rows, welfare, total = _welfare(require_instance(instance), gini_weights)
        found = solve_maximin(
            welfare, rows, make_selection(instance, tie_break, within), fair_polytope_within(instance, within)
        )
    return require_certificate(
        Solution(found.policy, "gini", total * found.value, total * found.gap, tie_break, found.margin, within),
        tolerances.GINI_GAP * max(1.0, total / 2),
    )


def _raise_custom_weights() -> NoReturn:
    raise InputError(
        "gini on a scanned table has the weights 1, 1/2, 1/4, … alone; leave gini_weights out, or read the table as an "
        "Instance."
    )


def _welfare(instance: Instance, gini_weights: Any) -> tuple[np.ndarray, GiniWelfare, float]:
    """Return the agents' rows, their welfare divided by the sum of the Gini weights, and that sum."""
    prefix, total = (
        (HALVING_PREFIX_SUMS, 2.0) if gini_weights is None else _prefix_sums(gini_weights, instance.total_weight)
    )
    if is_large(instance.means) and len(prefix) - 1 <= method_limits.FEW_GINI_RANKS:
        return instance.means, GiniWelfare(instance.weights, prefix), total
    rows, weights, _ = instance.types  # in their own order, so that ties in deep ranks are met alike
    return rows, GiniWelfare(weights, prefix), total


def _prefix_sums(gini_weights: Any, agents: int) -> tuple[np.ndarray, float]:
    """Return (0, g_1, g_1 + g_2, …) divided by the total, and the total."""
    weights = _validate_gini_weights(gini_weights, agents)
    prefix = np.concatenate([[0.0], np.cumsum(weights)])
    return prefix / prefix[-1], float(prefix[-1])


def _validate_gini_weights(gini_weights: Callable[[int], float] | np.ndarray, agents: int) -> np.ndarray:
    """Return `gini_weights` as numbers, one per rank; raise unless finite, non-negative and non-increasing."""
    try:
        if callable(gini_weights):
            weights = np.fromiter((gini_weights(rank) for rank in range(1, agents + 1)), float, agents)
        else:
            weights = np.asarray(gini_weights, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f"gini_weights must be numbers, or a function from a rank to a number: {error}.") from error
    if weights.shape != (agents,):
        given = f"shape {weights.shape}" if weights.ndim != 1 else f"{len(weights)} number{'s' * (len(weights) != 1)}"
        raise InputError(
            f"gini_weights have {given}; expected {agents:,}, one weight for each agent from the worst-off up (a row "
            f"of weight w is w agents). Give {agents:,}, or leave them out for 1, 1/2, 1/4, … (in Python, a function "
            "of the rank fits any number)."
        )
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    wrong[1:] |= weights[1:] > weights[:-1]
    if wrong.any():
        rank = int(wrong.argmax())
        raise InputError(
            f"gini_weights[{rank}] is {weights[rank]:.6g}; weights must be finite, non-negative and non-increasing, "
            "so that no one counts more for getting more. Sort them from large to small."
        )
    if weights[0] == 0:
        raise InputError("gini_weights are all 0; at least the first must be positive.")
    return weights
