"""Mallows: rankings gather around a centre, and a ranking d swaps of neighbours away has weight φ^d.

Drawn by repeated insertion: the j-th arm of the centre enters the ranking of the arms before it, v places above the
bottom with probability proportional to φ^v.
"""

from __future__ import annotations

import numpy as np

from isegoria.preferences.model import Model, Parameter


def draws(agents: int, arms: int, phi: float) -> int:
    """One number per arm for the centre, and one per agent and arm for the insertions."""
    return arms + agents * arms


def rankings(uniforms: np.ndarray, agents: int, arms: int, phi: float) -> np.ndarray:
    """(instances, agents, arms) Mallows rankings, each instance around its own uniformly random centre.

    >>> rankings(np.array([[0.5, 0.1, 0.9, 0.7, 0.7, 0.7]]), 1, 3, 0.01).tolist()
    [[[1, 0, 2]]]
    """
    centre = uniforms[:, :arms].argsort(axis=1, kind="stable")
    places = _places(np.ascontiguousarray(uniforms[:, arms:].reshape(-1, arms).T), phi)
    orders = np.empty(places.size, dtype=np.int64)
    starts = np.arange(0, places.size, arms)
    orders[starts + places] = np.repeat(centre.T, agents, axis=1)
    return orders.reshape(-1, agents, arms)


def _places(uniforms: np.ndarray, phi: float) -> np.ndarray:
    """(arms, voters): the place, from the top, at which each voter puts the j-th arm of the centre."""
    places = np.zeros(uniforms.shape, dtype=np.int64)
    above = np.cumsum(phi ** np.arange(len(uniforms)))
    for newest in range(1, len(uniforms)):
        place = newest - (above[:newest] / above[newest]).searchsorted(uniforms[newest], side="right")
        earlier = places[:newest]
        earlier += earlier >= place
        places[newest] = place
    return places


MALLOWS = Model(
    "mallows",
    "a ranking at Kendall distance d from a uniformly random centre has weight φ^d: 0 consensus, 1 discord",
    "Mallows (1957)",
    draws,
    rankings,
    Parameter("phi", 0.0, 1.0, 0.5),
)
