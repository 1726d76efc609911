"""Efficiency of a policy: is another policy worse for nobody and better for somebody?

Both answers have a proof in plain arithmetic. *Yes* is proved by weights λ ≥ 1. The total gain of a policy that harms
nobody is at most Σ λ_i · gain_i ≤ max_k λ·m_k − λ·u, which is nearly 0: the policy is the utilitarian optimum under
weights that count everyone. *No* is proved by a better policy, under which the value of each row is recomputed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from isegoria.profiles import Profile, is_streamed, require_instance
from isegoria.solvers.maximin.levels import highest_level, solve_restricted_game
from isegoria.utils import tolerances
from isegoria.utils.arrays import count_labels, to_dense

NO_GAIN_TOLERANCE = tolerances.FAIRNESS_GAP
"""A total gain of at most this counts as zero."""

CLEAR_GAIN, LOSS_TOLERANCE = 1e-9, 1e-12
"""As fractions of an agent's best: a dominating policy gives some agent at least the first more, and no agent loses as
much as the second, which allows for rounding."""

MAX_AUTOMATIC_TYPES = 2_000
"""Maximum number of agent types up to which efficiency is checked automatically with other results."""


class Efficiency(NamedTuple):
    """Whether the policy is efficient (None: undecided), with the proof.

    - `gap`: an upper bound on the total gain of all rows, each relative to its best, with nobody worse off.
    - `weights` (N,): the λ ≥ 1 that prove efficiency; 0 for a row of zeros, which can neither gain nor lose. None where
      efficiency fails.
    - `better` (K,): a policy that is worse for nobody. `gains` (N,): the gain of each row under it, in the row's own
      unit.
    - `for_all`: whether everyone gains; then `better` maximises the minimum gain relative to each row's best.
    """

    holds: bool | None
    gap: float
    weights: np.ndarray | None = None
    better: np.ndarray | None = None
    gains: np.ndarray | None = None
    for_all: bool = False


def check_efficiency(
    instance: Profile, policy: np.ndarray, payoff: str = "utilities", most: int | None = MAX_AUTOMATIC_TYPES
) -> Efficiency | None:
    """Compute the `Efficiency` of a validated policy, agent by agent, in "utilities" or in decision "shares".

    Return None for the utilities of a scanned table, and for more than `most` agent types.

    >>> import isegoria as iso
    >>> group = iso.Instance.from_approvals(["a", "ab"])
    >>> check_efficiency(group, np.array([0.75, 0.25])).gains.tolist()  # who wants both has all there is already
    [0.25, 0.0]
    """
    if payoff == "utilities" and is_streamed(instance):
        return None
    types = require_instance(instance).utility_types(most) if payoff == "utilities" else instance.favourite_types
    if types is None or (most is not None and len(types.weights) > most):
        return None
    rows = to_dense(types.rows)
    found = decide_efficiency(rows.astype(float), policy, types.weights)
    gains = None if found.gains is None else found.gains[types.member]
    if found.weights is None:
        return found._replace(gains=gains)
    alike = count_labels(types.member)  # rows of one type share its weight; weights are scaled to at least 1
    weights = (found.weights * (alike.max() / alike))[types.member]
    return found._replace(weights=weights, gap=found.gap * float(alike.max()))


def decide_efficiency(rows: np.ndarray, policy: np.ndarray, counts: np.ndarray | None = None) -> Efficiency:
    """Compute the `Efficiency` of `policy` (K,) for utilities `rows` @ p, where `rows` (N, K) ≥ 0.

    `counts` (N,) are the numbers of agents per row. They do not change the answer, but may find a proof sooner.

    >>> rows = np.array([[1.0, 0.9, 0.0], [0.0, 0.9, 1.0]])
    >>> found = decide_efficiency(rows, np.array([0.5, 0.0, 0.5]))
    >>> found.holds, found.for_all, found.better.tolist(), found.gains.round(6).tolist()
    (False, True, [0.0, 1.0, 0.0], [0.4, 0.4])
    >>> decide_efficiency(rows, np.array([0.0, 1.0, 0.0])).holds
    True
    """
    best = rows.max(axis=1)
    counted = best > 0
    if not counted.any():
        return Efficiency(True, 0.0, np.zeros(len(rows)))
    scaled = rows[counted] / best[counted, None]
    have = scaled @ policy
    for weights in _candidate_weights(have, None if counts is None else counts[counted]):
        gap = _max_total_gain(scaled, have, weights)
        if gap <= NO_GAIN_TOLERANCE:
            return Efficiency(True, gap, _scatter_weights(weights, counted))
    return _search_improvement(rows, policy, scaled, have, counted)


def _candidate_weights(have: np.ndarray, counts: np.ndarray | None) -> list[np.ndarray]:
    """Return weights that often prove efficiency: those of the largest total, and those of the largest product."""
    counts = np.ones(len(have)) if counts is None else counts
    tried = [counts / counts.min()]
    if have.min() > 0:
        prices = counts / have
        tried.append(prices / prices.min())
    return tried


def _max_total_gain(scaled: np.ndarray, have: np.ndarray, weights: np.ndarray) -> float:
    """Return the upper bound on the total gain of all rows that `weights`, all at least 1, prove."""
    return max(float((weights @ scaled).max() - weights @ have), 0.0)


def _scatter_weights(weights: np.ndarray, counted: np.ndarray) -> np.ndarray:
    spread = np.zeros(len(counted))
    spread[counted] = weights
    spread.setflags(write=False)
    return spread


def _search_improvement(
    rows: np.ndarray, policy: np.ndarray, scaled: np.ndarray, have: np.ndarray, counted: np.ndarray
) -> Efficiency:
    """Maximise the total gain that harms nobody: return proving weights, a better policy, or an undecided result."""
    found = highest_level(np.vstack([scaled.mean(axis=0), scaled]), np.append(np.nan, have))
    weights = 1 + len(scaled) * found.multipliers[1:] / found.multipliers[0]
    gap = _max_total_gain(scaled, have, weights)
    if gap <= NO_GAIN_TOLERANCE:
        return Efficiency(True, gap, _scatter_weights(weights, counted))
    everyone = solve_restricted_game(scaled - have[:, None]).policy
    for better, for_all in ((everyone, True), (found.policy, False)):
        gains = scaled @ better - have
        if gains.min() > (CLEAR_GAIN if for_all else -LOSS_TOLERANCE) and gains.max() >= CLEAR_GAIN:
            better.setflags(write=False)
            return Efficiency(False, gap, None, better, rows @ better - rows @ policy, for_all)
    return Efficiency(None, gap)
