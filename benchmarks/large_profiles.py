"""Crowds: large tables by passes against plain scans, and in memory against single NumPy passes over them."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.harness import BenchmarkRow
from benchmarks.large_profile_worker import make_clusters
from benchmarks.process import run_script

AGENTS_PER_FILE = 500_000


def rows() -> Iterator[BenchmarkRow]:
    """What was asked of crowds, each a ratio within this run."""
    with tempfile.TemporaryDirectory() as folder:
        yield from _csv_rows(Path(folder))
        yield from _small_rows()
        yield from _million_rows(Path(folder))
        yield from _ten_million_rows(Path(folder))


def write_parquet_parts(folder: Path, agents: int, arms: int) -> Path:
    """A folder of Parquet files with so many agents."""
    import pyarrow
    import pyarrow.parquet

    folder.mkdir()
    for part in range(-(-agents // AGENTS_PER_FILE)):
        table = make_clusters(min(AGENTS_PER_FILE, agents - part * AGENTS_PER_FILE), arms, part)
        columns = {f"a{k}": np.ascontiguousarray(table[:, k]) for k in range(arms)}
        pyarrow.parquet.write_table(
            pyarrow.table(columns), folder / f"{part:04d}.parquet", 125_000, compression="none", use_dictionary=False
        )
    return folder


def _csv_rows(folder: Path) -> Iterator[BenchmarkRow]:
    """A million lines of ten short ratings."""
    path, size = folder / "big.csv", 1_000_000
    with path.open("w") as file:
        file.write("agent," + ",".join(f"a{k}" for k in range(10)) + "\n")
        for start in range(0, size, 50_000):
            part = make_clusters(50_000, 10, start).astype(float).round(5).tolist()
            file.writelines(f"m{start + i},{','.join(map(repr, row))}\n" for i, row in enumerate(part))
    read, plain = (
        run_script("large_profile_worker.py", "csv", path),
        run_script("large_profile_worker.py", "loadtxt", path),
    )
    yield BenchmarkRow("a CSV of 10^6 × 10, against np.loadtxt", read["seconds"], plain["seconds"], 1)
    yield BenchmarkRow("its peak memory, against the matrix", read["peak"], size * 10 * 8 / 2**20, 3, False, "MB")


def _small_rows() -> Iterator[BenchmarkRow]:
    ours, theirs = (run_script("large_profile_worker.py", work, 4)["seconds"] for work in ("small", "small_programs"))
    yield BenchmarkRow("six objectives on (10, 10) and (50, 4), against cvxpy", ours, theirs, 50)


def _million_rows(folder: Path) -> Iterator[BenchmarkRow]:
    """In memory at (10^6, 50)."""
    where = write_parquet_parts(folder / "million", 1_000_000, 50)
    seen = run_script("large_profile_worker.py", "memory", where, "egalitarian", "gini")
    yield BenchmarkRow("gini at (10^6, 50) in memory, in passes of means @ p", seen["gini"], seen["pass"], 40, False)
    yield BenchmarkRow("egalitarian there", seen["egalitarian"], seen["pass"], 30, False)
    core = run_script("large_profile_worker.py", "core", where, 1)
    yield BenchmarkRow("the core there, against its limit of 1 s", core["seconds"], 1.0, 2.2, False)
    yield BenchmarkRow("its memory, against the table", core["peak"], 1_000_000 * 50 * 8 / 2**20, 3, False, "MB")
    form = {
        name: run_script("large_profile_worker.py", "command", "solve", where / "0000.parquet", "--format", name)
        for name in ("table", "json")
    }
    yield BenchmarkRow(
        "solve --format json, against the table form", form["json"]["seconds"], form["table"]["seconds"], 1.3, False
    )


def _ten_million_rows(folder: Path) -> Iterator[BenchmarkRow]:
    """By passes at 10^7 × 20, one core, and in memory."""
    where = write_parquet_parts(folder / "ten", 10_000_000, 20)
    passes = run_script("large_profile_worker.py", "scans", where)
    yield BenchmarkRow(
        f"six certified over 10^7 × 20, {passes['passes']} passes, in plain scans",
        passes["seconds"],
        passes["scan"],
        20,
        False,
    )
    yield BenchmarkRow("its first pass, in plain scans", passes["first"], passes["scan"], 3.5, False)
    yield BenchmarkRow("its peak memory, against 512 MB", passes["peak"], 512, 1, False, "MB")
    seen = run_script("large_profile_worker.py", "memory", where, "inequality")
    yield BenchmarkRow(
        "inequality at (10^7, 20) in memory, in passes of means @ p", seen["inequality"], seen["pass"], 15, False
    )


def run_large() -> int:
    """`make bench-large`: 10^8 × 20 in two processes, in scans by two processes, with the memory of all of them."""
    here = Path("build")  # /tmp may be memory
    here.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=here) as folder:
        where = write_parquet_parts(Path(folder) / "hundred", 100_000_000, 20)
        print("10^8 rows are written; the passes follow", file=sys.stderr, flush=True)
        command = [sys.executable, "-m", "benchmarks.large_profile_run", str(where)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    seen = json.loads(done.stdout.splitlines()[-1])
    rows = [
        BenchmarkRow(
            f"six over 10^8 × 20, two processes, {seen['passes']} passes", seen["seconds"], seen["scan"], 30, False
        ),
        BenchmarkRow("private memory of all processes, against 1 GB", seen["peak"], 1024, 1, False, "MB"),
    ]
    for row in rows:
        print(" | ".join(row.cells()))
    return int(not all(row.met for row in rows))


if __name__ == "__main__":
    sys.exit(run_large())
