"""The learner behind a group: every member's `Mind`, replayed from what was told, and nothing else.

The record and what was told are the truth; a saved state is only a shorter way there.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from isegoria.errors import InputError
from isegoria.record.format.canonical import decimal, exact
from isegoria.record.format.lines import Said
from isegoria.record.group import Group
from isegoria.record.guided import Mind
from isegoria.record.round import Answer, Closing, Round

EVERY = 10
"""Rounds between two that are saved."""

DEFAULTS = {"error": "0.01", "resolution": "0.05", "explore": "0.25"}
RANGES = {"error": "above 0 and below 1", "resolution": "0 or more and below 1", "explore": "above 0 and at most 1"}
LEARNER = "guided"
LEAST = 5e-324
"""The least positive double: a smaller `error` is taken as this one."""


class SavedMinds(Protocol):
    """A learner that was saved at the page with the hash `head`, in hexadecimal."""

    @property
    def head(self) -> str: ...

    @property
    def state(self) -> str: ...


class Minds:
    """What all members have told before the page of a round, `round`: it is ready to show that page.

    `given` is how many numbers rosters had given by the first page, `shared` how many members it had: who comes later
    pays another price. `growth` counts pages with arms that the page before had not.
    """

    def __init__(self, group: Group, given: int, shared: int):
        self.round, self.growth, self.arms = 0, 0, 0
        self.given, self.shared = given, shared
        self.minds: dict[int, Mind] = {}
        self._settings = group.charter["settings"]
        self._low, self._high = map(float, group.charter["scale"])

    @classmethod
    def at(cls, group: Group, closing: Closing, saved: SavedMinds | None = None) -> Minds:
        """The learner that is ready for the page after the last, whose closing this is."""
        minds = cls.restored(group, saved)
        if minds is None:
            first = group.rounds[0].roster["members"] if group.rounds else closing.entries
            minds = cls(group, len(first), sum(entry is not None for entry in first))
        for round_ in group.rounds[minds.round :]:
            minds._lesson(_as_rooted(round_), len(round_.arms), round_.roster["members"], group)
        told = sorted(closing.told, key=lambda one: one[:2])
        minds._lesson(told, len(group.arms), closing.entries, group)
        return minds

    @classmethod
    def before(cls, group: Group, number: int) -> Minds:
        """The learner as it was ready for the page of a round that there is."""
        first = group.rounds[0].roster["members"]
        minds = cls(group, len(first), sum(entry is not None for entry in first))
        for round_ in group.rounds[:number]:
            minds._lesson(_as_rooted(round_), len(round_.arms), round_.roster["members"], group)
        return minds

    @classmethod
    def restored(cls, group: Group, saved: SavedMinds | None) -> Minds | None:
        """What was saved, or None when there is any doubt about it."""
        try:
            if saved is None:
                return None
            kept: dict[str, Any] = json.loads(saved.state)
            round_ = group.round(kept["round"])
            if round_ is None or round_.freeze_hash.hex() != saved.head:
                return None
            minds = cls(group, kept["given"], kept["shared"])
            minds.round, minds.growth, minds.arms = kept["round"], kept["growth"], kept["arms"]
            minds.minds = {int(number): Mind.from_dict(mind) for number, mind in kept["minds"].items()}
            return minds
        except (ValueError, KeyError, TypeError):
            return None

    def to_json(self) -> str:
        """The learner as of the page of its round, to be saved."""
        kept = {name: getattr(self, name) for name in ("round", "growth", "arms", "given", "shared")}
        return json.dumps({**kept, "minds": {number: mind.to_dict() for number, mind in self.minds.items()}})

    def _lesson(self, told: Iterable[Answer], arms: int, entries: Iterable[Said | None], group: Group) -> None:
        """Count what a page finds told, and get ready for it."""
        for number, _, member, arm, said in told:
            value = said.values[arm]
            assert value is not None
            reward = (float(value) - self._low) / (self._high - self._low)
            self.minds[member].tell(arm, reward, group.rounds[number - 1].freeze.get("voices"))
        self.growth += bool(self.arms) and arms > self.arms
        self.arms, self.round = arms, self.round + 1
        for number, entry in enumerate(entries):
            if entry is not None and number not in self.minds:
                self.minds[number] = self._new(number)
        for mind in self.minds.values():
            mind.turn(arms, (self.growth + 1) * (self.growth + 2))

    def _new(self, number: int) -> Mind:
        later = number - self.given + 1
        price = 2 * self.shared if later <= 0 else 2 * later * (later + 1)
        error = float(self._settings["error"]) or LEAST
        return Mind(error, float(self._settings["resolution"]), price)


def _as_rooted(round_: Round) -> list[Answer]:
    """What the lines just before a page hold, in the order in which the learner hears it: by line, then by slot.

    A closing has rounds in order, and so have its lines.
    """
    return sorted(round_.closing.told, key=lambda one: one[:2])


def check_learner(id: str, settings: Mapping[str, Any]) -> dict[str, str]:
    """The settings of a record's learner, as the charter shows them; any other learner is refused."""
    if id != LEARNER:
        raise InputError(
            f"the learner {id} explores with everybody's rounds, so its voices cannot be shown; take guided."
        )
    for name in settings:
        if name not in DEFAULTS:
            raise InputError(f"the learner of a record has no setting {name!r}; expected {', '.join(DEFAULTS)}.")
    found = {**DEFAULTS, **{name: decimal(value) for name, value in settings.items()}}
    for name, text in found.items():
        low_ok = exact(text) > 0 or (name == "resolution" and exact(text) == 0)
        if not low_ok or exact(text) > 1 or (exact(text) == 1 and name != "explore"):
            raise InputError(f"{name} is {text}; expected a number {RANGES[name]}.")
    return found
