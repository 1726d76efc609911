"""Attacks over HTTP on an honest server, with a set clock: a void, a backdated say, a say after the beacon spoke."""

from __future__ import annotations

import sys
import tempfile
from hashlib import sha256
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "service"))

from api_clients import GroupClient, SampleGroup, make_client
from starlette.testclient import TestClient

from isegoria.record.format.lines import encode_statement
from isegoria.record.signing.ed25519 import sign
from isegoria.record.state.group import Group
from isegoria.service.store import open_store

NOW = 1_789_041_600
SEED = sha256(b"Bob").digest()
HTTP = {
    "a void": (404, "there is no such page"),
    "a backdated say": (409, "differ by 62 s"),
    "a say after the beacon spoke": (409, "has spoken; sign again after the draw."),
    "a draw before it spoke": (409, "the beacon speaks in"),
    "another freeze in place of a beacon's round": (409, "draw it before the next one, however late"),
    "a key of small order": (400, "no key that could ever sign"),
    "a member's link used unseen by the organiser": (200, "a program (link)"),
    "a guesser behind the school's address": (200, "people"),
    "a name taken on the join page by the organiser": (409, "is taken on another device"),
    "a link issued again by the organiser": (200, '"by":"organiser"'),
}
"""Each row, its status, and words of the answer."""


def answers() -> dict[str, tuple[int, str]]:
    """By row: (status, body) that the server gives."""
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(f"sqlite:///{Path(folder) / 'groups.db'}")
        with make_client(store) as client:
            found = _asked(client, client.app.state.service.groups)
        store.close()
    return {row: (answer.status_code, answer.text) for row, answer in found.items()}


def _asked(client, groups) -> dict:
    groups.clock = lambda: NOW
    circle = SampleGroup(client, source="beacon", first=NOW + 600, every=86_400)
    circle["Bob"].post("keys", circle.key("Bob", SEED))
    circle.organiser.post("freeze")
    speaks = circle.nobody.get().json()["last"]["speaks_at"]
    found = {
        "a void": circle.organiser.post("void", {"round": 1, "reason": "rain"}),
        "a draw before it spoke": circle.organiser.post("draw", {"value": None}),
        "another freeze in place of a beacon's round": circle.organiser.post("freeze", {"undrawn": True}),
    }
    found["a key of small order"] = circle["Cem"].post("keys", {"key": "01" + "00" * 31, "proof": "00" * 64})
    circle["Cem"].rate({"Thai": 5})
    found["a member's link used unseen by the organiser"] = circle["Cem"].get("devices")
    for _ in range(12):
        circle.nobody.post("join", {"token": "x" * 24})
    found["a guesser behind the school's address"] = circle.nobody.post("join", {"token": circle.made["join"]})
    body, fresh = {"token": circle.made["join"], "member": 0}, {"idempotency-key": "taken"}
    phone = TestClient(client.app, base_url="http://localhost")
    phone.post(f"/api/groups/{circle.group}/join/take", json=body, headers=fresh)
    found["a name taken on the join page by the organiser"] = circle.nobody.post("join/take", body)
    again = circle.organiser.post("links", {"role": "member", "number": 2}).json()["token"]
    found["a link issued again by the organiser"] = GroupClient(client, circle.group, again).get()
    groups.clock = lambda: speaks + 2
    found["a backdated say"] = _said(circle, speaks - 60)
    found["a say after the beacon spoke"] = _said(circle, speaks + 2)
    return found


def _said(circle: SampleGroup, at: int):
    """Bob's key signs what no honest device would."""
    group = Group.from_bytes(circle.record())
    slip = {"size": len(group.lines), "head": group.head.hex(), "at": at, "kind": "seen", "value": None}
    signature = sign(SEED, encode_statement(group.record, {**slip, "member": 1})).hex()
    return circle["Bob"].post("say", {**slip, "signature": signature})
