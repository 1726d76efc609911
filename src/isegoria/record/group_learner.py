"""The learner behind a group: every member's `MemberLearner`, replayed from their feedback only.

The record and the feedback are authoritative; a saved state only saves replaying them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from isegoria.errors import InputError
from isegoria.record.format.canonical_json import format_decimal, parse_decimal
from isegoria.record.format.record_view import LinePayload
from isegoria.record.member_learner import MemberLearner
from isegoria.record.state.group import Group
from isegoria.record.state.round import Cutoff, Round, SlotRating

LEARNER_SNAPSHOT_INTERVAL_ROUNDS = 10

DEFAULT_LEARNER_SETTINGS = {"error": "0.01", "resolution": "0.05", "explore": "0.25"}
LEARNER_SETTING_RANGES = {
    "error": "above 0 and below 1",
    "resolution": "0 or more and below 1",
    "explore": "above 0 and at most 1",
}
LEARNER_ID = "guided"
MIN_ERROR = 5e-324
"""The smallest positive double, which replaces an `error` that is rounded to 0."""


class LearnerSnapshot(Protocol):
    """A saved learner; `head` is the hash, in hexadecimal, of the page at which it was saved."""

    @property
    def head(self) -> str: ...

    @property
    def state(self) -> str: ...


class GroupLearner:
    """The group learner: all members' feedback before the page of round `round`, ready to show that page.

    `given` is how many numbers the rosters had assigned by the first page, and `shared` how many members that page had:
    later members have another price. `growth` counts the pages with arms that the page before did not have.
    """

    def __init__(self, group: Group, given: int, shared: int):
        self.round, self.growth, self.arms = 0, 0, 0
        self.given, self.shared = given, shared
        self.minds: dict[int, MemberLearner] = {}
        self._settings = group.charter["settings"]
        self._low, self._high = map(float, group.charter["scale"])

    @classmethod
    def at(cls, group: Group, closing: Cutoff, saved: LearnerSnapshot | None = None) -> GroupLearner:
        """Return the learner that is ready for the next page, whose cutoff is `closing`."""
        minds = cls.restored(group, saved)
        if minds is None:
            first = group.rounds[0].roster["members"] if group.rounds else closing.entries
            minds = cls(group, len(first), sum(entry is not None for entry in first))
        for round_ in group.rounds[minds.round :]:
            minds._lesson(_sort_feedback(round_), len(round_.arms), round_.roster["members"], group)
        told = sorted(closing.told, key=lambda one: one[:2])
        minds._lesson(told, len(group.arms), closing.entries, group)
        return minds

    @classmethod
    def before(cls, group: Group, number: int) -> GroupLearner:
        """Return the learner as it was for the page of round `number`, which exists."""
        first = group.rounds[0].roster["members"]
        minds = cls(group, len(first), sum(entry is not None for entry in first))
        for round_ in group.rounds[:number]:
            minds._lesson(_sort_feedback(round_), len(round_.arms), round_.roster["members"], group)
        return minds

    @classmethod
    def restored(cls, group: Group, saved: LearnerSnapshot | None) -> GroupLearner | None:
        """Restore a saved learner, or return None if it does not match the record."""
        try:
            if saved is None:
                return None
            kept: dict[str, Any] = json.loads(saved.state)
            round_ = group.round(kept["round"])
            if round_ is None or round_.freeze_hash.hex() != saved.head:
                return None
            minds = cls(group, kept["given"], kept["shared"])
            minds.round, minds.growth, minds.arms = kept["round"], kept["growth"], kept["arms"]
            minds.minds = {int(number): MemberLearner.from_dict(mind) for number, mind in kept["minds"].items()}
            return minds
        except (ValueError, KeyError, TypeError):
            return None

    def to_json(self) -> str:
        """Serialise the learner as of the page of its round."""
        kept = {name: getattr(self, name) for name in ("round", "growth", "arms", "given", "shared")}
        return json.dumps({**kept, "minds": {number: mind.to_dict() for number, mind in self.minds.items()}})

    def _lesson(
        self, told: Iterable[SlotRating], arms: int, entries: Iterable[LinePayload | None], group: Group
    ) -> None:
        """Add the feedback that a page makes final, and prepare for that page."""
        for number, _, member, arm, said in told:
            value = said.values[arm]
            assert value is not None
            reward = (float(value) - self._low) / (self._high - self._low)
            self.minds[member].tell(arm, reward, group.rounds[number - 1].freeze.get("arm_units"))
        self.growth += bool(self.arms) and arms > self.arms
        self.arms, self.round = arms, self.round + 1
        for number, entry in enumerate(entries):
            if entry is not None and number not in self.minds:
                self.minds[number] = self._new(number)
        for mind in self.minds.values():
            mind.turn(arms, (self.growth + 1) * (self.growth + 2))

    def _new(self, number: int) -> MemberLearner:
        later = number - self.given + 1
        price = 2 * self.shared if later <= 0 else 2 * later * (later + 1)
        error = float(self._settings["error"]) or MIN_ERROR
        return MemberLearner(error, float(self._settings["resolution"]), price)


def _sort_feedback(round_: Round) -> list[SlotRating]:
    """Return the feedback on the lines just before a page, in the learner's order: by line, then by slot.

    A cutoff has its rounds in order, and so do its lines.
    """
    return sorted(round_.closing.told, key=lambda one: one[:2])


def validate_learner_settings(id: str, settings: Mapping[str, Any]) -> dict[str, str]:
    """Return the settings of a record's learner as the charter shows them. Raise `InputError` for any other learner."""
    if id != LEARNER_ID:
        raise InputError(
            f"the learner {id} explores with everybody's rounds, so its voices cannot be shown; take guided."
        )
    for name in settings:
        if name not in DEFAULT_LEARNER_SETTINGS:
            raise InputError(
                f"the learner of a record has no setting {name!r}; expected {', '.join(DEFAULT_LEARNER_SETTINGS)}."
            )
    found = {**DEFAULT_LEARNER_SETTINGS, **{name: format_decimal(value) for name, value in settings.items()}}
    for name, text in found.items():
        low_ok = parse_decimal(text) > 0 or (name == "resolution" and parse_decimal(text) == 0)
        if not low_ok or parse_decimal(text) > 1 or (parse_decimal(text) == 1 and name != "explore"):
            raise InputError(f"{name} is {text}; expected a number {LEARNER_SETTING_RANGES[name]}.")
    return found
