"""Impartial culture: every agent draws one of the K! rankings, each equally likely."""

from __future__ import annotations

from typing import Any

import numpy as np

from isegoria.preferences.model import PreferenceModel


def count_uniforms(agents: int, arms: int, parameter: Any = None) -> int:
    """Return how many uniform numbers one instance needs: one per agent and arm."""
    return agents * arms


def rank_arms(uniforms: np.ndarray, agents: int, arms: int, parameter: Any = None) -> np.ndarray:
    """Return (instances, agents, arms) uniformly random rankings: the arms sorted by their uniform numbers.

    >>> rank_arms(np.array([[0.5, 0.1, 0.9]]), 1, 3).tolist()
    [[[1, 0, 2]]]
    """
    return uniforms.reshape(-1, agents, arms).argsort(axis=2, kind="stable")


UNIFORM = PreferenceModel(
    "uniform",
    "each ranking is equally likely, and every agent draws its own",
    "Guilbaud (1952)",
    count_uniforms,
    rank_arms,
)

IMPARTIAL = PreferenceModel(
    "impartial",
    "impartial culture: the same distribution as uniform, sampled independently of it",
    "Guilbaud (1952)",
    count_uniforms,
    rank_arms,
)
