"""Dask against the built-in pool on the same tasks: a sweep of 155,520 instances, whole and with a worker killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

from benchmarks.harness import BenchmarkRow
from isegoria.out_of_core.executors import Executor, FutureExecutor, ProcessPool, close_after
from isegoria.studies import sweep
from isegoria.studies.grid import Grid

WORKERS = 2
GRID = Grid(seeds=tuple(range(42, 52)))


def rows() -> Iterator[BenchmarkRow]:
    """Times of the whole, start and end included, and of the work alone, the better of two; the bytes are the same."""
    with tempfile.TemporaryDirectory() as folder:
        own = [_run(Path(folder) / f"pool {turn}", None) for turn in (1, 2)]
        theirs = [_run_on_dask(Path(folder) / f"dask {turn}") for turn in (1, 2)]
        pool, expected = min(seconds for seconds, _ in own), own[0][1]
        whole, dask, ready = (min(times) for times in zip(*(times for times, _ in theirs), strict=True))
        assert all(kept == expected for _, kept in [*own, *theirs]), "Dask gave other bytes than the pool"
        yield BenchmarkRow("155,520 instances on Dask, work alone, against the pool", dask, pool, 1.15, faster=False)
        yield BenchmarkRow("the same all in", whole, pool, 1.25, faster=False)
        (_, hurt, _), kept = _run_on_dask(Path(folder) / "hurt", killed_after=pool / 3)
        assert kept == expected, "a killed worker changed the bytes"
        yield BenchmarkRow("on Dask with a worker killed, against the pool", hurt, pool, 1.5, faster=False)
        with close_after(ProcessPool(WORKERS)) as mine:
            threading.Timer(pool / 3, lambda: _kill_process(next(iter(mine._workers()._processes)))).start()
            hurt, kept = _run(Path(folder) / "own", mine)
        assert kept == expected, "a killed worker changed the bytes"
        yield BenchmarkRow("on the pool with a worker killed, against the whole one", hurt, pool, 1.5, faster=False)
        yield from _startup_rows(ready)


def _run_on_dask(store: Path, killed_after: float | None = None) -> tuple[tuple[float, float, float], dict[str, bytes]]:
    """Seconds of everything, of the work, and until a cluster was ready; and what the sweep stored."""
    start = time.perf_counter()
    with _cluster() as cluster:
        client = cluster.get_client()
        ready = time.perf_counter() - start
        if killed_after is not None:
            victim = next(iter(cluster.workers.values())).pid
            threading.Timer(killed_after, _kill_process, [victim]).start()
        work, kept = _run(store, FutureExecutor(client.get_executor(retries=3), WORKERS))
        client.close()
    return (time.perf_counter() - start, work, ready), kept


def _run(store: Path, executor: Executor | None) -> tuple[float, dict[str, bytes]]:
    """Seconds of a sweep, and what it stored."""
    start = time.perf_counter()
    with close_after(ProcessPool(WORKERS)) if executor is None else nullcontext(executor) as working:
        sweep.run(GRID, store, executor=working)
    seconds = time.perf_counter() - start
    return seconds, {path.name: path.read_bytes() for path in store.iterdir()}


def _cluster():
    from distributed import LocalCluster

    return LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address="127.0.0.1:0")


def _kill_process(process: int) -> None:
    os.kill(process, signal.SIGKILL)


def _startup_rows(ready: float) -> Iterator[BenchmarkRow]:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import distributed"], check=True)
    yield BenchmarkRow(
        "starting a local cluster, against importing Dask", ready, time.perf_counter() - start, 5, faster=False
    )
