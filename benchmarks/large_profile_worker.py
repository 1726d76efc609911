"""One piece of work on a crowd, timed in a process of its own: `large_profile_worker.py WORK FOLDER …` prints JSON.

Times are of the processor, so that other programs on the machine count for neither side.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np

warnings.simplefilter("ignore")


def make_clusters(agents: int, arms: int, part: int = 0) -> np.ndarray:
    """Twelve tastes with noise, in single precision."""
    centres = np.random.default_rng(1).random((12, arms), dtype=np.float32)
    rng = np.random.default_rng([1, part])
    table = centres[rng.integers(0, 12, agents)]
    table += rng.standard_normal((agents, arms), dtype=np.float32) * np.float32(0.1)
    return np.clip(table, 0, 1, out=table)


def read_parts(folder: str) -> np.ndarray:
    """All parts of a folder as one table of doubles."""
    import pyarrow.parquet

    files = sorted(Path(folder).glob("*.parquet"))
    rows = [pyarrow.parquet.ParquetFile(file).metadata.num_rows for file in files]
    table = None
    for i, file in enumerate(files):
        part = pyarrow.parquet.read_table(file, use_threads=False)
        table = np.empty((sum(rows), part.num_columns)) if table is None else table
        for k, column in enumerate(part.columns):
            table[sum(rows[:i]) : sum(rows[: i + 1]), k] = column.to_numpy()
    return table


def peak_megabytes() -> float:
    """The most megabytes that this process has held."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def time_call(work) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def csv(path: str) -> dict:
    """Reading a CSV file."""
    import isegoria as iso
    import isegoria.io

    least = peak_megabytes()
    seconds = time_call(lambda: iso.read(path))
    return {"seconds": seconds, "peak": peak_megabytes() - least}


def loadtxt(path: str) -> dict:
    """The numbers of the same file by NumPy."""
    return {"seconds": time_call(lambda: np.loadtxt(path, delimiter=",", skiprows=1, usecols=range(1, 11)))}


def solve_in_memory(folder: str, *objectives: str) -> dict:
    """Solving objectives on the table in memory: the time of each, and of one product with the table."""
    import isegoria as iso

    table = read_parts(folder)
    instance, policy = iso.Instance(table), np.full(table.shape[1], 1 / table.shape[1])
    seconds = {name: time_call(lambda name=name: iso.solve(instance, name)) for name in objectives}
    return {**seconds, "pass": min(time_call(lambda: table @ policy) for _ in range(3))}


def solve_uniform(agents: str, arms: str, objective: str, falling: str = "") -> dict:
    """Solving an objective on uniform means, with Gini weights that fall linearly if that is asked."""
    import isegoria as iso

    means = np.random.default_rng(42).random((int(agents), int(arms)))
    weights = np.arange(len(means), 0, -1.0)
    options = {"gini_weights": weights / weights.sum()} if falling else {}
    solution = None

    def work() -> None:
        nonlocal solution
        solution = iso.solve(iso.Instance(means), objective, **options)

    return {"seconds": time_call(work), "gap": solution.gap}


def solve_gini_cvxpy(agents: str, arms: str, table: str = "rankings", weights: str = "linear") -> dict:
    """A Gini welfare by cvxpy, for truncated rankings or uniform means and linear or halving weights."""
    from benchmarks import cvxpy_rules, many_arms

    shape = int(agents), int(arms)
    means = many_arms.make_rankings(*shape) if table == "rankings" else np.random.default_rng(42).random(shape)
    given = many_arms.linear_weights(len(means)) if weights == "linear" else None
    return {"seconds": time_call(lambda: cvxpy_rules.gini(means, given))}


def core(folder: str, limit: str) -> dict:
    """The outcome core inside an audit, with a time limit: by the clock, since a child process may do the work."""
    import isegoria as iso

    instance = iso.Instance(read_parts(folder))
    policy = iso.solve(instance, "utilitarian").policy
    before, start = peak_megabytes(), time.perf_counter()
    iso.core(instance, policy, payoff="utilities", time_limit=float(limit))
    return {"seconds": time.perf_counter() - start, "peak": peak_megabytes() - before}


def compare_out_of_core(folder: str) -> dict:
    """All six objectives by passes over the files, in units of a plain scan of them."""
    import pyarrow
    import pyarrow.parquet

    import isegoria as iso

    pyarrow.set_cpu_count(1)

    def plain() -> None:
        for file in sorted(Path(folder).glob("*.parquet")):
            part = pyarrow.parquet.ParquetFile(file)
            for group in range(part.num_row_groups):
                for column in part.read_row_group(group, use_threads=False).columns:
                    column.chunk(0).to_numpy()

    plain()
    scan = iso.scan(folder)
    seconds = time_call(lambda: iso.compare(scan))
    worst = max(entry.solution.gap for entry in iso.compare(scan).values())
    again = iso.scan(folder)
    first = time_call(lambda: again.first)
    most = peak_megabytes()
    base = min(time_call(plain) for _ in range(3))
    return {"seconds": seconds, "scan": base, "first": first, "passes": scan.passes, "gap": worst, "peak": most}


def _groups(count: str) -> list[np.ndarray]:
    return [np.random.default_rng(seed).random(shape) for seed in range(int(count)) for shape in ((10, 10), (50, 4))]


def compare_small_groups(count: str) -> dict:
    """Six objectives and their scores on groups of (10, 10) and (50, 4)."""
    import isegoria as iso

    work = lambda: [iso.compare(iso.Instance(group)) for group in _groups(count)]  # noqa: E731
    work()
    return {"seconds": min(time_call(work) for _ in range(5))}


def small_programs(count: str) -> dict:
    """The policies of the same six by cvxpy, without their scores."""
    from benchmarks import cvxpy_rules

    six = (cvxpy_rules.nash, cvxpy_rules.inequality, cvxpy_rules.utilitarian, cvxpy_rules.egalitarian, cvxpy_rules.gini)

    def work() -> None:
        for group in _groups(count):
            cvxpy_rules.nash((group >= group.max(axis=1, keepdims=True)).astype(float))
            for program in six:
                program(group)

    work()
    return {"seconds": time_call(work)}


def command(*words: str) -> dict:
    """A command of the command line, without the start of Python."""
    from isegoria.cli import main

    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        seconds = time_call(lambda: _quiet(main, list(words)))
    return {"seconds": seconds, "peak": peak_megabytes()}


def _quiet(main, words: list[str]) -> None:
    with contextlib.suppress(SystemExit):
        main(words)


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](*sys.argv[2:])))
