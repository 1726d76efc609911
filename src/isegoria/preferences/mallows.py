"""Mallows model: a ranking d adjacent swaps away from a central ranking has weight φ^d.

Rankings are sampled by repeated insertion. The j-th arm of the centre is inserted into the ranking of the arms before
it, v places above the bottom with probability proportional to φ^v.
"""

from __future__ import annotations

import numpy as np

from isegoria.preferences.model import ModelParameter, PreferenceModel


def count_uniforms(agents: int, arms: int, phi: float) -> int:
    """Return how many uniform numbers one instance needs: one per arm for the centre, and one per agent and arm."""
    return arms + agents * arms


def rank_arms(uniforms: np.ndarray, agents: int, arms: int, phi: float) -> np.ndarray:
    """Return (instances, agents, arms) Mallows rankings; each instance has its own uniformly random centre.

    >>> rank_arms(np.array([[0.5, 0.1, 0.9, 0.7, 0.7, 0.7]]), 1, 3, 0.01).tolist()
    [[[1, 0, 2]]]
    """
    centre = uniforms[:, :arms].argsort(axis=1, kind="stable")
    places = _insertion_places(np.ascontiguousarray(uniforms[:, arms:].reshape(-1, arms).T), phi)
    orders = np.empty(places.size, dtype=np.int64)
    starts = np.arange(0, places.size, arms)
    orders[starts + places] = np.repeat(centre.T, agents, axis=1)
    return orders.reshape(-1, agents, arms)


def _insertion_places(uniforms: np.ndarray, phi: float) -> np.ndarray:
    """Return the (arms, agents) positions from the top at which each agent places the j-th arm of the centre."""
    places = np.zeros(uniforms.shape, dtype=np.int64)
    above = np.cumsum(phi ** np.arange(len(uniforms)))
    for newest in range(1, len(uniforms)):
        place = newest - (above[:newest] / above[newest]).searchsorted(uniforms[newest], side="right")
        earlier = places[:newest]
        earlier += earlier >= place
        places[newest] = place
    return places


MALLOWS = PreferenceModel(
    "mallows",
    "a ranking at Kendall distance d from a uniformly random centre has weight φ^d: 0 consensus, 1 discord",
    "Mallows (1957)",
    count_uniforms,
    rank_arms,
    ModelParameter("phi", 0.0, 1.0, 0.5),
)
