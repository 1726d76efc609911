"""Long tables of ratings against what one would write by hand: 8,000,000 lines, and 800,918 lines of 200,000 agents."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd
import pyarrow.parquet as parquet
from scipy.sparse import csr_array

import isegoria as iso
from benchmarks.harness import BenchmarkRow, time_alternately

AGENTS, ARMS, RATINGS = 200_000, 40, 800_918
ROLES = {"customer": "agent", "film": "arm", "stars": "value"}
MEMORY_LIMIT_MB = 200.0
MEMORY_SCRIPT = """
import sys, warnings
import isegoria as iso, pandas, pyarrow.parquet, scipy.sparse
warnings.simplefilter("ignore")
def peak():  # of this program alone: ru_maxrss would begin at the peak of the one that started it
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
before = peak()
roles = {"customer": "agent", "film": "arm", "stars": "value"}
iso.audit(iso.read(sys.argv[1], scale=(1, 5), missing="abstain", columns=roles), "uniform").scores.procedural
print((peak() - before) / 1024)
"""


def write_ratings(path: Path, count: int) -> None:
    """Write a long table with `count` of the ratings of everyone for everything."""
    rng = np.random.default_rng(1)
    pairs = np.arange(AGENTS * ARMS) if count == AGENTS * ARMS else rng.choice(AGENTS * ARMS, count, replace=False)
    columns = {
        "customer": [f"c{agent:06d}" for agent in pairs // ARMS],
        "film": [f"film {arm:02d}" for arm in pairs % ARMS],
        "stars": rng.integers(1, 6, count),
    }
    pd.DataFrame(columns).to_parquet(path, index=False)


def read_ours(path: Path, missing: str) -> Callable[[], object]:
    """Return a function that reads the table as an `Instance`."""
    return lambda: iso.read(path, scale=(1, 5), missing=missing, columns=ROLES)


def build_by_hand(path: Path) -> csr_array:
    """Read the table and build a sparse matrix, as one would by hand."""
    frame = pd.read_parquet(path)
    (rows, agents), (columns, arms) = pd.factorize(frame["customer"]), pd.factorize(frame["film"])
    return csr_array(((frame["stars"] - 1) / 4, (rows, columns)), shape=(len(agents), len(arms)))


def pivot_by_hand(path: Path) -> pd.DataFrame:
    """Read the table by pyarrow and pivot it."""
    return parquet.read_table(path).to_pandas().pivot(index="customer", columns="film", values="stars")


def rows() -> Iterator[BenchmarkRow]:
    """Yield the comparisons."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", iso.IsegoriaWarning)
        sparse, full = Path(folder) / "sparse.parquet", Path(folder) / "full.parquet"
        write_ratings(sparse, RATINGS)
        write_ratings(full, AGENTS * ARMS)
        pair = time_alternately(read_ours(sparse, "abstain"), lambda: build_by_hand(sparse), 5, clock=process_time)
        yield BenchmarkRow(f"{RATINGS:,} ratings, against scipy.sparse by hand", *pair, 1.5, faster=False)
        pair = time_alternately(read_ours(full, "lowest"), lambda: pivot_by_hand(full), 2, clock=process_time)
        yield BenchmarkRow(f"{AGENTS * ARMS:,} ratings, against pyarrow and a pivot", *pair, 1.5, faster=False)
        output = subprocess.run(
            [sys.executable, "-c", MEMORY_SCRIPT, sparse], capture_output=True, text=True, check=True
        )
        used = float(output.stdout)
        yield BenchmarkRow(f"{RATINGS:,} ratings read and audited", used, MEMORY_LIMIT_MB, 1.0, faster=False, unit="MB")
