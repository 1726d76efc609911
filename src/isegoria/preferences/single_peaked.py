"""Single-peaked rankings over the arms in their given order: an agent ranks arms lower the further from its peak.

Two distributions of the literature: Conitzer's walk draws the peak uniformly, Walsh's model draws the ranking
uniformly.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isegoria.preferences.model import PreferenceModel


def count_uniforms(agents: int, arms: int, parameter: Any = None) -> int:
    """Return how many uniform numbers one instance needs: one per agent and arm.

    Conitzer's walk uses a peak and K − 1 steps per agent; Walsh's model uses only the steps.
    """
    return agents * arms


def rank_conitzer(uniforms: np.ndarray, agents: int, arms: int, parameter: Any = None) -> np.ndarray:
    """Return (instances, agents, arms) rankings by Conitzer's walk.

    The walk starts at a uniformly random peak and extends to the left or right with equal probability.

    >>> rank_conitzer(np.array([[0.5, 0.2, 0.8]]), 1, 3).tolist()
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


def rank_walsh(uniforms: np.ndarray, agents: int, arms: int, parameter: Any = None) -> np.ndarray:
    """Return (instances, agents, arms) uniformly random single-peaked rankings.

    Each ranking is built from the bottom: the last arm is one of the two ends of the line, and so on upwards.

    >>> rank_walsh(np.array([[0.2, 0.8, 0.5]]), 1, 3).tolist()
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


CONITZER = PreferenceModel(
    "single-peaked",
    "arms on a line: a peak is drawn uniformly, then the walk goes left or right with equal chance (Conitzer)",
    "Conitzer (2009)",
    count_uniforms,
    rank_conitzer,
)

WALSH = PreferenceModel(
    "single-peaked-walsh",
    "arms on a line: each of the `2^(K-1)` single-peaked rankings is equally likely (Walsh)",
    "Walsh (2015)",
    count_uniforms,
    rank_walsh,
)
