"""Try an installed Isegoria as a newcomer would, with nothing but itself: python wheels/trial.py, in any environment.

It imports the package, solves and proves, draws, asks the command for help and, where the extra `serve` is there,
starts the service three times and asks it how it is. Prints one line; what is not as it should be is an error.
"""

import importlib.util
import json
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ANSWERING = 3.0
"""Seconds within which the service answers after it was started."""


def solved() -> None:
    """Every objective finds its policy and proves it; the proof of the fair one is computed again here."""
    import isegoria as iso

    if ROOT / "src" in Path(iso.__file__).resolve().parents:
        raise SystemExit(f"{iso.__file__} is the source, not an installed package: try one in an empty environment.")
    instance = iso.Instance([[1, 0], [1, 0], [0, 1]], agents=["Ann", "Bob", "Cleo"], arms=["tea", "coffee"])
    for objective in iso.OBJECTIVES:
        assert iso.solve(instance, objective).gap < 1e-9, objective
    shares = instance.favourites @ iso.solve(instance, "procedural").policy
    gap = (instance.favourites / shares[:, None]).sum(axis=0).max() / len(shares) - 1
    assert abs(gap) < 1e-9, gap
    assert iso.core(instance, [2 / 3, 1 / 3], "outcome").stable
    assert not iso.core(instance, [0, 1], "outcome").stable


def command(*words: str) -> str:
    """What `isegoria …` of this environment prints."""
    words = (sys.executable, "-m", "isegoria", *words)
    return subprocess.run(words, check=True, capture_output=True, text=True, timeout=60).stdout


def drawn(folder: Path) -> None:
    """A draw of five turns, as JSON, twice the same from the same seed."""
    table = folder / "ratings.csv"
    table.write_text("agent,tea,coffee\nAnn,1,0\nBob,1,0\nCleo,0,1\n")
    first, again = (command("draw", str(table), "--draws", "3", "--seed", "4 2", "--format", "json") for _ in range(2))
    assert first == again
    assert len(json.loads(first)["draws"]) == 3


def answering(folder: Path) -> float:
    """The seconds from the start of the service to its first answer."""
    start = time.monotonic()
    words = [sys.executable, "-m", "isegoria", "serve", "--port", "0"]
    with subprocess.Popen(words, cwd=folder, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as service:
        try:
            said = next(found for line in service.stderr if (found := re.search(r"serving on (http://\S+);", line)))
            with urllib.request.urlopen(f"{said[1]}/healthz", timeout=ANSWERING) as answer:
                assert json.load(answer)["status"] == "ok"
            return time.monotonic() - start
        finally:
            service.kill()


def main() -> None:
    version = ".".join(map(str, sys.version_info[:3]))
    with tempfile.TemporaryDirectory() as folder:
        solved()
        drawn(Path(folder))
        assert "Usage: isegoria" in command("--help")
        told = "no service (the extra serve is not installed)"
        if importlib.util.find_spec("uvicorn"):
            seconds = min(answering(Path(folder)) for _ in range(3))
            assert seconds <= ANSWERING, f"the service answered after {seconds:.1f} s; {ANSWERING:.0f} s are promised"
            told = f"the service answers {seconds:.1f} s after its start"
    print(f"Python {version}: solved, proved, drawn; {told}")


if __name__ == "__main__":
    main()
