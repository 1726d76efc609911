"""Every item of the paper that can be checked: what was measured, what was required, and the resulting verdict.

An item is an entry of the ledger `paper_items.toml`. Verdicts are computed from `numbers.csv` whenever the page is
made, by the bounds of the items; the page reads them from nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from isegoria.figures.registry import write_figure
from isegoria.io.storage.csv_columns import read_columns, write_columns
from isegoria.out_of_core.executors import Executor, close_after, make_executor
from isegoria.studies import dots_voters
from isegoria.studies.claims import (
    algorithm_checks,
    claim_numbers,
    data_checks,
    formula_checks,
    group_scores,
    learning_runs,
    manipulation_gains,
    theorem_checks,
)
from isegoria.studies.claims.paper_items import load_paper_items
from isegoria.studies.claims.verdicts import ClaimVerdict
from isegoria.studies.grid import Grid
from isegoria.studies.provenance import write_provenance
from isegoria.studies.registry import StudyOptions
from isegoria.studies.result_tables import write_table
from isegoria.utils.progress import progress_bar

Columns = dict[str, list[Any]]
Report = Callable[[int, int], object]

TABLE_CAPTIONS = {
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
TIMES_FILE = "times.csv"
"""What depends on the machine, and so is not among the numbers, which are the same on every run."""
GROUPS_PER_TASK = 100
"""Number of approval groups in one task."""


@dataclass(frozen=True)
class ClaimsSize:
    """How much is measured: the grid, rounds and seeds of runs, and the number of groups of each other kind."""

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
    lines: int = 8_000
    draws: int = 20_000


def measure_claims(
    size: ClaimsSize, seed: int, executor: Executor, report: Report
) -> tuple[dict[str, Columns], Columns, Columns]:
    """Compute the tables by name, the numbers by which the items are judged, and the times."""
    runs = learning_runs.grid_tasks(size.rounds, size.seeds, size.papers_seeds, seed)
    parts = -(-size.approvals // GROUPS_PER_TASK)
    asked = [
        (rule, min(GROUPS_PER_TASK, size.approvals - GROUPS_PER_TASK * part), seed + part)
        for rule in manipulation_gains.CHECKED_RULES
        for part in range(parts)
    ]
    total = len(size.grid.blocks()) + len(runs) + len(asked) + size.steep_seeds * len(learning_runs.SLOPE_ALPHAS)
    finished = _progress_counter(report, total)
    everyone = group_scores.score_grid(size.grid, executor, finished)
    tables = {
        "relative": group_scores.relative_table(everyone, seed),
        "differences": group_scores.difference_table(everyone, seed),
        "breakdown": group_scores.breakdown_table(everyone),
        "distances": group_scores.distance_table(everyone, seed),
    }
    found = executor.run(learning_runs.simulate_run, runs, finished)
    tables["played-runs"] = {name: [run[name] for run in found] for name in found[0]}
    tables["played"] = learning_runs.mean_by_setting(tables["played-runs"])
    tables["steep"], slope = learning_runs.measure_slope(size.steep_rounds, size.steep_seeds, seed, executor, finished)
    gained = executor.run(manipulation_gains.compute_group_gains, asked, finished)
    by_rule = {
        rule: np.concatenate(gained[place * parts : (place + 1) * parts])
        for place, rule in enumerate(manipulation_gains.CHECKED_RULES)
    }
    tables |= {"lies": manipulation_gains.gain_table(by_rule), "worst": manipulation_gains.worst_table()}
    values = claim_numbers.numbers_from_groups(everyone, tables)
    values |= claim_numbers.numbers_from_dots(dots_voters.run(seed, size.samples))
    values |= claim_numbers.numbers_from_runs(tables["played-runs"], tables["played"], size.rounds)
    values |= (
        claim_numbers.numbers_from_slope(tables["steep"], slope)
        | claim_numbers.numbers_from_gains(tables["lies"], tables["worst"])
        | claim_numbers.inequality_range_numbers()
    )
    values |= theorem_checks.check_theorems(size.theory, seed)
    values |= theorem_checks.check_concentration(size.concentration, 400, seed)
    values |= check_items(size, seed)
    values |= {"rounds": float(size.rounds), "runs": float(len(runs))}
    values |= claim_numbers.derive_numbers(values)
    times: Columns = {"number": ["time.minutes"], "value": [everyone.solving_seconds / 60]}
    return tables, {"number": list(values), "value": [float(value) for value in values.values()]}, times


def check_items(size: ClaimsSize, seed: int) -> dict[str, float]:
    """Return the numbers of definitions, of the lines of Algorithm 1 and of the data."""
    return {
        **formula_checks.check_formulas(size.theory, seed),
        **algorithm_checks.check_algorithm(size.lines, seed),
        **algorithm_checks.check_bounds(),
        **algorithm_checks.check_rewards(size.draws, seed),
        **data_checks.check_generator(size.draws // 10, seed),
        **data_checks.check_voters(),
    }


def _progress_counter(report: Report, total: int) -> Callable[[int], None]:
    done = 0

    def finished(index: int) -> None:
        nonlocal done
        done += 1
        report(done, total)

    return finished


def produce(folder: Path, options: StudyOptions, size: ClaimsSize | None = None) -> bool:
    """Measure what the claims need, and write tables, numbers, verdicts and record into `folder`."""
    size = size or ClaimsSize()
    with (
        close_after(make_executor(options.workers, options.scheduler)) as executor,
        progress_bar("claims: parts") as report,
    ):
        tables, values, times = measure_claims(size, options.seed, executor, report)
    with write_provenance(folder, "claims", options.command) as settings:
        for name, columns in tables.items():
            write_table(Path(folder), name, columns, TABLE_CAPTIONS[name])
        write_columns(Path(folder) / "numbers.csv", values)
        write_columns(Path(folder) / TIMES_FILE, times)
        write_table(Path(folder), "claims", to_columns(judge_claims(folder)), "Items of the paper, checked.")
        for id, data in (("claims-played", "played"), ("claims-relative", "relative")):
            write_figure(id, folder, tables[data], pictures=options.pictures)
        settings |= {"seed": options.seed, "groups": len(list(size.grid.cells())), "rounds": size.rounds}
        settings |= {"seeds": size.seeds, "papers_seeds": size.papers_seeds, "approvals": size.approvals}
    return True


def read_numbers(path: Path) -> dict[str, float]:
    """Read a file of numbers by name."""
    columns = read_columns(path)
    return dict(zip(columns["number"], columns["value"], strict=True))


def judge_claims(folder: Path) -> dict[str, ClaimVerdict]:
    """Judge each item by the numbers and times in the folder."""
    measured = read_numbers(Path(folder) / "numbers.csv") | read_numbers(Path(folder) / TIMES_FILE)
    return {id: item.judge(measured) for id, item in load_paper_items().items()}


def to_columns(judged: dict[str, ClaimVerdict]) -> Columns:
    """Return the table of claims: place, sentence, what was measured and required, and the verdict."""
    items = load_paper_items()
    rows = [
        (id, items[id].place, items[id].says, one.measured, one.asked, one.verdict, one.words)
        for id, one in judged.items()
    ]
    names = ("id", "place", "claim", "measured", "asked", "verdict", "why")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
