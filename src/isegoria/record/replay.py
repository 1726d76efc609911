"""The learner behind a group: replayed from what was told, and nothing else. A saved one is only a shorter way there.

The record and what was told are the truth; the learner is only a way of reading them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from isegoria import tolerances
from isegoria.errors import InputError, IsegoriaError
from isegoria.learning.registry import LEARNERS
from isegoria.record.format.canonical import decimal, exact
from isegoria.record.format.lines import Said
from isegoria.record.format.units import LONGEST_BLOCK
from isegoria.record.group import LATE_ROUNDS, Closing, Group, Round

LEARNER = "guided"
"""The learner of a record: in it every voice is its member's own, also while she is in doubt."""
EVERY = 10
"""Rounds between two that are saved."""


class Saved(Protocol):
    """A learner that was saved at the freeze with the hash `head`, in hexadecimal."""

    @property
    def head(self) -> str: ...

    @property
    def state(self) -> str: ...


class Replay:
    """A learner that has had the lessons of rounds 1 … `round`: it is ready to propose that round.

    The lesson of round r, once its ratings are closed: what round r − 1 decided is settled, the answers that the
    closing made final are told, and those who joined or left since are let in and out. Members are known to the
    learner by their numbers, so that a name can be erased.
    """

    def __init__(self, learner: Any, round_: int = 0, tickets: Mapping[str, Any] | None = None):
        self.learner, self.round = learner, round_
        self.tickets: dict[str, Any] = dict(tickets or {})

    @classmethod
    def at(cls, group: Group, round_: int, saved: Saved | None = None, closing: Closing | None = None) -> Replay:
        """The learner that is ready for a round: from one that was surely saved of this group, or from the start.

        `closing` is that of a round which still waits for its freeze.
        """
        replay = cls.restored(saved, group)
        if replay is None or replay.round > round_:
            charter = group.charter
            replay = cls(new_learner(charter, group.rosters[0]["members"], charter["arms"]))
        for number in range(replay.round + 1, round_ + 1):
            replay._lesson(group, number, closing)
        return replay

    @classmethod
    def restored(cls, saved: Saved | None, group: Group) -> Replay | None:
        """What was saved, or None when there is any doubt about it."""
        if saved is None:
            return None
        try:
            kept = json.loads(saved.state)
            round_ = group.round(kept["round"])
            if round_ is None or round_.freeze_hash.hex() != saved.head:
                return None
            return cls(LEARNERS[group.charter["learner"]].from_json(kept["learner"]), kept["round"], kept["tickets"])
        except (IsegoriaError, ValueError, KeyError, TypeError):
            return None

    def to_json(self) -> str:
        """The learner as of the freeze of its round, to be saved."""
        return json.dumps({"round": self.round, "learner": self.learner.to_json(), "tickets": self.tickets})

    def _lesson(self, group: Group, number: int, closing: Closing | None) -> None:
        round_, before = group.round(number), group.round(number - 1)
        roster, arms = (round_.roster, round_.arms) if round_ else (group.roster, group.arms)
        if before is not None and before.draw is not None:
            self._settle(before, arms)
        self._hear(group, number, round_.closing if round_ else closing or group.coming(None))
        self._welcome(roster)
        self._add_arms(arms)
        self.round = number

    def _settle(self, before: Round, names: list[str]) -> None:
        """One ticket for each slot; one whose override names an arm masked or unknown then is a round of its own."""
        freeze, arms = before.freeze, before.played
        inside = [slot for slot in before.slots if arms[slot] in freeze["available"]]
        exploring = [
            before.fair and slot not in before.overrides and before.whose(slot) is None for slot in before.slots
        ]
        if inside:
            proposal = self.learner.propose(freeze["available"])
            drawn, flags = [arms[slot] for slot in inside], [exploring[slot] for slot in inside]
            for slot, ticket in zip(inside, self.learner.settle(proposal, drawn, flags, before.policy), strict=True):
                self.tickets[f"{before.number}:{slot}"] = ticket.to_dict()
        if any(arm >= len(self.learner.arms) for arm in arms):
            self._add_arms(names)
        for slot in set(before.slots) - set(inside):
            ticket = self.learner.settle(self.learner.propose([arms[slot]]), arms[slot])
            self.tickets[f"{before.number}:{slot}"] = ticket.to_dict()

    def _hear(self, group: Group, number: int, closing: Closing) -> None:
        low, high = map(exact, group.charter["scale"])
        answers: dict[str, dict[str, float]] = {}
        for round_, slot, member, _, value in closing.told:
            answers.setdefault(f"{round_}:{slot}", {})[str(member)] = float((exact(value) - low) / (high - low))
        for name, ticket in self.tickets.items():
            if int(name.partition(":")[0]) == number - 1 or name in answers:
                self.learner.tell(ticket, answers.get(name, {}))
        old = number - LATE_ROUNDS
        self.tickets = {name: ticket for name, ticket in self.tickets.items() if int(name.partition(":")[0]) > old}

    def _welcome(self, roster: Said) -> None:
        """Bring the learner's people to those of a freeze."""
        present = {str(number): entry["weight"] for number, entry in enumerate(roster["members"]) if entry is not None}
        for name in self.learner.agents:
            if name not in present and len(self.learner.agents) > 1:
                self.learner.leave(name)
        for name, weight in present.items():
            if name not in self.learner.agents:
                self.learner.join(name)
                self.learner.set_weight(name, weight)

    def _add_arms(self, names: list[str]) -> None:
        for name in names[len(self.learner.arms) :]:
            self.learner.add_arm(name)

    def terms(self, proposal: Any) -> dict[str, Any]:
        """What a freeze asks of a learner: everyone's set, where her voice goes, and how many draws make a round.

        Nothing is explored at anybody else's cost, so no units belong to nobody; while someone is in doubt, a round is
        one draw.
        """
        numbers, voices = [int(name) for name in self.learner.agents], self.learner.voices_over(proposal.available)
        return {
            "sets": dict(zip(numbers, proposal.sets.tolist(), strict=True)),
            "shares": dict(zip(numbers, voices, strict=True)),
            "block": min(len(numbers), LONGEST_BLOCK) if self.learner.resolved.all() else 1,
        }


