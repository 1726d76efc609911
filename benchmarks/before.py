"""An earlier state of this repository, to measure against: its sources from git, its kernels built beside them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

COMMIT = "669f65f"
ROOT = Path(__file__).parents[1]
THERE = ROOT / "build" / f"before-{COMMIT}"


def before() -> Path:
    """The folder to put on the path for that state; made once, by `git worktree` and its own build."""
    if not (THERE / ".built").exists():
        print(f"building commit {COMMIT} in {THERE} …", file=sys.stderr)
        if not THERE.exists():
            subprocess.run(["git", "worktree", "prune"], cwd=ROOT, check=True)
            subprocess.run(
                ["git", "worktree", "add", "--detach", str(THERE), COMMIT],
                cwd=ROOT,
                check=True,
                stdout=subprocess.DEVNULL,
            )
        build = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"]
        subprocess.run(build, cwd=THERE, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        (THERE / ".built").touch()
    return THERE / "src"


def measured(script: str, *args: str, now: bool = True, patience: float | None = None) -> dict:
    """What a script prints as JSON, in a process of its own, with this state of the package or with the earlier one.

    If it has not ended after `patience` seconds, those are its seconds.
    """
    source = ROOT / "src" if now else before()
    environment = {**os.environ, "PYTHONPATH": str(source), "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(ROOT / "benchmarks" / script), *map(str, args)]
    try:
        done = subprocess.run(
            command, check=True, capture_output=True, text=True, env=environment, cwd=ROOT, timeout=patience
        )
    except subprocess.TimeoutExpired:
        return {"seconds": patience}
    return json.loads(done.stdout.splitlines()[-1])
