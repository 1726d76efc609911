"""Running a study: what is missing is computed, kept as it is finished, and put in order at the end."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from isegoria.io.columns import write_columns
from isegoria.studies.experiment.design import Design, DesignCell, measured
from isegoria.studies.experiment.measures import Measurement
from isegoria.studies.experiment.store import Journal
from isegoria.studies.record import read_record, recorded
from isegoria.tables.executors import Serial, as_executor, closing, executor_of

Report = Callable[[int, int], object]
Columns = dict[str, list[Any]]

TOGETHER = 50
"""Runs of rules in one task, which are worth their way to a worker together; a learner's run is a task of its own."""
ROWS = "rows.csv"


def run(design: Design, out: Path | None = None, workers: int = 1, scheduler: str | None = None, executor: Any = None,
        fresh: bool = False, report: Report = lambda done, of: None, parquet: bool = False) -> Columns:  # fmt: skip
    """The rows of a study as columns, in the order of the design.

    With a folder `out`, runs are kept there as they finish, and a study that was stopped goes on; the files are the
    same, byte for byte, whatever the executor and however often it was stopped.
    """
    if out is None:
        parts = _all(design, set(), workers, scheduler, executor, report)
        return columns_of(design, {number: rows for part in parts for number, rows in part})
    kept = None if fresh else finished(design, out)
    if kept is not None:
        return kept
    with Journal(out, design.identity, fresh) as journal:
        for part in _all(design, set(journal.found), workers, scheduler, executor, report):
            journal.add(part)
        columns = columns_of(design, journal.found)
        write(design, out, columns, parquet)
        journal.done()
    return columns


def finished(design: Design, out: Path) -> Columns | None:
    """The rows of this very design, if the folder has all of them."""
    record = read_record(out)
    if record is None or record["settings"].get("identity") != design.identity or not (Path(out) / ROWS).exists():
        return None
    with (Path(out) / ROWS).open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    kinds: dict[str, Any] = {"cell": int, "seed": int, "round": int, "value": float}
    return {name: [kinds.get(name, str)(row[place]) for row in rows] for place, name in enumerate(header)}


def write(design: Design, out: Path, columns: Columns, parquet: bool = False) -> None:
    """Write the rows and the record of a finished study."""
    with recorded(Path(out), design.name, "isegoria study study.toml") as settings:
        write_columns(Path(out) / ROWS, columns)
        if parquet:
            _write_parquet(Path(out) / "rows.parquet", columns)
        settings |= {"identity": design.identity, **design.about()}


def _write_parquet(path: Path, columns: Columns) -> None:
    from isegoria.errors import MissingExtraError
    from isegoria.io import atomic

    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as missing:
        raise MissingExtraError("Parquet needs pyarrow; install it with: pip install 'isegoria[tables]'.") from missing
    with atomic.writing(path) as file:
        parquet.write_table(pa.table(columns), file)


def _all(design: Design, known: set[int], workers: int, scheduler: str | None, executor: Any,
         report: Report) -> Iterator[list[tuple[int, list[Measurement]]]]:  # fmt: skip
    """(number, rows) of the runs that are not known yet, a task at a time, as they finish."""
    runs = design.runs()
    missing = [number for number in range(len(runs)) if number not in known]
    done = len(runs) - len(missing)
    report(done, len(runs))
    owned = executor is None
    with closing(executor_of(workers, scheduler)) if owned else nullcontext(as_executor(executor)) as working:
        size = 1 if design.kind == "learner" else max(1, min(TOGETHER, len(missing) // max(1, working.tasks)))
        parts = [missing[start : start + size] for start in range(0, len(missing), size)]
        tasks = [(design, [runs[number] for number in part]) for part in parts]
        for place, found in (working if len(tasks) > 1 else Serial()).each(_some, tasks):
            yield list(zip(parts[place], found, strict=True))
            done += len(found)
            report(done, len(runs))


def _some(design: Design, runs: list[tuple[DesignCell, int]]) -> list[list[Measurement]]:
    return [measured(design, cell, seed) for cell, seed in runs]


def columns_of(design: Design, found: dict[int, list[Measurement]]) -> Columns:
    """The rows in the order of the design: cell, seed, rule or learner, group, world, round, measure, value."""
    names = ("cell", "seed", design.kind, "group", *(["world"] if design.kind == "learner" else []), "round", "measure",
             "value")  # fmt: skip
    rows: list[tuple[Any, ...]] = []
    for number, (cell, seed) in enumerate(design.runs()):
        world = () if cell.world is None else (cell.world.name,)
        rows += [(cell.number, seed, cell.contender.name, cell.group.name, *world, *row) for row in found[number]]
    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    return dict(zip(names, map(list, columns), strict=True))
