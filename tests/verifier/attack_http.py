"""Attacks over HTTP on an honest server, with a set clock: a void, a backdated say, a say after the beacon spoke."""

from __future__ import annotations

import sys
import tempfile
from hashlib import sha256
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "service"))

from visitors import Circle, served

from isegoria.record.ed25519 import public_key, sign
from isegoria.record.format.lines import slip_message
from isegoria.record.group import Group
from isegoria.service.store import open_store

NOW = 1_789_041_600
SEED = sha256(b"Bob").digest()
HTTP = {
    "a void": (404, "there is no such page"),
    "a backdated say": (409, "differ by 62 s"),
    "a say after the beacon spoke": (409, "has spoken; sign again after the draw."),
    "a draw before it spoke": (409, "the beacon speaks in"),
    "another freeze in place of a beacon's round": (409, "draw it before the next one, however late"),
}
"""Each row, its status, and words of the answer."""


def answers() -> dict[str, tuple[int, str]]:
    """By row: (status, body) that the server gives."""
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(f"sqlite:///{Path(folder) / 'groups.db'}")
        with served(store) as client:
            found = _asked(client, client.app.state.service.groups)
        store.close()
    return {row: (answer.status_code, answer.text) for row, answer in found.items()}


def _asked(client, groups) -> dict:
    groups.clock = lambda: NOW
    circle = Circle(client, source="beacon", first=NOW + 600, every=86_400)
    circle["Bob"].post("keys", {"key": public_key(SEED).hex()})
    circle.organiser.post("freeze")
    speaks = circle.nobody.get().json()["last"]["speaks_at"]
    found = {
        "a void": circle.organiser.post("void", {"round": 1, "reason": "rain"}),
        "a draw before it spoke": circle.organiser.post("draw", {"value": None}),
        "another freeze in place of a beacon's round": circle.organiser.post("freeze", {"undrawn": True}),
    }
    groups.clock = lambda: speaks + 2
    found["a backdated say"] = _said(circle, speaks - 60)
    found["a say after the beacon spoke"] = _said(circle, speaks + 2)
    return found


def _said(circle: Circle, at: int):
    """Bob's key signs what no honest device would."""
    group = Group.from_bytes(circle.record())
    slip = {"size": len(group.lines), "head": group.head.hex(), "at": at, "what": "seen", "value": None}
    signature = sign(SEED, slip_message(group.record, {**slip, "by": 1})).hex()
    return circle["Bob"].post("say", {**slip, "signature": signature})
