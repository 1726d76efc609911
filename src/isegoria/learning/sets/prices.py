"""What evidence costs: how much capital drops an arm, how wide a bound must be, and when an alarm is raised."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

SCALES = 16
SIDES = 2 * SCALES
"""Events that share the α of a pair's bounds: every λ_s, from above and from below."""
TENTH = 0.1
"""The part of the error that bounds have, and alarms; bets have the rest."""


@dataclass(frozen=True)
class Prices:
    """What evidence costs each agent that ever joined.

    - `part` (N,), `bet`: an arm of agent i with c candidates is dropped when the capital against it reaches
      c · part_i / bet, where `bet` is the error of all bets and 1/part_i what agent i may use of it.
    - `width` (N,): Λ of the bounds, ln(32/α) for the α of a pair, or any number above it.
    - `alarm` (N,): what the watch of an arm that was dropped must gather; infinite where there is no watch.
    - `loss` (16,): h_s = −ln(1 − λ_s) − λ_s for λ_s = 0.75 · 2^-s, or any numbers above them.
    """

    part: np.ndarray
    bet: float
    width: np.ndarray
    alarm: np.ndarray
    loss: np.ndarray


def losses() -> np.ndarray:
    """(16,) h_s = −ln(1 − λ_s) − λ_s.

    >>> losses()[:2].round(4).tolist()
    [0.6363, 0.095]
    """
    return np.array([-math.log1p(-0.75 * 2.0**-s) - 0.75 * 2.0**-s for s in range(SCALES)])


def shares(agents: int, first: int, joins: int | None) -> np.ndarray:
    """(N,) A_i · G: one over the part of an error that agent i may use while arms have joined `joins` times.

    Of a fixed group (`joins` None) each has 1/N. Else the `first` agents share one half, the j-th later one has
    ½/(j(j+1)), and of that the time after the e-th join of arms has 1/((e+1)(e+2)): in all at most 1.

    >>> shares(2, 2, None).tolist(), shares(4, 2, 0).tolist(), shares(2, 2, 1).tolist()
    ([2.0, 2.0], [8.0, 8.0, 8.0, 24.0], [24.0, 24.0])
    """
    if joins is None:
        return np.full(agents, float(agents))
    later = np.arange(1, agents - first + 1, dtype=float)
    each = np.concatenate([np.full(first, 2.0 * first), 2.0 * later * (later + 1.0)])
    return each * ((joins + 1.0) * (joins + 2.0))


def prices_of(error: float, watch: bool, agents: int, arms: int, first: int, joins: int | None) -> Prices:
    """The prices of a group for an `error` in all: a tenth for bounds, a tenth for alarms if there is a `watch`, and
    the rest for bets."""
    part = shares(agents, first, joins)
    bet = error * (1.0 - TENTH - (TENTH if watch else 0.0))
    alarm = part * max(arms - 1, 1) / (error * TENTH) if watch else np.full(agents, np.inf)
    return Prices(part, bet, np.log(SIDES * arms * part / (error * TENTH)), alarm, losses())
