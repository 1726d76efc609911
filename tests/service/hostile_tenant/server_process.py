"""The service in a process of its own, whose days are as short as a trial needs, and what it used."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from isegoria.service.server import bind_socket

TESTS = Path(__file__).parents[2]
DAY = 86400
SERVER_SCRIPT = """
import socket, sys, time
from isegoria.service.scheduling import scheduler
from isegoria.service.app import create_app
from isegoria.service.server import run_server
from isegoria.service.settings import Settings
from isegoria.record.sources import beacon
from isegoria.service.actions import draw_round
from record.record_factory import LEAGUE
address, listening, speed, began = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])
beacon.QUICKNET_CHAIN = {key: LEAGUE.source()[key] for key in ("scheme", "chain", "key", "genesis", "period")}
draw_round.fetch_signature = lambda chain, number, relay: LEAGUE.speak(number).hex()
settings = Settings(store=address, relay="http://relay.invalid")
app = create_app(settings)
service = app.state.service
service.groups.clock = lambda: began + (time.time() - began) * speed
service.scheduler.monotonic = lambda: time.monotonic() * speed
scheduler.OVERDUE_SECONDS *= speed
run_server(app, socket.socket(fileno=listening), settings.connections, settings.proxies)
"""


class ServerProcess:
    """The service in a process of its own, with a log, and what it used."""

    def __init__(self, address: str, folder: str, seconds_a_day: float):
        listening = bind_socket("127.0.0.1", 0)
        self.port = listening.getsockname()[1]
        self.address, self.speed, self.began = address, DAY / seconds_a_day, time.time()
        self.log = Path(folder) / "log"
        environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(TESTS)}
        told = map(str, (address, listening.fileno(), self.speed, self.began))
        with self.log.open("wb") as log, listening:
            self.process = subprocess.Popen(
                [sys.executable, "-c", SERVER_SCRIPT, *told],
                stdout=log,
                stderr=log,
                env=environment,
                pass_fds=[listening.fileno()],
            )
        self.peak = self.with_children = 0.0
        until = time.monotonic() + 120
        while True:
            with contextlib.suppress(OSError, HTTPException):
                if self.ask("GET", "/healthz")[0] == 200:
                    return
            assert time.monotonic() < until, self.log.read_text()[-2000:]
            assert self.process.poll() is None, self.log.read_text()[-2000:]
            time.sleep(0.05)

    def ask(self, method, path, body=None, headers=None, timeout=60.0, source="127.0.0.1"):
        line = HTTPConnection("127.0.0.1", self.port, timeout=timeout, source_address=(source, 0))
        try:
            line.request(method, path, body, headers or {})
            answer = line.getresponse()
            if "event-stream" in answer.headers.get("content-type", ""):  # which has no end
                return answer.status, answer.readline()
            return answer.status, answer.read()
        finally:
            line.close()

    def post(self, path, body, token=None, key=None, source="127.0.0.1", **more):
        headers = {"content-type": "application/json", "idempotency-key": key or f"k{random.random()}"}
        headers |= {"authorization": f"Bearer {token}"} if token else {}
        return self.ask("POST", path, json.dumps(body), headers | more, source=source)

    def issue_links(self, made: dict, most: int = 100, **source) -> dict[str, str]:
        """Private links of the first members of a new group, as its organiser may ask for them."""
        tokens, path = {}, f"/api/groups/{made['group']}/links"
        for name, number in list(made["members"].items())[:most]:
            status, found = self.post(path, {"number": number}, made["organiser"], **source)
            tokens |= {name: json.loads(found)["token"]} if status == 201 else {}
        return tokens

    def measure(self) -> None:
        """Note the memory of the server, and with that of its children."""
        own = _resident(self.process.pid)
        children = subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True).stdout.split()
        self.peak = max(self.peak, own)
        self.with_children = max(self.with_children, own + sum(map(_resident, map(int, children))))

    def stop(self) -> float:
        """The seconds that it took to end after SIGTERM."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        return time.monotonic() - began


def _resident(pid: int) -> float:
    """Megabytes."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS")), 0.0)
