"""Pólya's urn: an agent copies an earlier agent or draws a new ranking, so that opinions cluster.

The urn contains each of the K! rankings once; each drawn ranking is returned with α·K! additional copies. So agent i
(from 0) draws a new ranking with probability 1/(1 + αi), and otherwise copies one of the i earlier agents, each equally
likely. With one copy, α = 1/K!, every count of agents per ranking is equally likely: impartial anonymous culture.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from isegoria.preferences import impartial
from isegoria.preferences.model import ModelParameter, PreferenceModel


def count_uniforms(agents: int, arms: int, alpha: float | None = None) -> int:
    """Return how many uniform numbers one instance needs: a ranking per agent, and one number for copying."""
    return agents * (arms + 1)


def rank_arms(uniforms: np.ndarray, agents: int, arms: int, alpha: float) -> np.ndarray:
    """Return (instances, agents, arms) rankings from the urn with contagion parameter `alpha`.

    >>> rank_arms(np.array([[0.5, 0.1, 0.2, 0.8, 0.0, 0.4]]), 2, 2, 1.0).tolist()
    [[[1, 0], [1, 0]]]
    """
    fresh = impartial.rank_arms(uniforms[:, : agents * arms], agents, arms)
    source = _copied_agents(uniforms[:, agents * arms :], alpha)
    return np.take_along_axis(fresh, source[:, :, None], axis=1)


def rank_anonymous(uniforms: np.ndarray, agents: int, arms: int, parameter: Any = None) -> np.ndarray:
    """Return (instances, agents, arms) rankings of impartial anonymous culture: the urn that adds one copy."""
    return rank_arms(uniforms, agents, arms, 1 / math.factorial(arms))


def _copied_agents(uniforms: np.ndarray, alpha: float) -> np.ndarray:
    """Return, as (instances, agents), the agent whose ranking each agent has; itself if it drew a new one."""
    instances, agents = uniforms.shape
    source = np.tile(np.arange(agents), (instances, 1))
    if alpha == 0:
        return source
    for agent in range(1, agents):
        # One number decides on copying: each earlier agent has an interval of length α/(1 + αi), the rest is no copy.
        whom = np.minimum(uniforms[:, agent] * (1 + alpha * agent) / alpha, agent).astype(np.int64)
        source[:, agent] = source[np.arange(instances), whom]
    return source


ANONYMOUS = PreferenceModel(
    "iac",
    "impartial anonymous culture: each count of voters per ranking is equally likely",
    "Gehrlein and Fishburn (1976)",
    count_uniforms,
    rank_anonymous,
)

URN = PreferenceModel(
    "urn",
    "each ranking drawn from the urn goes back with α·K! copies of itself: 0 is impartial culture",
    "Eggenberger and Pólya (1923), Berg (1985)",
    count_uniforms,
    rank_arms,
    ModelParameter("alpha", 0.0, math.inf, 0.5),
)
