"""A million and ten million agents, in a process of their own: time in NumPy passes, and peak memory."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

import numpy as np

import isegoria as iso
from benchmarks.harness import BenchmarkRow, peak_memory, time_alternately

MAX_MEMORY_RATIO = 1.5
MEASURED_OBJECTIVES = {
    "nash": ((1_000_000, 20), "np.log(means @ p).sum()", 30),
    "procedural": ((10_000_000, 20), "means.max(axis=1)", 6),
}


def rows() -> Iterator[BenchmarkRow]:
    """Time and memory of each work; the second of each pair compares megabytes with the input's own."""
    for objective, (shape, one_pass, asked) in MEASURED_OBJECTIVES.items():
        command = [sys.executable, "-m", "benchmarks.million_agents", objective]
        seen = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        yield BenchmarkRow(
            f"{objective} at {shape}, in passes of {one_pass}", seen["ours"], seen["theirs"], asked, faster=False
        )
        yield BenchmarkRow(
            "its peak memory, input and Python included", seen["peak"], seen["input"], MAX_MEMORY_RATIO, False, "MB"
        )


def measure_objective(objective: str) -> dict[str, float]:
    """Both times and the peak memory, which only a process of its own can tell."""
    shape, _, _ = MEASURED_OBJECTIVES[objective]
    means, policy = np.random.default_rng(42).random(shape), np.full(shape[1], 1 / shape[1])
    passes = {"nash": lambda: np.log(means @ policy).sum(), "procedural": lambda: means.max(axis=1)}
    iso.solve(iso.Instance(means), objective)
    peak = peak_memory() / 2**20
    ours, theirs = time_alternately(lambda: iso.solve(iso.Instance(means), objective), passes[objective], rounds=3)
    return {"ours": ours, "theirs": theirs, "peak": peak, "input": means.nbytes / 2**20}


if __name__ == "__main__":
    print(json.dumps(measure_objective(sys.argv[1])))
