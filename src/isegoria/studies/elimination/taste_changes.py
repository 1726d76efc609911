"""Preferences that change: when the elimination learner notices, what it costs until then, and how others compare."""

from __future__ import annotations

from typing import Any

import numpy as np

from isegoria.datasets import load_dots_sample
from isegoria.learning import BernoulliRewards, BetaRewards, ChangingRewards, EliminationLearner, simulate_many
from isegoria.learning.base.learner import Learner
from isegoria.learning.environments.environment import Environment
from isegoria.learning.simulation.learner_comparison import make_learner
from isegoria.learning.simulation.simulation import Simulation
from isegoria.profiles import Instance

Columns = dict[str, list[Any]]
CHANGE_ROUND, CHANGE_STUDY_ROUNDS = 10_000, 20_000
CHANGE_STUDY_RECORDS = 400
RECOVERED_SCORE = 0.95
MONITORING_RATE, MONITORING_ERROR = 0.05, 0.05
MONITORING_LEARNER = f"elimination:error={MONITORING_ERROR:g};trickle={MONITORING_RATE:g}"

MEANS_BEFORE = np.array([[0.8, 0.3, 0.2, 0.3], [0.2, 0.8, 0.3, 0.3], [0.3, 0.2, 0.8, 0.3]])
MOVED_MEANS = {"A": [0.3, 0.8, 0.2, 0.3], "B": [0.6, 0.3, 0.2, 0.9]}
"""The first agent's means after the move: its favourite becomes an arm that is played (A) or one that is not (B)."""
MOVE_ROUND, ROUNDS_AFTER_MOVE = 5_000, {"A": 5_000, "B": 20_000}
MONITORING_RATES = (0.0, 0.02, 0.05, 0.1)


def make_reversed_dots() -> ChangingRewards:
    """Return the Dots voters with rewards that reverse the order of the arms halfway."""
    before = load_dots_sample()
    after = Instance(before.means[:, ::-1], agents=before.agents, arms=before.arms)
    return ChangingRewards(BetaRewards(before), (CHANGE_ROUND, BetaRewards(after)))


def make_moving_favourite(move: str) -> ChangingRewards:
    """Return three agents and four arms with 0/1 rewards; the first agent changes after `MOVE_ROUND` rounds."""
    after = MEANS_BEFORE.copy()
    after[0] = MOVED_MEANS[move]
    return ChangingRewards(BernoulliRewards(MEANS_BEFORE), (MOVE_ROUND + 1, BernoulliRewards(after)))


def run_and_list_alarms(world: Environment, rounds: int, seed: int, **settings: float) -> list[tuple[int, str]]:
    """Simulate one run of the elimination learner and return its alarms."""
    learner = EliminationLearner(world.n_agents, world.n_arms, seed=seed, **settings)
    run = Simulation(learner, world, rounds, seed, records=1)
    while run.advance():
        pass
    found: list[tuple[int, str]] = run.learner.alarms  # type: ignore[attr-defined]
    return found


def measure_drift(
    runs: int, moves: tuple[str, ...] = tuple(MOVED_MEANS), trickles: tuple[float, ...] = MONITORING_RATES
) -> Columns:
    """Measure how the elimination learner notices a moved favourite, for each move and `trickle`.

    Columns: move, trickle, runs, false alarms before the change, number of runs that noticed it, median and 90th
    percentile of the rounds until they did, and the mean score of the policy over the last 1,000 rounds before the
    change and at the end.
    """
    names = ("move", "trickle", "runs", "false", "noticed", "median", "late", "score_before", "score_after")
    columns: Columns = {name: [] for name in names}
    for move in moves:
        world, rounds = make_moving_favourite(move), MOVE_ROUND + ROUNDS_AFTER_MOVE[move]
        for trickle in trickles:
            delays, early, scores = [], 0, []
            for seed in range(runs):
                learner = EliminationLearner(3, 4, error=MONITORING_ERROR, trickle=trickle, seed=seed)
                run = Simulation(learner, world, rounds, seed, records=rounds // 1_000)
                while run.advance():
                    pass
                at = [round_ for round_, _ in run.learner.alarms]  # type: ignore[attr-defined]
                early += sum(round_ <= MOVE_ROUND for round_ in at)
                delays += [round_ - MOVE_ROUND for round_ in at if round_ > MOVE_ROUND][:1]
                trace = run.trace()
                scores.append([trace.score_means[MOVE_ROUND // 1_000 - 1, 0], trace.score_means[-1, 0]])
            late = [float(np.median(delays)), float(np.quantile(delays, 0.9))] if delays else [np.inf, np.inf]
            row = [move, trickle, runs, early, len(delays), *late, *np.mean(scores, axis=0).tolist()]
            for name, value in zip(names, row, strict=True):
                columns[name].append(value)
    return columns


def count_false_alarms(runs: int, rounds: int = 20_000, error: float = 0.5) -> int:
    """Count the groups of `runs` without a change in which an alarm was raised; half have gaps of .001 to .01."""
    found = 0
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        means = rng.uniform(0.2, 0.8, (3, 4))
        if seed % 2:
            means[:, 1] = np.clip(means[:, 0] - rng.uniform(0.001, 0.01, 3), 0.0, 1.0)
        found += bool(run_and_list_alarms(BernoulliRewards(means), rounds, seed, error=error))
    return found


def measure_detection(learners: tuple[str, ...], seeds: int, workers: int | None = None) -> tuple[Columns, Columns]:
    """Measure how learners recover from a change; return (courses, delays).

    `courses` has the PF score of the learned policy over time: round, and for each learner the median over seeds,
    minimum and maximum. `delays` has the rounds until the score is permanently good again: learner, median, low, high;
    infinite if it was not good again by the end.
    """
    world = make_reversed_dots()
    courses: Columns = {}
    delays: Columns = {"learner": [], "median": [], "low": [], "high": []}
    for name in learners:
        traces = simulate_many(
            _make_learner(name, world), world, CHANGE_STUDY_ROUNDS, seeds, workers, records=CHANGE_STUDY_RECORDS
        )
        course = np.array([trace.scores[:, 0] for trace in traces])
        courses.setdefault("round", traces[0].rounds.tolist())
        courses[name] = np.median(course, axis=0).tolist()
        courses |= {f"{name}_low": course.min(axis=0).tolist(), f"{name}_high": course.max(axis=0).tolist()}
        waits = [_detection_delay(traces[0].rounds, scores) for scores in course]
        for key, value in (("learner", name), ("median", np.median(waits)), ("low", min(waits)), ("high", max(waits))):
            delays[key].append(value if key == "learner" else float(value))
    return courses, delays


def _make_learner(name: str, world: ChangingRewards) -> Learner:
    return make_learner(name, world, CHANGE_STUDY_ROUNDS)


def _detection_delay(rounds: np.ndarray, scores: np.ndarray) -> float:
    """Return the rounds from the change until the score is good and stays good; infinite if it never is."""
    bad = np.flatnonzero((scores < RECOVERED_SCORE) & (rounds >= CHANGE_ROUND))
    if not len(bad):
        return 0.0
    return float("inf") if bad[-1] == len(rounds) - 1 else float(rounds[bad[-1] + 1] - CHANGE_ROUND)
