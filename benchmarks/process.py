"""A piece of work in a process of its own: its memory is its own, and it can be ended."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def run_script(script: str, *args: object, patience: float | None = None, threads: int | None = None) -> dict:
    """What a script beside this one prints as JSON, with the machine's own BLAS threads or so many.

    If it has not ended after `patience` seconds, those are its seconds.
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    if threads is not None:
        environment |= {"OPENBLAS_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
    command = [sys.executable, str(ROOT / "benchmarks" / script), *map(str, args)]
    try:
        done = subprocess.run(
            command, check=True, capture_output=True, text=True, env=environment, cwd=ROOT, timeout=patience
        )
    except subprocess.TimeoutExpired:
        return {"seconds": patience}
    except subprocess.CalledProcessError as error:
        raise RuntimeError(f"{script} {' '.join(map(str, args))}: {error.stderr.strip().splitlines()[-1]}") from error
    return json.loads(done.stdout.splitlines()[-1])
