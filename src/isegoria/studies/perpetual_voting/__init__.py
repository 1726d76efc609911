"""The study of turns: perpetual voting compared with published rules on several kinds of ballots, and gains of lies.

`reproduce turns` uses `FULL_SIZE`, `make study-beyond` the 10,000 new histories of `WHOLE_SIZE`, and the page of `make
reproduce`
a few of each (`SHORT_SIZE`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from isegoria.analysis.axioms.temporal import TEMPORAL_AXIOMS, check_over_time
from isegoria.out_of_core.executors import Executor, close_after, make_executor
from isegoria.studies.perpetual_voting.ballot_models import BALLOT_MODELS
from isegoria.studies.perpetual_voting.false_reports import (
    REPORT_STRATEGIES,
    apply_strategy,
    best_response_debts,
    best_response_deterministic,
    count_wins,
    expected_gain,
)
from isegoria.studies.perpetual_voting.history_measures import HistoryMeasures, measure_histories
from isegoria.studies.perpetual_voting.published_rules import PUBLISHED_RULES
from isegoria.studies.perpetual_voting.turn_rules import TURN_RULES
from isegoria.studies.provenance import write_provenance
from isegoria.studies.registry import StudyOptions
from isegoria.studies.result_tables import write_table
from isegoria.utils.progress import progress_bar

TaskResults = dict[tuple[str, str], list[dict[str, np.ndarray]]]
"""For each table and setting, a list of task results: the (histories, measures) array of every rule."""
Columns = dict[str, list[Any]]
Report = Callable[[int, int], object]

TABLE_CAPTIONS = {
    "rules": "Turns with memory beside published rules.",
    "ballots": "The same on other ballots.",
    "lies": "What four simple lies gain in twenty rounds.",
    "informed": "What a member who sees everything gains in twenty rounds.",
    "representation": "The share of histories of ten members that meet each axiom of representation over time.",
}
TASK_KINDS = ("rules", "ballots", "lies", "informed", "representation")
HISTORIES_PER_TASK = 25
"""Number of histories in one task. Each task has its own seed, so results do not depend on order or workers."""


@dataclass(frozen=True)
class PerpetualVotingSize:
    """Numbers of histories of the main setting, of the other ballots, of the four lies and of the informed member."""

    name: str
    main: int
    other: int
    lies: int
    informed: int


SHORT_SIZE = PerpetualVotingSize("short", main=50, other=0, lies=25, informed=0)
FULL_SIZE = PerpetualVotingSize("full", main=1_000, other=100, lies=250, informed=25)
WHOLE_SIZE = PerpetualVotingSize("whole", main=10_000, other=400, lies=1_500, informed=200)
STUDY_SIZES = {size.name: size for size in (SHORT_SIZE, FULL_SIZE, WHOLE_SIZE)}


def produce(folder: Path, options: StudyOptions, size: PerpetualVotingSize | None = None) -> bool:
    """Run the study, and write its tables and record into `folder`."""
    size = size or (SHORT_SIZE if options.short else FULL_SIZE)
    with (
        close_after(make_executor(options.workers, options.scheduler)) as executor,
        progress_bar("turns: histories") as report,
    ):
        tables = run(options.seed, size, executor, report)
    with write_provenance(folder, "turns", options.command) as settings:
        for name, columns in tables.items():
            write_table(Path(folder), name, columns, TABLE_CAPTIONS[name])
        settings |= {"seed": options.seed, "size": size.name, "main": size.main, "other": size.other}
        settings |= {"lies": size.lies, "informed": size.informed}
    return True


def run(seed: int, size: PerpetualVotingSize, executor: Executor, report: Report | None = None) -> dict[str, Columns]:
    """Run the study and return its tables by name, as columns: `rules`, `ballots`, `lies`, `informed`."""
    plan = [("rules", "clusters", size.main)]
    plan += [("ballots", name, size.other) for name in BALLOT_MODELS if name != "clusters"]
    plan += [("lies", "clusters", size.lies), ("informed", "clusters", size.informed)]
    plan += [("representation", "clusters", size.lies)]
    tasks = [
        (kind, name, seed, start, min(HISTORIES_PER_TASK, count - start))
        for kind, name, count in plan
        for start in range(0, count, HISTORIES_PER_TASK)
    ]
    done = 0

    def finished(index: int) -> None:
        nonlocal done
        done += 1
        if report:
            report(done, len(tasks))

    found = executor.run(_run_task, tasks, finished)
    parts: TaskResults = {}
    for (kind, name, *_), part in zip(tasks, found, strict=True):
        parts.setdefault((kind, name), []).append(part)
    tables = {
        "rules": _summarise(parts, "rules", HistoryMeasures._fields),
        "ballots": _summarise(parts, "ballots", HistoryMeasures._fields),
        "representation": _summarise(parts, "representation", TEMPORAL_AXIOMS),
    }
    return tables | {kind: _gain_columns(parts, kind) for kind in ("lies", "informed")}


def _run_task(kind: str, setting: str, seed: int, start: int, count: int) -> dict[str, np.ndarray]:
    """Compute {name: numbers (histories, measures)} of one batch of histories, which has its own random stream."""
    place = list(BALLOT_MODELS).index(setting)
    stream = np.random.SeedSequence(seed, spawn_key=(TASK_KINDS.index(kind), place, start))
    rng = np.random.default_rng(stream)
    ballots = BALLOT_MODELS[setting][1](rng, count)
    if kind in ("lies", "informed"):
        return _measure_false_reports(ballots, rng, start) if kind == "lies" else _measure_informed_member(ballots, rng)
    if kind == "representation":
        ballots = ballots[:, :, ::2]  # so few that groups can be enumerated
    played = {name: rule(ballots, rng) for name, (_, rule) in PUBLISHED_RULES.items()}
    for name, (_, rule) in TURN_RULES.items():
        played[name] = np.array([rule(history, start + h, None) for h, history in enumerate(ballots)])
    if kind == "representation":
        return {name: _check_histories(ballots, options) for name, options in played.items()}
    return {name: np.column_stack(measure_histories(ballots, options)) for name, options in played.items()}


def _check_histories(ballots: np.ndarray, played: np.ndarray) -> np.ndarray:
    """Return (H, axioms) which axioms of representation each history meets."""
    verdicts = [check_over_time(history, options) for history, options in zip(ballots, played, strict=True)]
    return np.array([[float(verdict[axiom].holds or 0) for axiom in TEMPORAL_AXIOMS] for verdict in verdicts])


def _measure_false_reports(ballots: np.ndarray, rng: np.random.Generator, start: int) -> dict[str, np.ndarray]:
    """Compute {rule: gains (histories, lies)} of the four lies.

    The gains of drawn turns and the lottery come from their policies, those of the other rules from simulation.
    """
    member = rng.integers(ballots.shape[2], size=len(ballots)).tolist()
    gains: dict[str, np.ndarray] = {}
    for name in ("majority", "unit-cost", "consensus", "quota"):
        rule = PUBLISHED_RULES[name][1]
        honest = rule(ballots, rng)
        columns = []
        for lie in REPORT_STRATEGIES.values():
            said = np.array([apply_strategy(history, m, lie) for history, m in zip(ballots, member, strict=True)])
            columns.append(_gain_over_honest(ballots, member, rule(said, rng), honest))
        gains[name] = np.column_stack(columns)
    for name in ("debts", "deterministic"):
        player = TURN_RULES[name][1]
        honest = np.array([player(history, start + h, None) for h, history in enumerate(ballots)])
        columns = []
        for lie in REPORT_STRATEGIES.values():
            liars = [apply_strategy(history, m, lie) for history, m in zip(ballots, member, strict=True)]
            played = np.array([player(history, start + h, None) for h, history in enumerate(liars)])
            columns.append(_gain_over_honest(ballots, member, played, honest))
        gains[name] = np.column_stack(columns)
    exact = [
        [expected_gain(history, m, lie) for lie in REPORT_STRATEGIES.values()]
        for history, m in zip(ballots, member, strict=True)
    ]
    return gains | {"drawn": np.array(exact)}


def _gain_over_honest(ballots: np.ndarray, member: list[int], lying: np.ndarray, honest: np.ndarray) -> np.ndarray:
    rows = zip(ballots, member, lying, honest, strict=True)
    return np.array([count_wins(history, m, a) - count_wins(history, m, b) for history, m, a, b in rows], dtype=float)


def _measure_informed_member(ballots: np.ndarray, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Compute {rule: gains (histories, 1)} of a member who sees everything, under our deterministic rules."""
    member = rng.integers(ballots.shape[2], size=len(ballots)).tolist()
    gains = {}
    for name, cheat in (("debts", best_response_debts), ("deterministic", best_response_deterministic)):
        player = TURN_RULES[name][1]
        pairs = list(zip(ballots, member, strict=True))
        gains[name] = np.array([[cheat(h, m) - count_wins(h, m, player(h, 0, None))] for h, m in pairs], dtype=float)
    return gains


