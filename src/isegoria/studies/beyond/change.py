"""Tastes that change: how the score of each learner's policy falls, and how long it takes to come back."""

from __future__ import annotations

from typing import Any

import numpy as np

from isegoria.data import dots_sample
from isegoria.instance import Instance
from isegoria.learning import BetaRewards, ChangingRewards, GuidedLearner, simulate_many
from isegoria.learning.protocol.learner import Learner
from isegoria.learning.runs.contest import make_learner

CHANGE, ROUNDS = 10_000, 20_000
RECORDS = 400
GOOD = 0.95
FADING = "guided, fading"
DISCOUNT, FADING_ERROR = 0.9995, 0.05
"""A memory of about 2,000 rounds; with so little to go by, a smaller error would leave every set in doubt."""


def changing_world() -> ChangingRewards:
    """The Dots voters, whose rankings of the arms turn round half way."""
    before = dots_sample()
    after = Instance(before.means[:, ::-1], agents=before.agents, arms=before.arms)
    return ChangingRewards(BetaRewards(before), (CHANGE, BetaRewards(after)))


def noticing(
    learners: tuple[str, ...], seeds: int, workers: int | None = None
) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    """(courses, delays): the PF score of the learned policy over time, and rounds until it is good again for good.

    Columns of courses: round, and for each learner the median over seeds with the lowest and the highest. Columns of
    delays: learner, median, low, high; infinite where the score was not good again by the end.
    """
    world = changing_world()
    courses: dict[str, list[Any]] = {}
    delays: dict[str, list[Any]] = {"learner": [], "median": [], "low": [], "high": []}
    for name in learners:
        traces = simulate_many(_make(name, world), world, ROUNDS, seeds, workers, records=RECORDS)
        course = np.array([trace.scores[:, 0] for trace in traces])
        courses.setdefault("round", traces[0].rounds.tolist())
        courses[name] = np.median(course, axis=0).tolist()
        courses |= {f"{name}_low": course.min(axis=0).tolist(), f"{name}_high": course.max(axis=0).tolist()}
        waits = [_delay(traces[0].rounds, scores) for scores in course]
        for key, value in (("learner", name), ("median", np.median(waits)), ("low", min(waits)), ("high", max(waits))):
            delays[key].append(value if key == "learner" else float(value))
    return courses, delays


def _make(name: str, world: ChangingRewards) -> Learner:
    if name == FADING:
        return GuidedLearner(world.n_agents, world.n_arms, error=FADING_ERROR, discount=DISCOUNT)
    return make_learner(name, world, ROUNDS)


def _delay(rounds: np.ndarray, scores: np.ndarray) -> float:
    """Rounds from the change until the score is good and stays so; infinite if it never is."""
    bad = np.flatnonzero((scores < GOOD) & (rounds >= CHANGE))
    if not len(bad):
        return 0.0
    return float("inf") if bad[-1] == len(rounds) - 1 else float(rounds[bad[-1] + 1] - CHANGE)
