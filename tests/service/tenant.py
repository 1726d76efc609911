"""A hostile tenant: every attack that is known, at once and without pause, beside a group that goes on as if alone.

`python tests/service/tenant.py` (`make stress`) runs it on SQLite and on PostgreSQL; a short one is in the tests. What
must hold: the neighbour's draws come in time, no answer is a 5xx, the server's memory and its log stay small, and
SIGTERM ends it in five seconds. The service's days are a minute long here, for the neighbour's sake.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections import Counter
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import quote, urlencode

HERE = Path(__file__).parent
HANGING = (HERE.parent / "data" / "hanging.ods").read_bytes()
DAY = 86400
LATE, MEGABYTES, WITH_CHILDREN, LOG, GOODBYE = 10.0, 400, 900, 2 * 2**20, 5.0
SERVER = """
import sys, time
from isegoria.service import scheduler
from isegoria.service.app import create_app
from isegoria.service.serving import bound, run
from isegoria.service.settings import Settings
from isegoria.record.sources import beacon
from isegoria.service import rounds
from record.records import LEAGUE
address, port, speed, began = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])
beacon.QUICKNET = {key: LEAGUE.source()[key] for key in ("scheme", "chain", "key", "genesis", "period")}
rounds.fetch = lambda chain, number, relay: LEAGUE.speak(number).hex()
settings = Settings(store=address, relay="http://relay.invalid")
app = create_app(settings)
service = app.state.service
service.groups.clock = lambda: began + (time.time() - began) * speed
service.scheduler.monotonic = lambda: time.monotonic() * speed
scheduler.OVERDUE *= speed
run(app, bound("127.0.0.1", port), settings.connections, settings.proxies)
"""


class Server:
    """The service in a process of its own, with a log, and what it used."""

    def __init__(self, address: str, folder: str, seconds_a_day: float):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address, self.speed, self.began = address, DAY / seconds_a_day, time.time()
        self.log = Path(folder) / "log"
        environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(HERE.parent)}
        command = [sys.executable, "-c", SERVER, address, str(self.port), str(self.speed), str(self.began)]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
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
            return answer.status, answer.read()
        finally:
            line.close()

    def post(self, path, body, token=None, key=None, **more):
        headers = {"content-type": "application/json", "idempotency-key": key or f"k{random.random()}"}
        headers |= {"authorization": f"Bearer {token}"} if token else {}
        return self.ask("POST", path, json.dumps(body), headers | more)

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


# -- the neighbour -----------------------------------------------------------------------------------------------------


class Neighbour:
    """A group with a timetable that wants nothing but its draws, and a member who looks at it.

    With `every`, it draws by a beacon (whose key is a test's) so many days apart.
    """

    def __init__(self, server: Server, every: int | None = None):
        self.server, self.looks = server, []
        body = {"title": "Neighbour", "arms": ["tea", "mate"], "members": ["Ann", "Ben"], "block": 1}
        if every is not None:
            body |= {"source": "beacon", "first": int(server.began) + DAY, "every": every * DAY}
        status, made = server.post("/api/groups", body)
        assert status == 201, made
        self.made = json.loads(made)
        self.group = self.made["group"]
        table = {"recurrence": "daily", "time": "12:00", "zone": "UTC", "lead": 720}
        path = f"/api/groups/{self.group}/timetable"
        assert server.post(path, {"timetable": table}, self.made["organiser"])[0] == 200

    def look(self) -> None:
        """Ask for the state from an address of her own, as a member's page does."""
        began = time.monotonic()
        token = self.made["members"]["Ann"]
        headers = {"authorization": f"Bearer {token}"}
        status, said = self.server.ask("GET", f"/api/groups/{self.group}", None, headers, source="127.0.0.2")
        assert status == 200, said
        self.looks.append(time.monotonic() - began)

    def lateness(self) -> list[float]:
        """Seconds (of real time) between each occasion and its draw."""
        from isegoria.service.groups import Groups
        from isegoria.service.store import open_store
        from isegoria.service.timetable import timetable_of

        store = open_store(self.server.address)
        try:
            with Groups(store).reading(self.group) as (state, session):
                times = [event.at for event in session.events(self.group) if event.kind == "draw"]
                occasions = [one.closing.occasion for one in state.rounds if one.draw is not None]
                table = timetable_of(state)
            pairs = zip(times, occasions, strict=True)
            return [(at - table.at(occasion)) / self.server.speed for at, occasion in pairs]
        finally:
            store.close()


# -- the attacks -------------------------------------------------------------------------------------------------------


class Tenant:
    """Everything at once, each on a thread, until told to stop; every answer is counted."""

    def __init__(self, server: Server, seed: int = 1):
        self.server, self.stop, self.seed, self.leaving = server, threading.Event(), seed, False
        self.statuses: Counter[int] = Counter()
        self.faults: list[tuple[str, int, bytes]] = []
        self.times: Counter[str] = Counter()
        self.threads = [threading.Thread(target=self._again, args=(attack,), daemon=True) for attack in ATTACKS]

    def __enter__(self) -> Tenant:
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
        return self.note(f"POST {path} {str(body)[:80]}", self.server.post(path, body, token, **more))

    def ask(self, method, path, body=None, headers=None):
        return self.note(f"{method} {path} {str(body)[:80]}", self.server.ask(method, path, body, headers, 45))

    def group(self, **terms):
        body = {"title": "Mine", "arms": ["a", "b"], "members": ["X", "Y", "Z"], "block": 1} | terms
        status, said = self.post("/api/groups", body)
        return json.loads(said) if status == 201 else None


def workbook_of_two_cells() -> bytes:
    """1.4 kB that span twenty million cells."""
    import openpyxl

    book, stream = openpyxl.Workbook(), io.BytesIO()
    book.active["A1"], book.active["CV200000"] = "agent", 1
    book.save(stream)
    return stream.getvalue()


def zip_bomb() -> bytes:
    """200 kB of a document that unpacks to 190 MB."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("content.xml", b"<a>" + b" " * (185 * 2**20) + b"</a>")
    return stream.getvalue()


WIDE = b"agent," + b",".join(b"arm%d" % k for k in range(30_000)) + b"\nAnn" + b",1" * 30_000 + b"\n"
FILES = [
    ("a.ods", HANGING),
    ("a.xlsx", workbook_of_two_cells()),
    ("b.ods", zip_bomb()),
    ("a.npz", b"PK" * 500),
    ("a.csv", WIDE),
    ("a.\0csv", b"agent,tea\nAnn,1\n"),
    ("a." + "😀" * 150, b"x"),
    ("a.csv", b"agent,Arm \r,Arm 2\nAnn,1,1\n"),
]


def strange_tables(tenant: Tenant, chance: random.Random) -> None:
    """Files that hang, unpack to gigabytes or are nonsense, sixteen at a time."""

    def send(name: str, data: bytes) -> None:
        with contextlib.suppress(OSError, HTTPException):
            tenant.ask("POST", f"/sheet?name={quote(name)}", data, {"content-type": "application/octet-stream"})

    threads = [threading.Thread(target=send, args=chance.choice(FILES)) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def far_ends(tenant: Tenant, chance: random.Random) -> None:
    """Scales and dates at the end of what numbers and calendars have."""
    tenant.post("/api/groups", {"title": "S", "arms": ["a", "b"], "members": ["X"], "scale": [-1.7e308, 1.7e308]})
    made = tenant.group(scale=[-1e6, 1e6])
    if made is None:
        return
    path, organiser = f"/api/groups/{made['group']}", made["organiser"]
    for name, token in made["members"].items():
        tenant.post(f"{path}/ratings", {"round": None, "slot": None, "values": {"a": -1e6, "b": 1e6}}, token)
        del name
    for start in ("9999-12-31", "0001-01-01", "2034-01-01", None):
        table = {"recurrence": "daily", "time": "23:59", "zone": "America/New_York", "start": start, "lead": 10080}
        tenant.post(f"{path}/timetable", {"timetable": table}, organiser)
        tenant.ask("GET", f"{path}/calendar.ics")
        tenant.ask("GET", f"/g/{made['group']}")
    for first in (2**53 - 1, 1_692_803_367):
        beacon = tenant.group(source="beacon", first=first, every=60)
        if beacon is not None:
            where = f"/api/groups/{beacon['group']}"
            tenant.post(f"{where}/timetable", {"timetable": {"lead": 1}}, beacon["organiser"])
            for page in (where, f"{where}/calendar.ics", f"/g/{beacon['group']}", f"/g/{beacon['group']}/group"):
                tenant.ask("GET", page)


def bricks(tenant: Tenant, chance: random.Random) -> None:
    """A learning group: refused freezes, people erased in every phase, and freezes again."""
    made = tenant.group(learner="guided", source="dice", arms=["a", "b", "c"])
    if made is None:
        return
    path, organiser = f"/api/groups/{made['group']}", made["organiser"]
    for _ in range(4):
        tenant.post(f"{path}/freeze", {"event": "dice", "form": [9, 9, 1, 7]}, organiser)
        tenant.post(f"{path}/freeze", {"event": "the dice of noon", "form": [3, 1, 6, 0]}, organiser)
        tenant.post(f"{path}/draw", {"value": [1, 2, 3], "missing": "wait"}, organiser)
        for token in made["members"].values():
            tenant.post(f"{path}/ratings", {"round": 1, "slot": 0, "values": {"a": 1}}, token)
        tenant.post(f"{path}/people/erase", {"member": chance.randrange(3)}, organiser)
    tenant.post(f"{path}/end", {}, organiser)
    tenant.post(f"{path}/people/erase", {"member": 2}, organiser)


def idle_sockets(tenant: Tenant, chance: random.Random) -> None:
    """Hundreds of half requests, and hundreds of streams; held for a while."""
    opened = []
    try:
        for number in range(600):
            one = socket.create_connection(("127.0.0.1", tenant.server.port), timeout=5)
            opened.append(one)
            path = f"/api/groups/{tenant.server.neighbour}/events" if number % 2 else "/"
            one.sendall(f"GET {path} HTTP/1.1\r\nhost: localhost\r\n".encode() + (b"" if number % 3 else b"\r\n"))
            if tenant.stop.is_set():
                return
        tenant.stop.wait(5)
    finally:
        for one in opened:
            one.close()


def heavy_bodies(tenant: Tenant, chance: random.Random) -> None:
    """Work that once grew with the square: names of which one is doubled, and thousands of links with pictures."""
    names = [f"member {number}" for number in range(20_000)]
    tenant.post("/api/groups", {"title": "N", "arms": ["a"], "members": [*names[:-1], names[0]]})
    fields = urlencode({"title": "Q", "arms": "a\nb", "members": "\n".join(names[:2000]), "key": str(chance.random())})
    tenant.ask("POST", "/new", fields, {"content-type": "application/x-www-form-urlencoded"})


def ratings_without_end(tenant: Tenant, chance: random.Random) -> None:
    """One member rates a thousand options again and again."""
    arms = [f"option {number}" for number in range(1000)]
    made = tenant.group(arms=arms)
    if made is None:
        return
    path, token = f"/api/groups/{made['group']}/ratings", made["members"]["X"]
    for number in range(60):
        values = {arm: (number + place) % 6 for place, arm in enumerate(arms)}
        if tenant.post(path, {"round": None, "slot": None, "values": values}, token)[0] == 429:
            return


def large_records(tenant: Tenant, chance: random.Random) -> None:
    """Many fetch a record of megabytes at once; some take nothing of it."""
    held = getattr(tenant, "large", None)
    if held is None:
        made = tenant.group(arms=[f"option {n}" for n in range(300)], members=[f"M{n}" for n in range(300)])
        if made is None:
            return
        for number, token in enumerate(list(made["members"].values())[:100]):
            values = {f"option {(number * 7 + k) % 300}": 5 for k in range(3)}
            body = {"round": None, "slot": None, "values": values}
            tenant.post(f"/api/groups/{made['group']}/ratings", body, token)
        for _ in range(8):
            tenant.post(f"/api/groups/{made['group']}/freeze", {"event": None, "form": None}, made["organiser"])
            tenant.post(f"/api/groups/{made['group']}/draw", {"value": None}, made["organiser"])
        tenant.large = held = made["group"]
    path = f"/api/groups/{held}/record"
    opened = [socket.create_connection(("127.0.0.1", tenant.server.port), timeout=5) for _ in range(16)]
    try:
        for one in opened:
            one.sendall(f"GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n".encode())
        tenant.ask("GET", path)
    finally:
        for one in opened:
            one.close()


def held_database(tenant: Tenant, chance: random.Random) -> None:
    """Another program holds the database for seconds at a time."""
    tenant.stop.wait(5)
    if tenant.server.address.startswith("sqlite"):
        rival = sqlite3.connect(tenant.server.address.removeprefix("sqlite:///"), isolation_level=None, timeout=5)
        try:
            rival.execute("BEGIN IMMEDIATE")
            tenant.stop.wait(2)
            rival.execute("ROLLBACK")
        except sqlite3.OperationalError:
            return
        finally:
            rival.close()


def malformed(tenant: Tenant, chance: random.Random) -> None:
    """A few dozen requests that nobody should send."""
    for _ in range(40):
        malformed_request(tenant, chance)


WORDS = ["", "é", "²", "\0", "%00", "../..", "1e309", "-1", "null", "[]", "{}", "[[[[", '"', "𝟙", "\u202e", "a" * 5000,
         "0", "true", "9" * 400, "NaN", "1;=1+1", "k", "\ud7ff", "%ff"]  # fmt: skip
ROUTES = (
    "", "/events?once=1", "/record", "/calendar.ics", "/receipt", "/voice", "/names", "/export", "/links", "/session",
    "/session/end", "/ratings", "/keys", "/freeze", "/draw", "/override", "/options", "/mask", "/amend", "/timetable",
    "/people", "/people/leave", "/people/erase", "/coorganisers", "/settings", "/say", "/roster",
)  # fmt: skip
PAGES = ("", "/voice", "/group", "/organise", "/do/rate", "/do/freeze")
PLAIN = ("/", "/new", "/sheet", "/qr", "/healthz", "/openapi.json", "/static/app/x.js", "/verify/", "/api/groups")
PATHS = [*PLAIN, *(f"/g/{{}}{page}" for page in PAGES), *(f"/api/groups/{{}}{route}" for route in ROUTES)]
FIELDS = (
    "title", "arms", "members", "values", "round", "slot", "name", "number", "member", "token", "timetable", "mark",
    "csrf", "key", "arm²", "arm0", "event", "form", "value", "missing", "reason", "field", "signature", "unavailable",
)  # fmt: skip
KINDS = ("application/json", "application/json", "application/x-www-form-urlencoded", "text/plain", "")


def malformed_request(tenant: Tenant, chance: random.Random) -> None:
    """One request with something wrong in it: its bytes, its headers, its path or its body."""
    made = getattr(tenant, "own", None)
    if made is None:
        made = tenant.own = tenant.group()
        if made is None:
            tenant.own = None
            return
    kind = chance.randrange(10)
    if kind == 0:
        raw = bytes(chance.randrange(256) for _ in range(chance.choice((1, 20, 400))))
        _raw(tenant, chance.choice((b"", b"GET ", b"POST / HTTP/1.1\r\n")) + raw + b"\r\n\r\n")
        return
    if kind == 1:
        _raw(tenant, b"POST /api/groups HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5000\r\n\r\n{")
        return
    whose = chance.choice((made["group"], made["group"], quote(chance.choice(WORDS))))
    path = chance.choice(PATHS).replace("{}", whose)
    token = chance.choice((None, made["organiser"], *made["members"].values(), "x" * 24, "é"))
    key = chance.choice(("k", str(chance.random()), "", "x" * 300))
    headers = {"idempotency-key": key, "content-type": chance.choice(KINDS)}
    if token is not None and chance.random() < 0.6:
        headers["authorization"] = f"Bearer {token}".encode()
    elif token is not None:
        headers["cookie"] = f"isegoria-{made['group']}={token}; isegoria-explorer=é".encode()
    if chance.random() < 0.05:
        headers["host"] = chance.choice(("127.0.0.1:8000@evil.example", "[::1].evil.example", "é".encode(), ""))
    path += chance.choice(("", "", "?lang=", "?format=")) + quote(chance.choice(WORDS)) * (chance.random() < 0.3)
    tenant.ask(
        chance.choice(("GET", "POST", "POST", "POST", "PUT")), path, _body(chance, headers["content-type"]), headers
    )


def _body(chance: random.Random, kind: str) -> bytes:
    if chance.random() < 0.1:
        return bytes(chance.randrange(256) for _ in range(200))
    fields = {chance.choice(FIELDS): chance.choice(WORDS) for _ in range(chance.randrange(6))}
    if kind == "application/x-www-form-urlencoded":
        return urlencode(fields).encode()
    values = [*WORDS, None, 1, -1, 2**53, 1e308, True, [], {}, [1, 2], {"a": 1}, {"a": None}, [[]]]
    return json.dumps({name: chance.choice(values) for name in fields}).encode()


def _raw(tenant: Tenant, data: bytes) -> None:
    with socket.create_connection(("127.0.0.1", tenant.server.port), timeout=5) as one:
        one.sendall(data)
        if data.endswith(b"{"):
            return  # and hang up
        one.shutdown(socket.SHUT_WR)
        said = b""
        with contextlib.suppress(OSError):
            said = one.recv(400)
        if said.startswith(b"HTTP/1.1 "):
            tenant.note(f"raw {data[:60]!r}", (int(said[9:12]), said))


ATTACKS = (strange_tables, far_ends, bricks, idle_sockets, heavy_bodies, ratings_without_end, large_records,
           held_database, malformed)  # fmt: skip


# -- the whole ---------------------------------------------------------------------------------------------------------


def trial(address: str, seconds: float, seconds_a_day: float, seed: int = 1) -> dict:
    """What happened in so many seconds."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(address, folder, seconds_a_day)
        try:
            neighbour, other = Neighbour(server), Neighbour(server, every=5)
            server.neighbour = neighbour.group
            with Tenant(server, seed) as tenant:
                until = time.monotonic() + seconds
                while time.monotonic() < until:
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
            tenant = Tenant(server, seed)

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


def main() -> int:
    """All of it, on both databases."""
    from postgres_server import PostgresServer

    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--seconds", type=float, default=310)
    asked.add_argument("--requests", type=int, default=20_000)
    given = asked.parse_args()
    held = True
    with tempfile.TemporaryDirectory() as folder:
        postgres = PostgresServer(own=True)
        addresses = {"SQLite": lambda: f"sqlite:///{folder}/{random.random()}.db", "PostgreSQL": postgres.database}
        try:
            for name, address in addresses.items():
                told = trial(address(), given.seconds, 60)
                print(f"{name}, a hostile tenant for {given.seconds:.0f} s: {told}", flush=True)
                more = many_malformed(address(), given.requests)
                print(f"{name}, malformed requests: {more}", flush=True)
                held = held and told["held"] and more["held"]
        finally:
            postgres.stop()
    return 0 if held else 1


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    sys.exit(main())
