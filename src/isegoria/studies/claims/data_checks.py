"""The paper's sentences on its data: how the synthetic groups come about, and who the Dots voters are."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np

from isegoria.datasets import load_dots, load_dots_sample
from isegoria.preferences import parse_distribution, sample
from isegoria.preferences.synthetic_rewards import to_truncated_normal
from isegoria.profiles import Instance
from isegoria.studies import dots_learning
from isegoria.studies.grid import Block, Grid
from isegoria.utils.seeds import random_stream

RANKED_ARMS = 3
"""Rankings of this many arms are counted one by one."""
MALLOWS_PHI = 0.5
GENERATED_AGENTS = 10
"""The groups of this many agents, 864 of them, are looked at."""


def check_generator(samples: int, seed: int) -> dict[str, float]:
    """Return deviations of the synthetic groups from what Section 7.1.1 says of them."""
    grid = Grid()
    cells = list(grid.cells())
    block = Block(seed, 0, GENERATED_AGENTS)
    wrong = {"sets.same_wrong": 0, "sets.mixed_wrong": 0, "means.order_wrong": 0}
    sizes: list[list[int]] = []
    for cell, means in zip(grid.cells_of(block), grid.means_of(block), strict=True):
        counts = Instance(means).favourites.sum(axis=1)
        if cell.sets == "same":
            wrong["sets.same_wrong"] += bool((counts != cell.favourites).any())
        else:
            wrong["sets.mixed_wrong"] += not 1 <= counts.min() <= counts.max() <= cell.favourites
            sizes += [counts.tolist()] if cell.favourites == 4 else []
        # the favourites share the largest of K values, and no two others are equal
        distinct = [len(set(row)) for row in means.tolist()]
        counts = np.full(len(counts), cell.favourites) if cell.sets == "same" else counts
        wrong["means.order_wrong"] += distinct != (cell.arms + 1 - counts).tolist()
    drawn = np.bincount(np.ravel(sizes), minlength=5)[1:]
    uniforms = random_stream(seed, "truncated").random(100 * samples)
    values = to_truncated_normal(uniforms)
    return {name: float(count) for name, count in wrong.items()} | {
        "generator.samples": float(samples),
        "grid.cells": float(len(set(cells))),
        "grid.agents": float(len({cell.agents for cell in cells})),
        "grid.pairs": float(len({(cell.arms, cell.favourites) for cell in cells})),
        "grid.models": float(len(grid.models)),
        "grid.seed": float(grid.seeds[0]),
        "sets.mixed_sd": float(np.abs(drawn - drawn.mean()).max() / math.sqrt(drawn.sum() * 3 / 16)),
        "normal.low": float(values.min()),
        "normal.high": float(values.max()),
        "normal.mean_off": abs(float(values.mean()) - 0.5),
        "normal.sd_off": abs(float(values.std()) - truncated_sd()),
        **_check_rankings(samples, seed),
    }


def truncated_sd() -> float:
    """Return the standard deviation of a normal (0.5, 0.25) truncated at two of its standard deviations."""
    density, inside = math.exp(-2) / math.sqrt(2 * math.pi), math.erf(math.sqrt(2))
    return 0.25 * math.sqrt(1 - 4 * density / inside)


def _check_rankings(samples: int, seed: int) -> dict[str, float]:
    """Return how far rankings are from uniform, from a single peak, and from the distances of Mallows' model."""
    orders = list(permutations(range(RANKED_ARMS)))
    found = {}
    for model in ("uniform", "impartial"):
        rows = sample(model, samples, RANKED_ARMS, seed=seed).tolist()
        share = 1 / len(orders)
        away = max(abs(rows.count(list(order)) - samples * share) for order in orders)
        found[f"{model}.sd"] = away / math.sqrt(samples * share * (1 - share))
    peaked = sample("single-peaked", samples, 5, seed=seed)
    spans = [np.sort(peaked[:, : place + 1], axis=1) for place in range(5)]
    found["peaked.wrong"] = float(sum((rows[:, -1] - rows[:, 0] != place).sum() for place, rows in enumerate(spans)))
    return found | {"mallows.distance_off": _mallows_distance_off(samples, seed), "mallows.phis": float(_count_phis())}


def _mallows_distance_off(samples: int, seed: int) -> float:
    """Return how far the mean distance of two agents' Mallows rankings is from the exact one, in standard errors."""
    weights = {order: MALLOWS_PHI ** _distance(order, range(RANKED_ARMS)) for order in permutations(range(RANKED_ARMS))}
    total = sum(weights.values())
    law = [(weight / total, order) for order, weight in weights.items()]
    exact = sum(p * q * _distance(one, two) for p, one in law for q, two in law)
    square = sum(p * q * _distance(one, two) ** 2 for p, one in law for q, two in law)
    model = parse_distribution(f"mallows:{MALLOWS_PHI}")
    uniforms = random_stream(seed, "mallows").random((samples, model.draws(2, RANKED_ARMS)))
    mean = np.mean([_distance(one, two) for one, two in model.rankings(uniforms, 2, RANKED_ARMS).tolist()])
    return float(abs(mean - exact) / math.sqrt((square - exact**2) / samples))


def _distance(one: object, two: object) -> int:
    """Return the number of pairs that two rankings order differently (Kendall)."""
    first, second = list(one), list(two)  # type: ignore[call-overload]
    return sum(second.index(a) > second.index(b) for place, a in enumerate(first) for b in first[place + 1 :])


def _count_phis() -> int:
    phis = [parse_distribution(name).parameter for name in Grid().models if name.startswith("mallows")]
    return sum(one == phi for one, phi in zip(phis, (0.01, 0.25, 0.5, 0.75, 0.99), strict=True))


def check_voters() -> dict[str, float]:
    """Return the counts of the Dots voters, and deviations from the mapping of ranks to rewards."""
    everyone, voters = load_dots(), load_dots_sample()
    ranked = -np.sort(-voters.means, axis=1)
    return {
        "learning.rounds": float(dots_learning.LEARNING_ROUNDS),
        "learning.gamma": dots_learning.LEARNING_GAMMA,
        "learning.alpha": dots_learning.LEARNING_ALPHA,
        "dots.everyone": float(everyone.total_weight),
        "dots.voters": float(voters.total_weight),
        "dots.arms": float(len(voters.arms)),
        "dots.distinct": float(len(set(voters.agents))),
        "dots.mapping_off": float(np.abs(ranked - [0.9, 0.63, 0.37, 0.1]).max()),
    }
