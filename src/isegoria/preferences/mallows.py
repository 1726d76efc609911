"""Mallows: rankings gather around a centre, and a ranking d swaps of neighbours away has weight φ^d.

Drawn by repeated insertion: the j-th arm of the centre enters the ranking of the arms before it, v places above the
bottom with probability proportional to φ^v.
"""

from __future__ import annotations

import numpy as np


def draws(agents: int, arms: int, phi: float) -> int:
    """One number per arm for the centre, and one per agent and arm for the insertions."""
    return arms + agents * arms


def rankings(uniforms: np.ndarray, agents: int, arms: int, phi: float) -> np.ndarray:
    """(instances, agents, arms) Mallows rankings, each instance around its own uniformly random centre.

    >>> rankings(np.array([[0.5, 0.1, 0.9, 0.7, 0.7, 0.7]]), 1, 3, 0.01).tolist()
    [[[1, 0, 2]]]
    """
    centre = uniforms[:, :arms].argsort(axis=1, kind="stable")
    places = _places(uniforms[:, arms:].reshape(-1, agents, arms), phi)
    orders = np.empty(places.shape, dtype=np.int64)
    np.put_along_axis(orders, places, np.broadcast_to(centre[:, None, :], places.shape), axis=2)
    return orders


def _places(uniforms: np.ndarray, phi: float) -> np.ndarray:
    """(instances, agents, arms): the place, from the top, at which the j-th arm of the centre ends up."""
    places = np.zeros(uniforms.shape, dtype=np.int64)
    above = np.cumsum(phi ** np.arange(uniforms.shape[2]))
    for newest in range(1, uniforms.shape[2]):
        place = newest - np.searchsorted(above[:newest] / above[newest], uniforms[:, :, newest], side="right")
        places[:, :, :newest] += places[:, :, :newest] >= place[:, :, None]
        places[:, :, newest] = place
    return places
