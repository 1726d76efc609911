"""Run a study: compute the missing runs, store each as it finishes, and write the rows in order at the end."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from isegoria.errors import FileError, IsegoriaWarning
from isegoria.io.storage.csv_columns import write_columns
from isegoria.out_of_core.executors import SerialExecutor, as_executor, close_after, make_executor
from isegoria.studies.experiment.design import Design, DesignCell, measure_run
from isegoria.studies.experiment.run_journal import (
    ROWS_FILE,
    RunJournal,
    RunKey,
    StoredDesign,
    StoredRuns,
    load_runs,
    read_rows,
)
from isegoria.studies.experiment.study_measures import Measurement
from isegoria.studies.provenance import write_provenance
from isegoria.utils.formatting import pluralise
from isegoria.utils.pickling import can_send

Report = Callable[[int, int], object]
Columns = dict[str, list[Any]]

RULE_RUNS_PER_TASK = 50
"""Maximum number of rule runs in one task, which make sending it to a worker worthwhile; each learner run is one
task."""


def run_design(
    design: Design,
    out: Path | None = None,
    workers: int = 1,
    scheduler: str | None = None,
    executor: Any = None,
    fresh: bool = False,
    report: Report = lambda done, of: None,
    parquet: bool = False,
) -> Columns:
    """Run a study and return its rows as columns, in the order of the design.

    With a folder `out`, runs are stored there as they finish, and an interrupted study resumes. The files are
    byte-identical for every executor and any number of interruptions. A larger design in the same folder computes only
    the runs that are new; runs whose code or data changed are computed again, with a warning.
    """
    keys = list(StoredDesign.from_design(design).cells)
    if out is None:
        parts = _run_missing(design, keys, set(), workers, scheduler, executor, report)
        return to_columns(design, keys, {key: rows for part in parts for key, rows in part})
    stored = None if fresh else load_runs(out)
    asked = StoredDesign.from_design(design)
    if stored is not None and stored.identity == design.identity and stored.design == asked:
        return read_rows(Path(out) / ROWS_FILE)
    known = {} if stored is None else _reuse_runs(stored, asked, out)
    with RunJournal(out, asked, known) as journal:
        for part in _run_missing(design, keys, set(known), workers, scheduler, executor, report):
            journal.add(part)
        columns = to_columns(design, keys, journal.runs)
        write_results(design, out, columns, parquet)
        journal.delete()
    return columns


def _reuse_runs(stored: StoredRuns, asked: StoredDesign, out: Path) -> dict[RunKey, list[Measurement]]:
    """Return the stored runs that belong to the requested design; warn about those that are computed again.

    Raises
    ------
    FileError
        If the folder holds runs that the requested design lacks, which would be lost.
    """
    lost = stored.design.find_lost_part(asked)
    if lost is not None:
        unfinished = "an unfinished study" if stored.identity is None else "a study"
        raise FileError(
            f"{out} holds {unfinished} with {lost}, which this one lacks. Ask for all that it holds and more, give "
            "another folder, or discard it with --fresh (fresh=True)."
        )
    if len(asked.measures) > len(stored.design.measures):
        more = sorted(set(asked.measures) - set(stored.design.measures))
        warnings.warn(f"{more[0]} was not measured in {out} before; all runs are computed again.", IsegoriaWarning, 4)
        return {}
    changed = stored.design.find_changes(asked)
    for what in dict.fromkeys(changed.values()):
        cells = [name for name in changed if changed[name] == what]
        count = sum(key in cells for key, _ in stored.runs)
        said = f"the {what} has changed since {out} was written; its {pluralise(count, 'run')} are computed again."
        warnings.warn(said, IsegoriaWarning, stacklevel=5)
    places = {name: place for place, name in enumerate(asked.measures)}
    return {
        key: sorted(rows, key=lambda row: places[row.measure])
        for key, rows in stored.runs.items()
        if key[0] not in changed
    }


def write_results(design: Design, out: Path, columns: Columns, parquet: bool = False) -> None:
    """Write the rows and the record of a finished study."""
    with write_provenance(Path(out), design.name, "isegoria study study.toml") as settings:
        write_columns(Path(out) / ROWS_FILE, columns)
        if parquet:
            _write_parquet(Path(out) / "rows.parquet", columns)
        settings |= {"identity": design.identity, **design.about()}
        settings |= StoredDesign.from_design(design).to_plain_data()


def _write_parquet(path: Path, columns: Columns) -> None:
    from isegoria.errors import MissingExtraError
    from isegoria.io.storage import atomic_write

    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as missing:
        raise MissingExtraError("Parquet needs pyarrow; install it with: pip install 'isegoria[tables]'.") from missing
    with atomic_write.open_atomic(path) as file:
        parquet.write_table(pa.table(columns), file)


def _run_missing(
    design: Design,
    keys: list[str],
    known: set[RunKey],
    workers: int,
    scheduler: str | None,
    executor: Any,
    report: Report,
) -> Iterator[list[tuple[RunKey, list[Measurement]]]]:
    """Compute the runs that are not in `known`; yield (key, measurements) pairs as tasks finish."""
    runs = design.runs()
    missing = [(cell, seed) for cell, seed in runs if (keys[cell.number], seed) not in known]
    done = len(runs) - len(missing)
    report(done, len(runs))
    owned = executor is None
    if workers > 1 and owned and scheduler is None and not can_send(_name_parts(design)):
        workers = 1
    with close_after(make_executor(workers, scheduler)) if owned else nullcontext(as_executor(executor)) as working:
        size = 1 if design.kind == "learner" else max(1, min(RULE_RUNS_PER_TASK, len(missing) // max(1, working.tasks)))
        parts = [missing[start : start + size] for start in range(0, len(missing), size)]
        tasks = [(design, part) for part in parts]
        for place, found in (working if len(tasks) > 1 else SerialExecutor()).each(_run_task, tasks):
            yield [((keys[cell.number], seed), rows) for (cell, seed), rows in zip(parts[place], found, strict=True)]
            done += len(found)
            report(done, len(runs))


def _name_parts(design: Design) -> dict[str, object]:
    """Return what a worker needs, by a name for messages."""
    parts: dict[str, object] = {f"the {design.kind} '{one.name}'": one for one in design.contenders}
    parts |= {f"the group '{group.name}'": group for group in design.groups}
    return parts | {f"the environment '{one.name}'": one for one in design.environments if one is not None}


def _run_task(design: Design, runs: list[tuple[DesignCell, int]]) -> list[list[Measurement]]:
    return [measure_run(design, cell, seed) for cell, seed in runs]


def to_columns(design: Design, keys: list[str], found: dict[RunKey, list[Measurement]]) -> Columns:
    """Return the rows in the order of the design, as the columns of `Study`."""
    names = (
        "cell",
        "seed",
        design.kind,
        "group",
        *(["environment"] if design.kind == "learner" else []),
        "round",
        "measure",
        "value",
    )
    rows: list[tuple[Any, ...]] = []
    for cell, seed in design.runs():
        environment = () if cell.environment is None else (cell.environment.name,)
        measured = found[keys[cell.number], seed]
        rows += [(cell.number, seed, cell.contender.name, cell.group.name, *environment, *row) for row in measured]
    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    return dict(zip(names, map(list, columns), strict=True))
