"""Run a computation in a child process that is killed at its time limit."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

START_COMMAND = "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); from {module} import serve; serve()"


def run_with_timeout(work: Callable[..., Any], arguments: tuple[Any, ...], seconds: float) -> Any:
    """Return `work(*arguments)` from a fresh interpreter, or None if it fails or takes longer than `seconds`.

    `work` is a function of a module; it and its arguments can be pickled.
    """
    child = subprocess.Popen(
        [sys.executable, "-c", START_COMMAND.format(module=__name__)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        said, _ = child.communicate(pickle.dumps(sys.path) + pickle.dumps((work, arguments)), timeout=seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        child.kill()
        child.communicate()
    return pickle.loads(said) if child.returncode == 0 else None


def serve() -> None:
    """Read the work from standard input, run it, and write its result to standard output (main of the child)."""
    work, arguments = pickle.load(sys.stdin.buffer)
    answers = sys.stdout.buffer
    sys.stdout = sys.stderr  # output printed by a solver must not corrupt the result
    answers.write(pickle.dumps(work(*arguments)))
    answers.flush()
