"""A trial: the attacks beside the neighbours for so long, or so many malformed requests; what was seen of it."""

from __future__ import annotations

import contextlib
import random
import tempfile
import threading
import time
from http.client import HTTPException

from tenant.attacker import Tenant
from tenant.attacks import ATTACKS
from tenant.malformed import malformed_request
from tenant.neighbour import Neighbour
from tenant.server import DAY, Server

LATE, MEGABYTES, WITH_CHILDREN, LOG, GOODBYE = 10.0, 400, 900, 2 * 2**20, 5.0
PATIENCE = 60.0
"""Seconds more for the first draw: when in a day it comes depends on the time at which a trial begins."""


def trial(address: str, seconds: float, seconds_a_day: float, seed: int = 1) -> dict:
    """What happened in so many seconds."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(address, folder, seconds_a_day)
        try:
            neighbour, other = Neighbour(server), Neighbour(server, every=5)
            server.neighbour = neighbour.group
            with Tenant(server, ATTACKS, seed) as tenant:
                until = time.monotonic() + seconds
                while time.monotonic() < until or not (neighbour.drawn or time.monotonic() > until + PATIENCE):
                    server.measure()
                    neighbour.look()
                    time.sleep(0.2)
                tenant.leaving = True
                goodbye = server.stop()  # while all of it goes on
        finally:
            if server.process.poll() is None:
                server.process.kill()
                server.process.wait()
        late, by_beacon = neighbour.lateness(), other.lateness()
        told = {
            "draws": len(late), "by_beacon": len(by_beacon), "latest_by_beacon": round(max(by_beacon, default=-1.0), 1),
            "latest": round(max(late, default=-1.0), 1), "statuses": dict(tenant.statuses),
            "faults": tenant.faults[:5], "megabytes": round(server.peak), "with_children": round(server.with_children),
            "log": server.log.stat().st_size, "goodbye": round(goodbye, 1), "attacks": dict(tenant.times),
            "median_look": round(sorted(neighbour.looks)[len(neighbour.looks) // 2], 3),
        }  # fmt: skip
        told["held"] = (
            len(late) >= int(seconds / seconds_a_day) - 1 and told["latest"] <= LATE and not tenant.faults
            and len(by_beacon) >= int((seconds - 2 * seconds_a_day) / (5 * seconds_a_day))
            and told["latest_by_beacon"] <= LATE
            and told["megabytes"] <= MEGABYTES and told["with_children"] <= WITH_CHILDREN and told["log"] <= LOG
            and goodbye <= GOODBYE
        )  # fmt: skip
        if not told["held"]:
            print(server.log.read_text(errors="replace")[-3000:])
        return told


def many_malformed(address: str, count: int, seed: int = 2) -> dict:
    """So many malformed requests, one after the other on four threads; what was answered."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(address, folder, DAY)
        try:
            server.neighbour = ""
            tenant = Tenant(server, seed=seed)

            def some(part: int) -> None:
                chance = random.Random(f"{seed} {part}")
                for _ in range(count // 4):
                    with contextlib.suppress(OSError, HTTPException, ValueError):
                        malformed_request(tenant, chance)

            threads = [threading.Thread(target=some, args=(part,)) for part in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            server.measure()
            alive = server.ask("GET", "/healthz")[0]
        finally:
            server.stop()
        log = server.log.stat().st_size
        return {"requests": count, "statuses": dict(tenant.statuses), "faults": tenant.faults[:5], "log": log,
                "megabytes": round(server.peak), "held": not tenant.faults and log <= LOG and alive == 200}  # fmt: skip
