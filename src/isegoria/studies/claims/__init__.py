"""Some forty sentences of the paper, tried: what was measured, what was asked of it, and the verdict that follows.

A claim is a row of `sentences.CLAIMS`. The verdicts are computed from `numbers.csv` whenever the page is made, by the
bounds that stand beside them, and are stored nowhere else that the page would read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from isegoria.figures.registry import write_figure
from isegoria.io.columns import read_columns, write_columns
from isegoria.progress import progress
from isegoria.studies import dots
from isegoria.studies.claims import groups, lies, numbers, played, theory
from isegoria.studies.claims.sentences import CLAIMS
from isegoria.studies.claims.verdicts import Judged
from isegoria.studies.grid import Grid
from isegoria.studies.record import recorded
from isegoria.studies.registry import Options
from isegoria.studies.tables import write_table
from isegoria.tables.executors import Executor, closing, executor_of

Columns = dict[str, list[Any]]
Report = Callable[[int, int], object]

CAPTIONS = {
    "relative": "Mean scores, raw and relative to the least that any policy has in the same group.",
    "differences": "PF minus each other policy on the same groups, with paired intervals.",
    "breakdown": "Scores by agents, arms, favourites, kind of sets and model.",
    "distances": "Total variation between the PF policy and those of UT and NSW.",
    "played": "Algorithm 1 on the Dots voters by $\\gamma$ and $\\alpha$: means over seeds.",
    "played-runs": "The same, run by run.",
    "steep": "Regret along $\\alpha$, run by run.",
    "lies": "Random approval groups in which someone gains by hiding a favourite.",
    "worst": "What the PF policy keeps of the total where everybody wants an arm of their own.",
}
TOGETHER = 100
"""Approval groups of one task."""


@dataclass(frozen=True)
class ClaimsSize:
    """How much is measured: the grid, rounds and seeds of runs, and how many groups of each other kind."""

    grid: Grid = field(default_factory=Grid)
    rounds: int = 100_000
    seeds: int = 4
    papers_seeds: int = 20
    steep_rounds: int = 1_000_000
    steep_seeds: int = 10
    approvals: int = 2_000
    theory: int = 200
    concentration: int = 2_000
    samples: int = 2_000


def measure(size: ClaimsSize, seed: int, executor: Executor, report: Report) -> tuple[dict[str, Columns], Columns]:
    """(tables by name, the numbers that the claims are judged by)."""
    runs = played.grid_tasks(size.rounds, size.seeds, size.papers_seeds, seed)
    parts = -(-size.approvals // TOGETHER)
    asked = [(rule, min(TOGETHER, size.approvals - TOGETHER * part), seed + part)
             for rule in lies.ASKED for part in range(parts)]  # fmt: skip
    total = len(size.grid.blocks()) + len(runs) + len(asked) + size.steep_seeds * len(played.STEEP)
    finished = _counting(report, total)
    everyone = groups.measure(size.grid, executor, finished)
    tables = {
        "relative": groups.relative_table(everyone, seed),
        "differences": groups.difference_table(everyone, seed),
        "breakdown": groups.breakdown_table(everyone),
        "distances": groups.distance_table(everyone, seed),
    }
    found = executor.run(played.one_run, runs, finished)
    tables["played-runs"] = {name: [run[name] for run in found] for name in found[0]}
    tables["played"] = played.by_setting(tables["played-runs"])
    tables["steep"], slope = played.steepness(size.steep_rounds, size.steep_seeds, seed, executor, finished)
    gained = executor.run(lies.some_gains, asked, finished)
    by_rule = {rule: np.concatenate(gained[place * parts : (place + 1) * parts])
               for place, rule in enumerate(lies.ASKED)}  # fmt: skip
    tables |= {"lies": lies.table(by_rule), "worst": lies.worst_table()}
    values = numbers.of_groups(everyone, tables)
    values |= numbers.of_dots(dots.run(seed, size.samples))
    values |= numbers.of_runs(tables["played-runs"], tables["played"], size.rounds)
    values |= (
        numbers.of_slope(tables["steep"], slope) | numbers.of_lies(tables["lies"], tables["worst"]) | numbers.of_scale()
    )
    values |= theory.numbers(size.theory, seed) | theory.concentration(size.concentration, 400, seed)
    values |= {"rounds": float(size.rounds), "runs": float(len(runs))}
    values |= numbers.derived(values)
    return tables, {"number": list(values), "value": [float(value) for value in values.values()]}


def _counting(report: Report, total: int) -> Callable[[int], None]:
    done = 0

    def finished(index: int) -> None:
        nonlocal done
        done += 1
        report(done, total)

    return finished


def produce(folder: Path, options: Options, size: ClaimsSize | None = None) -> bool:
    """Measure what the claims need, and write tables, numbers, verdicts and record into `folder`."""
    size = size or ClaimsSize()
    with closing(executor_of(options.workers, options.scheduler)) as executor, progress("claims: parts") as report:
        tables, values = measure(size, options.seed, executor, report)
    with recorded(folder, "claims", options.command) as settings:
        for name, columns in tables.items():
            write_table(Path(folder), name, columns, CAPTIONS[name])
        write_columns(Path(folder) / "numbers.csv", values)
        write_table(Path(folder), "claims", as_columns(verdicts(folder)), "Sentences of the paper, tried.")
        for id, data in (("claims-played", "played"), ("claims-relative", "relative")):
            write_figure(id, folder, tables[data], pictures=options.pictures)
        settings |= {"seed": options.seed, "groups": len(list(size.grid.cells())), "rounds": size.rounds}
        settings |= {"seeds": size.seeds, "papers_seeds": size.papers_seeds, "approvals": size.approvals}
    return True


def verdicts(folder: Path) -> dict[str, Judged]:
    """The verdict on each claim, from the numbers in the folder."""
    columns = read_columns(Path(folder) / "numbers.csv")
    measured = dict(zip(columns["number"], columns["value"], strict=True))
    return {id: claim.judge(measured) for id, claim in CLAIMS.items()}


def as_columns(judged: dict[str, Judged]) -> Columns:
    """The table of claims: place, sentence, what was measured and asked, and the verdict."""
    rows = [(id, CLAIMS[id].place, CLAIMS[id].says, one.measured, one.asked, one.verdict, one.words)
            for id, one in judged.items()]  # fmt: skip
    names = ("id", "place", "claim", "measured", "asked", "verdict", "why")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
