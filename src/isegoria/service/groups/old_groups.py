"""Groups from before the first release, whose records are not read any more: their tables, as the log has them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from isegoria.service.store import Transaction

FIRST_VERSION = 3
"""The version of the first record that is read."""


@dataclass
class OldGroup:
    """What a log of an old version says in tables: options, members, their ratings of options, and what was drawn."""

    version: int
    title: str = ""
    arms: list[str] = field(default_factory=list)
    names: dict[int, str] = field(default_factory=dict)
    ratings: dict[int, dict[str, Any]] = field(default_factory=dict)
    rounds: list[dict[str, Any]] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """Return the tables as plain data, by the names of options and members."""
        members = [
            {"name": name, "ratings": {self._arm(arm): value for arm, value in self.ratings.get(number, {}).items()}}
            for number, name in sorted(self.names.items())
        ]
        rounds = [one | {"arms": [self._arm(arm) for arm in one["arms"]]} for one in self.rounds]
        shown = {"version": self.version, "title": self.title, "arms": self.arms}
        return {**shown, "members": members, "rounds": rounds}

    def _arm(self, arm: int | str) -> str:
        return self.arms[int(arm)] if int(arm) < len(self.arms) else f"option {arm}"


def read_old_group(session: Transaction, address: str) -> OldGroup | None:
    """Return the tables of a group whose record is of an old version, or None for any other group."""
    old: OldGroup | None = None
    for event in session.events(address):
        said = json.loads(event.line or event.body)
        charter = said.get("charter", {}) if event.kind == "found" else said if event.kind == "charter" else None
        if charter is not None and old is None:
            version = charter.get("version", FIRST_VERSION if "resting" in charter else FIRST_VERSION - 1)
            if version >= FIRST_VERSION:
                return None
            old = OldGroup(version)
        if old is None:
            return None
        _add_event(old, event.kind, said if charter is None else charter)
    if old is not None:
        old.names = {person.number: person.name for person in session.people(address) if person.name}
    return old


def _add_event(old: OldGroup, kind: str, said: dict[str, Any]) -> None:
    """Add what one event says to the tables; all else is passed over."""
    if kind in ("found", "charter"):
        old.title, old.arms = said["title"], said["arms"]
    elif kind in ("amend", "draft") and said.get("field") in ("title", "arms"):
        setattr(old, said["field"], said["value"])
    elif kind == "rate" and said.get("round") is None:
        old.ratings.setdefault(said["member"], {}).update(said["values"])
    elif kind == "draw":
        old.rounds.append({"round": said["round"], "arms": said["arms"]})
