"""Mean rewards for given rankings, as in the paper (Section "Synthetic Instance Generation")."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

NORMAL_MEAN = 0.5
NORMAL_SD = 0.25


def assign_means(rankings: np.ndarray, uniforms: np.ndarray, favourites: np.ndarray) -> np.ndarray:
    """Map uniform numbers to mean rewards in [0, 1] that agree with `rankings` (…, agents, arms).

    Each agent's values are drawn from a normal distribution (0.5, 0.25) truncated to [0, 1], and assigned to its arms
    in decreasing order. An agent with f favourites, as given by `favourites` (…, agents), has its largest value for its
    first f arms. Its other arms get the second, third, … largest value in order of preference.

    >>> assign_means(np.array([[2, 0, 1]]), np.array([[0.5, 0.1, 0.9]]), np.array([2])).round(3).tolist()
    [[0.796, 0.5, 0.796]]
    """
    arms = rankings.shape[-1]
    values = to_truncated_normal(np.sort(uniforms, axis=-1))  # in increasing order
    chosen = np.minimum(np.arange(arms - 2, -2, -1) + np.asarray(favourites)[..., None], arms - 1)
    starts = np.arange(0, rankings.size, arms).reshape(*rankings.shape[:-1], 1)  # of each agent's row
    means = np.empty(rankings.size)
    means[starts + rankings] = values.ravel()[starts + chosen]
    return means.reshape(rankings.shape)


def to_truncated_normal(uniforms: np.ndarray) -> np.ndarray:
    """Map uniform numbers to the normal distribution (0.5, 0.25) truncated to [0, 1], by the inverse of its CDF.

    >>> to_truncated_normal(np.array([0.0, 0.5])).round(12).tolist()
    [0.0, 0.5]
    """
    try:
        from scipy.special import ndtr, ndtri
    except ModuleNotFoundError:
        ndtr, ndtri = (np.vectorize(function, otypes=[float]) for function in (NormalDist().cdf, NormalDist().inv_cdf))
    low, high = ndtr(-NORMAL_MEAN / NORMAL_SD), ndtr((1 - NORMAL_MEAN) / NORMAL_SD)
    return np.clip(NORMAL_MEAN + NORMAL_SD * ndtri(low + uniforms * (high - low)), 0, 1)
