"""The whole trial, on both databases."""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from postgres_server import PostgresServer

from hostile_tenant.trial import run_malformed_trial, run_trial


def main() -> int:
    """All of it, on the databases that are asked for."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--seconds", type=float, default=310)
    asked.add_argument("--requests", type=int, default=20_000)
    asked.add_argument("--store", choices=("SQLite", "PostgreSQL"), help="one of them alone")
    given = asked.parse_args()
    held = True
    with tempfile.TemporaryDirectory() as folder:
        postgres = None if given.store == "SQLite" else PostgresServer(own=True)
        addresses = {"SQLite": lambda: f"sqlite:///{folder}/{random.random()}.db"}
        addresses |= {} if postgres is None else {"PostgreSQL": postgres.database}
        try:
            for name in [given.store] if given.store else addresses:
                held = _both(name, addresses[name], given.seconds, given.requests) and held
        finally:
            if postgres is not None:
                postgres.stop()
    return 0 if held else 1


def _both(name: str, address: Callable[[], str], seconds: float, requests: int) -> bool:
    """The attacks for so long, then so many malformed requests, unless there are none of them; whether all held."""
    told = run_trial(address(), seconds, 60) if seconds else {"held": True}
    print(f"{name}, a hostile tenant for {seconds:.0f} s, load {os.getloadavg()[0]:.0f}: {told}", flush=True)
    more = run_malformed_trial(address(), requests) if requests else {"held": True}
    print(f"{name}, malformed requests: {more}", flush=True)
    return told["held"] and more["held"]


if __name__ == "__main__":
    sys.exit(main())
