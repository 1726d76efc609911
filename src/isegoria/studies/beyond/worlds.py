"""The groups of the study: the Dots voters, other samples of them, groups with close favourites, and ties."""

from __future__ import annotations

import numpy as np

from isegoria.data import DOTS_SEED, dots_sample
from isegoria.instance import Instance

HARD_SIZE = 10
HARD_VALUES = np.linspace(0.1, 0.9, HARD_SIZE)
"""Each agent's means are a permutation of these: neighbours are 0.09 apart."""
LUNCH_SCALE = 5
LUNCH = [
    [5, 2, 1, 3], [5, 3, 2, 2], [5, 1, 2, 3], [4, 3, 1, 2], [5, 4, 2, 1],
    [2, 5, 3, 1], [1, 5, 2, 3], [3, 5, 5, 1], [1, 2, 5, 3], [2, 1, 3, 5],
]  # fmt: skip
FAVOURITE_VALUES = (0.5, 0.95)
"""What tied favourites are worth."""


def other_samples(count: int) -> list[Instance]:
    """Other samples of 50 Dots voters: the first seeds that are not the paper's.

    >>> len(other_samples(2))
    2
    """
    seeds = [seed for seed in range(count + 1) if seed != DOTS_SEED]
    return [dots_sample(seed) for seed in seeds[:count]]


def hard(seed: int) -> Instance:
    """Ten agents and ten arms, whose favourites are only 0.09 ahead.

    >>> round(hard(0).smallest_gap, 2)
    0.09
    """
    rng = np.random.default_rng(seed)
    return Instance(np.array([rng.permutation(HARD_VALUES) for _ in range(HARD_SIZE)]))


def tied(arms: int) -> Instance:
    """The Dots voters, of whom the first is tied on its best two arms (`arms` = 2) or on all four (indifferent).

    >>> tied(2).favourites[0].sum(), tied(4).favourites[0].sum()
    (np.int64(2), np.int64(4))
    """
    sample = dots_sample()
    means = sample.means.copy()
    means[0, np.argsort(-means[0], kind="stable")[:arms]] = means[0].max()
    return Instance(means, agents=sample.agents, arms=sample.arms)


def all_tied(seed: int, arms: int, agents: int = 2) -> Instance:
    """Agents who like all arms equally, each at a mean of its own: whoever drops one has made a mistake.

    >>> all_tied(0, 4).favourites.sum(axis=1).tolist()
    [4, 4]
    """
    best = np.random.default_rng(seed).uniform(*FAVOURITE_VALUES, agents)
    return Instance(np.repeat(best[:, None], arms, axis=1))


def lunch() -> Instance:
    """The lunch table of the tutorial: ten colleagues, four dishes, one of them with two favourites.

    >>> lunch().favourites.sum(axis=1).tolist()
    [1, 1, 1, 1, 1, 1, 1, 2, 1, 1]
    """
    return Instance(np.array(LUNCH) / LUNCH_SCALE)
