"""Tastes that change: when the guided learner notices, what it costs until it does, and how others fare."""

from __future__ import annotations

from typing import Any

import numpy as np

from isegoria.data import dots_sample
from isegoria.instance import Instance
from isegoria.learning import BernoulliRewards, BetaRewards, ChangingRewards, GuidedLearner, simulate_many
from isegoria.learning.protocol.learner import Learner
from isegoria.learning.runs.contest import make_learner
from isegoria.learning.runs.simulation import Simulation
from isegoria.learning.worlds.environment import Environment

Columns = dict[str, list[Any]]
CHANGE, ROUNDS = 10_000, 20_000
RECORDS = 400
GOOD = 0.95
TRICKLE, TRICKLE_ERROR = 0.05, 0.05
TRICKLING = f"guided:error={TRICKLE_ERROR:g};trickle={TRICKLE:g}"

BEFORE = np.array([[0.8, 0.3, 0.2, 0.3], [0.2, 0.8, 0.3, 0.3], [0.3, 0.2, 0.8, 0.3]])
MOVES = {"A": [0.3, 0.8, 0.2, 0.3], "B": [0.6, 0.3, 0.2, 0.9]}
"""What the first agent's means become: its favourite moves to an arm that is played (A), or to one nobody plays (B)."""
MOVED, AFTERWARDS = 5_000, {"A": 5_000, "B": 20_000}
TRICKLES = (0.0, 0.02, 0.05, 0.1)


def changing_world() -> ChangingRewards:
    """The Dots voters, whose rankings of the arms turn round half way."""
    before = dots_sample()
    after = Instance(before.means[:, ::-1], agents=before.agents, arms=before.arms)
    return ChangingRewards(BetaRewards(before), (CHANGE, BetaRewards(after)))


def moving_world(move: str) -> ChangingRewards:
    """Three agents and four arms, of whom one moves after `MOVED` rounds; rewards of 0 and 1."""
    after = BEFORE.copy()
    after[0] = MOVES[move]
    return ChangingRewards(BernoulliRewards(BEFORE), (MOVED + 1, BernoulliRewards(after)))


def alarms_of(world: Environment, rounds: int, seed: int, **settings: float) -> list[tuple[int, str]]:
    """The alarms of one run."""
    learner = GuidedLearner(world.n_agents, world.n_arms, seed=seed, **settings)
    run = Simulation(learner, world, rounds, seed, records=1)
    while run.advance():
        pass
    found: list[tuple[int, str]] = run.learner.alarms  # type: ignore[attr-defined]
    return found


def drift(runs: int, moves: tuple[str, ...] = tuple(MOVES), trickles: tuple[float, ...] = TRICKLES) -> Columns:
    """Columns: move, trickle, runs, false alarms before the change, how many noticed it, median and 90th percentile of
    the rounds until they did, and the mean score of the policy over the last 1,000 rounds before it and at the end."""
    names = ("move", "trickle", "runs", "false", "noticed", "median", "late", "score_before", "score_after")
    columns: Columns = {name: [] for name in names}
    for move in moves:
        world, rounds = moving_world(move), MOVED + AFTERWARDS[move]
        for trickle in trickles:
            delays, early, scores = [], 0, []
            for seed in range(runs):
                learner = GuidedLearner(3, 4, error=TRICKLE_ERROR, trickle=trickle, seed=seed)
                run = Simulation(learner, world, rounds, seed, records=rounds // 1_000)
                while run.advance():
                    pass
                at = [round_ for round_, _ in run.learner.alarms]  # type: ignore[attr-defined]
                early += sum(round_ <= MOVED for round_ in at)
                delays += [round_ - MOVED for round_ in at if round_ > MOVED][:1]
                trace = run.trace()
                scores.append([trace.score_means[MOVED // 1_000 - 1, 0], trace.score_means[-1, 0]])
            late = [float(np.median(delays)), float(np.quantile(delays, 0.9))] if delays else [np.inf, np.inf]
            row = [move, trickle, runs, early, len(delays), *late, *np.mean(scores, axis=0).tolist()]
            for name, value in zip(names, row, strict=True):
                columns[name].append(value)
    return columns


def false_alarms(runs: int, rounds: int = 20_000, error: float = 0.5) -> int:
    """How many of `runs` groups whose tastes do not change had an alarm; half have gaps of .001 to .01."""
    found = 0
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        means = rng.uniform(0.2, 0.8, (3, 4))
        if seed % 2:
            means[:, 1] = np.clip(means[:, 0] - rng.uniform(0.001, 0.01, 3), 0.0, 1.0)
        found += bool(alarms_of(BernoulliRewards(means), rounds, seed, error=error))
    return found


def noticing(learners: tuple[str, ...], seeds: int, workers: int | None = None) -> tuple[Columns, Columns]:
    """(courses, delays): the PF score of the learned policy over time, and rounds until it is good again for good.

    Columns of courses: round, and for each learner the median over seeds with the lowest and the highest. Columns of
    delays: learner, median, low, high; infinite where the score was not good again by the end.
    """
    world = changing_world()
    courses: Columns = {}
    delays: Columns = {"learner": [], "median": [], "low": [], "high": []}
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
    return make_learner(name, world, ROUNDS)


def _delay(rounds: np.ndarray, scores: np.ndarray) -> float:
    """Rounds from the change until the score is good and stays so; infinite if it never is."""
    bad = np.flatnonzero((scores < GOOD) & (rounds >= CHANGE))
    if not len(bad):
        return 0.0
    return float("inf") if bad[-1] == len(rounds) - 1 else float(rounds[bad[-1] + 1] - CHANGE)
