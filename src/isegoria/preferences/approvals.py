"""Approvals out of thin air: each agent approves each arm with the same chance, and at least one."""

from __future__ import annotations

import numpy as np

from isegoria.preferences.model import Parameter

APPROVAL = Parameter("p", 0.001, 1, 0.5)
"""The chance of each arm; a row without any is drawn again."""


def approvals(uniforms: np.ndarray, agents: int, arms: int, p: float) -> np.ndarray:
    """(instances, agents, arms) 0 and 1, from (instances, agents × arms) uniform numbers.

    An agent who has approved nothing so far approves the next of j arms left with the chance p/(1 − (1 − p)^j), that of
    a row that is drawn again until it is not empty; so every row takes as many numbers as there are arms.

    >>> approvals(np.array([[0.9, 0.9, 0.1, 0.4]]), 2, 2, 0.3).tolist()
    [[[0.0, 1.0], [1.0, 0.0]]]
    """
    drawn = uniforms.reshape(-1, agents, arms)
    found = np.zeros(drawn.shape)
    nothing = np.ones(drawn.shape[:2], dtype=bool)
    for k in range(arms):
        needed = p / (1 - (1 - p) ** (arms - k))
        found[:, :, k] = drawn[:, :, k] < np.where(nothing, needed, p)
        nothing &= found[:, :, k] == 0
    return found
