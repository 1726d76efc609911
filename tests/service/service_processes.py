"""The service in processes of its own that can be killed, and people who go on asking until they are answered.

Processes are forked from one that has imported everything, where that can be: a killed one is back in a moment.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import socket
import threading
import time
from http.client import HTTPConnection, HTTPException

CAN_FORK = "forkserver" in multiprocessing.get_all_start_methods()  # not on Windows
PROCESS_CONTEXT = multiprocessing.get_context("forkserver" if CAN_FORK else "spawn")
if CAN_FORK:
    PROCESS_CONTEXT.set_forkserver_preload(["isegoria.service.app", "isegoria.service.server", "uvicorn", "psycopg"])


def serve_in_process(address: str, port: int, speed: float | None, began: float) -> None:
    """Serve on this store and port; with a `speed`, the service's clock runs so much faster, and is looked at often."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    from isegoria.service.app import create_app
    from isegoria.service.http.limits import ConnectionLimits
    from isegoria.service.scheduling import scheduler
    from isegoria.service.server import bind_socket, make_server
    from isegoria.service.settings import Settings

    limits = {"streams_from_one": 2000, "streams_of_group": 2000, "ratings": (10**9, 1), "deeds": (10**9, 1)}
    while True:
        try:
            app = create_app(Settings(store=address, keeps_time=speed is not None, **limits))
            break
        except Exception:  # the database is not up again
            time.sleep(0.05)
    if speed is not None:
        scheduler.TICK_SECONDS = 0.02
        app.state.service.groups.clock = lambda: began + (time.time() - began) * speed
        app.state.service.scheduler.monotonic = lambda: time.monotonic() * speed
    make_server(app, ConnectionLimits(most=2000, from_one=2000)).run(sockets=[bind_socket("127.0.0.1", port)])


class ServiceProcess:
    """One process of the service, which can be killed and started again on the same port."""

    def __init__(self, address: str, speed: float | None = None, began: float = 0.0):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.arguments = (address, self.port, speed, began)
        self.start()

    def start(self) -> None:
        self.child = PROCESS_CONTEXT.Process(target=serve_in_process, args=self.arguments, daemon=True)
        self.child.start()

    def kill(self) -> None:
        """SIGKILL: no handler, no flush, no goodbye."""
        self.child.kill()
        self.child.join()

    def ready(self) -> ServiceProcess:
        """Wait until it answers."""
        person = RetryingClient(self, "", None)
        person.ask("GET", "/healthz")
        person.close()
        return self

    def stop(self) -> None:
        self.child.terminate()
        self.child.join(10)
        if self.child.is_alive():
            self.kill()


class RetryingClient:
    """Asks until she is answered, with the same idempotency key each time, as a good client does."""

    def __init__(self, process: ServiceProcess, group: str, token: str | None):
        self.process, self.group, self.token = process, group, token
        self._line: HTTPConnection | None = None
        self.keys = 0

    def ask(self, method: str, path: str, body: dict | None = None, key: str = "", patience: float = 60.0):
        """(status, body) of the first answer that is not a refusal of the moment."""
        headers = {"content-type": "application/json", "idempotency-key": key}
        if self.token:
            headers["authorization"] = f"Bearer {self.token}"
        until = time.monotonic() + patience
        while True:
            try:
                if self._line is None:
                    self._line = HTTPConnection("127.0.0.1", self.process.port, timeout=20)
                self._line.request(method, path, json.dumps(body) if body is not None else None, headers)
                answer = self._line.getresponse()
                found = answer.status, answer.read()
                if found[0] not in (500, 503):
                    return found
                assert found[0] == 503, found[1]
            except (OSError, HTTPException):
                self.close()
            assert time.monotonic() < until, f"no answer to {method} {path}"
            time.sleep(0.01)

    def close(self) -> None:
        """Hang up."""
        if self._line is not None:
            self._line.close()
        self._line = None

    def post(self, path: str, body: dict | None = None) -> tuple[int, dict]:
        self.keys += 1
        key = f"{path}-{self.keys}-sent-until-answered"
        status, found = self.ask("POST", f"/api/groups/{self.group}/{path}", body or {}, key)
        return status, json.loads(found)

    def get(self, path: str = "") -> bytes:
        return self.ask("GET", f"/api/groups/{self.group}{'/' if path else ''}{path}")[1]


def create_group(process: ServiceProcess, body: dict) -> dict:
    """A new group: its name and its tokens."""
    person = RetryingClient(process, "", None)
    status, found = person.ask("POST", "/api/groups", body, f"new-{random.random()}")
    person.close()
    assert status == 201, found
    made = json.loads(found)
    organiser = RetryingClient(process, made["group"], made["organiser"])
    made["members"] = {name: issue_link(organiser, number) for name, number in made["members"].items()}
    organiser.close()
    return made


def issue_link(organiser, number: int) -> str:
    """A private link for one member, asked for until it is shown: its answer is not repeated."""
    while True:
        status, found = organiser.post("links", {"number": number})
        if status == 201:
            return found["token"]
        assert status == 409, found


class GroupUnderLoad:
    """A group under load: members rate without pause, the organiser freezes and draws, until told to stop."""

    def __init__(self, process: ServiceProcess, members: int = 4, learner: str | None = None):
        self.process, self.stop = process, threading.Event()
        body = {
            "title": "Lunch",
            "arms": ["Thai", "Pizza", "Salad"],
            "members": [f"M{n}" for n in range(members)],
            "block": 1,
            "learner": learner,
            "scale": [0, 1000000],
        }
        made = create_group(process, body)
        self.group = made["group"]
        self.organiser = RetryingClient(process, self.group, made["organiser"])
        self.members = [RetryingClient(process, self.group, token) for token in made["members"].values()]
        self.said: list[int] = [0] * members
        self.draws = 0
        self.failed: list[BaseException] = []
        self.learns = learner is not None
        self.threads = [threading.Thread(target=self._guarded, args=(self._rate, n)) for n in range(members)]
        self.threads.append(threading.Thread(target=self._guarded, args=(self._decide,)))

    def _guarded(self, work, *arguments) -> None:
        try:
            work(*arguments)
        except BaseException as error:
            self.failed.append(error)
            self.stop.set()

    def _rate(self, number: int) -> None:
        """Count up in ratings of one option: what was acknowledged last must never be less than what is stored."""
        member, rated = self.members[number], 0
        while not self.stop.is_set():
            if self.learns:
                you = json.loads(member.get())["you"]["to_rate"]
                if you and you[0]["round"] > rated:
                    body = {"round": you[0]["round"], "slot": 0, "values": {you[0]["arm"]: you[0]["round"]}}
                    status, answer = member.post("ratings", body)
                    assert status in (200, 409), answer
                    rated = you[0]["round"]
                    self.said[number] += status == 200
                continue
            value = self.said[number] + 1
            status, answer = member.post("ratings", {"round": None, "slot": None, "values": {"Thai": value}})
            assert status == 200, answer
            self.said[number] = value

    def _decide(self) -> None:
        while not self.stop.is_set():
            status, answer = self.organiser.post("freeze")
            assert status in (200, 201), answer
            status, answer = self.organiser.post("draw")
            assert status in (200, 201), answer
            self.draws += 1

    def start(self) -> GroupUnderLoad:
        for thread in self.threads:
            thread.start()
        return self

    def finish(self) -> None:
        self.stop.set()
        for thread in self.threads:
            thread.join()
        for person in (self.organiser, *self.members):
            person.close()
        if self.failed:
            raise self.failed[0]
