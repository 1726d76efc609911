"""Data that ship with the package: the Mechanical Turk Dots rankings of the paper's real-world example.

`dots.soc` is PrefLib 00024-00000003: 800 people ranked four images by their number of dots. Cite A. Mao,
A. D. Procaccia and Y. Chen, "Better human computation through principled voting", AAAI 2013, and N. Mattei and
T. Walsh, "PrefLib: a library for preferences", ADT 2013.
"""

from __future__ import annotations

from importlib.resources import files

import numpy as np

from isegoria.instance import Instance

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
    counts, rankings, arms = _rankings()
    names = [">".join(str(alternative + 1) for alternative in ranking) for ranking in rankings]
    return Instance(_means(rankings), agents=names, arms=arms, weights=counts)


def dots_sample(seed: int = DOTS_SEED, size: int = DOTS_SAMPLE) -> Instance:
    """`size` of the 800 Dots voters, drawn without replacement; by default the 50 of the paper.

    The voters are numbered in file order from 1, and NumPy's RandomState(seed) picks them, as the paper's table needs.

    >>> sample = dots_sample()
    >>> sample.means.shape, sample.favourites.sum(axis=0).tolist()
    ((50, 4), [19, 19, 7, 5])
    """
    counts, rankings, arms = _rankings()
    voters = np.random.RandomState(seed).choice(counts.sum(), size, replace=False)
    ballots = np.repeat(rankings, counts, axis=0)[voters]
    return Instance(_means(ballots), agents=[f"Voter {voter + 1}" for voter in voters], arms=arms)


def _rankings() -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Counts (24,), rankings (24, 4) of alternatives from 0, best first, and the names of the alternatives."""
    lines = files(__name__).joinpath(DOTS_FILE).read_text(encoding="utf-8").splitlines()
    ballots = [line.split(":") for line in lines if not line.startswith("#")]
    counts = np.array([int(count) for count, _ in ballots])
    rankings = np.array([[int(arm) - 1 for arm in order.split(",")] for _, order in ballots])
    return counts, rankings, [line.split(": ")[1] for line in lines if line.startswith("# ALTERNATIVE NAME")]


def _means(rankings: np.ndarray) -> np.ndarray:
    means = np.empty(rankings.shape)
    np.put_along_axis(means, rankings, np.broadcast_to(DOTS_REWARDS, rankings.shape), axis=1)
    return means
