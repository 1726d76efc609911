"""Rewards from rankings: the paper's synthetic means (Section "Synthetic Instance Generation")."""

from __future__ import annotations

import numpy as np

MEAN = 0.5
SPREAD = 0.25


def means_from(rankings: np.ndarray, uniforms: np.ndarray, favourites: np.ndarray) -> np.ndarray:
    """Mean rewards in [0, 1], of the shape of `rankings` (…, agents, arms), from uniform numbers of that shape.

    Each agent's values are drawn from a normal (0.5, 0.25) truncated to [0, 1], and go to its arms from the largest
    down; with `favourites` (…, agents) equal to f, its first f arms all get the largest, and the others the second,
    third, … largest in order of preference.

    >>> means_from(np.array([[2, 0, 1]]), np.array([[0.5, 0.1, 0.9]]), np.array([2])).round(3).tolist()
    [[0.796, 0.5, 0.796]]
    """
    arms = rankings.shape[-1]
    values = truncated_normal(np.sort(uniforms, axis=-1))  # in increasing order
    chosen = np.minimum(np.arange(arms - 2, -2, -1) + np.asarray(favourites)[..., None], arms - 1)
    starts = np.arange(0, rankings.size, arms).reshape(*rankings.shape[:-1], 1)  # of each agent's row
    means = np.empty(rankings.size)
    means[starts + rankings] = values.ravel()[starts + chosen]
    return means.reshape(rankings.shape)


def truncated_normal(uniforms: np.ndarray) -> np.ndarray:
    """Draws of the normal (0.5, 0.25) given that it falls in [0, 1], by the inverse of its distribution function.

    >>> truncated_normal(np.array([0.0, 0.5])).round(12).tolist()
    [0.0, 0.5]
    """
    from scipy.special import ndtr, ndtri

    low, high = ndtr(-MEAN / SPREAD), ndtr((1 - MEAN) / SPREAD)
    return np.clip(MEAN + SPREAD * ndtri(low + uniforms * (high - low)), 0, 1)
