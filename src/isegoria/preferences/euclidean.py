"""Euclidean preferences: agents and arms are points, and an agent likes an arm better the nearer it is."""

from __future__ import annotations

import numpy as np


def draws(agents: int, arms: int, dimension: float) -> int:
    """The coordinates of every agent and every arm."""
    return (agents + arms) * int(dimension)


def rankings(uniforms: np.ndarray, agents: int, arms: int, dimension: float) -> np.ndarray:
    """(instances, agents, arms) rankings by distance between uniform points of the unit cube.

    >>> rankings(np.array([[0.2, 0.9, 0.3]]), 1, 2, 1).tolist()
    [[[1, 0]]]
    """
    points = uniforms.reshape(-1, agents + arms, int(dimension))
    apart = points[:, :agents, None, :] - points[:, None, agents:, :]
    return np.square(apart).sum(axis=3).argsort(axis=2, kind="stable")
