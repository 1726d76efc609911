"""Data that ship with the package: the Mechanical Turk Dots rankings of the paper's real-world example.

`dots.soc` is PrefLib 00024-00000003: 800 people ranked four images by their number of dots. Cite A. Mao,
A. D. Procaccia and Y. Chen, "Better human computation through principled voting", AAAI 2013, and N. Mattei and
T. Walsh, "PrefLib: a library for preferences", ADT 2013.
"""

from __future__ import annotations

from importlib.resources import as_file, files

import numpy as np

from isegoria.instance import Instance
from isegoria.io import read

DOTS_FILE = "dots.soc"
DOTS_REWARDS = (0.9, 0.63, 0.37, 0.1)
"""Mean reward of a voter's first to fourth choice (the paper's real-world example)."""
DOTS_SAMPLE = 50
"""How many of the 800 voters the paper takes."""
DOTS_SEED = 42
"""The seed of the paper's sample."""


def dots() -> Instance:
    """The 800 Dots voters over four images, as 24 rankings with their counts as weights.

    >>> electorate = dots()
    >>> electorate.total_weight, electorate.means.shape
    (800, (24, 4))
    >>> electorate.means[1].tolist()
    [0.9, 0.63, 0.1, 0.37]
    """
    electorate = _electorate()
    orders = (np.argsort(-electorate.means, axis=1, kind="stable") + 1).tolist()
    names = [">".join(map(str, order)) for order in orders]
    return Instance(electorate.means, agents=names, arms=electorate.arms, weights=electorate.weights)


def dots_sample(seed: int = DOTS_SEED, size: int = DOTS_SAMPLE) -> Instance:
    """`size` of the 800 Dots voters, drawn without replacement; by default the 50 of the paper.

    The voters are numbered in file order from 1, and NumPy's RandomState(seed) picks them, as the paper's table needs.

    >>> sample = dots_sample()
    >>> sample.means.shape, sample.favourites.sum(axis=0).tolist()
    ((50, 4), [19, 19, 7, 5])
    """
    electorate = _electorate()
    voters = np.random.RandomState(seed).choice(electorate.total_weight, size, replace=False)
    means = np.repeat(electorate.means, electorate.weights, axis=0)[voters]
    return Instance(means, agents=[f"Voter {voter + 1}" for voter in voters], arms=electorate.arms)


def _electorate() -> Instance:
    """The file as it is: one agent for each of its lines."""
    with as_file(files(__name__).joinpath(DOTS_FILE)) as path:
        return read(path, rewards=DOTS_REWARDS)
