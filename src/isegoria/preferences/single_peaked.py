"""Single-peaked rankings over the arms in their given order: every agent likes an arm less the further from its peak.

Two laws of the literature: Conitzer's walk draws the peak uniformly, Walsh's draws the ranking uniformly.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isegoria.preferences.model import Model


def draws(agents: int, arms: int, parameter: Any = None) -> int:
    """One number per agent and arm: a peak and K - 1 steps (Walsh needs only the steps)."""
    return agents * arms


def conitzer(uniforms: np.ndarray, agents: int, arms: int, parameter: Any = None) -> np.ndarray:
    """(instances, agents, arms) rankings by Conitzer's walk: from a uniform peak, left or right with equal chance.

    >>> conitzer(np.array([[0.5, 0.2, 0.8]]), 1, 3).tolist()
    [[[1, 0, 2]]]
    """
    steps = uniforms.reshape(-1, agents, arms)
    rankings = np.empty(steps.shape, dtype=np.int64)
    left = (steps[:, :, 0] * arms).astype(np.int64)
    right = left + 1
    rankings[:, :, 0] = left
    left -= 1
    for place in range(1, arms):
        go_left = (right == arms) | ((left >= 0) & (steps[:, :, place] < 0.5))
        rankings[:, :, place] = np.where(go_left, left, right)
        left -= go_left
        right += ~go_left
    return rankings


def walsh(uniforms: np.ndarray, agents: int, arms: int, parameter: Any = None) -> np.ndarray:
    """(instances, agents, arms) uniformly random single-peaked rankings: the last is an end of the line, and so on up.

    >>> walsh(np.array([[0.2, 0.8, 0.5]]), 1, 3).tolist()
    [[[1, 2, 0]]]
    """
    steps = uniforms.reshape(-1, agents, arms)
    rankings = np.empty(steps.shape, dtype=np.int64)
    low = np.zeros(steps.shape[:2], dtype=np.int64)
    high = low + arms - 1
    for place in range(arms - 1, 0, -1):
        take_low = steps[:, :, arms - 1 - place] < 0.5
        rankings[:, :, place] = np.where(take_low, low, high)
        low += take_low
        high -= ~take_low
    rankings[:, :, 0] = low
    return rankings


CONITZER = Model(
    "single-peaked",
    "arms on a line: a peak is drawn uniformly, then the walk goes left or right with equal chance (Conitzer)",
    "Conitzer (2009)",
    draws,
    conitzer,
)

WALSH = Model(
    "single-peaked-walsh",
    "arms on a line: each of the 2^(K-1) single-peaked rankings is equally likely (Walsh)",
    "Walsh (2015)",
    draws,
    walsh,
)
