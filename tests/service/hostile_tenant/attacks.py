"""The attacks, each of which once stopped a server: files, bodies, sockets, locks, and groups made to break."""

from __future__ import annotations

import contextlib
import io
import random
import socket
import subprocess
import sys
import threading
import zipfile
from http.client import HTTPException
from urllib.parse import quote, urlencode

from hostile_tenant.attacker import Attacker
from hostile_tenant.malformed import send_malformed_request
from hostile_tenant.server_process import TESTS

HANGING_FILE = (TESTS / "data" / "hanging.ods").read_bytes()


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


WIDE_TABLE = b"agent," + b",".join(b"arm%d" % k for k in range(30_000)) + b"\nAnn" + b",1" * 30_000 + b"\n"
HOSTILE_FILES = [
    ("a.ods", HANGING_FILE),
    ("a.xlsx", workbook_of_two_cells()),
    ("b.ods", zip_bomb()),
    ("a.npz", b"PK" * 500),
    ("a.csv", WIDE_TABLE),
    ("a.\0csv", b"agent,tea\nAnn,1\n"),
    ("a." + "😀" * 150, b"x"),
    ("a.csv", b"agent,Arm \r,Arm 2\nAnn,1,1\n"),
]


def upload_hostile_files(tenant: Attacker, chance: random.Random) -> None:
    """Files that hang, unpack to gigabytes or are nonsense, sixteen at a time."""

    def send(name: str, data: bytes) -> None:
        with contextlib.suppress(OSError, HTTPException):
            tenant.ask("POST", f"/sheet?name={quote(name)}", data, {"content-type": "application/octet-stream"})

    threads = [threading.Thread(target=send, args=chance.choice(HOSTILE_FILES)) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def send_extreme_values(tenant: Attacker, chance: random.Random) -> None:
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


def break_learning_groups(tenant: Attacker, chance: random.Random) -> None:
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


def hold_idle_sockets(tenant: Attacker, chance: random.Random) -> None:
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


def send_heavy_bodies(tenant: Attacker, chance: random.Random) -> None:
    """Work that once grew with the square: names of which one is doubled, and thousands of links with pictures."""
    names = [f"member {number}" for number in range(20_000)]
    tenant.post("/api/groups", {"title": "N", "arms": ["a"], "members": [*names[:-1], names[0]]})
    fields = urlencode({"title": "Q", "arms": "a\nb", "members": "\n".join(names[:2000]), "key": str(chance.random())})
    tenant.ask("POST", "/new", fields, {"content-type": "application/x-www-form-urlencoded"})


def flood_ratings(tenant: Attacker, chance: random.Random) -> None:
    """One member rates a thousand options again and again."""
    arms = [f"option {number}" for number in range(1000)]
    made = tenant.group(arms=arms)
    if made is None:
        return
    path, token = f"/api/groups/{made['group']}/ratings", made["members"].get("X")
    for number in range(60):
        values = {arm: (number + place) % 6 for place, arm in enumerate(arms)}
        if tenant.post(path, {"round": None, "slot": None, "values": values}, token)[0] == 429:
            return


def fetch_large_records(tenant: Attacker, chance: random.Random) -> None:
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


LOCKING_PROGRAM = """
import sqlite3, sys, time
rival = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=5)
rival.execute("BEGIN IMMEDIATE")
time.sleep(2)
rival.execute("ROLLBACK")
"""


def lock_database(tenant: Attacker, chance: random.Random) -> None:
    """Another program holds the database for two seconds at a time."""
    tenant.stop.wait(5)
    if tenant.server.address.startswith("sqlite"):
        path = tenant.server.address.removeprefix("sqlite:///")
        subprocess.run([sys.executable, "-c", LOCKING_PROGRAM, path], stderr=subprocess.DEVNULL, check=False)


def send_malformed_batch(tenant: Attacker, chance: random.Random) -> None:
    """A few dozen requests that nobody should send."""
    for _ in range(40):
        send_malformed_request(tenant, chance)


ATTACKS = (
    upload_hostile_files,
    send_extreme_values,
    break_learning_groups,
    hold_idle_sockets,
    send_heavy_bodies,
    flood_ratings,
    fetch_large_records,
    lock_database,
    send_malformed_batch,
)
