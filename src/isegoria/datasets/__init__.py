"""Data sets shipped with the package: a lunch table, and the Mechanical Turk Dots rankings of the paper's example.

`load_dots.soc` is PrefLib 00024-00000003: 800 people ranked four images by their number of dots. Cite A. Mao,
A. D. Procaccia and Y. Chen, "Better human computation through principled voting", AAAI 2013, and N. Mattei and
T. Walsh, "PrefLib: a library for preferences", ADT 2013.
"""

from __future__ import annotations

from importlib.resources import as_file, files

import numpy as np

from isegoria.io import read
from isegoria.profiles import Instance
from isegoria.utils.arrays import repeat_values

LUNCH_FILE = "lunch.csv"
DOTS_FILE = "dots.soc"
DOTS_REWARDS = (0.9, 0.63, 0.37, 0.1)
"""Mean reward of a voter's first to fourth choice (the paper's real-world example)."""
DOTS_SAMPLE_SIZE = 50
"""How many of the 800 voters the paper takes."""
DOTS_SAMPLE_SEED = 42
"""The seed of the paper's sample."""


def load_lunch() -> Instance:
    """Load the lunch table of the README: ten colleagues rate four dishes from 1 to 5.

    >>> load_lunch()
    Instance(10 agents, 4 arms: noodles, pizza, salad, curry)
    """
    with as_file(files(__name__).joinpath(LUNCH_FILE)) as path:
        return read(path, scale=(1, 5))


def load_dots() -> Instance:
    """Load the 800 Dots voters over four images, as 24 rankings weighted by their counts.

    >>> electorate = load_dots()
    >>> electorate.total_weight, electorate.means.shape
    (800, (24, 4))
    >>> electorate.means[1].tolist()
    [0.9, 0.63, 0.1, 0.37]
    """
    electorate = _read_electorate()
    orders = (np.argsort(-electorate.means, axis=1, kind="stable") + 1).tolist()
    names = [">".join(map(str, order)) for order in orders]
    return Instance(electorate.means, agents=names, arms=electorate.arms, weights=electorate.weights)


def load_dots_sample(seed: int = DOTS_SAMPLE_SEED, size: int = DOTS_SAMPLE_SIZE) -> Instance:
    """Sample `size` of the 800 Dots voters without replacement; by default the paper's 50.

    Parameters
    ----------
    seed : int
        The seed of NumPy's `RandomState`, which the paper's table was made with.
    size : int
        The number of voters.

    Returns
    -------
    Instance
        The voters, numbered from 1 in file order.

    Examples
    --------
    >>> sample = load_dots_sample()
    >>> sample.means.shape, sample.favourites.sum(axis=0).tolist()
    ((50, 4), [19, 19, 7, 5])
    """
    electorate = _read_electorate()
    voters = np.random.RandomState(seed).choice(electorate.total_weight, size, replace=False)
    means = repeat_values(electorate.means, electorate.weights, axis=0)[voters]
    return Instance(means, agents=[f"Voter {voter + 1}" for voter in voters], arms=electorate.arms)


def _read_electorate() -> Instance:
    """Read the file as it is: one agent per line."""
    with as_file(files(__name__).joinpath(DOTS_FILE)) as path:
        return read(path, rewards=DOTS_REWARDS)
