"""What a group experiences while it learns: the score of the arms as played, and how long agents wait."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from isegoria.analysis.scores import score
from isegoria.datasets import load_dots_sample
from isegoria.learning import BernoulliRewards, BetaRewards, EliminationLearner, simulate_many
from isegoria.learning.base.learner import Learner
from isegoria.learning.environments.environment import Environment
from isegoria.learning.registry import LEARNERS
from isegoria.learning.simulation.trace import Trace
from isegoria.profiles import Instance
from isegoria.studies.elimination import study_instances
from isegoria.utils.arrays import count_labels

SCORED_ROUNDS = (100, 250, 1_000, 5_000)
"""Rounds after which the arms played so far are scored."""
ELIMINATION_VARIANTS = {"elimination ¼": {}, "elimination .1": {"explore": 0.1}, "elimination ½": {"explore": 0.5}}
OTHER_LEARNERS = ("thompson", "procedural", "uniform")
REWARD_SD = 0.1
PLAY_ENVIRONMENTS: dict[str, Callable[[], Environment]] = {
    "lunch, Beta": lambda: BetaRewards(study_instances.make_lunch(), sd=REWARD_SD),
    "lunch, 0/1": lambda: BernoulliRewards(study_instances.make_lunch()),
    "3x3 starving, 0/1": lambda: BernoulliRewards(study_instances.make_starving()),
    "Dots, Beta": lambda: BetaRewards(load_dots_sample(), sd=REWARD_SD),
    "Dots, 0/1": lambda: BernoulliRewards(load_dots_sample()),
}


def make_learners(world: Environment) -> dict[str, Learner]:
    """Return the elimination learner in three settings, and the learners it is compared with."""
    shape = world.n_agents, world.n_arms
    found: dict[str, Learner] = {
        name: EliminationLearner(*shape, **settings) for name, settings in ELIMINATION_VARIANTS.items()
    }
    return found | {name: LEARNERS[name](*shape) for name in OTHER_LEARNERS}


def score_played_arms(truth: Instance, arms: np.ndarray) -> list[float]:
    """Compute the procedural score of the arms played up to each of the rounds `SCORED_ROUNDS`."""
    pulls = [count_labels(arms[:at], minlength=truth.means.shape[1]) for at in SCORED_ROUNDS]
    return [score(truth, counts / counts.sum()).procedural for counts in pulls]


def simulate_runs(learner: Learner, world: Environment, seeds: int, workers: int | None = None) -> list[Trace]:
    """Simulate `SCORED_ROUNDS[-1]` rounds for each seed, keeping every arm."""
    return simulate_many(learner, world, SCORED_ROUNDS[-1], seeds, workers, keep_arms=True, records=1)


def compute_table(
    seeds: int, workers: int | None = None, chosen: tuple[str, ...] = tuple(PLAY_ENVIRONMENTS)
) -> dict[str, list[Any]]:
    """Return columns: world, learner, the mean score at each of `SCORED_ROUNDS` with its standard error, waits and
    shares."""
    columns: dict[str, list[Any]] = {name: [] for name in ("world", "learner", "seeds")}
    columns |= {name: [] for at in SCORED_ROUNDS for name in (f"at_{at}", f"se_{at}")}
    columns |= {name: [] for name in ("wait_median", "wait_most", "least_share", "resolved")}
    for words in chosen:
        world = PLAY_ENVIRONMENTS[words]()
        for name, learner in make_learners(world).items():
            traces = simulate_runs(learner, world, seeds, workers)
            _append_row(columns, (words, name, seeds), traces, world.instance)
    return columns


def _append_row(
    columns: dict[str, list[Any]], what: tuple[str, str, int], traces: list[Trace], truth: Instance
) -> None:
    scores = np.array([score_played_arms(truth, trace.arms) for trace in traces if trace.arms is not None])
    waits = np.array([trace.longest_wait.max() for trace in traces])
    row = [*what]
    for place in range(len(SCORED_ROUNDS)):
        row += [float(scores[:, place].mean()), standard_error(scores[:, place])]
    due = truth.weights / truth.weights.sum()
    share = min(float((trace.realised_voice / due).min()) for trace in traces)
    clear = truth.favourites.sum(axis=1) == 1
    resolved = [float(np.median(_or_infinite(trace.resolved_at[clear]))) for trace in traces]
    row += [float(np.median(waits)), float(waits.max()), share, float(np.median(resolved))]
    for name, value in zip(columns, row, strict=True):
        columns[name].append(value)


def _or_infinite(resolved_at: np.ndarray) -> np.ndarray:
    return np.where(resolved_at < 0, np.inf, resolved_at)


def standard_error(values: np.ndarray) -> float:
    """Return the standard error of a mean; NaN for one value."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")


def longest_waits_after_resolution(trace: Trace, truth: Instance) -> np.ndarray:
    """Return (N,) the longest run of rounds without a true favourite after each agent was resolved.

    It is 0 for agents that were never resolved. Waits count from the round after resolution, because earlier rounds are
    not covered by the guarantee.
    """
    longest = np.zeros(len(trace.resolved_at), dtype=int)
    assert trace.arms is not None
    for i, at in enumerate(trace.resolved_at.tolist()):
        if at < 0:
            continue
        hits = np.flatnonzero(truth.favourites[i][trace.arms[at:]])
        ends = np.concatenate([[-1], hits, [len(trace.arms) - at]])
        longest[i] = int(np.diff(ends).max()) - 1
    return longest


def compute_group_table(count: int, seeds: int = 1, workers: int | None = None, first: int = 0) -> dict[str, list[Any]]:
    """Return columns over random groups: learner, mean scores, the minimum share of its due, and the longest wait.

    There is a mean score with its standard error for each of the rounds `SCORED_ROUNDS`.
    """
    columns: dict[str, list[Any]] = {}
    found: dict[str, list[tuple[list[float], float, float]]] = {}
    for seed in range(first, first + count):
        truth = study_instances.make_random_group(seed)
        world = BernoulliRewards(truth)
        for name, learner in make_learners(world).items():
            for trace in simulate_runs(learner.copy(seed=seed), world, seeds, workers):
                assert trace.arms is not None
                share = float(trace.realised_voice.min() * len(truth.means))
                lived = score_played_arms(truth, trace.arms), share, float(trace.longest_wait.max())
                found.setdefault(name, []).append(lived)
    for name, rows in found.items():
        scores = np.array([row[0] for row in rows])
        entry: dict[str, float | str] = {"learner": name, "groups": count}
        for place, at in enumerate(SCORED_ROUNDS):
            entry |= {f"at_{at}": scores[:, place].mean(), f"se_{at}": standard_error(scores[:, place])}
        entry |= {"least_share": min(row[1] for row in rows), "wait_most": max(row[2] for row in rows)}
        for key, value in entry.items():
            columns.setdefault(key, []).append(value)
    return columns
