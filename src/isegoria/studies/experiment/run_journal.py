"""The finished runs of a study in a folder, each under a key of its own, so that a study can be resumed and extended.

While a study runs, `rows.journal` holds everything that is finished: a header with the cells of the design, then one
line for each run, in any order. An incomplete last line, left by a killed process, is ignored and truncated. When every
run is there, the rows are written in the order of the design and the journal is deleted last, so the files do not
depend on the order of completion. As long as there is a journal, it counts and the other files do not.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from isegoria.errors import FileError
from isegoria.io.storage import atomic_write
from isegoria.studies.experiment.study_measures import Measurement
from isegoria.studies.provenance import PROVENANCE_FILE, read_provenance

if TYPE_CHECKING:
    from isegoria.studies.experiment.design import Design

JOURNAL_FILE, ROWS_FILE = "rows.journal", "rows.csv"
KEY_PARTS = ("method", "group", "environment")
CELL_SEPARATOR = " | "

RunKey = tuple[str, int]
"""A cell's key and a seed."""


@dataclass(frozen=True)
class StoredDesign:
    """What the runs in a folder belong to: the digests of each cell by its name, the seeds and the measures."""

    cells: Mapping[str, tuple[str, ...]]
    seeds: tuple[int, ...]
    measures: tuple[str, ...]

    @classmethod
    def from_design(cls, design: Design) -> StoredDesign:
        """Return the keys of a design; each part of a cell is digested once."""
        digests: dict[int, str] = {}
        cells: dict[str, tuple[str, ...]] = {}
        for cell in design.cells():
            parts = [part for part in cell[1:] if part is not None]
            for part in parts:
                if id(part) not in digests:
                    digests[id(part)] = sha256(part.digest.encode()).hexdigest()[:16]
            names = [part.key if hasattr(part, "key") else part.name for part in parts]
            cells[CELL_SEPARATOR.join(names)] = tuple(digests[id(part)] for part in parts)
        return cls(cells, design.seeds, design.measures)

    @classmethod
    def from_plain_data(cls, data: Mapping[str, Any]) -> StoredDesign:
        """Return the keys that `to_plain_data` wrote."""
        cells = {name: tuple(digests) for name, digests in data["cells"].items()}
        return cls(cells, tuple(data["seeds"]), tuple(data["measures"]))

    def to_plain_data(self) -> dict[str, Any]:
        """Return the keys as plain data."""
        cells = {name: list(digests) for name, digests in self.cells.items()}
        return {"cells": cells, "seeds": list(self.seeds), "measures": list(self.measures)}

    def find_lost_part(self, other: StoredDesign) -> str | None:
        """Return what of this study `other` lacks, in words, or None if it holds all of it."""
        for cell in self.cells:
            if cell not in other.cells:
                theirs = [
                    set(names) for names in zip(*(name.split(CELL_SEPARATOR) for name in other.cells), strict=True)
                ]
                parts = zip(KEY_PARTS, cell.split(CELL_SEPARATOR), theirs, strict=False)
                return next((f"the {kind} '{name}'" for kind, name, known in parts if name not in known), f"'{cell}'")
        for kind, mine, others in (("seed", self.seeds, other.seeds), ("measure", self.measures, other.measures)):
            for one in mine:
                if one not in others:
                    return f"the {kind} {one!r}"
        return None

    def find_changes(self, other: StoredDesign) -> dict[str, str]:
        """Return the cells whose code or data differ in `other`, each with the name of what differs."""
        found = {}
        for name, digests in self.cells.items():
            now = other.cells.get(name, digests)
            changed = [place for place, digest in enumerate(digests) if now[place] != digest]
            if changed:
                found[name] = f"{KEY_PARTS[changed[0]]} '{name.split(CELL_SEPARATOR)[changed[0]]}'"
        return found


