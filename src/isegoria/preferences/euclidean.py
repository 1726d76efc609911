"""Euclidean preferences: agents and arms are points, and an agent likes an arm better the nearer it is."""

from __future__ import annotations

import numpy as np

from isegoria.preferences.model import Model, Parameter


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


EUCLIDEAN = Model(
    "euclidean",
    "agents and arms are uniform points of a cube of some dimension; nearer is better",
    "Enelow and Hinich (1984)",
    draws,
    rankings,
    Parameter("dimension", 1, 64, 2, whole=True),
)
