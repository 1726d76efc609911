"""What a group lives through while it learns: the score of the arms as played, and how long anyone waits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from isegoria.data import dots_sample
from isegoria.instance import Instance
from isegoria.learning import BernoulliRewards, BetaRewards, GuidedLearner, simulate_many
from isegoria.learning.protocol.learner import Learner
from isegoria.learning.registry import LEARNERS
from isegoria.learning.runs.trace import Trace
from isegoria.learning.worlds.environment import Environment
from isegoria.scores import score
from isegoria.studies.beyond import worlds

AT = (100, 250, 1_000, 5_000)
"""Rounds at which the score of the arms as played is told."""
GUIDED = {"guided ¼": {}, "guided .1": {"explore": 0.1}, "guided ½": {"explore": 0.5}}
OTHERS = ("posterior", "procedural", "uniform")
SD = 0.1
WORLDS: dict[str, Callable[[], Environment]] = {
    "lunch, Beta": lambda: BetaRewards(worlds.lunch(), sd=SD),
    "lunch, 0/1": lambda: BernoulliRewards(worlds.lunch()),
    "3x3 starving, 0/1": lambda: BernoulliRewards(worlds.starving()),
    "Dots, Beta": lambda: BetaRewards(dots_sample(), sd=SD),
    "Dots, 0/1": lambda: BernoulliRewards(dots_sample()),
}


def rivals(world: Environment) -> dict[str, Learner]:
    """The guided learner in three settings, and what else one might take."""
    shape = world.n_agents, world.n_arms
    found: dict[str, Learner] = {name: GuidedLearner(*shape, **settings) for name, settings in GUIDED.items()}
    return found | {name: LEARNERS[name](*shape) for name in OTHERS}


def as_played(truth: Instance, arms: np.ndarray) -> list[float]:
    """The procedural score of the arms played up to each of the rounds `AT`."""
    pulls = [np.bincount(arms[:at], minlength=truth.means.shape[1]) for at in AT]
    return [score(truth, counts / counts.sum()).procedural for counts in pulls]


def runs(learner: Learner, world: Environment, seeds: int, workers: int | None = None) -> list[Trace]:
    """`AT[-1]` rounds for each seed, every arm kept."""
    return simulate_many(learner, world, AT[-1], seeds, workers, keep_arms=True, records=1)


def table(seeds: int, workers: int | None = None, chosen: tuple[str, ...] = tuple(WORLDS)) -> dict[str, list[Any]]:
    """Columns: world, learner, the mean score at each of `AT` with its standard error, and the longest wait."""
    columns: dict[str, list[Any]] = {name: [] for name in ("world", "learner", "seeds")}
    columns |= {name: [] for at in AT for name in (f"at_{at}", f"se_{at}")}
    columns |= {name: [] for name in ("wait_median", "wait_most", "least_share", "resolved")}
    for words in chosen:
        world = WORLDS[words]()
        for name, learner in rivals(world).items():
            traces = runs(learner, world, seeds, workers)
            _add(columns, (words, name, seeds), traces, world.instance)
    return columns


def _add(columns: dict[str, list[Any]], what: tuple[str, str, int], traces: list[Trace], truth: Instance) -> None:
    scores = np.array([as_played(truth, trace.arms) for trace in traces if trace.arms is not None])
    waits = np.array([trace.longest_wait.max() for trace in traces])
    row = [*what]
    for place in range(len(AT)):
        row += [float(scores[:, place].mean()), standard_error(scores[:, place])]
    due = truth.weights / truth.weights.sum()
    share = min(float((trace.realised_voice / due).min()) for trace in traces)
    clear = truth.favourites.sum(axis=1) == 1
    resolved = [float(np.median(_rounds(trace.resolved_at[clear]))) for trace in traces]
    row += [float(np.median(waits)), float(waits.max()), share, float(np.median(resolved))]
    for name, value in zip(columns, row, strict=True):
        columns[name].append(value)


def _rounds(resolved_at: np.ndarray) -> np.ndarray:
    return np.where(resolved_at < 0, np.inf, resolved_at)


def standard_error(values: np.ndarray) -> float:
    """The standard error of a mean; NaN of one value."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")


def waits_once_resolved(trace: Trace, truth: Instance) -> np.ndarray:
    """(N,) the most rounds in a row without a true favourite after each agent was resolved; 0 for those who never were.

    The waits count from the round after, so that what lay before is nobody's promise.
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


def groups(count: int, seeds: int = 1, workers: int | None = None, first: int = 0) -> dict[str, list[Any]]:
    """Columns, over random groups: learner, mean score at each of `AT` with its standard error, the least share of its
    due that anyone had, and the longest wait."""
    columns: dict[str, list[Any]] = {}
    found: dict[str, list[tuple[list[float], float, float]]] = {}
    for seed in range(first, first + count):
        truth = worlds.random_group(seed)
        world = BernoulliRewards(truth)
        for name, learner in rivals(world).items():
            for trace in runs(learner.copy(seed=seed), world, seeds, workers):
                assert trace.arms is not None
                share = float(trace.realised_voice.min() * len(truth.means))
                lived = as_played(truth, trace.arms), share, float(trace.longest_wait.max())
                found.setdefault(name, []).append(lived)
    for name, rows in found.items():
        scores = np.array([row[0] for row in rows])
        entry: dict[str, float | str] = {"learner": name, "groups": count}
        for place, at in enumerate(AT):
            entry |= {f"at_{at}": scores[:, place].mean(), f"se_{at}": standard_error(scores[:, place])}
        entry |= {"least_share": min(row[1] for row in rows), "wait_most": max(row[2] for row in rows)}
        for key, value in entry.items():
            columns.setdefault(key, []).append(value)
    return columns
