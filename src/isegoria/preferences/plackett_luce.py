"""Plackett–Luce model: an agent picks arms one by one, each with probability proportional to its weight."""

from __future__ import annotations

import numpy as np

from isegoria.preferences.model import ModelParameter, PreferenceModel


def count_uniforms(agents: int, arms: int, ratio: float) -> int:
    """Return how many uniform numbers one instance needs: one per arm for the weights, and one per agent and arm."""
    return arms + agents * arms


def rank_arms(uniforms: np.ndarray, agents: int, arms: int, ratio: float) -> np.ndarray:
    """Return (instances, agents, arms) Plackett–Luce rankings with weights 1, r, r², ….

    Each instance assigns the weights to the arms in its own random order.

    >>> rank_arms(np.array([[0.5, 0.1, 0.9, 0.5, 0.5, 0.5]]), 1, 3, 0.5).tolist()
    [[[1, 0, 2]]]
    """
    strength = uniforms[:, :arms].argsort(axis=1, kind="stable").argsort(axis=1, kind="stable")
    return rank_by_exponential_clocks(uniforms[:, arms:].reshape(-1, agents, arms), ratio ** strength[:, None, :])


def rank_by_exponential_clocks(uniforms: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Sample rankings, best arm first, by exponential clocks.

    The clock of an arm of weight w rings at rate w, and arms are ranked by the time at which their clocks ring.

    >>> rank_by_exponential_clocks(np.array([0.9, 0.1]), np.array([3.0, 1.0])).tolist()
    [1, 0]
    """
    return (-np.log1p(-uniforms) / weights).argsort(axis=-1, kind="stable")


PLACKETT_LUCE = PreferenceModel(
    "plackett-luce",
    "arms are picked one by one in proportion to weights 1, r, r², … over a uniformly random order of the arms",
    "Plackett (1975), Luce (1959)",
    count_uniforms,
    rank_arms,
    ModelParameter("ratio", 1e-6, 1.0, 0.5),
)
