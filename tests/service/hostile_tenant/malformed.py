"""Requests that nobody should send: wrong bytes, headers, paths and bodies."""

from __future__ import annotations

import contextlib
import json
import random
import socket
from urllib.parse import quote, urlencode

from hostile_tenant.attacker import Attacker

ODD_STRINGS = [
    "",
    "é",
    "²",
    "\0",
    "%00",
    "../..",
    "1e309",
    "-1",
    "null",
    "[]",
    "{}",
    "[[[[",
    '"',
    "𝟙",
    "\u202e",
    "a" * 5000,
    "0",
    "true",
    "9" * 400,
    "NaN",
    "1;=1+1",
    "k",
    "\ud7ff",
    "%ff",
]
ROUTES = (
    "",
    "/events?once=1",
    "/record",
    "/calendar.ics",
    "/receipt",
    "/voice",
    "/names",
    "/export",
    "/links",
    "/session",
    "/session/end",
    "/ratings",
    "/keys",
    "/freeze",
    "/draw",
    "/override",
    "/options",
    "/mask",
    "/amend",
    "/timetable",
    "/people",
    "/people/leave",
    "/people/erase",
    "/coorganisers",
    "/settings",
    "/say",
    "/roster",
)
PAGES = ("", "/voice", "/group", "/organise", "/do/rate", "/do/freeze")
FIXED_PATHS = ("/", "/new", "/sheet", "/qr", "/healthz", "/openapi.json", "/static/app/x.js", "/verify/", "/api/groups")
PATHS = [*FIXED_PATHS, *(f"/g/{{}}{page}" for page in PAGES), *(f"/api/groups/{{}}{route}" for route in ROUTES)]
FIELDS = (
    "title",
    "arms",
    "members",
    "values",
    "round",
    "slot",
    "name",
    "number",
    "member",
    "token",
    "timetable",
    "mark",
    "csrf",
    "key",
    "arm²",
    "arm0",
    "event",
    "form",
    "value",
    "missing",
    "reason",
    "field",
    "signature",
    "unavailable",
)
CONTENT_TYPES = ("application/json", "application/json", "application/x-www-form-urlencoded", "text/plain", "")


def send_malformed_request(tenant: Attacker, chance: random.Random) -> None:
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
    whose = chance.choice((made["group"], made["group"], quote(chance.choice(ODD_STRINGS))))
    path = chance.choice(PATHS).replace("{}", whose)
    token = chance.choice((None, made["organiser"], *made["members"].values(), "x" * 24, "é"))
    key = chance.choice(("k", str(chance.random()), "", "x" * 300))
    headers = {"idempotency-key": key, "content-type": chance.choice(CONTENT_TYPES)}
    if token is not None and chance.random() < 0.6:
        headers["authorization"] = f"Bearer {token}".encode()
    elif token is not None:
        headers["cookie"] = f"isegoria-{made['group']}={token}; isegoria-explorer=é".encode()
    if chance.random() < 0.05:
        headers["host"] = chance.choice(("127.0.0.1:8000@evil.example", "[::1].evil.example", "é".encode(), ""))
    path += chance.choice(("", "", "?lang=", "?format=")) + quote(chance.choice(ODD_STRINGS)) * (chance.random() < 0.3)
    tenant.ask(
        chance.choice(("GET", "POST", "POST", "POST", "PUT")), path, _body(chance, headers["content-type"]), headers
    )


def _body(chance: random.Random, kind: str) -> bytes:
    if chance.random() < 0.1:
        return bytes(chance.randrange(256) for _ in range(200))
    fields = {chance.choice(FIELDS): chance.choice(ODD_STRINGS) for _ in range(chance.randrange(6))}
    if kind == "application/x-www-form-urlencoded":
        return urlencode(fields).encode()
    values = [*ODD_STRINGS, None, 1, -1, 2**53, 1e308, True, [], {}, [1, 2], {"a": 1}, {"a": None}, [[]]]
    return json.dumps({name: chance.choice(values) for name in fields}).encode()


def _raw(tenant: Attacker, data: bytes) -> None:
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
