"""The groups of the study: lunch, a table in which someone starves, the Dots voters, ties, and groups of all kinds."""

from __future__ import annotations

import numpy as np

from isegoria.instance import Instance

LUNCH_SCALE = 5
LUNCH = [
    [5, 2, 1, 3], [5, 3, 2, 2], [5, 1, 2, 3], [4, 3, 1, 2], [5, 4, 2, 1],
    [2, 5, 3, 1], [1, 5, 2, 3], [3, 5, 5, 1], [1, 2, 5, 3], [2, 1, 3, 5],
]  # fmt: skip
STARVING = [[0.55, 0.50, 0.10], [0.50, 0.55, 0.10], [0.10, 0.10, 0.90]]


def lunch() -> Instance:
    """The lunch table of the tutorial: ten colleagues, four dishes, one of them with two favourites.

    >>> lunch().favourites.sum(axis=1).tolist()
    [1, 1, 1, 1, 1, 1, 1, 2, 1, 1]
    """
    return Instance((np.array(LUNCH) - 1) / (LUNCH_SCALE - 1))


def starving() -> Instance:
    """Two agents who hardly know which of two arms they prefer, and a third whose taste is clear."""
    return Instance(STARVING)


def cyclic() -> np.ndarray:
    """Three agents, three arms: everyone's favourite is another's last."""
    return np.array([np.roll([0.8, 0.6, 0.4], shift) for shift in range(3)])


def one_of_ten() -> np.ndarray:
    """One agent and ten arms: the best 0.1 ahead of the next, and eight that are far behind."""
    return np.array([[0.6, 0.5, *[0.2] * 8]])


def mixed() -> np.ndarray:
    """Ten agents and four arms of all sorts; the closest favourites are 0.02 apart."""
    return np.random.default_rng(3).random((10, 4)).round(2)


def one_hard_voter() -> np.ndarray:
    """Thirty agents and eight arms: clear tastes, but for one agent whose best two are 0.05 apart.

    How long she takes without any `lend` depends on how often others have her two arms played: here two of them
    like her best most, and three her second.
    """
    favourites = np.concatenate([[0, 0, 1, 1, 1], 2 + np.arange(24) % 6])
    means = np.full((30, 8), 0.2)
    means[np.arange(1, 30), favourites] = 0.9
    means[0] = [0.55, 0.5, *[0.1] * 6]
    return means


def many_arms() -> np.ndarray:
    """A hundred agents and twenty arms: each has the same evenly spaced means, in an order of its own.

    The seed is one in which some arm is nobody's favourite, so that those in doubt about it explore it alone.
    """
    return np.random.default_rng(4).permuted(np.tile(np.linspace(0.95, 0.05, 20), (100, 1)), axis=1)


INSTANCES = {
    "1x2 .6/.5": np.array([[0.6, 0.5]]),
    "1x2 .95/.9": np.array([[0.95, 0.9]]),
    "3x3 cyclic": cyclic(),
    "1x10": one_of_ten(),
    "10x4": mixed(),
    "30x8, one hard voter": one_hard_voter(),
    "100x20": many_arms(),
}
"""Groups without ties, for rounds until every set is one arm."""


def random_group(seed: int) -> Instance:
    """A group of 3 to 20 agents and 3 to 8 arms, of whom about half nearly tie on their best two.

    >>> random_group(0).means.shape
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