def check_policy(id: str, proposal: Any, shown: np.ndarray) -> None:
    """Refuse a learner that does not propose the policy that its members' voices add up to."""
    if abs(shown - np.array(proposal.policy)).max() > tolerances.SAME_POLICY:
        raise InputError(f"the learner {id} does not propose what the voices of its members add up to.")


def new_learner(charter: Said, roster: list[Said | None], arms: list[str]) -> Any:
    """The learner that a charter names, before the first round; members are known to it by their numbers."""
    settings: dict[str, Any] = {name: _value(text) for name, text in charter["settings"].items()}
    members = {str(number): entry["weight"] for number, entry in enumerate(roster) if entry}
    settings |= {"agents": list(members), "arms": arms, "weights": list(members.values())}
    seed = int(charter["group"][:8], 16)
    return LEARNERS[charter["learner"]](len(members), len(arms), seed=seed, **settings)


def check_learner(id: str, settings: Mapping[str, Any]) -> None:
    """Refuse a learner that explores with everybody's rounds: its exploration could not be shown as anyone's voice."""
    kind: Any = LEARNERS[id]
    if id != LEARNER:
        raise InputError("this learner explores with everybody's rounds; take guided.")
    given: dict[str, Any] = {name: _value(_text(value)) for name, value in settings.items()}
    learner = kind(2, 3, seed=1, **given)
    for name in ("lend", "trickle", "floor"):
        if getattr(learner, name):
            raise InputError(f"`{name}` spends a voice outside its member's own set, which a record cannot show.")


def settings_of(id: str, given: Mapping[str, Any]) -> dict[str, str | None]:
    """A learner's settings as the charter shows them; who may join later is always allowed for, and nobody watched."""
    return {name: _text(value) for name, value in {**given, "may_join": True, "watch": False}.items()}


def _text(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if value in ("true", "false") else decimal(value)


def _value(text: str | None) -> bool | int | float | None:
    if text in (None, "true", "false"):
        return {None: None, "true": True, "false": False}[text]
    assert text is not None
    return float(text) if "." in text else int(text)