class StoredRuns(NamedTuple):
    """The runs in a folder, with the design they belong to; `identity` is None while the study is unfinished."""

    design: StoredDesign
    runs: dict[RunKey, list[Measurement]]
    identity: str | None = None


def load_runs(folder: Path) -> StoredRuns | None:
    """Return the runs that a folder holds, or None if there are none.

    Raises
    ------
    FileError
        If the folder holds something else.
    """
    journal = Path(folder) / JOURNAL_FILE
    if journal.exists():
        data = journal.read_bytes()
        lines = data[: data.rfind(b"\n") + 1].decode("utf-8").splitlines()
        if not lines:
            return None
        try:
            design = StoredDesign.from_plain_data(json.loads(lines[0])["study"])
        except (ValueError, KeyError, TypeError):
            raise FileError(
                f"{journal} is no journal of this version; give another folder, or discard it with --fresh "
                "(fresh=True)."
            ) from None
        names = list(design.cells)
        runs = {
            (names[cell], seed): [Measurement(*row) for row in rows] for cell, seed, rows in map(json.loads, lines[1:])
        }
        return StoredRuns(design, runs)
    record = read_provenance(folder)
    if record is None:
        if (Path(folder) / ROWS_FILE).exists():
            raise FileError(
                f"{Path(folder) / ROWS_FILE} is no study's; give another folder, or --fresh (fresh=True) to overwrite "
                "it."
            )
        return None
    if "cells" not in record["settings"] or not (Path(folder) / ROWS_FILE).exists():
        raise FileError(
            f"{Path(folder) / PROVENANCE_FILE} is about something else; give another folder, or --fresh (fresh=True) "
            "to overwrite it."
        )
    design = StoredDesign.from_plain_data(record["settings"])
    names = list(design.cells)
    found: dict[RunKey, list[Measurement]] = {}
    columns = read_rows(Path(folder) / ROWS_FILE)
    for cell, seed, *row in zip(*(columns[key] for key in ("cell", "seed", "round", "measure", "value")), strict=True):
        found.setdefault((names[cell], seed), []).append(Measurement(*row))
    return StoredRuns(design, found, record["settings"]["identity"])


def read_rows(path: Path) -> dict[str, list[Any]]:
    """Return the rows of a finished study as columns."""
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    kinds: dict[str, Any] = {"cell": int, "seed": int, "round": int, "value": float}
    return {name: [kinds.get(name, str)(row[place]) for row in rows] for place, name in enumerate(header)}


class RunJournal:
    """The journal of a running study: `runs` by key, each on disk as soon as it is added."""

    def __init__(self, folder: Path, design: StoredDesign, runs: Mapping[RunKey, list[Measurement]]) -> None:
        """Write a new journal with these runs in place of an older one, at once."""
        self.path, self.runs = Path(folder) / JOURNAL_FILE, dict(runs)
        self._places = {name: place for place, name in enumerate(design.cells)}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        header = json.dumps({"study": design.to_plain_data()}, ensure_ascii=False)
        atomic_write.write_text(self.path, "\n".join([header, *map(self._format_run, self.runs.items())]) + "\n")
        self._file = self.path.open("ab")

    def _format_run(self, run: tuple[RunKey, list[Measurement]]) -> str:
        (name, seed), rows = run
        return json.dumps([self._places[name], seed, rows], separators=(",", ":"))

    def add(self, runs: Iterable[tuple[RunKey, list[Measurement]]]) -> None:
        """Append finished runs; they are on disk when this returns."""
        added = dict(runs)
        self.runs |= added
        self._file.write("".join(f"{self._format_run(run)}\n" for run in added.items()).encode("utf-8"))
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> RunJournal:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def delete(self) -> None:
        """Delete the journal once all of its runs are in the table of rows."""
        self.close()
        for left in self.path.parent.glob(".*.[0-9]*.tmp"):  # drafts of processes that were killed while writing
            left.unlink(missing_ok=True)
        self.path.unlink(missing_ok=True)
