"""The error budget: the wealth needed to drop an arm, the width of bounds, and the threshold of alarms."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

SCALES = 16
BOUND_EVENTS = 2 * SCALES
"""Events that share the α of a pair's bounds: every λ_s, from above and from below."""
BOUND_ERROR_SHARE = 0.1
"""The part of the error that bounds have, and alarms; bets have the rest."""


@dataclass(frozen=True)
class ErrorBudget:
    """The error budget of each agent that ever joined, as thresholds on evidence.

    - `part` (N,), `bet`: an arm of agent i with c candidates is dropped when the wealth against it reaches
      c · part_i / bet, where `bet` is the error of all bets and 1/part_i the share of it that agent i may use.
    - `width` (N,): Λ of the bounds, ln(32/α) for the α of a pair, or any number above it.
    - `alarm` (N,): the evidence for a dropped arm that raises an alarm; infinite without change detection.
    - `loss` (16,): h_s = −ln(1 − λ_s) − λ_s for λ_s = 0.75 · 2^-s, or any numbers above them.
    """

    part: np.ndarray
    bet: float
    width: np.ndarray
    alarm: np.ndarray
    loss: np.ndarray


def psi_e_values() -> np.ndarray:
    """Return h_s = −ln(1 − λ_s) − λ_s for all scales, (16,).

    >>> psi_e_values()[:2].round(4).tolist()
    [0.6363, 0.095]
    """
    return np.array([-math.log1p(-0.75 * 2.0**-s) - 0.75 * 2.0**-s for s in range(SCALES)])


def multiplicities(agents: int, first: int, joins: int | None) -> np.ndarray:
    """Return A_i · G (N,): one over the share of an error that agent i may use after arms have joined `joins` times.

    In a fixed group (`joins` is None) each agent has 1/N. Otherwise the `first` agents share one half, and the j-th
    later one has ½/(j(j+1)). Of that, the time after the e-th join of arms has 1/((e+1)(e+2)). The total is at most 1.

    >>> multiplicities(2, 2, None).tolist(), multiplicities(4, 2, 0).tolist(), multiplicities(2, 2, 1).tolist()
    ([2.0, 2.0], [8.0, 8.0, 8.0, 24.0], [24.0, 24.0])
    """
    if joins is None:
        return np.full(agents, float(agents))
    later = np.arange(1, agents - first + 1, dtype=float)
    each = np.concatenate([np.full(first, 2.0 * first), 2.0 * later * (later + 1.0)])
    return each * ((joins + 1.0) * (joins + 2.0))


def allocate_error(error: float, watch: bool, agents: int, arms: int, first: int, joins: int | None) -> ErrorBudget:
    """Split `error` among bounds (10 %), change detection (10 % if `watch` is true) and bets (the rest).

    The split is corrected for the number of agents and arms, and for later joins (see `multiplicities`).
    """
    part = multiplicities(agents, first, joins)
    bet = error * (1.0 - BOUND_ERROR_SHARE - (BOUND_ERROR_SHARE if watch else 0.0))
    alarm = part * max(arms - 1, 1) / (error * BOUND_ERROR_SHARE) if watch else np.full(agents, np.inf)
    return ErrorBudget(
        part, bet, np.log(BOUND_EVENTS * arms * part / (error * BOUND_ERROR_SHARE)), alarm, psi_e_values()
    )
