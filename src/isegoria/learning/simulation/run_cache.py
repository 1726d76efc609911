"""A cache of finished runs in a folder: one file per run, named by a digest of what ran and by its seed."""

from __future__ import annotations

import json
import os
import warnings
from hashlib import sha256
from pathlib import Path
from typing import Any

from isegoria.errors import FileError, InputError, IsegoriaWarning
from isegoria.learning.base.learner import Learner
from isegoria.learning.base.state_format import dump_state
from isegoria.learning.environments.environment import Environment
from isegoria.learning.simulation.trace import Trace
from isegoria.utils.code_digest import digest_code


class RunCache:
    """The finished runs of one learner in one environment, by seed.

    A file is written atomically. Its name holds a digest of the learner, the environment, the rounds and the options,
    so that other runs may be in the same folder, and one of their code, so that changed code runs again.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        learner: Learner,
        environment: Environment,
        rounds: int,
        options: dict[str, Any],
    ):
        own = [name for name, value in options.items() if callable(value)]
        if own:
            raise InputError(f"runs with a function for {own[0]} cannot be kept: it has no name; leave out `keep`.")
        about = [dump_state(learner._state() | {"entropy": "", "streams": {}}), rounds, sorted(options.items())]
        digest = sha256(json.dumps(about, default=str).encode() + environment.fingerprint())
        self.folder, self.digest = Path(folder), digest.hexdigest()[:16]
        self.code_digest = digest_code((type(learner), type(environment)))[:8]
        self._warned = False

    def path(self, seed: int) -> Path:
        """Return the file of the run with a seed."""
        return self.folder / f"{self.digest}-{self.code_digest}-{seed}.npz"

    def trace(self, seed: int) -> Trace | None:
        """Return the finished run of a seed, or None; a file that is not a valid trace is ignored."""
        try:
            return Trace.from_npz(self.path(seed).read_bytes())
        except (FileNotFoundError, FileError):
            self._report_changed_code(seed)
            return None

    def _report_changed_code(self, seed: int) -> None:
        """Warn once if the folder has the run of this seed, but by other code."""
        others = set(self.folder.glob(f"{self.digest}-*-{seed}.npz")) - {self.path(seed)}
        if others and not self._warned:
            self._warned = True
            said = f"the code of the learner or environment has changed since {self.folder} was written; it runs again."
            warnings.warn(said, IsegoriaWarning, stacklevel=6)

    def write(self, seed: int, trace: Trace) -> None:
        """Store a finished run."""
        from isegoria.io.storage import atomic_write

        self.folder.mkdir(parents=True, exist_ok=True)
        atomic_write.write_bytes(self.path(seed), trace.to_npz())
