"""Runs that were finished, in a folder: each is one file, named by what ran and by its seed."""

from __future__ import annotations

import json
import os
from hashlib import sha256
from pathlib import Path
from typing import Any

from isegoria.errors import FileError, InputError
from isegoria.learning.protocol.learner import Learner
from isegoria.learning.protocol.sealing import seal
from isegoria.learning.runs.trace import Trace, trace_from_npz
from isegoria.learning.worlds.environment import Environment


class KeptRuns:
    """The runs of one learner in one environment, for as many seeds as were finished.

    A file is written whole or not at all, and its name holds a digest of the learner, the environment, the rounds and
    the options: runs of others may lie beside it.
    """

    def __init__(self, folder: str | os.PathLike[str], learner: Learner, environment: Environment, rounds: int,
                 options: dict[str, Any]):  # fmt: skip
        own = [name for name, value in options.items() if callable(value)]
        if own:
            raise InputError(f"runs with a function for {own[0]} cannot be kept: it has no name; leave out `keep`.")
        about = [seal(learner._state() | {"entropy": "", "streams": {}}), rounds, sorted(options.items())]
        digest = sha256(json.dumps(about, default=str).encode() + environment.fingerprint())
        self.folder, self.digest = Path(folder), digest.hexdigest()[:16]

    def path(self, seed: int) -> Path:
        """Where the run of a seed is kept."""
        return self.folder / f"{self.digest}-{seed}.npz"

    def trace(self, seed: int) -> Trace | None:
        """The run of a seed, if it was finished; a file that cannot be read counts for nothing."""
        try:
            return trace_from_npz(self.path(seed).read_bytes())
        except (FileNotFoundError, FileError):
            return None

    def write(self, seed: int, trace: Trace) -> None:
        """Keep a run that is finished."""
        from isegoria.io import atomic

        self.folder.mkdir(parents=True, exist_ok=True)
        atomic.write_bytes(self.path(seed), trace.to_npz())
