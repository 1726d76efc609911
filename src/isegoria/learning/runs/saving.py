"""A run that survives its process: saved by write-then-rename, so that the last complete state is always there."""

from __future__ import annotations

import time
from pathlib import Path

from isegoria.errors import FileError, StateError
from isegoria.io.opening import open_file
from isegoria.learning.protocol.sealing import seal_to, unseal
from isegoria.learning.runs.simulation import Simulation

EVERY = 2.0
"""Seconds between two saves: little to lose, and little time lost on saving."""


class Saved:
    """Keeps a `Simulation` in a file. Killed at any moment, the run goes on from the last complete save."""

    def __init__(self, simulation: Simulation, path: str | Path):
        self.simulation, self.path = simulation, Path(path)
        self._last = time.monotonic()

    def resume_or_begin(self) -> bool:
        """Go on from the file and return True; if there is none, write the first state, so that a bad path fails now.

        A damaged file, or one of another run, raises `StateError`.
        """
        try:
            with open_file(self.path) as file:
                text = file.read()
        except FileNotFoundError:
            self.save()
            return False
        except OSError as error:
            raise FileError(f"cannot read {self.path}: {(error.strerror or str(error)).lower()}.") from error
        try:
            self.simulation.resume(unseal(text, "run"))
        except StateError as error:
            raise StateError(f"{self.path}: {error}") from error
        return True

    def save(self) -> None:
        """Write the run as it is now."""
        seal_to(self.path, self.simulation.state(), "run")
        self._last = time.monotonic()

    def save_now_and_then(self) -> None:
        """Write the run, unless that was done a moment ago; before the last chunk in any case, and not after it, so
        that a finished run can still become a longer one. What is played again is a moment's work."""
        run = self.simulation
        if run.ending or (run.done < run.rounds and time.monotonic() - self._last >= EVERY):
            self.save()
