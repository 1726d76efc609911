"""A computation in a process of its own, which is ended when its time is over, whatever it is doing."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

START = "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); from {module} import serve; serve()"


def in_child(work: Callable[..., Any], arguments: tuple[Any, ...], seconds: float) -> Any:
    """`work(*arguments)` from a fresh interpreter, or None if it is not there after `seconds`; `work` is a function of
    a module, and it and its arguments can be pickled."""
    child = subprocess.Popen(
        [sys.executable, "-c", START.format(module=__name__)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
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
    """What the child does: read what to compute from standard input, and write what came of it to standard output."""
    work, arguments = pickle.load(sys.stdin.buffer)
    answers = sys.stdout.buffer
    sys.stdout = sys.stderr  # a solver that prints must not spoil the answer
    answers.write(pickle.dumps(work(*arguments)))
    answers.flush()
