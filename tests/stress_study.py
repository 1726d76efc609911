"""A study that is killed 50 times at random moments ends in the same bytes; make stress runs this.

Each try starts `isegoria study` with two workers and kills the whole process group. A run that finished before it was
killed is begun anew, so that every kill falls into work.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

KILLS = 50
STUDY = """\
[study]
learners = ["elimination", "thompson", "procedural"]
seeds = 30
[groups]
model = ["impartial", "mallows:0.4"]
agents = [4, 7]
arms = 4
[environment]
rounds = 1500
records = 5
"""
LEFT = ("rows.csv", "run.json", "table.csv", "table.tex")


def main() -> None:
    rng = random.Random(28)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "study.toml").write_text(STUDY)
        started = time.monotonic()
        whole(folder, "whole")
        took = time.monotonic() - started
        kills = rounds = 0
        while kills < KILLS:
            if killed(folder, rng.uniform(0.3, 0.9 * took)):
                kills += 1
            else:
                same(folder)
                shutil.rmtree(folder / "killed")
                rounds += 1
        whole(folder, "killed")
        same(folder)
    print(f"{kills} kills, finished {rounds + 1} times: the same bytes as without any")


def command(folder: Path, out: str, workers: int) -> list[str]:
    program = [sys.executable, "-m", "isegoria", "study", str(folder / "study.toml")]
    return [*program, "--workers", str(workers), "--out", str(folder / out)]


def whole(folder: Path, out: str) -> None:
    subprocess.run(command(folder, out, 1), check=True, capture_output=True)


def killed(folder: Path, after: float) -> bool:
    """Whether it was still running when it was killed."""
    running = subprocess.Popen(
        command(folder, "killed", 2), start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        running.wait(after)
        return False
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
        return True


def same(folder: Path) -> None:
    for name in LEFT:
        assert (folder / "killed" / name).read_bytes() == (folder / "whole" / name).read_bytes(), name


if __name__ == "__main__":
    main()
