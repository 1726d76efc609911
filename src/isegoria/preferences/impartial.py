"""Impartial culture: every agent draws one of the K! rankings, each equally likely."""

from __future__ import annotations

from typing import Any

import numpy as np

from isegoria.preferences.model import Model


def draws(agents: int, arms: int, parameter: Any = None) -> int:
    """One number per agent and arm: their order is the ranking."""
    return agents * arms


def rankings(uniforms: np.ndarray, agents: int, arms: int, parameter: Any = None) -> np.ndarray:
    """(instances, agents, arms) uniformly random rankings: the arms in the order of their numbers.

    >>> rankings(np.array([[0.5, 0.1, 0.9]]), 1, 3).tolist()
    [[[1, 0, 2]]]
    """
    return uniforms.reshape(-1, agents, arms).argsort(axis=2, kind="stable")


UNIFORM = Model(
    "uniform",
    "each ranking is equally likely, and every agent draws its own",
    "Guilbaud (1952)",
    draws,
    rankings,
)

IMPARTIAL = Model(
    "impartial",
    "impartial culture: the same law as uniform, drawn independently of it",
    "Guilbaud (1952)",
    draws,
    rankings,
)
