"""Euclidean preferences: agents and arms are points, and an agent prefers nearer arms."""

from __future__ import annotations

import numpy as np

from isegoria.preferences.model import ModelParameter, PreferenceModel


def count_uniforms(agents: int, arms: int, dimension: float) -> int:
    """Return how many uniform numbers one instance needs: the coordinates of every agent and every arm."""
    return (agents + arms) * int(dimension)


def rank_arms(uniforms: np.ndarray, agents: int, arms: int, dimension: float) -> np.ndarray:
    """Rank the arms of each agent by distance between uniform points of the unit cube: (instances, agents, arms).

    >>> rank_arms(np.array([[0.2, 0.9, 0.3]]), 1, 2, 1).tolist()
    [[[1, 0]]]
    """
    points = uniforms.reshape(-1, agents + arms, int(dimension))
    apart = points[:, :agents, None, :] - points[:, None, agents:, :]
    return np.square(apart).sum(axis=3).argsort(axis=2, kind="stable")


EUCLIDEAN = PreferenceModel(
    "euclidean",
    "agents and arms are uniform points of a cube of some dimension; nearer is better",
    "Enelow and Hinich (1984)",
    count_uniforms,
    rank_arms,
    ModelParameter("dimension", 1, 64, 2, whole=True),
)
