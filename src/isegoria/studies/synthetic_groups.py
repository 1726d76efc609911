"""The synthetic study (Table 1): the paper's policies and three scores on every cell of a sweep, and their tables."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from isegoria.figures.registry import write_figure
from isegoria.io.storage import atomic_write
from isegoria.io.storage.csv_columns import write_columns
from isegoria.out_of_core.executors import close_after, make_executor
from isegoria.preferences import parse_distribution
from isegoria.profiles import Instance
from isegoria.rules import RULES, TIE_BREAKS, solve
from isegoria.studies import published_tables, sweep
from isegoria.studies.grid import Block, Cell, Grid
from isegoria.studies.policy_scores import resolve_tie_break
from isegoria.studies.provenance import write_provenance
from isegoria.studies.registry import StudyOptions
from isegoria.studies.result_tables import (
    rule_labels,
    standard_deviations,
    summary_columns,
    summary_rows,
    write_markdown,
    write_paper_table,
    write_table,
)
from isegoria.studies.sweep import SweepResults
from isegoria.utils import tolerances
from isegoria.utils.formatting import SCORE_LABELS
from isegoria.utils.progress import progress_bar

TABLE1_HEADER = ["", "PF Score", "IM Score", "UT Score"]
MAX_OPTIMA_RATINGS = 5_000_000
"""Means and policies of a sweep with more ratings are not written: the file would have over 100 MB."""
BIN_WIDTH = 0.05
"""The width of a bin in the distribution of the procedural score."""


@dataclass(frozen=True)
class SyntheticStudy:
    """The results of the synthetic study: all results, and in `ties` those of the first seed under each tie-break.

    Table 1 shows the results of the first seed.
    """

    grid: Grid
    results: SweepResults
    ties: Mapping[str, SweepResults] = field(default_factory=dict)

    @property
    def first(self) -> SweepResults:
        """The results of the first seed."""
        return self.results.where(seed=self.grid.seeds[0]) if len(self.grid.seeds) > 1 else self.results

    def table(self) -> dict[str, list[Any]]:
        """Return Table 1: the mean and standard deviation of each score of each policy."""
        return summary_columns(self.first.objectives, self.first.scores)

    def by_tie_break(self) -> dict[str, list[Any]]:
        """Return Table 1 once for each tie-break; `used` marks the tie-break that Table 1 uses for a policy."""
        parts: list[dict[str, Any]] = []
        for name, results in self.ties.items():
            used = [int(resolve_tie_break(id, self.grid.tie_break) == name) for id in results.objectives]
            table = summary_columns(results.objectives, results.scores)
            parts.append({"tie_break": [name] * len(used), "used": used} | table)
        return {name: [cell for part in parts for cell in part[name]] for name in parts[0]}

    def by(self, coordinate: str, values: Any) -> dict[str, list[Any]]:
        """Return Table 1 once for each of `values` of a coordinate of the cells, concatenated."""
        parts = []
        for value in values:
            some, count = self.first.where(**{coordinate: value}), len(self.first.objectives)
            table = summary_columns(some.objectives, some.scores)
            parts.append({coordinate: [value] * count} | table | {"instances": [len(some.cells)] * count})
        return {name: [cell for part in parts for cell in part[name]] for name in parts[0]}

    def by_phi(self) -> dict[str, list[Any]]:
        """Return Table 1 for each Mallows model, with φ as a number; empty if there are none."""
        phis = {
            name: parse_distribution(name).parameter or 0.0
            for name in self.grid.models
            if parse_distribution(name).model.id == "mallows"
        }
        if not phis:
            return {}
        columns = self.by("model", sorted(phis, key=phis.__getitem__))
        return {"phi": [phis[name] for name in columns.pop("model")]} | columns

    def distribution(self) -> dict[str, list[Any]]:
        """Return the share of instances in each bin of the procedural score per policy; the last bin is exactly 1."""
        edges = np.linspace(0, 1, round(1 / BIN_WIDTH) + 1)
        columns: dict[str, list[Any]] = {"policy": [], "low": [], "high": [], "share": [], "mean": []}
        for label, values in zip(rule_labels(self.first.objectives), self.first.scores[:, :, 0].T, strict=True):
            exact = values >= 1 - tolerances.FAIRNESS_GAP
            counts = [*np.histogram(values[~exact], edges)[0], exact.sum()]
            columns["policy"] += [label] * len(counts)
            columns["low"] += edges.tolist()
            columns["high"] += [*edges[1:].tolist(), 1.0]
            columns["share"] += [float(count / len(values)) for count in counts]
            columns["mean"] += [float(values.mean())] * len(counts)
        return columns

    def seeds(self) -> dict[str, list[Any]]:
        """Return every cell of Table 1 with the paper's value, the first seed's, and the mean and range over seeds."""
        by_seed = [self.results.where(seed=seed).scores for seed in self.grid.seeds]
        means, sds = np.array([s.mean(axis=0) for s in by_seed]), np.array([standard_deviations(s) for s in by_seed])
        rows = []
        for i, id in enumerate(self.results.objectives):
            for j, score in enumerate(SCORE_LABELS):
                for what, values in (("mean", means[:, i, j]), ("sd", sds[:, i, j])):
                    printed = (
                        published_tables.PAPER_TABLE1[id][j][what == "sd"]
                        if id in published_tables.PAPER_TABLE1
                        else float("nan")
                    )
                    found = (values[0], values.mean(), values.min(), values.max())
                    rows.append((RULES[id].label, score, what, printed, *map(float, found)))
        names = ("policy", "score", "what", "paper", "first_seed", "mean_of_seeds", "lowest", "highest")
        return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def produce(folder: Path, options: StudyOptions) -> bool:
    """Compute what is missing of the study into `folder`; once complete, write its tables, figures and record."""
    grid, store = options.grid or Grid(seeds=(options.seed,), tie_break=options.tie_break), Path(folder) / "blocks"
    ties = {name: replace(grid, seeds=grid.seeds[:1], tie_break=name) for name in TIE_BREAKS}
    if options.fresh:
        for each in (grid, *ties.values()):
            sweep.delete_blocks(each, store)
    optima: list[tuple[np.ndarray, ...]] = []
    with close_after(make_executor(options.workers, options.scheduler)) as executor:
        for each, what in ((grid, "instances"), *((each, f"ties by {name}") for name, each in ties.items())):
            with progress_bar(f"synthetic: {what}") as report:
                sweep.run(each, store, part=options.shard or sweep.WHOLE_SWEEP, report=report, executor=executor)
        if any(sweep.find_missing(each, store) for each in (grid, *ties.values())):
            return False
        if count_ratings(grid) <= MAX_OPTIMA_RATINGS:
            first = replace(grid, seeds=grid.seeds[:1])
            optima = executor.run(compute_optima, [(first, block) for block in first.blocks()], lambda index: None)
    study = SyntheticStudy(
        grid, sweep.load_results(grid, store), {name: sweep.load_results(each, store) for name, each in ties.items()}
    )
    with write_provenance(folder, "synthetic", options.command) as settings:
        write(study, folder, options.pictures)
        if optima:
            write_optima(Path(folder), optima)
        settings |= {"seed": grid.seeds[0], "instances": len(study.first.cells)} | asdict(grid)
    return True


def count_ratings(grid: Grid) -> int:
    """Return how many mean rewards the instances of the first seed have."""
    return sum(
        cell.agents * cell.arms
        for block in replace(grid, seeds=grid.seeds[:1]).blocks()
        for cell in grid.cells_of(block)
    )


def compute_optima(grid: Grid, block: Block) -> tuple[np.ndarray, ...]:
    """Compute the agents, arms, means and policies of the paper's six rules in one block; this runs in a worker."""
    instances = [Instance(means) for means in grid.means_of(block)]
    ids = tuple(published_tables.PAPER_TABLE1)
    policies = [
        solve(instance, RULES[id], resolve_tie_break(id, grid.tie_break)).policy for instance in instances for id in ids
    ]
    shapes = np.array([instance.means.shape for instance in instances])
    means = np.concatenate([instance.means.ravel() for instance in instances])
    return shapes[:, 0], shapes[:, 1], means, np.concatenate(policies)


