"""Plackett–Luce: an agent picks its arms one by one, each with probability proportional to its weight."""

from __future__ import annotations

import numpy as np

from isegoria.preferences.model import Model, Parameter


def draws(agents: int, arms: int, ratio: float) -> int:
    """One number per arm for the order of the weights, and one per agent and arm for the picks."""
    return arms + agents * arms


def rankings(uniforms: np.ndarray, agents: int, arms: int, ratio: float) -> np.ndarray:
    """(instances, agents, arms) rankings with weights 1, r, r², … over each instance's own random order of the arms.

    >>> rankings(np.array([[0.5, 0.1, 0.9, 0.5, 0.5, 0.5]]), 1, 3, 0.5).tolist()
    [[[1, 0, 2]]]
    """
    strength = uniforms[:, :arms].argsort(axis=1, kind="stable").argsort(axis=1, kind="stable")
    return picks(uniforms[:, arms:].reshape(-1, agents, arms), ratio ** strength[:, None, :])


def picks(uniforms: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Rankings, best first, by exponential clocks: the arm of weight w rings at rate w, and the first to ring is best.

    >>> picks(np.array([0.9, 0.1]), np.array([3.0, 1.0])).tolist()
    [1, 0]
    """
    return (-np.log1p(-uniforms) / weights).argsort(axis=-1, kind="stable")


PLACKETT_LUCE = Model(
    "plackett-luce",
    "arms are picked one by one in proportion to weights 1, r, r², … over a uniformly random order of the arms",
    "Plackett (1975), Luce (1959)",
    draws,
    rankings,
    Parameter("ratio", 1e-6, 1.0, 0.5),
)
