"""Isegoria's own tests in a guest: what fails there is mended, or stands in a list with its cause.

    python wheels/run_in_wine.py [--limit SECONDS] [PATH ...]

After wheels/cross_build.py has made the wheel for Windows: it is installed under Wine with what the tests need, and
pytest runs there, one path at a time. A test that cannot pass there stands in windows/unlike.txt, with its reason;
any other failure is an error, and so is a path that takes too long.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from emulators import Runner, Wine
from locked_packages import ROOT, Refused, fetched

UNLIKE = ROOT / "wheels" / "windows" / "unlike.txt"
SHORT = (
    "tests/record",
    "tests/analysis/test_scores.py",
    "tests/analysis/test_voice_attribution.py",
    "tests/analysis/test_frontier.py",
    "tests/io/test_csv.py",
)
"""What `make wheels-all WHEELS_OPTIONS=--tests` runs there: the record before all."""
LONG = (*SHORT, "tests/io/test_csv_columns.py", "tests/service", "tests/out_of_core", "tests/learning", "tests/solvers")
OPTIONS = ("-p", "no:cacheprovider", "--no-header", "--tb=short", "-rfE", "-k", "not postgresql")
"""No server of PostgreSQL is in the guest."""


def unlike() -> dict[str, str]:
    """The tests that are not run under Wine, or files of them, and why."""
    lines = [line for line in UNLIKE.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    return dict(line.split(": ", 1) for line in lines)


def furnished(runner: Runner, dist: Path) -> None:
    """Isegoria from the wheels in `dist`, and what its tests need, installed by the guest's pip."""
    runner.house("windows-tests")
    runner.installed(dist, *fetched("windows-tests"))


def passed(runner: Runner, path: str, limit: float) -> tuple[str, list[str]]:
    """pytest's last line about a path in the guest, and the tests that failed."""
    out = [word for name in unlike() if name.startswith(path) for word in ("--deselect", name)]
    begun = time.monotonic()
    try:
        done = runner.start("-m", "pytest", *OPTIONS, *out, path, cwd=ROOT, limit=limit, PYTHONDONTWRITEBYTECODE="1")
    except subprocess.TimeoutExpired as slow:
        runner.close()
        return f"given up after {limit:.0f} s: {_text(slow.stdout)[-200:]}", [path]
    said = _text(done.stdout)
    wrong = re.findall(r"^(?:FAILED|ERROR) (\S+)", said, re.MULTILINE)
    none_is_left = done.returncode == 5 and out
    if done.returncode and not wrong and not none_is_left:
        wrong = [f"{path} (exit {done.returncode}: {_text(done.stderr)[-500:]})"]
    (ROOT / "build" / "wheels" / "wine.log").open("a", encoding="utf-8").write(said)
    last = said.strip().splitlines()[-1] if said.strip() else "nothing was said"
    return f"{last} ({time.monotonic() - begun:.0f} s)", wrong


def _text(words: bytes | None) -> str:
    return (words or b"").decode("utf-8", "replace").replace("\r\n", "\n")


def tried(runner: Runner, dist: Path, paths: Sequence[str] = SHORT, limit: float = 900) -> str:
    """Run the tests in some paths under an emulator; Refused if one failed that is not on the list."""
    furnished(runner, dist)
    wrong, counted = [], 0
    for path in paths:
        told, failed = passed(runner, path, limit)
        wrong += failed
        counted += int(found[1]) if (found := re.search(r"(\d+) passed", told)) else 0
        print(f"  {path}: {told}", flush=True)
    if wrong:
        raise Refused(f"under {runner.name}, {len(wrong)} tests failed: {', '.join(wrong)}.")
    return f"{counted} tests pass"


def main() -> None:
    asking = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asking.add_argument("--limit", type=float, default=900, help="seconds for one path")
    asking.add_argument("--out", type=Path, default=ROOT / "dist", help="where the wheels are")
    asking.add_argument("path", nargs="*", default=LONG, help="files or folders of tests")
    given = asking.parse_args()
    runner = Wine()
    try:
        print(f"under {runner.name}: {tried(runner, given.out.resolve(), given.path, given.limit)}")
    finally:
        runner.close()


if __name__ == "__main__":
    try:
        main()
    except Refused as problem:
        sys.exit(str(problem))
