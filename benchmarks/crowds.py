"""Crowds: large tables by passes against plain scans, and in memory against single NumPy passes over them."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.crowd_work import tastes
from benchmarks.harness import Row
from benchmarks.process import measured

PART = 500_000


def rows() -> Iterator[Row]:
    """What was asked of crowds, each a ratio within this run."""
    with tempfile.TemporaryDirectory() as folder:
        yield from _csv(Path(folder))
        yield from _small()
        yield from _million(Path(folder))
        yield from _ten_million(Path(folder))


def parts(folder: Path, agents: int, arms: int) -> Path:
    """A folder of Parquet files with so many agents."""
    import pyarrow
    import pyarrow.parquet

    folder.mkdir()
    for part in range(-(-agents // PART)):
        table = tastes(min(PART, agents - part * PART), arms, part)
        columns = {f"a{k}": np.ascontiguousarray(table[:, k]) for k in range(arms)}
        pyarrow.parquet.write_table(
            pyarrow.table(columns), folder / f"{part:04d}.parquet", 125_000, compression="none", use_dictionary=False
        )
    return folder


def _csv(folder: Path) -> Iterator[Row]:
    """A million lines of ten short ratings."""
    path, size = folder / "big.csv", 1_000_000
    with path.open("w") as file:
        file.write("agent," + ",".join(f"a{k}" for k in range(10)) + "\n")
        for start in range(0, size, 50_000):
            part = tastes(50_000, 10, start).astype(float).round(5).tolist()
            file.writelines(f"m{start + i},{','.join(map(repr, row))}\n" for i, row in enumerate(part))
    read, plain = measured("crowd_work.py", "csv", path), measured("crowd_work.py", "loadtxt", path)
    yield Row("a CSV of 10^6 × 10, against np.loadtxt", read["seconds"], plain["seconds"], 1)
    yield Row("its peak memory, against the matrix", read["peak"], size * 10 * 8 / 2**20, 3, False, "MB")


def _small() -> Iterator[Row]:
    ours, theirs = (measured("crowd_work.py", work, 4)["seconds"] for work in ("small", "small_programs"))
    yield Row("six objectives on (10, 10) and (50, 4), against cvxpy", ours, theirs, 50)


def _million(folder: Path) -> Iterator[Row]:
    """In memory at (10^6, 50)."""
    where = parts(folder / "million", 1_000_000, 50)
    seen = measured("crowd_work.py", "memory", where, "egalitarian", "gini")
    yield Row("gini at (10^6, 50) in memory, in passes of means @ p", seen["gini"], seen["pass"], 40, False)
    yield Row("egalitarian there", seen["egalitarian"], seen["pass"], 30, False)
    core = measured("crowd_work.py", "core", where, 1)
    yield Row("the core there, against its limit of 1 s", core["seconds"], 1.0, 2.2, False)
    yield Row("its memory, against the table", core["peak"], 1_000_000 * 50 * 8 / 2**20, 3, False, "MB")
    form = {
        name: measured("crowd_work.py", "command", "solve", where / "0000.parquet", "--format", name)
        for name in ("table", "json")
    }
    yield Row(
        "solve --format json, against the table form", form["json"]["seconds"], form["table"]["seconds"], 1.3, False
    )


def _ten_million(folder: Path) -> Iterator[Row]:
    """By passes at 10^7 × 20, one core, and in memory."""
    where = parts(folder / "ten", 10_000_000, 20)
    passes = measured("crowd_work.py", "scans", where)
    yield Row(
        f"six certified over 10^7 × 20, {passes['passes']} passes, in plain scans",
        passes["seconds"],
        passes["scan"],
        20,
        False,
    )
    yield Row("its first pass, in plain scans", passes["first"], passes["scan"], 3.5, False)
    yield Row("its peak memory, against 512 MB", passes["peak"], 512, 1, False, "MB")
    seen = measured("crowd_work.py", "memory", where, "inequality")
    yield Row("inequality at (10^7, 20) in memory, in passes of means @ p", seen["inequality"], seen["pass"], 15, False)


def large() -> int:
    """`make bench-large`: 10^8 × 20 in two processes, in scans by two processes, with the memory of all of them."""
    here = Path("build")  # /tmp may be memory
    here.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=here) as folder:
        where = parts(Path(folder) / "hundred", 100_000_000, 20)
        print("10^8 rows are written; the passes follow", file=sys.stderr, flush=True)
        command = [sys.executable, "-m", "benchmarks.crowd_large", str(where)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    seen = json.loads(done.stdout.splitlines()[-1])
    rows = [
        Row(f"six over 10^8 × 20, two processes, {seen['passes']} passes", seen["seconds"], seen["scan"], 30, False),
        Row("private memory of all processes, against 1 GB", seen["peak"], 1024, 1, False, "MB"),
    ]
    for row in rows:
        print(" | ".join(row.cells()))
    return int(not all(row.met for row in rows))


if __name__ == "__main__":
    sys.exit(large())
