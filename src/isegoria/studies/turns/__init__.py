"""The study of turns: memory beside its published rivals, over several kinds of ballots, and what a lie gains.

`reproduce turns` takes `FULL`, `make study-beyond` the 10,000 fresh histories of `WHOLE`, and the page of
`make reproduce` a few of each (`SHORT`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from isegoria.progress import progress
from isegoria.studies.record import recorded
from isegoria.studies.registry import Options
from isegoria.studies.tables import write_table
from isegoria.studies.turns.lies import LIES, informed_debts, informed_settled, policy_gain, told, wins
from isegoria.studies.turns.measures import Measures, measured
from isegoria.studies.turns.ours import OURS
from isegoria.studies.turns.rivals import RIVALS
from isegoria.studies.turns.settings import SETTINGS
from isegoria.tables.executors import Executor, closing, executor_of

Parts = dict[tuple[str, str], list[dict[str, np.ndarray]]]
"""By table and setting: for each task the numbers (histories, measures) of every rule."""
Columns = dict[str, list[Any]]
Report = Callable[[int, int], object]

CAPTIONS = {
    "rules": "Turns with memory beside published rules.",
    "ballots": "The same on other ballots.",
    "lies": "What four simple lies gain in twenty rounds.",
    "informed": "What a member who sees everything gains in twenty rounds.",
}
TOGETHER = 25
"""Histories of one task: each begins from a seed of its own, so that neither order nor workers change a number."""


@dataclass(frozen=True)
class Size:
    """Histories of the main setting, of the other ballots, of the four lies and of the informed member."""

    name: str
    main: int
    other: int
    lies: int
    informed: int


SHORT = Size("short", main=50, other=0, lies=25, informed=0)
FULL = Size("full", main=1_000, other=100, lies=250, informed=25)
WHOLE = Size("whole", main=10_000, other=400, lies=1_500, informed=200)
SIZES = {size.name: size for size in (SHORT, FULL, WHOLE)}


def produce(folder: Path, options: Options, size: Size | None = None) -> bool:
    """Run the study, and write its tables and record into `folder`."""
    size = size or (SHORT if options.short else FULL)
    with closing(executor_of(options.workers, options.scheduler)) as executor, progress("turns: histories") as report:
        tables = run(options.seed, size, executor, report)
    with recorded(folder, "turns", options.command) as settings:
        for name, columns in tables.items():
            write_table(Path(folder), name, columns, CAPTIONS[name])
        settings |= {"seed": options.seed, "size": size.name, "main": size.main, "other": size.other}
        settings |= {"lies": size.lies, "informed": size.informed}
    return True


def run(seed: int, size: Size, executor: Executor, report: Report | None = None) -> dict[str, Columns]:
    """The tables by name, as columns: `rules`, `ballots`, `lies`, `informed`."""
    plan = [("rules", "clusters", size.main)]
    plan += [("ballots", name, size.other) for name in SETTINGS if name != "clusters"]
    plan += [("lies", "clusters", size.lies), ("informed", "clusters", size.informed)]
    tasks = [(kind, name, seed, start, min(TOGETHER, count - start))
             for kind, name, count in plan for start in range(0, count, TOGETHER)]  # fmt: skip
    done = 0

    def finished(index: int) -> None:
        nonlocal done
        done += 1
        if report:
            report(done, len(tasks))

    found = executor.run(_part, tasks, finished)
    parts: Parts = {}
    for (kind, name, *_), part in zip(tasks, found, strict=True):
        parts.setdefault((kind, name), []).append(part)
    tables = {
        "rules": _summary(parts, "rules", Measures._fields),
        "ballots": _summary(parts, "ballots", Measures._fields),
    }
    return tables | {kind: _gains(parts, kind) for kind in ("lies", "informed")}


def _part(kind: str, setting: str, seed: int, start: int, count: int) -> dict[str, np.ndarray]:
    """{name: numbers (histories, measures)} of some histories, each of a seed of its own."""
    place = list(SETTINGS).index(setting)
    stream = np.random.SeedSequence(
        seed, spawn_key=(["rules", "ballots", "lies", "informed"].index(kind), place, start)
    )
    rng = np.random.default_rng(stream)
    ballots = SETTINGS[setting][1](rng, count)
    if kind in ("lies", "informed"):
        return _lied(ballots, rng, start) if kind == "lies" else _informed(ballots, rng)
    played = {name: rule(ballots, rng) for name, (_, rule) in RIVALS.items()}
    for name, (_, rule) in OURS.items():
        played[name] = np.array([rule(history, start + h, None) for h, history in enumerate(ballots)])
    return {name: np.column_stack(measured(ballots, options)) for name, options in played.items()}


def _lied(ballots: np.ndarray, rng: np.random.Generator, start: int) -> dict[str, np.ndarray]:
    """{rule: gains (histories, lies)}: drawn and the lottery from their policies, the others by playing on."""
    member = rng.integers(ballots.shape[2], size=len(ballots)).tolist()
    gains: dict[str, np.ndarray] = {}
    for name in ("majority", "unit-cost", "consensus", "quota"):
        rule = RIVALS[name][1]
        honest = rule(ballots, rng)
        columns = []
        for lie in LIES.values():
            said = np.array([told(history, m, lie) for history, m in zip(ballots, member, strict=True)])
            columns.append(_difference(ballots, member, rule(said, rng), honest))
        gains[name] = np.column_stack(columns)
    for name in ("debts", "settled"):
        player = OURS[name][1]
        honest = np.array([player(history, start + h, None) for h, history in enumerate(ballots)])
        columns = []
        for lie in LIES.values():
            liars = [told(history, m, lie) for history, m in zip(ballots, member, strict=True)]
            played = np.array([player(history, start + h, None) for h, history in enumerate(liars)])
            columns.append(_difference(ballots, member, played, honest))
        gains[name] = np.column_stack(columns)
    exact = [
        [policy_gain(history, m, lie) for lie in LIES.values()] for history, m in zip(ballots, member, strict=True)
    ]
    return gains | {"drawn": np.array(exact)}


def _difference(ballots: np.ndarray, member: list[int], lying: np.ndarray, honest: np.ndarray) -> np.ndarray:
    rows = zip(ballots, member, lying, honest, strict=True)
    return np.array([wins(history, m, a) - wins(history, m, b) for history, m, a, b in rows], dtype=float)


def _informed(ballots: np.ndarray, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """{rule: gains (histories, 1)} of a member who sees everything, in the rules of ours that settle."""
    member = rng.integers(ballots.shape[2], size=len(ballots)).tolist()
    gains = {}
    for name, cheat in (("debts", informed_debts), ("settled", informed_settled)):
        player = OURS[name][1]
        pairs = list(zip(ballots, member, strict=True))
        gains[name] = np.array([[cheat(h, m) - wins(h, m, player(h, 0, None))] for h, m in pairs], dtype=float)
    return gains


def _summary(parts: Parts, kind: str, fields: tuple[str, ...]) -> Columns:
    """Rows of setting, rule, histories, and each measure with its standard error."""
    rows = []
    for setting, rule, values in _gathered(parts, kind):
        error = values.std(axis=0, ddof=1) / np.sqrt(len(values))
        rows.append([setting, rule, len(values), *np.column_stack([values.mean(axis=0), error]).ravel().tolist()])
    names = ["setting", "rule", "histories", *(name for field in fields for name in (field, f"{field}_se"))]
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def _gains(parts: Parts, kind: str) -> Columns:
    """Rows of rule, lie, histories, gain and its standard error."""
    rows = []
    for _, rule, values in _gathered(parts, kind):
        for place, lie in enumerate(LIES if kind == "lies" else ["informed"]):
            column = values[:, place]
            rows.append([rule, lie, len(column), column.mean(), column.std(ddof=1) / np.sqrt(len(column))])
    names = ["rule", "lie", "histories", "gain", "gain_se"]
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def _gathered(parts: Parts, kind: str) -> Iterator[tuple[str, str, np.ndarray]]:
    for (which, setting), found in parts.items():
        if which == kind:
            for rule in found[0]:
                yield setting, rule, np.concatenate([part[rule] for part in found])
