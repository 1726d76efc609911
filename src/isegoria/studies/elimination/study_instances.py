"""The groups of the study: lunch, one with a starving agent, ties, and random groups."""

from __future__ import annotations

import numpy as np

from isegoria.profiles import Instance

LUNCH_SCALE = 5
LUNCH_RATINGS = [
    [5, 2, 1, 3],
    [5, 3, 2, 2],
    [5, 1, 2, 3],
    [4, 3, 1, 2],
    [5, 4, 2, 1],
    [2, 5, 3, 1],
    [1, 5, 2, 3],
    [3, 5, 5, 1],
    [1, 2, 5, 3],
    [2, 1, 3, 5],
]
STARVING_MEANS = [[0.55, 0.50, 0.10], [0.50, 0.55, 0.10], [0.10, 0.10, 0.90]]


def make_lunch() -> Instance:
    """Return the lunch table of the tutorial: ten colleagues, four dishes, and one colleague with two favourites.

    >>> make_lunch().favourites.sum(axis=1).tolist()
    [1, 1, 1, 1, 1, 1, 1, 2, 1, 1]
    """
    return Instance((np.array(LUNCH_RATINGS) - 1) / (LUNCH_SCALE - 1))


def make_starving() -> Instance:
    """Return two agents that are almost indifferent between two arms, and a third with a clear favourite."""
    return Instance(STARVING_MEANS)


def make_cyclic() -> np.ndarray:
    """Return the means of three agents and three arms: every favourite is another agent's last choice."""
    return np.array([np.roll([0.8, 0.6, 0.4], shift) for shift in range(3)])


def make_one_of_ten() -> np.ndarray:
    """Return the means of one agent and ten arms: the best is 0.1 above the next, and eight are far below."""
    return np.array([[0.6, 0.5, *[0.2] * 8]])


def make_mixed_gaps() -> np.ndarray:
    """Return random means of ten agents and four arms; the closest favourites are 0.02 apart."""
    return np.random.default_rng(3).random((10, 4)).round(2)


def make_one_hard_voter() -> np.ndarray:
    """Return the means of thirty agents and eight arms: all have clear favourites except one agent.

    The best two arms of that agent are 0.05 apart. Without `lend`, the time that it needs depends on how often others
    have these two arms played. Here its best arm is the favourite of two other agents, and its second that of three.
    """
    favourites = np.concatenate([[0, 0, 1, 1, 1], 2 + np.arange(24) % 6])
    means = np.full((30, 8), 0.2)
    means[np.arange(1, 30), favourites] = 0.9
    means[0] = [0.55, 0.5, *[0.1] * 6]
    return means


def make_many_arms() -> np.ndarray:
    """Return the means of a hundred agents and twenty arms: the same evenly spaced means, permuted for each agent.

    With this seed some arm is nobody's favourite, so that only agents that are undecided about it explore it.
    """
    return np.random.default_rng(4).permuted(np.tile(np.linspace(0.95, 0.05, 20), (100, 1)), axis=1)


STUDY_INSTANCES = {
    "1x2 .6/.5": np.array([[0.6, 0.5]]),
    "1x2 .95/.9": np.array([[0.95, 0.9]]),
    "3x3 cyclic": make_cyclic(),
    "1x10": make_one_of_ten(),
    "10x4": make_mixed_gaps(),
    "30x8, one hard voter": make_one_hard_voter(),
    "100x20": make_many_arms(),
}
"""Means of groups without ties, used to count the rounds until every candidate set is one arm."""


def make_random_group(seed: int) -> Instance:
    """Sample a group of 3 to 20 agents and 3 to 8 arms; about half of the agents nearly tie on their best two.

    >>> make_random_group(0).means.shape
    (18, 6)
    """
    rng = np.random.default_rng(seed)
    agents, arms = int(rng.integers(3, 21)), int(rng.integers(3, 9))
    means = rng.uniform(0.1, 0.9, (agents, arms))
    near = rng.random(agents) < 0.5
    best = means.argmax(axis=1)
    other = (best + rng.integers(1, arms, agents)) % arms
    means[near, other[near]] = means[near, best[near]] - rng.uniform(0.005, 0.05, near.sum())
    return Instance(means)
