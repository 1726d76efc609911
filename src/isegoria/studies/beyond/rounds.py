"""How many rounds it takes until every set is one arm, beside what any learner needs that may use every round."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

import numpy as np

from isegoria.learning import BernoulliRewards, GuidedLearner
from isegoria.learning.runs.player import Player
from isegoria.studies.beyond.information import information_bound
from isegoria.studies.beyond.played import standard_error
from isegoria.studies.beyond.worlds import INSTANCES

ERROR = 0.05
"""Of the bets alone: the learner has ERROR / 0.9 in all, of which bounds have a tenth."""
SETTINGS = {
    "½": {"explore": 0.5},
    "¼": {"explore": 0.25},
    "½, lend .5": {"explore": 0.5, "lend": 0.5},
    "½, lend 1": {"explore": 0.5, "lend": 1.0},
}
CHUNK, MOST = 2048, 4_000_000
FIRST = {
    "1x2 .6/.5": (1_022, 1_308),
    "1x2 .95/.9": (1_138, 1_572),
    "3x3 cyclic": (665, 665, 567, 543),
    "1x10": (1_571, 2_308),
    "10x4": (50_417, 56_237, 45_260, 38_207),
    "30x8, one hard voter": (41_038, 37_409, 13_350, 9_542),
    "100x20": (111_868, 186_462, 52_130, 47_797),
}
"""Mean rounds that a prototype of the learner took, by setting: another program, with other seeds and fewer of them."""
BEFORE = {"1x10": 2_060, "30x8, one hard voter": 9_703, "100x20": 54_670}
"""Mean rounds of the learner that swept over all arms with everybody's rounds, on the same instances: 200 seeds, of the
last one 60."""


def resolved_at(means: np.ndarray, settings: dict[str, float], seed: int) -> tuple[np.ndarray, bool]:
    """((N,) the round in which each set became one arm, whether every one is the favourite)."""
    learner = GuidedLearner(*means.shape, error=ERROR / 0.9, resolution=0.0, watch=False, seed=seed, **settings)
    world = BernoulliRewards(means)
    player = Player(learner, world, world.stream(seed))
    player.play(world.n_arms)
    while not learner.resolved.all() and learner.rounds < MOST:
        player.play(CHUNK)
    learner.ask()
    right = bool((learner.sets.argmax(axis=1) == means.argmax(axis=1)).all())
    return learner.resolved_at, right


def _one(name: str, settings: dict[str, float], seed: int) -> tuple[int, float, bool]:
    found, right = resolved_at(INSTANCES[name], settings, seed)
    return int(found.max()), float(np.median(found)), right


def table(seeds: int, workers: int | None = None, chosen: tuple[str, ...] = tuple(INSTANCES),
          first: int = 0) -> dict[str, list[Any]]:  # fmt: skip
    """Columns: instance, information bound, setting, runs, mean rounds until the last set is one arm with its standard
    error, mean rounds until half of the agents are resolved, and runs that ended with a wrong set."""
    names = ("instance", "bound", "setting", "runs", "rounds", "se", "half", "wrong")
    columns: dict[str, list[Any]] = {name: [] for name in names}
    with ProcessPoolExecutor(workers or os.cpu_count()) as pool:
        for name in chosen:
            bound = information_bound(BernoulliRewards(INSTANCES[name]), ERROR)
            for setting, settings in SETTINGS.items():
                if len(INSTANCES[name]) == 1 and settings.get("lend"):
                    continue  # one agent lends to nobody but itself
                runs = list(pool.map(partial(_one, name, settings), range(first, first + seeds)))
                last, half = np.array([run[0] for run in runs], float), np.mean([run[1] for run in runs])
                wrong = sum(not run[2] for run in runs)
                row = [name, bound, setting, seeds, float(last.mean()), standard_error(last), float(half), wrong]
                for key, value in zip(names, row, strict=True):
                    columns[key].append(value)
    return columns
