"""A trial: the attacks beside the neighbours for so long, or so many malformed requests; what was seen of it."""

from __future__ import annotations

import contextlib
import random
import tempfile
import threading
import time
from http.client import HTTPException

from hostile_tenant.attacker import Attacker
from hostile_tenant.attacks import ATTACKS
from hostile_tenant.bystander import BystanderGroup
from hostile_tenant.malformed import send_malformed_request
from hostile_tenant.server_process import DAY, ServerProcess

MAX_LATE_SECONDS, MEGABYTES, WITH_CHILDREN, MAX_LOG_BYTES, MAX_SHUTDOWN_SECONDS = 10.0, 400, 900, 2 * 2**20, 5.0
FIRST_DRAW_GRACE_SECONDS = 60.0
"""Seconds more for the first draw: when in a day it comes depends on the time at which a trial begins."""


def run_trial(address: str, seconds: float, seconds_a_day: float, seed: int = 1) -> dict:
    """What happened in so many seconds."""
    with tempfile.TemporaryDirectory() as folder:
        server = ServerProcess(address, folder, seconds_a_day)
        try:
            neighbour, other = BystanderGroup(server), BystanderGroup(server, every=5)
            server.neighbour = neighbour.group
            with Attacker(server, ATTACKS, seed) as tenant:
                until = time.monotonic() + seconds
                while time.monotonic() < until or not (
                    neighbour.drawn or time.monotonic() > until + FIRST_DRAW_GRACE_SECONDS
                ):
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
            "draws": len(late),
            "by_beacon": len(by_beacon),
            "latest_by_beacon": round(max(by_beacon, default=-1.0), 1),
            "latest": round(max(late, default=-1.0), 1),
            "statuses": dict(tenant.statuses),
            "faults": tenant.faults[:5],
            "megabytes": round(server.peak),
            "with_children": round(server.with_children),
            "log": server.log.stat().st_size,
            "goodbye": round(goodbye, 1),
            "attacks": dict(tenant.times),
            "median_look": round(sorted(neighbour.looks)[len(neighbour.looks) // 2], 3),
        }
        told["held"] = (
            len(late) >= int(seconds / seconds_a_day) - 1
            and told["latest"] <= MAX_LATE_SECONDS
            and not tenant.faults
            and len(by_beacon) >= int((seconds - 2 * seconds_a_day) / (5 * seconds_a_day))
            and told["latest_by_beacon"] <= MAX_LATE_SECONDS
            and told["megabytes"] <= MEGABYTES
            and told["with_children"] <= WITH_CHILDREN
            and told["log"] <= MAX_LOG_BYTES
            and goodbye <= MAX_SHUTDOWN_SECONDS
        )
        if not told["held"]:
            print(server.log.read_text(errors="replace")[-3000:])
        return told


def run_malformed_trial(address: str, count: int, seed: int = 2) -> dict:
    """So many malformed requests, one after the other on four threads; what was answered."""
    with tempfile.TemporaryDirectory() as folder:
        server = ServerProcess(address, folder, DAY)
        try:
            server.neighbour = ""
            tenant = Attacker(server, seed=seed)

            def some(part: int) -> None:
                chance = random.Random(f"{seed} {part}")
                for _ in range(count // 4):
                    with contextlib.suppress(OSError, HTTPException, ValueError):
                        send_malformed_request(tenant, chance)

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
        return {
            "requests": count,
            "statuses": dict(tenant.statuses),
            "faults": tenant.faults[:5],
            "log": log,
            "megabytes": round(server.peak),
            "held": not tenant.faults and log <= MAX_LOG_BYTES and alive == 200,
        }
