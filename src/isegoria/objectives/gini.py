"""Generalised Gini: utilities in increasing order, weighed less and less, so that those who get least count most."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from isegoria import tolerances
from isegoria.errors import InputError
from isegoria.instance import Instance
from isegoria.rules.inputs import choice, fair_policies
from isegoria.rules.solution import Solution, certified
from isegoria.solvers import sizes
from isegoria.solvers.maximin.maximin import is_large, maximin
from isegoria.solvers.maximin.welfare import Gini

RANKS = 64  # 2^-(r-1) summed beyond this rank no longer changes a double
HALVES = np.concatenate([[0.0], 1.0 - 0.5 ** np.arange(1, RANKS + 1)])


def evaluate(instance: Instance, policy: np.ndarray, gini_weights: Any = None) -> float:
    """The welfare Σ_r g_r u_(r) over the W agents, from the least utility up; g_r = 2^-(r-1) unless given."""
    told = instance.least_welfare("gini", policy)
    if told is not None:
        return 2 * told
    rows, welfare, total = _welfare(instance, gini_weights)
    return total * welfare.value(rows @ policy)


def optimise(
    instance: Instance, tie_break: str = "centre", within: str | None = None, gini_weights: Any = None
) -> Solution:
    """The policy of largest Gini welfare; the gap is the dual bound, a mixture of orders, minus the value.

    Ties are counted in units of the sum of the weights.
    """
    if gini_weights is not None and instance.agent_names() is None:
        _refuse_own_weights()
    found, total = instance.searched("gini", tie_break, within), 2.0
    if found is None:
        rows, welfare, total = _welfare(instance, gini_weights)
        found = maximin(welfare, rows, choice(instance, tie_break, within), fair_policies(instance, within))
    return certified(
        Solution(found.policy, "gini", total * found.value, total * found.gap, tie_break, found.margin, within),
        tolerances.GINI_GAP * max(1.0, total / 2),
    )


def _refuse_own_weights() -> NoReturn:
    raise InputError(
        "gini on a scanned table has the weights 1, 1/2, 1/4, … alone; leave gini_weights out, or read the table as an "
        "Instance."
    )


def _welfare(instance: Instance, gini_weights: Any) -> tuple[np.ndarray, Gini, float]:
    """The agents' rows, their welfare divided by the sum of the Gini weights, and that sum."""
    prefix, total = (HALVES, 2.0) if gini_weights is None else _prefix(gini_weights, instance.total_weight)
    if is_large(instance.means) and len(prefix) - 1 <= sizes.FEW_RANKS:
        return instance.means, Gini(instance.weights, prefix), total
    rows, weights, _ = instance.types  # in their own order, so that ties in deep ranks are met alike
    return rows, Gini(weights, prefix), total


def _prefix(gini_weights: Any, agents: int) -> tuple[np.ndarray, float]:
    """(0, g_1, g_1 + g_2, …) divided by the total, and the total."""
    weights = _checked(gini_weights, agents)
    prefix = np.concatenate([[0.0], np.cumsum(weights)])
    return prefix / prefix[-1], float(prefix[-1])


def _checked(gini_weights: Callable[[int], float] | np.ndarray, agents: int) -> np.ndarray:
    """`gini_weights` as numbers, one per rank; refused unless finite, non-negative and non-increasing."""
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
