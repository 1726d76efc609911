"""The learner of a group: replayed from what was told, and nothing else. A saved one is only a shorter way there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction

from isegoria.errors import IsegoriaError
from isegoria.learning.registry import LEARNERS
from isegoria.lottery.desk.learning import new_learner
from isegoria.service.groups.state import LATE_ROUNDS, Round, State
from isegoria.service.groups.voices import policy, whose
from isegoria.service.store import Snapshot

EVERY = 10  # rounds between two snapshots


class Apprentice:
    """A learner that has had the lessons of rounds 1 … `round`: it is ready to propose that round.

    The lesson of round r, once its ratings are closed: what round r − 1 decided is settled, the answers that the
    closing made final are told, and those who joined or left since are let in and out. Members are known to the
    learner by their numbers, so that a name can be erased.
    """

    def __init__(self, learner, round_: int = 0, tickets: Mapping[str, dict] | None = None):
        self.learner, self.round = learner, round_
        self.tickets: dict[str, dict] = dict(tickets or {})

    @classmethod
    def born(cls, state: State) -> Apprentice:
        """The learner of the charter, before the first round."""
        charter = state.record.charter
        return cls(new_learner(charter, state.rosters[0]["members"], charter["arms"]))

    @classmethod
    def at(cls, state: State, round_: Round, snapshot: Snapshot | None = None) -> Apprentice:
        """The learner that is ready for a round: from a snapshot that is surely of this log, or from the start."""
        apprentice = cls.restored(snapshot, state) or cls.born(state)
        if apprentice.round > round_.number:
            apprentice = cls.born(state)
        apprentice.follow(state, round_)
        return apprentice

    @classmethod
    def restored(cls, snapshot: Snapshot | None, state: State) -> Apprentice | None:
        """What a snapshot holds, or None when there is any doubt about it."""
        if snapshot is None:
            return None
        try:
            kept = json.loads(snapshot.state)
            round_ = state.round(kept["round"])
            if round_ is None or round_.freeze_hash != snapshot.head:
                return None
            learner = LEARNERS[state.charter["learner"]].from_json(kept["learner"])
            return cls(learner, kept["round"], kept["tickets"])
        except (IsegoriaError, ValueError, KeyError, TypeError):
            return None

    def snapshot(self, close_seq: int, freeze_hash: str) -> Snapshot:
        """The learner as of the freeze of its round, which it names."""
        text = json.dumps({"round": self.round, "learner": self.learner.to_json(), "tickets": self.tickets})
        return Snapshot(close_seq, freeze_hash, text)

    def follow(self, state: State, last: Round) -> None:
        """Take every lesson up to that of the round `last`, which may still wait for its freeze."""
        for number in range(self.round + 1, last.number + 1):
            round_ = last if number == last.number else state.round(number)
            self._settle(state, state.round(number - 1))
            self._hear(state, round_)
            self._welcome(state, round_)
            self.round = number

    def propose(self, available: list[int]):
        """How the learner would decide its round."""
        return self.learner.propose(available)

    def _settle(self, state: State, before: Round | None) -> None:
        """One ticket for each slot; one whose override names an option that had been masked is a round of its own."""
        if before is None or before.draw is None:
            return
        freeze, arms = before.freeze, [before.arm(slot) for slot in before.slots]
        inside = [slot for slot in before.slots if arms[slot] in freeze["available"]]
        exploring = [
            freeze["kind"] == "fair" and slot not in before.overrides and whose(before, slot) is None
            for slot in before.slots
        ]
        if inside:
            proposal = self.learner.propose(freeze["available"])
            drawn, flags = [arms[slot] for slot in inside], [exploring[slot] for slot in inside]
            for slot, ticket in zip(inside, self.learner.settle(proposal, drawn, flags, policy(freeze)), strict=True):
                self.tickets[f"{before.number}:{slot}"] = ticket.to_dict()
        for slot in set(before.slots) - set(inside):
            ticket = self.learner.settle(self.learner.propose([arms[slot]]), arms[slot])
            self.tickets[f"{before.number}:{slot}"] = ticket.to_dict()

    def _hear(self, state: State, round_: Round) -> None:
        low, high = (Fraction(bound) for bound in state.charter["scale"])
        answers: dict[str, dict[str, float]] = {}
        for number, slot, member, _, value in round_.told:
            answers.setdefault(f"{number}:{slot}", {})[str(member)] = float((Fraction(value) - low) / (high - low))
        for name, ticket in self.tickets.items():
            if int(name.partition(":")[0]) == round_.number - 1:
                self.learner.tell(ticket, answers.get(name, {}))
            elif name in answers:
                self.learner.tell(ticket, answers[name])
        old = round_.number - LATE_ROUNDS
        self.tickets = {name: ticket for name, ticket in self.tickets.items() if int(name.partition(":")[0]) > old}

    def _welcome(self, state: State, round_: Round) -> None:
        """Bring the learner's people and arms to those of the round's freeze (or, before it, to the present ones)."""
        frozen = round_.freeze is not None
        roster = state.rosters[round_.freeze["roster"] - 1] if frozen else state.roster
        arms = state.arms[: round_.arms] if frozen else state.arms
        present = [str(number) for number, entry in enumerate(roster["members"]) if entry is not None]
        for name in self.learner.agents:
            if name not in present and len(self.learner.agents) > 1:
                self.learner.leave(name)
        for name in present:
            if name not in self.learner.agents:
                self.learner.join(name)
        for name in arms[len(self.learner.arms) :]:
            self.learner.add_arm(name)
