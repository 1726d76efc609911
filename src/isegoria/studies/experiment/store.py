"""Where a study's rows are while it runs: one line for each run that was finished, whole or not there at all.

The file `rows.journal` begins with the identity of the design and grows as runs finish, in any order. A line that a
killed process left half written is cut off when the study goes on. Once every run is there, the rows are written in the
order of the design, and the journal is deleted: so the files do not show who finished first.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from isegoria.errors import FileError
from isegoria.studies.experiment.measures import Measurement

NAME = "rows.journal"


class Journal:
    """The finished runs of a study in a folder; `fresh` forgets what is there."""

    def __init__(self, folder: Path, identity: str, fresh: bool = False) -> None:
        self.path, self.identity = Path(folder) / NAME, identity
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if fresh:
            self.path.unlink(missing_ok=True)
        self.found = self._read()
        self._file = self.path.open("ab")
        if not self.path.stat().st_size:
            self._write(json.dumps({"study": identity}))

    def _read(self) -> dict[int, list[Measurement]]:
        """The runs in the file by number; whatever follows the last whole line is cut off."""
        if not self.path.exists():
            return {}
        data = self.path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) < len(data):
            with self.path.open("r+b") as file:
                file.truncate(len(whole))
        lines = whole.decode("utf-8").splitlines()
        if lines and json.loads(lines[0]).get("study") != self.identity:
            raise FileError(
                f"{self.path.parent} holds an unfinished study of another design; give another folder, or --fresh "
                "(fresh=True) to begin anew."
            )
        return {int(run): [Measurement(*row) for row in rows] for run, rows in map(json.loads, lines[1:])}

    def add(self, runs: Iterable[tuple[int, list[Measurement]]]) -> None:
        """Note finished runs, by number; they are on disk when this returns."""
        lines = []
        for number, rows in runs:
            self.found[number] = rows
            lines.append(json.dumps([number, rows], separators=(",", ":")))
        self._write("\n".join(lines))

    def _write(self, text: str) -> None:
        self._file.write(text.encode("utf-8") + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def done(self) -> None:
        """Delete the journal: everything is in the table of rows."""
        self.close()
        self.path.unlink(missing_ok=True)
