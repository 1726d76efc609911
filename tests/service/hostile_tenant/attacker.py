"""Whoever attacks: several attacks at once, each on a thread, until told to stop; every answer is counted."""

from __future__ import annotations

import contextlib
import json
import random
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from http.client import HTTPException

from hostile_tenant.server_process import ServerProcess

ADDRESS_COUNT = 16  # from which it comes: what one address may not do, another may


def pick_address() -> str:
    """One of its addresses, all on this machine."""
    return f"127.0.1.{random.randint(1, ADDRESS_COUNT)}"


class Attacker:
    """Everything at once, each on a thread, until told to stop; every answer is counted."""

    def __init__(self, server: ServerProcess, attacks: Sequence[Callable] = (), seed: int = 1):
        self.server, self.stop, self.seed, self.leaving = server, threading.Event(), seed, False
        self.statuses: Counter[int] = Counter()
        self.faults: list[tuple[str, int, bytes]] = []
        self.times: Counter[str] = Counter()
        self.threads = [threading.Thread(target=self._again, args=(attack,), daemon=True) for attack in attacks]

    def __enter__(self) -> Attacker:
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *error) -> None:
        self.stop.set()
        for thread in self.threads:
            thread.join(90)

    def _again(self, attack) -> None:
        chance = random.Random(f"{self.seed} {attack.__name__}")
        while not self.stop.is_set():
            with contextlib.suppress(OSError, HTTPException):  # refused, reset, timed out: an attacker's own trouble
                attack(self, chance)
            self.times[attack.__name__] += 1
            self.stop.wait(0.05)

    def note(self, what: str, answer: tuple[int, bytes]) -> tuple[int, bytes]:
        self.statuses[answer[0]] += 1
        if answer[0] >= 500 and not (self.leaving and answer[0] == 503):  # a server that is being stopped may say so
            self.faults.append((what, answer[0], answer[1][:300]))
        return answer

    def post(self, path, body, token=None, **more):
        answer = self.server.post(path, body, token, source=pick_address(), **more)
        return self.note(f"POST {path} {str(body)[:80]}", answer)

    def ask(self, method, path, body=None, headers=None):
        answer = self.server.ask(method, path, body, headers, 45, pick_address())
        return self.note(f"{method} {path} {str(body)[:80]}", answer)

    def group(self, **terms):
        body = {"title": "Mine", "arms": ["a", "b"], "members": ["X", "Y", "Z"], "block": 1} | terms
        status, said = self.post("/api/groups", body)
        if status != 201:
            return None
        made, tokens = json.loads(said), {}
        for name, number in list(made["members"].items())[:100]:
            status, said = self.post(f"/api/groups/{made['group']}/links", {"number": number}, made["organiser"])
            tokens |= {name: json.loads(said)["token"]} if status == 201 else {}
        return made | {"members": tokens}
