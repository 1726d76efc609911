"""Is a policy efficient: is there another that is worse for nobody and better for somebody?

Both answers come with a proof in plain arithmetic. *Yes*, by weights λ ≥ 1: whoever harms nobody gains in total at most
Σ λ_i · gain_i ≤ max_k λ·m_k − λ·u, and that is next to nothing: the policy is the utilitarian optimum under weights
that count everyone. *No*, by a policy that is better: what each row gets under it is computed again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from isegoria import tolerances
from isegoria.instance import Instance
from isegoria.rows.views import dense
from isegoria.solvers.maximin.levels import highest_level, played

HOLDS = tolerances.FAIR
"""A total gain of at most this is none."""

GAIN, LOSS = 1e-9, 1e-12
"""A better policy gives somebody so much more, in parts of their best, and takes no more from anybody: rounding."""

MOST_TYPES = 2_000
"""Kinds of agents up to which it is looked for by itself, beside other answers."""


class Efficiency(NamedTuple):
    """Whether the policy is efficient (None: undecided), and the proof.

    - `gap`: the most that all rows together could gain, each in parts of its best, with nobody worse off.
    - `weights` (N,): λ ≥ 1 that prove it; 0 for a row of zeros, which can neither gain nor lose. None where it fails.
    - `better` (K,): a policy that is worse for nobody, `gains` (N,) what each row gains by it, in its own unit;
      `for_all`: whether everyone gains, and then it is the one by which the least gain is largest.
    """

    holds: bool | None
    gap: float
    weights: np.ndarray | None = None
    better: np.ndarray | None = None
    gains: np.ndarray | None = None
    for_all: bool = False


def efficiency_of(
    instance: Instance, policy: np.ndarray, of: str = "utilities", most: int | None = MOST_TYPES
) -> Efficiency | None:
    """The `Efficiency` of a policy that was checked before, agent by agent, in utilities or in decision "shares"; None
    for utilities of a scanned table, and for more than `most` kinds of agents.

    >>> import isegoria as iso
    >>> group = iso.Instance.from_approvals(["a", "ab"])
    >>> efficiency_of(group, np.array([0.75, 0.25])).gains.tolist()  # who wants both has all there is already
    [0.25, 0.0]
    """
    types = instance.utility_types(most) if of == "utilities" else instance.favourite_types
    if types is None or (most is not None and len(types.weights) > most):
        return None
    rows = dense(types.rows)
    found = efficiency(rows.astype(float), policy, types.weights)
    gains = None if found.gains is None else found.gains[types.member]
    if found.weights is None:
        return found._replace(gains=gains)
    alike = np.bincount(types.member)  # rows of one kind share its weight, and all grow so that none is below 1
    weights = (found.weights * (alike.max() / alike))[types.member]
    return found._replace(weights=weights, gap=found.gap * float(alike.max()))


def efficiency(rows: np.ndarray, policy: np.ndarray, counts: np.ndarray | None = None) -> Efficiency:
    """The `Efficiency` of `policy` (K,) for utilities `rows` @ p, rows (N, K) ≥ 0; `counts` (N,) say how many agents a
    row stands for, which does not change the answer, but may find a proof sooner.

    >>> rows = np.array([[1.0, 0.9, 0.0], [0.0, 0.9, 1.0]])
    >>> found = efficiency(rows, np.array([0.5, 0.0, 0.5]))
    >>> found.holds, found.for_all, found.better.tolist(), found.gains.round(6).tolist()
    (False, True, [0.0, 1.0, 0.0], [0.4, 0.4])
    >>> efficiency(rows, np.array([0.0, 1.0, 0.0])).holds
    True
    """
    best = rows.max(axis=1)
    counted = best > 0
    if not counted.any():
        return Efficiency(True, 0.0, np.zeros(len(rows)))
    scaled = rows[counted] / best[counted, None]
    have = scaled @ policy
    for weights in _free_weights(have, None if counts is None else counts[counted]):
        gap = _gap(scaled, have, weights)
        if gap <= HOLDS:
            return Efficiency(True, gap, _spread(weights, counted))
    return _searched(rows, policy, scaled, have, counted)


def _free_weights(have: np.ndarray, counts: np.ndarray | None) -> list[np.ndarray]:
    """Weights that often prove a policy efficient: those of the largest total, and of the largest product."""
    counts = np.ones(len(have)) if counts is None else counts
    tried = [counts / counts.min()]
    if have.min() > 0:
        prices = counts / have
        tried.append(prices / prices.min())
    return tried


def _gap(scaled: np.ndarray, have: np.ndarray, weights: np.ndarray) -> float:
    """How much all rows together can gain at most, by these weights, none of which is below 1."""
    return max(float((weights @ scaled).max() - weights @ have), 0.0)


def _spread(weights: np.ndarray, counted: np.ndarray) -> np.ndarray:
    spread = np.zeros(len(counted))
    spread[counted] = weights
    spread.setflags(write=False)
    return spread


def _searched(
    rows: np.ndarray, policy: np.ndarray, scaled: np.ndarray, have: np.ndarray, counted: np.ndarray
) -> Efficiency:
    """The largest total gain that harms nobody: nothing, with the weights that prove it, or a better policy."""
    found = highest_level(np.vstack([scaled.mean(axis=0), scaled]), np.append(np.nan, have))
    weights = 1 + len(scaled) * found.multipliers[1:] / found.multipliers[0]
    gap = _gap(scaled, have, weights)
    if gap <= HOLDS:
        return Efficiency(True, gap, _spread(weights, counted))
    everyone = played(scaled - have[:, None]).policy
    for better, for_all in ((everyone, True), (found.policy, False)):
        gains = scaled @ better - have
        if gains.min() > (GAIN if for_all else -LOSS) and gains.max() >= GAIN:
            better.setflags(write=False)
            return Efficiency(False, gap, None, better, rows @ better - rows @ policy, for_all)
    return Efficiency(None, gap)
