"""Random approvals: each agent approves each arm with the same probability, and at least one arm."""

from __future__ import annotations

import numpy as np

from isegoria.preferences.model import ModelParameter

APPROVAL_PARAMETER = ModelParameter("p", 0.001, 1, 0.5)
"""The approval probability of each arm; rows are conditional on at least one approval."""


def draw_approvals(uniforms: np.ndarray, agents: int, arms: int, p: float) -> np.ndarray:
    """Map (instances, agents × arms) uniform numbers to (instances, agents, arms) approvals of 0 and 1.

    Rows follow the distribution conditional on at least one approval. An agent without an approval so far approves the
    next of j remaining arms with probability p/(1 − (1 − p)^j). So every row uses exactly one uniform number per arm.

    >>> draw_approvals(np.array([[0.9, 0.9, 0.1, 0.4]]), 2, 2, 0.3).tolist()
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
