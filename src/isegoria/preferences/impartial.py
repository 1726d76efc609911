"""Impartial culture: every agent draws one of the K! rankings, each equally likely."""

from __future__ import annotations

import numpy as np


def draws(agents: int, arms: int, parameter=None) -> int:
    """One number per agent and arm: their order is the ranking."""
    return agents * arms


def rankings(uniforms: np.ndarray, agents: int, arms: int, parameter=None) -> np.ndarray:
    """(instances, agents, arms) uniformly random rankings: the arms in the order of their numbers.

    >>> rankings(np.array([[0.5, 0.1, 0.9]]), 1, 3).tolist()
    [[[1, 0, 2]]]
    """
    return uniforms.reshape(-1, agents, arms).argsort(axis=2, kind="stable")
