"""Learners side by side: the same rewards for all, one answer to each question, and its spread over seeds."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from isegoria.instance import Instance
from isegoria.lazy import computed_once
from isegoria.learning.protocol.learner import Learner
from isegoria.learning.registry import LEARNERS
from isegoria.learning.runs.delays import Delay
from isegoria.learning.runs.parallel import simulate_many
from isegoria.learning.runs.trace import Trace
from isegoria.learning.runs.variants import distinct, label_of, name_of, parsed
from isegoria.learning.worlds.environment import Environment
from isegoria.scores import score
from isegoria.wording import SCORES

RECORDS = 200
TIMED_ROUNDS, TIMED_BATCHES = 500, 5
MICRO = 1e6


class ContestQuestion(NamedTuple):
    """What is asked of every learner: the words for the head of a column, in full, and the decimals to show."""

    head: str
    words: str
    digits: int


QUESTIONS = {
    "lost": ContestQuestion("voice lost", "rounds' worth of voices that the arms as played did not carry", 1),
    "realised": ContestQuestion("PF as played", "procedural score of the arms as played", 3),
    "voice": ContestQuestion("least voice", "realised voice of the worst-off agent", 3),
    "wait": ContestQuestion("longest wait", "rounds in a row without a favourite, of the agent who waited longest", 0),
    "sets": ContestQuestion("sets right after", "rounds until every favourite set is right for good", 0),
    "regret": ContestQuestion("PF regret", "rounds with some favourite set wrong", 0),
    "policies": ContestQuestion("unfair for", "rounds whose learned policy was not procedurally fair", 0),
    **{id: ContestQuestion(f"{label} score", f"{id} score of the learned policy", 3) for id, label in SCORES.items()},
    "cost": ContestQuestion("µs a round", "microseconds per round, asked and told", 0),
}
"""The questions of a contest, in the order of every table."""


@dataclass(frozen=True)
class ContestEntry:
    """One learner in a contest: a trace for each seed, and what a round of ask and tell costs in microseconds."""

    learner: str
    label: str
    traces: tuple[Trace, ...]
    cost: float
    truth: Instance

    def answers(self, question: str) -> np.ndarray:
        """(seeds,) the answer to one of `QUESTIONS` at the end of each run."""
        if question == "sets":
            return np.array([trace.last_mismatch for trace in self.traces], dtype=float)
        if question == "wait":
            return np.array([trace.longest_wait.max() for trace in self.traces], dtype=float)
        if question == "cost":
            return np.full(len(self.traces), self.cost)
        return self.course(question)[:, -1]

    def course(self, question: str) -> np.ndarray:
        """(seeds, R) the answer over time, at the recorded rounds."""
        return self._courses[question]

    @computed_once
    def _courses(self) -> dict[str, np.ndarray]:
        courses = {
            "regret": np.array([trace.regret_curve for trace in self.traces], dtype=float),
            "policies": np.array([trace.wrong_policy_curve for trace in self.traces], dtype=float),
        }
        courses |= {name: np.array([trace.scores[:, j] for trace in self.traces]) for j, name in enumerate(SCORES)}
        played = np.array([trace.pulls for trace in self.traces], dtype=float)
        shares = played / played.sum(axis=2, keepdims=True)
        courses["realised"] = np.array([[score(self.truth, row).procedural for row in run] for run in shares])
        courses["lost"] = (1.0 - courses["realised"]) * played.sum(axis=2)
        courses["voice"] = np.array([(self.truth.favourites @ run.T).min(axis=0) for run in shares])
        return courses


@dataclass(frozen=True)
class Contest:
    """What a contest found: an `ContestEntry` for each learner, in the order in which they were named."""

    entries: tuple[ContestEntry, ...]
    rounds: int
    seeds: tuple[int, ...]

    @property
    def timed(self) -> bool:
        """Whether the cost of a round was measured."""
        return not any(math.isnan(entry.cost) for entry in self.entries)

    def summary(self) -> dict[str, list[Any]]:
        """Columns: the learner, and for every question the median over seeds with the lowest and the highest."""
        columns: dict[str, list[Any]] = {"learner": [entry.learner for entry in self.entries]}
        for question in QUESTIONS if self.timed else [name for name in QUESTIONS if name != "cost"]:
            answers = [entry.answers(question) for entry in self.entries]
            columns[question] = [float(np.median(values)) for values in answers]
            columns[f"{question}_low"] = [float(values.min()) for values in answers]
            columns[f"{question}_high"] = [float(values.max()) for values in answers]
        return columns

    def runs(self) -> dict[str, list[Any]]:
        """Columns: one row for each learner and seed, with its answer to every question."""
        pairs = [(entry, place) for entry in self.entries for place in range(len(self.seeds))]
        columns: dict[str, list[Any]] = {
            "learner": [entry.learner for entry, _ in pairs],
            "seed": [self.seeds[place] for _, place in pairs],
        }
        for question in QUESTIONS if self.timed else [name for name in QUESTIONS if name != "cost"]:
            answers = {entry.learner: entry.answers(question).tolist() for entry in self.entries}
            columns[question] = [answers[entry.learner][place] for entry, place in pairs]
        return columns

    def courses(self, question: str) -> dict[str, list[Any]]:
        """Columns: the round, and for each learner the median over seeds with the lowest and the highest."""
        columns: dict[str, list[Any]] = {"round": self.entries[0].traces[0].rounds.tolist()}
        for entry in self.entries:
            course = entry.course(question)
            columns[entry.learner] = np.median(course, axis=0).tolist()
            columns[f"{entry.learner}_low"] = course.min(axis=0).tolist()
            columns[f"{entry.learner}_high"] = course.max(axis=0).tolist()
        return columns


def contest(environment: Environment, learners: Sequence[str | Learner] = ("procedural", "guided"),
            rounds: int = 100_000, seeds: int | Iterable[int] = 20, workers: int | None = None, timed: bool = True,
            report: Callable[[int, int], None] | None = None, delay: Delay = 0,
            keep: str | os.PathLike[str] | None = None, **settings: Any) -> Contest:  # fmt: skip
    """Run each learner on the same rewards for every seed, and gather the answers to `QUESTIONS`.

    A learner is an id, or an id with settings ("guided:explore=0.1;lend=0.5", values as in JSON), or a learner made
    before. Its label shows what differs from the default; two with one label get a number. The n-th pull of an arm
    gives the same rewards to every learner that runs with the same seed. `settings` (such as gamma) go to the learners
    that have a setting of that name and do not name another; those named that plan for a horizon are told `rounds`.
    Rewards are told after a `delay`, as in `simulate`; runs are kept in a folder `keep`, as in `simulate_many`.
    Without `timed` the cost of a round is left out (NaN), and everything found is the same on every machine.
    `report(done, of)` counts runs.

    >>> import isegoria as iso
    >>> world = iso.BetaRewards([[0.9, 0.1], [0.2, 0.8]])
    >>> found = contest(world, ["guided", "uniform"], rounds=400, seeds=2, workers=1)
    >>> found.summary()["procedural"]
    [1.0, 1.0]
    """
    seeds = tuple(range(seeds)) if isinstance(seeds, int) else tuple(seeds)
    made = [one if isinstance(one, Learner) else make_learner(one, environment, rounds, **settings) for one in learners]
    named = [None if isinstance(one, Learner) else parsed(one)[1] for one in learners]
    names = distinct(map(name_of, made, named))
    options = {"records": min(RECORDS, rounds), "delay": delay}
    entries = []
    for before, (name, learner) in enumerate(zip(names, made, strict=True)):
        count = report and partial(_count, report, before * len(seeds), len(learners) * len(seeds))
        traces = simulate_many(learner, environment, rounds, seeds, workers, count, keep, **options)
        cost = cost_of(learner, environment) if timed else math.nan
        entries.append(ContestEntry(name, label_of(name), tuple(traces), cost, environment.instance))
    return Contest(tuple(entries), rounds, seeds)


def _count(report: Callable[[int, int], None], before: int, total: int, done: int, of: int) -> None:
    """Report runs of one learner as runs of all."""
    report(before + done, total)


def make_learner(name: str, environment: Environment, rounds: int, seed: int = 0, **settings: Any) -> Learner:
    """The learner of that name for an environment, with those of the `settings` that it has and does not name."""
    id, own = parsed(name)
    kind = LEARNERS[id]
    chosen = {key: value for key, value in (settings | {"horizon": rounds}).items() if key in kind.settings} | own
    return kind(environment.n_agents, environment.n_arms, seed=seed, **chosen, **who(environment))


def who(environment: Environment) -> dict[str, Any]:
    """The keywords of a learner for the agents and arms of an environment; weights only where some are not 1."""
    names = {"agents": environment.agents, "arms": environment.arms}
    return names if (environment.weights == 1).all() else {**names, "weights": environment.weights}


def cost_of(learner: Learner, environment: Environment) -> float:
    """Microseconds for a round of ask and tell: the quickest of a few batches, of which noise only ever adds."""
    learner, stream = learner.copy(), environment.stream(0)
    fastest = float("inf")
    for _ in range(TIMED_BATCHES):
        start = time.perf_counter()
        for _ in range(TIMED_ROUNDS):
            ticket = learner.ask()
            learner.tell(ticket, stream.pull(ticket.arm, ticket.round))
        fastest = min(fastest, (time.perf_counter() - start) / TIMED_ROUNDS)
    return fastest * MICRO
