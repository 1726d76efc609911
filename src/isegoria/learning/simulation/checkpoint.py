"""Saving a run to a file atomically, so that the last complete state is always available."""

from __future__ import annotations

import time
from pathlib import Path

from isegoria.errors import FileError, StateError
from isegoria.io.storage.open_input import open_file
from isegoria.learning.base.state_format import load_state, write_state
from isegoria.learning.simulation.simulation import Simulation

SAVE_INTERVAL_SECONDS = 2.0
"""Seconds between two saves: little to lose, and little time lost on saving."""


class SimulationCheckpoint:
    """Saves a `Simulation` in a file; after a kill at any moment, the run continues from the last complete save."""

    def __init__(self, simulation: Simulation, path: str | Path):
        self.simulation, self.path = simulation, Path(path)
        self._last = time.monotonic()

    def resume_or_begin(self) -> bool:
        """Resume from the file and return True, or write the first state if there is no file and return False.

        Writing at the start makes a bad path fail at once.

        Raises
        ------
        FileError
            If the file cannot be read.
        StateError
            If the file is damaged or of another run.
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
            self.simulation.resume(load_state(text, "run"))
        except StateError as error:
            raise StateError(f"{self.path}: {error}") from error
        return True

    def save(self) -> None:
        """Write the run as it is now."""
        write_state(self.path, self.simulation.state(), "run")
        self._last = time.monotonic()

    def save_now_and_then(self) -> None:
        """Write the run, unless it was saved a moment ago.

        It is always saved before the last chunk and never after it, so that a finished run can still be extended.
        Replaying the last chunk takes only a moment.
        """
        run = self.simulation
        if run.ending or (run.done < run.rounds and time.monotonic() - self._last >= SAVE_INTERVAL_SECONDS):
            self.save()
