"""Try an installed Isegoria as a newcomer would, with nothing but itself: python wheels/smoke_test.py.

It imports the package, solves and proves, draws, keeps a record and verifies it, asks the command for help and, where
the extra `serve` is there, starts the service three times and asks it how it is. Prints one line; what is not as it
should be is an error. `--leave FOLDER` leaves the record there, and `--verify FOLDER` verifies one that was left.
"""

import argparse
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
PATIENCE_SECONDS = 120
"""Seconds that the service may take to answer, also under an emulator; what it took is printed."""


def solved() -> None:
    """Every objective finds its policy and proves it; the proof of the fair one is computed again here."""
    import isegoria as iso

    if ROOT / "src" in Path(iso.__file__).resolve().parents:
        raise SystemExit(f"{iso.__file__} is the source, not an installed package: try one in an empty environment.")
    instance = iso.Instance([[1, 0], [1, 0], [0, 1]], agents=["Ann", "Bob", "Cleo"], arms=["tea", "coffee"])
    for objective in ("procedural", "inequality", "utilitarian", "egalitarian", "nash", "gini"):
        assert iso.solve(instance, objective).gap < 1e-9, objective
    shares = instance.favourites @ iso.solve(instance, "procedural").policy
    gap = (instance.favourites / shares[:, None]).sum(axis=0).max() / len(shares) - 1
    assert abs(gap) < 1e-9, gap
    assert iso.core(instance, [2 / 3, 1 / 3], "outcome").stable
    assert not iso.core(instance, [0, 1], "outcome").stable


def command(*words: str, code: int = 0) -> str:
    """What `isegoria …` of this environment prints, and tells besides; it ends with `code`."""
    told = (sys.executable, "-m", "isegoria", *words)
    done = subprocess.run(told, capture_output=True, timeout=120)
    said = done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
    assert done.returncode == code, f"{' '.join(words)}: {done.returncode}, not {code}\n{said[0]}{said[1]}"
    assert "chmod" not in said[1], said[1]
    return said[0] if code in (0, 3) else said[1]


def drawn(folder: Path) -> None:
    """A draw of five turns, as JSON, twice the same from the same seed."""
    table = folder / "ratings.csv"
    table.write_text("agent,tea,coffee\nAnn,1,0\nBob,1,0\nCleo,0,1\n")
    first, again = (command("draw", str(table), "--draws", "3", "--seed", "4 2", "--format", "json") for _ in range(2))
    assert first == again
    assert len(json.loads(first)["draws"]) == 3


def recorded(folder: Path) -> None:
    """A record with one round, a receipt of it, and a writer who comes while another one is at work."""
    from isegoria.record.files.file_store import open_record

    table, record = folder / "ratings.csv", folder / "a.record"
    table.write_text("agent,tea,coffee\nAnn,1,0\nBob,1,0\nZoë,0,1\n", encoding="utf-8")
    command("record", "init", str(record), str(table), "--source", "rehearsal")
    command("record", "freeze", str(record))
    with open_record(record):
        assert "is being written by someone else" in command("record", "draw", str(record), code=2)
    command("record", "draw", str(record))
    (folder / "a.receipt").write_bytes(command("record", "receipt", str(record), "Zoë").encode())
    verified(folder)


def verified(folder: Path) -> None:
    """A record and its receipt, wherever they were made: everything recomputes (a rehearsal proves no more)."""
    said = command("verify", str(folder / "a.record"), "--receipt", str(folder / "a.receipt"), code=3)
    assert "everything recomputes" in said, said
    assert b"\r" not in (folder / "a.record").read_bytes() + (folder / "a.receipt").read_bytes()


def answering(folder: Path) -> float:
    """The seconds from the start of the service to its first answer."""
    start = time.monotonic()
    words = [sys.executable, "-m", "isegoria", "serve", "--port", "0"]
    with subprocess.Popen(words, cwd=folder, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as service:
        try:
            lines = []
            for line in service.stderr:
                lines.append(line)
                if said := re.search(r"serving on (http://\S+);", line):
                    break
            else:
                raise SystemExit(f"the service did not start: {''.join(lines)}")
            with urllib.request.urlopen(f"{said[1]}/healthz", timeout=PATIENCE_SECONDS) as answer:
                assert json.load(answer)["status"] == "ok"
            return time.monotonic() - start
        finally:
            service.kill()


def main() -> None:
    asking = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asking.add_argument("--leave", type=Path, help="an empty folder that gets the record and its receipt")
    asking.add_argument("--verify", type=Path, help="a folder with a record that was left, perhaps on another system")
    given = asking.parse_args()
    version = ".".join(map(str, sys.version_info[:3]))
    with tempfile.TemporaryDirectory() as folder:
        solved()
        drawn(Path(folder))
        recorded(given.leave or Path(folder))
        if given.verify:
            verified(given.verify)
        assert "Usage: isegoria" in command("--help")
        told = "no service (the extra serve is not installed)"
        if importlib.util.find_spec("uvicorn"):
            told = f"the service answered {answering(Path(folder)):.1f} s after its start"
    print(f"Python {version}: solved, proved, drawn, recorded, verified; {told}")


if __name__ == "__main__":
    main()
