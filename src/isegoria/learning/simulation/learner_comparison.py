"""Compare learners on the same rewards: one value per measure, with its spread over seeds."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from isegoria.analysis.scores import score
from isegoria.learning.base.learner import Learner
from isegoria.learning.environments.environment import Environment
from isegoria.learning.registry import LEARNERS
from isegoria.learning.simulation.delays import DelayLike
from isegoria.learning.simulation.learner_names import format_label, format_name, number_duplicates, parse_name
from isegoria.learning.simulation.parallel import SimulationOptions, simulate_many
from isegoria.learning.simulation.trace import Trace
from isegoria.profiles import Instance
from isegoria.utils.caching import lazy_property
from isegoria.utils.formatting import SCORE_LABELS

MAX_COMPARISON_RECORDS = 200
TIMED_ROUNDS, TIMED_BATCHES = 500, 5
MICROSECONDS_PER_SECOND = 1e6


class ComparisonMetric(NamedTuple):
    """A measure of a learner: its column header, its full description, and the number of decimals to show."""

    head: str
    words: str
    digits: int


COMPARISON_METRICS = {
    "lost": ComparisonMetric("voice lost", "rounds' worth of voices that the arms as played did not carry", 1),
    "realised": ComparisonMetric("PF as played", "procedural score of the arms as played", 3),
    "voice": ComparisonMetric("least voice", "realised voice of the worst-off agent", 3),
    "wait": ComparisonMetric("longest wait", "rounds in a row without a favourite, of the agent who waited longest", 0),
    "sets": ComparisonMetric("sets right after", "rounds until every favourite set is right for good", 0),
    "regret": ComparisonMetric("PF regret", "rounds with some favourite set wrong", 0),
    "policies": ComparisonMetric("unfair for", "rounds whose learned policy was not procedurally fair", 0),
    **{
        id: ComparisonMetric(f"{label} score", f"{id} score of the learned policy", 3)
        for id, label in SCORE_LABELS.items()
    },
    "cost": ComparisonMetric("µs a round", "microseconds per round, asked and told", 0),
}
"""The questions of a contest, in the order of every table."""


@dataclass(frozen=True)
class LearnerResult:
    """One learner in a comparison: a trace for each seed, and the cost of a round of ask and tell in microseconds."""

    learner: str
    label: str
    traces: tuple[Trace, ...]
    cost: float
    truth: Instance

    def answers(self, question: str) -> np.ndarray:
        """Return the value (seeds,) of one of the measures in `COMPARISON_METRICS` at the end of each run."""
        if question == "sets":
            return np.array([trace.last_mismatch for trace in self.traces], dtype=float)
        if question == "wait":
            return np.array([trace.longest_wait.max() for trace in self.traces], dtype=float)
        if question == "cost":
            return np.full(len(self.traces), self.cost)
        return self.course(question)[:, -1]

    def course(self, question: str) -> np.ndarray:
        """Return the value (seeds, R) of a measure over time, at the recorded rounds."""
        return self._courses[question]

    @lazy_property
    def _courses(self) -> dict[str, np.ndarray]:
        courses = {
            "regret": np.array([trace.regret_curve for trace in self.traces], dtype=float),
            "policies": np.array([trace.wrong_policy_curve for trace in self.traces], dtype=float),
        }
        courses |= {
            name: np.array([trace.scores[:, j] for trace in self.traces]) for j, name in enumerate(SCORE_LABELS)
        }
        played = np.array([trace.pulls for trace in self.traces], dtype=float)
        shares = played / played.sum(axis=2, keepdims=True)
        courses["realised"] = np.array([[score(self.truth, row).procedural for row in run] for run in shares])
        courses["lost"] = (1.0 - courses["realised"]) * played.sum(axis=2)
        courses["voice"] = np.array([(self.truth.favourites @ run.T).min(axis=0) for run in shares])
        return courses


@dataclass(frozen=True)
class LearnerComparison:
    """The result of a comparison: a `LearnerResult` for each learner, in the order in which they were named."""

    entries: tuple[LearnerResult, ...]
    rounds: int
    seeds: tuple[int, ...]

    @property
    def timed(self) -> bool:
        """Whether the cost of a round was measured."""
        return not any(math.isnan(entry.cost) for entry in self.entries)

    def summary(self) -> dict[str, list[Any]]:
        """Return columns: the learner, and for every measure the median, minimum and maximum over seeds."""
        columns: dict[str, list[Any]] = {"learner": [entry.learner for entry in self.entries]}
        for question in COMPARISON_METRICS if self.timed else [name for name in COMPARISON_METRICS if name != "cost"]:
            answers = [entry.answers(question) for entry in self.entries]
            columns[question] = [float(np.median(values)) for values in answers]
            columns[f"{question}_low"] = [float(values.min()) for values in answers]
            columns[f"{question}_high"] = [float(values.max()) for values in answers]
        return columns

    def runs(self) -> dict[str, list[Any]]:
        """Return columns with one row for each learner and seed, and its value of every measure."""
        pairs = [(entry, place) for entry in self.entries for place in range(len(self.seeds))]
        columns: dict[str, list[Any]] = {
            "learner": [entry.learner for entry, _ in pairs],
            "seed": [self.seeds[place] for _, place in pairs],
        }
        for question in COMPARISON_METRICS if self.timed else [name for name in COMPARISON_METRICS if name != "cost"]:
            answers = {entry.learner: entry.answers(question).tolist() for entry in self.entries}
            columns[question] = [answers[entry.learner][place] for entry, place in pairs]
        return columns

    def courses(self, question: str) -> dict[str, list[Any]]:
        """Return columns: the round, and for each learner the median, minimum and maximum over seeds."""
        columns: dict[str, list[Any]] = {"round": self.entries[0].traces[0].rounds.tolist()}
        for entry in self.entries:
            course = entry.course(question)
            columns[entry.learner] = np.median(course, axis=0).tolist()
            columns[f"{entry.learner}_low"] = course.min(axis=0).tolist()
            columns[f"{entry.learner}_high"] = course.max(axis=0).tolist()
        return columns


def compare_learners(
    environment: Environment,
    learners: Sequence[str | Learner] = ("procedural", "elimination"),
    rounds: int = 100_000,
    seeds: int | Iterable[int] = 20,
    workers: int | None = None,
    timed: bool = True,
    report: Callable[[int, int], None] | None = None,
    delay: DelayLike = 0,
    keep: str | os.PathLike[str] | None = None,
    **settings: Any,
) -> LearnerComparison:
    """Run each learner on the same rewards for every seed, and compute the measures in `COMPARISON_METRICS`.

    The n-th pull of an arm gives the same rewards to every learner that runs with the same seed.

    Parameters
    ----------
    environment : Environment
        The source of the rewards.
    learners : sequence of str or Learner
        Ids, ids with settings ("elimination:explore=0.1", values as in JSON), or learner objects. A label shows
        what differs from the default; a repeated name gets a number.
    rounds : int
        The length of each run. Learners given by name that plan for a horizon get it as `horizon`.
    seeds : int or iterable of int
        The seeds, or a number n for the seeds 0 to n − 1.
    workers : int, optional
        The number of worker processes; one per core by default.
    timed : bool
        Whether to measure the cost of a round. Without it the cost is NaN, and the results are the same on every
        machine.
    report : callable, optional
        Called as `report(done, of)` with the number of finished runs.
    delay : int or callable
        The delay of feedback, as in `simulate`.
    keep : path, optional
        A folder that keeps finished runs, as in `simulate_many`.
    **settings
        Settings such as `gamma`, for the named learners that have a setting of that name and do not set it themselves.

    Returns
    -------
    Contest

    Examples
    --------
    >>> import isegoria as iso
    >>> world = iso.BetaRewards([[0.9, 0.1], [0.2, 0.8]])
    >>> found = compare_learners(world, ["elimination", "uniform"], rounds=400, seeds=2, workers=1)
    >>> found.summary()["procedural"]
    [1.0, 1.0]
    """
    seeds = tuple(range(seeds)) if isinstance(seeds, int) else tuple(seeds)
    made = [one if isinstance(one, Learner) else make_learner(one, environment, rounds, **settings) for one in learners]
    named = [None if isinstance(one, Learner) else parse_name(one)[1] for one in learners]
    names = number_duplicates(map(format_name, made, named))
    options: SimulationOptions = {"records": min(MAX_COMPARISON_RECORDS, rounds), "delay": delay}
    entries = []
    for before, (name, learner) in enumerate(zip(names, made, strict=True)):
        count = report and partial(_report_overall, report, before * len(seeds), len(learners) * len(seeds))
        traces = simulate_many(learner, environment, rounds, seeds, workers, count, keep, **options)
        cost = time_round(learner, environment) if timed else math.nan
        entries.append(LearnerResult(name, format_label(name), tuple(traces), cost, environment.instance))
    return LearnerComparison(tuple(entries), rounds, seeds)


def _report_overall(report: Callable[[int, int], None], before: int, total: int, done: int, of: int) -> None:
    """Report the progress of one learner's runs as progress of all runs."""
    report(before + done, total)


