"""How many rounds pass until every set is one arm, compared with the information bound of any learner."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

import numpy as np

from isegoria.learning import BernoulliRewards, EliminationLearner
from isegoria.learning.simulation.player import Player
from isegoria.studies.elimination.information_bound import information_bound
from isegoria.studies.elimination.play_scores import standard_error
from isegoria.studies.elimination.study_instances import STUDY_INSTANCES

BETTING_ERROR = 0.05
"""Error budget of the bets alone. The learner's total is `BETTING_ERROR` / 0.9, a tenth of which is for its bounds."""
LEARNER_SETTINGS = {
    "½": {"explore": 0.5},
    "¼": {"explore": 0.25},
    "½, lend .5": {"explore": 0.5, "lend": 0.5},
    "½, lend 1": {"explore": 0.5, "lend": 1.0},
}
CHUNK_ROUNDS, MAX_ROUNDS = 2048, 4_000_000
PROTOTYPE_ROUNDS = {
    "1x2 .6/.5": (1_022, 1_308),
    "1x2 .95/.9": (1_138, 1_572),
    "3x3 cyclic": (665, 665, 567, 543),
    "1x10": (1_571, 2_308),
    "10x4": (50_417, 56_237, 45_260, 38_207),
    "30x8, one hard voter": (41_038, 37_409, 13_350, 9_542),
    "100x20": (111_868, 186_462, 52_130, 47_797),
}
"""Mean rounds that a prototype of the learner took, by setting. It was another program, run with other and fewer
seeds."""
PREDECESSOR_ROUNDS = {"1x10": 2_060, "30x8, one hard voter": 9_703, "100x20": 54_670}
"""Mean rounds of the preceding learner on the same instances, over 200 seeds (60 for the last instance). It used the
rounds of all agents to sweep over all arms."""


def run_until_resolution(means: np.ndarray, settings: dict[str, float], seed: int) -> tuple[np.ndarray, bool]:
    """Return ((N,) the round in which each set became one arm, whether each is the favourite)."""
    learner = EliminationLearner(
        *means.shape, error=BETTING_ERROR / 0.9, resolution=0.0, watch=False, seed=seed, **settings
    )
    world = BernoulliRewards(means)
    player = Player(learner, world, world.stream(seed))
    player.play(world.n_arms)
    while not learner.resolved.all() and learner.rounds < MAX_ROUNDS:
        player.play(CHUNK_ROUNDS)
    learner.ask()
    right = bool((learner.sets.argmax(axis=1) == means.argmax(axis=1)).all())
    return learner.resolved_at, right


def _run_one(name: str, settings: dict[str, float], seed: int) -> tuple[int, float, bool]:
    found, right = run_until_resolution(STUDY_INSTANCES[name], settings, seed)
    return int(found.max()), float(np.median(found)), right


def compute_table(
    seeds: int, workers: int | None = None, chosen: tuple[str, ...] = tuple(STUDY_INSTANCES), first: int = 0
) -> dict[str, list[Any]]:
    """Return columns: instance, information bound, setting, runs, rounds, their standard error, half and wrong.

    `rounds` is the mean number of rounds until the last set is one arm, `half` the mean until half of the agents are
    resolved, and `wrong` the number of runs that ended with a wrong set.
    """
    names = ("instance", "bound", "setting", "runs", "rounds", "se", "half", "wrong")
    columns: dict[str, list[Any]] = {name: [] for name in names}
    with ProcessPoolExecutor(workers or os.cpu_count()) as pool:
        for name in chosen:
            bound = information_bound(BernoulliRewards(STUDY_INSTANCES[name]), BETTING_ERROR)
            for setting, settings in LEARNER_SETTINGS.items():
                if len(STUDY_INSTANCES[name]) == 1 and settings.get("lend"):
                    continue  # a single agent has nobody else to lend to
                runs = list(pool.map(partial(_run_one, name, settings), range(first, first + seeds)))
                last, half = np.array([run[0] for run in runs], float), np.mean([run[1] for run in runs])
                wrong = sum(not run[2] for run in runs)
                row = [name, bound, setting, seeds, float(last.mean()), standard_error(last), float(half), wrong]
                for key, value in zip(names, row, strict=True):
                    columns[key].append(value)
    return columns
