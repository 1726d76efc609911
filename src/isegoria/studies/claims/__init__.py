"""About forty claims of the paper, checked: what was measured, what was required, and the resulting verdict.

A claim is an entry of `sentences.CLAIMS`. Verdicts are computed from `numbers.csv` whenever the page is made, by the
bounds of the claims; the page reads them from nowhere else.
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
from isegoria.studies.claims import claim_numbers, group_scores, learning_runs, manipulation_gains, theorem_checks
from isegoria.studies.claims.paper_claims import PAPER_CLAIMS
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


def measure_claims(
    size: ClaimsSize, seed: int, executor: Executor, report: Report
) -> tuple[dict[str, Columns], Columns]:
    """Compute the tables by name, and the numbers by which the claims are judged."""
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
    values |= {"rounds": float(size.rounds), "runs": float(len(runs))}
    values |= claim_numbers.derive_numbers(values)
    return tables, {"number": list(values), "value": [float(value) for value in values.values()]}


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
        tables, values = measure_claims(size, options.seed, executor, report)
    with write_provenance(folder, "claims", options.command) as settings:
        for name, columns in tables.items():
            write_table(Path(folder), name, columns, TABLE_CAPTIONS[name])
        write_columns(Path(folder) / "numbers.csv", values)
        write_table(Path(folder), "claims", to_columns(judge_claims(folder)), "Sentences of the paper, tried.")
        for id, data in (("claims-played", "played"), ("claims-relative", "relative")):
            write_figure(id, folder, tables[data], pictures=options.pictures)
        settings |= {"seed": options.seed, "groups": len(list(size.grid.cells())), "rounds": size.rounds}
        settings |= {"seeds": size.seeds, "papers_seeds": size.papers_seeds, "approvals": size.approvals}
    return True


def judge_claims(folder: Path) -> dict[str, ClaimVerdict]:
    """Judge each claim by the numbers in the folder."""
    columns = read_columns(Path(folder) / "numbers.csv")
    measured = dict(zip(columns["number"], columns["value"], strict=True))
    return {id: claim.judge(measured) for id, claim in PAPER_CLAIMS.items()}


def to_columns(judged: dict[str, ClaimVerdict]) -> Columns:
    """Return the table of claims: place, sentence, what was measured and required, and the verdict."""
    rows = [
        (id, PAPER_CLAIMS[id].place, PAPER_CLAIMS[id].says, one.measured, one.asked, one.verdict, one.words)
        for id, one in judged.items()
    ]
    names = ("id", "place", "claim", "measured", "asked", "verdict", "why")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