def make_learner(name: str, environment: Environment, rounds: int, seed: int = 0, **settings: Any) -> Learner:
    """Create the named learner for an environment, with those of `settings` that it has and its name does not set."""
    id, own = parse_name(name)
    kind = LEARNERS[id]
    chosen = {key: value for key, value in (settings | {"horizon": rounds}).items() if key in kind.settings} | own
    return kind(environment.n_agents, environment.n_arms, seed=seed, **chosen, **roster_keywords(environment))


def roster_keywords(environment: Environment) -> dict[str, Any]:
    """Return a learner's keyword arguments for the agents and arms of an environment; weights only if not all 1."""
    names = {"agents": environment.agents, "arms": environment.arms}
    return names if (environment.weights == 1).all() else {**names, "weights": environment.weights}


def time_round(learner: Learner, environment: Environment) -> float:
    """Return microseconds for a round of ask and tell: the fastest of a few batches, since noise only adds time."""
    learner, stream = learner.copy(), environment.stream(0)
    fastest = float("inf")
    for _ in range(TIMED_BATCHES):
        start = time.perf_counter()
        for _ in range(TIMED_ROUNDS):
            ticket = learner.ask()
            learner.tell(ticket, stream.pull(ticket.arm, ticket.round))
        fastest = min(fastest, (time.perf_counter() - start) / TIMED_ROUNDS)
    return fastest * MICROSECONDS_PER_SECOND
