"""The groups of the study: the Dots voters, other samples of them, groups with close favourites, and ties."""

from __future__ import annotations

import numpy as np

from isegoria.data import DOTS_SEED, dots_sample
from isegoria.instance import Instance

HARD_SIZE = 10
HARD_VALUES = np.linspace(0.1, 0.9, HARD_SIZE)
"""Each agent's means are a permutation of these: neighbours are 0.09 apart."""
FAVOURITE_VALUES = (0.5, 0.95)
"""Two exact favourites take one value of this range; the other arms are clearly or barely below it."""


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


def two_favourites(seed: int, n_agents: int = 4, n_arms: int = 4) -> Instance:
    """A random group in which every agent has exactly two favourites: whoever drops one has made a mistake.

    >>> two_favourites(0).favourites.sum(axis=1).tolist()
    [2, 2, 2, 2]
    """
    rng = np.random.default_rng(seed)
    means = np.empty((n_agents, n_arms))
    for row in means:
        best = rng.uniform(*FAVOURITE_VALUES)
        row[:] = best * rng.uniform(0.2, 0.95, n_arms)
        row[rng.choice(n_arms, 2, replace=False)] = best
    return Instance(means)
