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
from isegoria.instance import Instance
from isegoria.learning.registry import LEARNERS
from isegoria.objectives import solve
from isegoria.record.format.canonical import decimal, exact
from isegoria.record.format.lines import Said
from isegoria.record.format.units import LONGEST_BLOCK
from isegoria.record.group import LATE_ROUNDS, Closing, Group, Round

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
        if before is not None and before.draw is not None:
            self._settle(before)
        told = round_.closing if round_ else closing or group.coming(None)
        self._hear(group, number, told)
        if round_:
            self._welcome(round_.roster, round_.arms)
        else:
            self._welcome(group.roster, group.arms)
        self.round = number

    def _settle(self, before: Round) -> None:
        """One ticket for each slot; one whose override names an arm that had been masked is a round of its own."""
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

    def _welcome(self, roster: Said, arms: list[str]) -> None:
        """Bring the learner's people and arms to those of a freeze."""
        present = [str(number) for number, entry in enumerate(roster["members"]) if entry is not None]
        for name in self.learner.agents:
            if name not in present and len(self.learner.agents) > 1:
                self.learner.leave(name)
        for name in present:
            if name not in self.learner.agents:
                self.learner.join(name)
        for name in arms[len(self.learner.arms) :]:
            self.learner.add_arm(name)

    def terms(self, proposal: Any) -> dict[str, Any]:
        """What a freeze asks of a learner: everyone's set, and how much is explored among which arms.

        A record explores arms in doubt only: those in some set of two or more.
        """
        sets = proposal.sets
        open_arms = sets[sets.sum(axis=1) > 1].any(axis=0) if len(sets) else []
        doubtful = [arm for arm in proposal.doubtful if open_arms[arm]] if proposal.rate > 0 else []
        return {
            "sets": {int(name): row for name, row in zip(self.learner.agents, sets.tolist(), strict=True)},
            "rate": proposal.rate if doubtful else 0,
            "doubtful": doubtful,
            "block": 1 if doubtful else min(len(sets), LONGEST_BLOCK),
        }


def check_policy(id: str, proposal: Any, shown: np.ndarray) -> None:
    """Refuse a learner that does not propose the policy that the voices of its sets add up to."""
    if abs(shown - np.array(proposal.policy)).max() > tolerances.SAME_POLICY:
        raise InputError(f"the learner {id} does not propose the fair policy for its sets.")


def new_learner(charter: Said, roster: list[Said | None], arms: list[str]) -> Any:
    """The learner that a charter names, before the first round; members are known to it by their numbers."""
    settings: dict[str, Any] = {name: _value(text) for name, text in charter["settings"].items()}
    present = [str(number) for number, entry in enumerate(roster) if entry]
    seed = int(charter["group"][:8], 16)
    return LEARNERS[charter["learner"]](len(present), len(arms), agents=present, arms=arms, seed=seed, **settings)


def check_learner(id: str, settings: Mapping[str, Any]) -> None:
    """Refuse a learner whose policy is not the fair one for the sets it believes in: its voices could not be shown."""
    given: dict[str, Any] = {name: _value(_text(value)) for name, value in settings.items()}
    learner: Any = LEARNERS[id](2, 3, seed=1, **given)
    for k in range(9):
        proposal = learner.propose()
        arm = proposal.doubtful[0] if proposal.forced else k % 3
        learner.tell(learner.settle(proposal, arm), [[0.9, 0.1], [0.8, 0.9], [0.1, 0.5]][arm])
        sets = np.array(proposal.sets, dtype=float)
        if not proposal.forced:
            fair = solve(Instance(sets), "procedural").policy
            if not sets.any(axis=1).all() or abs(fair - np.array(proposal.policy)).max() > tolerances.SAME_POLICY:
                raise InputError(
                    f"the learner {id} does not play the fair policy for the sets it holds possible, so its voices "
                    "cannot be shown; take procedural or guided."
                )


def settings_of(id: str, given: Mapping[str, Any]) -> dict[str, str | None]:
    """A learner's settings as the charter shows them; who may join later is always allowed for."""
    joins = {"may_join": True} if "may_join" in LEARNERS[id].settings else {}
    return {name: _text(value) for name, value in {**joins, **given}.items()}


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