def _summarise(parts: TaskResults, kind: str, fields: tuple[str, ...]) -> Columns:
    """Return rows of setting, rule, histories, and each measure with its standard error."""
    rows = []
    for setting, rule, values in _join_tasks(parts, kind):
        error = values.std(axis=0, ddof=1) / np.sqrt(len(values))
        rows.append([setting, rule, len(values), *np.column_stack([values.mean(axis=0), error]).ravel().tolist()])
    names = ["setting", "rule", "histories", *(name for field in fields for name in (field, f"{field}_se"))]
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def _gain_columns(parts: TaskResults, kind: str) -> Columns:
    """Return rows of rule, lie, histories, gain and its standard error."""
    rows = []
    for _, rule, values in _join_tasks(parts, kind):
        for place, lie in enumerate(REPORT_STRATEGIES if kind == "lies" else ["informed"]):
            column = values[:, place]
            rows.append([rule, lie, len(column), column.mean(), column.std(ddof=1) / np.sqrt(len(column))])
    names = ["rule", "lie", "histories", "gain", "gain_se"]
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def _join_tasks(parts: TaskResults, kind: str) -> Iterator[tuple[str, str, np.ndarray]]:
    for (which, setting), found in parts.items():
        if which == kind:
            for rule in found[0]:
                yield setting, rule, np.concatenate([part[rule] for part in found])
