"""Pólya's urn: an agent copies an agent before it or draws a ranking of its own, so that opinions cluster.

The urn holds each of the K! rankings once; what is drawn goes back with α·K! copies. So the i-th agent (from 0) draws
afresh with probability 1/(1 + αi), and otherwise copies one of the i before it, each with equal chance. One copy,
α = 1/K!, makes each count of agents per ranking equally likely: impartial anonymous culture.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from isegoria.preferences import impartial
from isegoria.preferences.model import Model, Parameter


def draws(agents: int, arms: int, alpha: float | None = None) -> int:
    """A ranking for each agent, and one number for whether and whom it copies."""
    return agents * (arms + 1)


def rankings(uniforms: np.ndarray, agents: int, arms: int, alpha: float) -> np.ndarray:
    """(instances, agents, arms) rankings from the urn with contagion `alpha`.

    >>> rankings(np.array([[0.5, 0.1, 0.2, 0.8, 0.0, 0.4]]), 2, 2, 1.0).tolist()
    [[[1, 0], [1, 0]]]
    """
    fresh = impartial.rankings(uniforms[:, : agents * arms], agents, arms)
    source = _sources(uniforms[:, agents * arms :], alpha)
    return np.take_along_axis(fresh, source[:, :, None], axis=1)


def anonymous(uniforms: np.ndarray, agents: int, arms: int, parameter: Any = None) -> np.ndarray:
    """(instances, agents, arms) rankings of impartial anonymous culture: the urn that returns one copy."""
    return rankings(uniforms, agents, arms, 1 / math.factorial(arms))


def _sources(uniforms: np.ndarray, alpha: float) -> np.ndarray:
    """(instances, agents): the agent whose own ranking each agent shows, itself if it drew afresh."""
    instances, agents = uniforms.shape
    source = np.tile(np.arange(agents), (instances, 1))
    if alpha == 0:
        return source
    for agent in range(1, agents):
        # One number says whether and whom: each agent before has an interval of length α/(1 + αi), the rest is itself.
        whom = np.minimum(uniforms[:, agent] * (1 + alpha * agent) / alpha, agent).astype(np.int64)
        source[:, agent] = source[np.arange(instances), whom]
    return source


ANONYMOUS = Model(
    "iac",
    "impartial anonymous culture: each count of voters per ranking is equally likely",
    "Gehrlein and Fishburn (1976)",
    draws,
    anonymous,
)

URN = Model(
    "urn",
    "each ranking drawn from the urn goes back with α·K! copies of itself: 0 is impartial culture",
    "Eggenberger and Pólya (1923), Berg (1985)",
    draws,
    rankings,
    Parameter("alpha", 0.0, math.inf, 0.5),
)