def write_optima(folder: Path, optima: list[tuple[np.ndarray, ...]]) -> None:
    """Write means and policies of all instances, in the order of instances.csv, and the script that rechecks them."""
    names = ("agents", "arms", "means", "policies")
    columns = dict(zip(names, map(np.concatenate, zip(*optima, strict=True)), strict=True))
    buffer = io.BytesIO()
    labels = np.array([RULES[id].label for id in published_tables.PAPER_TABLE1])
    np.savez_compressed(buffer, labels=labels, **columns)  # type: ignore[arg-type]
    atomic_write.write_bytes(folder / "optima.npz", buffer.getvalue())
    script = Path(__file__).with_name("recheck_optima.py")
    atomic_write.write_text(folder / script.name, script.read_text(encoding="utf-8"))


def write(study: SyntheticStudy, out: Path, pictures: bool = True) -> None:
    """Write the tables and figures of the study into `out`."""
    out = Path(out)
    table = study.table()
    write_columns(out / "table1.csv", table)
    write_markdown(out / "table1.md", TABLE1_HEADER, summary_rows(table))
    count = f"{len(study.first.cells):,}".replace(",", "{,}")
    caption = f"Mean $\\pm$ one standard deviation of each score over {count} instances."
    printed = [
        [f"{mean:.2f} ± {sd:.2f}" for mean, sd in published_tables.PAPER_TABLE1[id]]
        if id in published_tables.PAPER_TABLE1
        else ["--"] * 3
        for id in study.first.objectives
    ]
    write_paper_table(out, "table1", summary_rows(table, digits=2), printed, caption, "tab:performance_metrics")
    if study.ties:
        write_table(out, "ties", study.by_tie_break(), "Table 1 under each choice among several optimal policies.")
    _write_breakdown(out / "by_model", study.by("model", study.grid.models))
    if by_phi := study.by_phi():
        _write_breakdown(out / "by_phi", by_phi)
        write_figure("disagreement", out, by_phi, pictures=pictures)
    if len(study.grid.seeds) > 1:
        write_table(out, "seeds", study.seeds(), "Every number of Table 1 beside the paper's, over several seeds.")
    write_columns(out / "instances.csv", _instance_columns(study.first))
    write_figure("scores", out, table, pictures=pictures)
    write_figure("distribution", out, study.distribution(), pictures=pictures)


def _write_breakdown(path: Path, columns: dict[str, list[Any]]) -> None:
    group = next(iter(columns))
    write_table(path.parent, path.name, columns, f"Scores of each policy by {group}.")
    rows = [[f"{value}", *row] for value, row in zip(columns[group], summary_rows(columns), strict=True)]
    write_markdown(path.with_suffix(".md"), [group, "policy", *TABLE1_HEADER[1:]], rows)


def _instance_columns(results: SweepResults) -> dict[str, Any]:
    """Return one row for each cell: its identity and the scores of every policy."""
    columns: dict[str, Any] = dict(zip(Cell._fields, map(list, zip(*results.cells, strict=True)), strict=True))
    for i, label in enumerate(rule_labels(results.objectives)):
        columns |= {f"{label}_{score}": results.scores[:, i, j] for j, score in enumerate(SCORE_LABELS)}
    return columns
