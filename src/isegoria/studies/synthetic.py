"""The synthetic study (Table 1): six policies and three scores on every cell of a sweep, and what they say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from isegoria import tolerances
from isegoria.figures.registry import write_figure
from isegoria.io.columns import write_columns
from isegoria.preferences import law
from isegoria.progress import progress
from isegoria.rules import OBJECTIVES, TIE_BREAKS
from isegoria.studies import paper, sweep
from isegoria.studies.evaluate import tie_break_of
from isegoria.studies.grid import Cell, Grid
from isegoria.studies.record import recorded
from isegoria.studies.registry import Options
from isegoria.studies.sweep import Results
from isegoria.studies.tables import (
    as_policies,
    deviations,
    labels,
    maths,
    summary_columns,
    summary_rows,
    write_latex,
    write_markdown,
    write_table,
)
from isegoria.tables.executors import closing, executor_of
from isegoria.wording import SCORES

HEADER = ["", "PF score", "IM score", "UT score"]
BIN = 0.05
"""The width of a bar in the distribution of the procedural score."""


@dataclass(frozen=True)
class Synthetic:
    """What the study found: all results, those of the first seed, which Table 1 shows, and the first seed's under each
    tie-break, `ties`."""

    grid: Grid
    results: Results
    ties: Mapping[str, Results] = field(default_factory=dict)

    @property
    def first(self) -> Results:
        """The results of the first seed."""
        return self.results.where(seed=self.grid.seeds[0]) if len(self.grid.seeds) > 1 else self.results

    def table(self) -> dict[str, list[Any]]:
        """Table 1: the mean and standard deviation of each score of each policy."""
        return summary_columns(self.first.objectives, self.first.scores)

    def by_tie_break(self) -> dict[str, list[Any]]:
        """Table 1 once for each way of choosing among several optima; `used` marks the one that Table 1 has."""
        parts: list[dict[str, Any]] = []
        for name, results in self.ties.items():
            used = [int(tie_break_of(id, self.grid.tie_break) == name) for id in results.objectives]
            table = summary_columns(results.objectives, results.scores)
            parts.append({"tie_break": [name] * len(used), "used": used} | table)
        return {name: [cell for part in parts for cell in part[name]] for name in parts[0]}

    def by(self, coordinate: str, values: Any) -> dict[str, list[Any]]:
        """Table 1 once for each of `values` of a coordinate of the cells, one below the other."""
        parts = []
        for value in values:
            some, count = self.first.where(**{coordinate: value}), len(self.first.objectives)
            table = summary_columns(some.objectives, some.scores)
            parts.append({coordinate: [value] * count} | table | {"instances": [len(some.cells)] * count})
        return {name: [cell for part in parts for cell in part[name]] for name in parts[0]}

    def by_phi(self) -> dict[str, list[Any]]:
        """The same for the Mallows models alone, with φ as a number; empty if there are none."""
        phis = {name: law(name).parameter or 0.0 for name in self.grid.models if law(name).model.id == "mallows"}
        if not phis:
            return {}
        columns = self.by("model", sorted(phis, key=phis.__getitem__))
        return {"phi": [phis[name] for name in columns.pop("model")]} | columns

    def distribution(self) -> dict[str, list[Any]]:
        """The share of instances in each bin of the procedural score, and last of those with exactly 1, per policy."""
        edges = np.linspace(0, 1, round(1 / BIN) + 1)
        columns: dict[str, list[Any]] = {"policy": [], "low": [], "high": [], "share": [], "mean": []}
        for label, values in zip(labels(self.first.objectives), self.first.scores[:, :, 0].T, strict=True):
            exact = values >= 1 - tolerances.FAIR
            counts = [*np.histogram(values[~exact], edges)[0], exact.sum()]
            columns["policy"] += [label] * len(counts)
            columns["low"] += edges.tolist()
            columns["high"] += [*edges[1:].tolist(), 1.0]
            columns["share"] += [float(count / len(values)) for count in counts]
            columns["mean"] += [float(values.mean())] * len(counts)
        return columns

    def seeds(self) -> dict[str, list[Any]]:
        """Every cell of Table 1 beside the paper's: the first seed's, and the mean and range over all seeds."""
        by_seed = [self.results.where(seed=seed).scores for seed in self.grid.seeds]
        means, sds = np.array([s.mean(axis=0) for s in by_seed]), np.array([deviations(s) for s in by_seed])
        rows = []
        for i, id in enumerate(self.results.objectives):
            for j, score in enumerate(SCORES):
                for what, values in (("mean", means[:, i, j]), ("sd", sds[:, i, j])):
                    printed = paper.TABLE1[id][j][what == "sd"] if id in paper.TABLE1 else float("nan")
                    found = (values[0], values.mean(), values.min(), values.max())
                    rows.append((OBJECTIVES[id].label, score, what, printed, *map(float, found)))
        names = ("policy", "score", "what", "paper", "first_seed", "mean_of_seeds", "lowest", "highest")
        return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def produce(folder: Path, options: Options) -> bool:
    """Compute what is missing of the study into `folder`; once complete, write its tables, figures and record."""
    grid, store = options.grid or Grid(seeds=(options.seed,), tie_break=options.tie_break), Path(folder) / "blocks"
    ties = {name: replace(grid, seeds=grid.seeds[:1], tie_break=name) for name in TIE_BREAKS}
    if options.fresh:
        for each in (grid, *ties.values()):
            sweep.forget(each, store)
    with closing(executor_of(options.workers, options.scheduler)) as executor:
        for each, what in ((grid, "instances"), *((each, f"ties by {name}") for name, each in ties.items())):
            with progress(f"synthetic: {what}") as report:
                sweep.run(each, store, part=options.shard or sweep.WHOLE, report=report, executor=executor)
    if any(sweep.missing(each, store) for each in (grid, *ties.values())):
        return False
    study = Synthetic(grid, sweep.gather(grid, store), {name: sweep.gather(each, store) for name, each in ties.items()})
    with recorded(folder, "synthetic", options.command) as settings:
        write(study, folder, options.pictures)
        settings |= {"seed": grid.seeds[0], "instances": len(study.first.cells)} | asdict(grid)
    return True


def write(study: Synthetic, out: Path, pictures: bool = True) -> None:
    """Write the tables and figures of the study into `out`."""
    out = Path(out)
    table = study.table()
    write_columns(out / "table1.csv", table)
    write_markdown(out / "table1.md", HEADER, summary_rows(table))
    count = f"{len(study.first.cells):,}".replace(",", "{,}")
    write_latex(out / "table1.tex", HEADER, as_policies(maths(summary_rows(table, digits=2))),
                f"Mean $\\pm$ one standard deviation of each score over {count} instances.",
                "tab:performance_metrics")  # fmt: skip
    if study.ties:
        write_table(out, "ties", study.by_tie_break(), "Table 1 under each choice among several optimal policies.")
    _write_breakdown(out / "by_model", study.by("model", study.grid.models))
    if by_phi := study.by_phi():
        _write_breakdown(out / "by_phi", by_phi)
        write_figure("disagreement", out, by_phi, pictures=pictures)
    if len(study.grid.seeds) > 1:
        write_table(out, "seeds", study.seeds(), "Every number of Table 1 beside the paper's, over several seeds.")
    write_columns(out / "instances.csv", _instances(study.first))
    write_figure("scores", out, table, pictures=pictures)
    write_figure("distribution", out, study.distribution(), pictures=pictures)


def _write_breakdown(path: Path, columns: dict[str, list[Any]]) -> None:
    group = next(iter(columns))
    write_table(path.parent, path.name, columns, f"Scores of each policy by {group}.")
    rows = [[f"{value}", *row] for value, row in zip(columns[group], summary_rows(columns), strict=True)]
    write_markdown(path.with_suffix(".md"), [group, "policy", *HEADER[1:]], rows)


def _instances(results: Results) -> dict[str, Any]:
    """One row for each cell: its identity and the 18 scores."""
    columns: dict[str, Any] = dict(zip(Cell._fields, map(list, zip(*results.cells, strict=True)), strict=True))
    for i, label in enumerate(labels(results.objectives)):
        columns |= {f"{label}_{score}": results.scores[:, i, j] for j, score in enumerate(SCORES)}
    return columns
