"""The service under a crowd, beside a bare Starlette route that inserts one row into SQLite."""

from __future__ import annotations

import asyncio
import socket
import sqlite3
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import perf_counter

from benchmarks.harness import BenchmarkRow

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "service"))
MEMBERS, OPTIONS = 200, 10


def run_bare_server(path: str, port: int) -> None:
    """What one would write first: a route that checks nothing and inserts one row, synced as ours is."""
    import uvicorn
    from starlette.applications import Starlette
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    local, turn = threading.local(), threading.Lock()

    def insert(body: dict) -> dict:
        if not hasattr(local, "connection"):
            local.connection = sqlite3.connect(path, isolation_level=None, timeout=30)
            local.connection.execute("PRAGMA journal_mode = WAL")
            local.connection.execute("PRAGMA synchronous = FULL")
            local.connection.execute("CREATE TABLE IF NOT EXISTS ratings (body TEXT)")
        with turn:
            local.connection.execute("INSERT INTO ratings VALUES (?)", (str(body),))
        return {"stored": True}

    async def rate(request):
        body = await request.json()
        return JSONResponse(await asyncio.get_running_loop().run_in_executor(None, insert, body))

    async def state(request):
        return JSONResponse({"state": "open"})

    routes = [
        Route("/api/groups/{group}/ratings", rate, methods=["POST"]),
        Route("/api/groups/{group}", state),
        Route("/healthz", state),
    ]
    uvicorn.run(Starlette(routes=routes), port=port, log_level="critical")


def run_crowd_on_bare(folder: str) -> dict:
    """The same crowd, on the bare route."""
    from load_client import rate_concurrently
    from service_processes import PROCESS_CONTEXT, RetryingClient

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    child = PROCESS_CONTEXT.Process(target=run_bare_server, args=(f"{folder}/bare.db", port), daemon=True)
    child.start()
    try:
        child.port = port
        RetryingClient(child, "", None).ask("GET", "/healthz")
        arms = [f"option {number}" for number in range(OPTIONS)]
        return asyncio.run(rate_concurrently(port, "bare", ["x" * 24] * MEMBERS, arms, OPTIONS))
    finally:
        child.terminate()
        child.join()


def time_kept_connection(folder: str, asked: int = 200) -> tuple[float, float]:
    """(ours, theirs): the median answer to GET /healthz on a connection that is kept, asked for in turns."""
    from load_client import RawConnection
    from service_processes import PROCESS_CONTEXT, RetryingClient, ServiceProcess

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    child = PROCESS_CONTEXT.Process(target=run_bare_server, args=(f"{folder}/kept.db", port), daemon=True)
    child.start()
    ours = ServiceProcess(f"sqlite:///{folder}/health.db").ready()
    try:
        child.port = port
        RetryingClient(child, "", None).ask("GET", "/healthz")
        times = asyncio.run(_in_turns([RawConnection(ours.port), RawConnection(port)], asked))
    finally:
        ours.stop()
        child.terminate()
        child.join()
    return times[0], times[1]


async def _in_turns(wires: list, asked: int) -> list[float]:
    times: list[list[float]] = [[] for _ in wires]
    for _ in range(asked):
        for wire, kept in zip(wires, times, strict=True):
            began = perf_counter()
            await wire.ask("GET", "/healthz")
            kept.append(perf_counter() - began)
    for wire in wires:
        wire.close()
    return [median(kept) for kept in times]


def rows() -> Iterator[BenchmarkRow]:
    """An answer on a kept connection, a request of the crowd, its slowest hundredth, and the memory of open streams."""
    from stress import open_many_streams, rate_with_many_members

    with tempfile.TemporaryDirectory() as folder:
        yield BenchmarkRow(
            "GET /healthz on a kept connection, the median", *time_kept_connection(folder), 3, faster=False
        )
        theirs = run_crowd_on_bare(folder)
        ours = rate_with_many_members(f"sqlite:///{folder}/ours.db", MEMBERS, OPTIONS)
        assert ours["stored"] == MEMBERS * OPTIONS
        assert set(ours["statuses"]) == {200}
        work = f"{MEMBERS} members, {OPTIONS} ratings each, sent twice, with reads"
        print(
            f"{work}: {ours['rate']:.0f} requests/s, bare route {theirs['rate']:.0f}; {ours['stored']} stored, 0 errors"
        )
        yield BenchmarkRow(f"a request: {work}", 1 / ours["rate"], 1 / theirs["rate"], 5, faster=False)
        yield BenchmarkRow("the slowest hundredth of them, against a second", ours["p99"], 1.0, 1, faster=False)
        streams = open_many_streams(f"sqlite:///{folder}/streams.db", 500)
        assert streams["told"] == 500
        yield BenchmarkRow(
            "500 open event streams, against 250 MB", streams["megabytes"], 250, 1, faster=False, unit="MB"
        )
