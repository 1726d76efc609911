"""A learner behind a record: rebuilt from the lines and the secrets, it proposes what the next freeze shows.

The record and what was told are the truth; the learner is only a way of reading them, so nothing of it is stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from isegoria import tolerances
from isegoria.errors import InputError
from isegoria.instance import Instance
from isegoria.learning.registry import LEARNERS
from isegoria.lottery import steps
from isegoria.lottery.canonical import decimal, exact
from isegoria.lottery.freezing import Frozen, learned
from isegoria.lottery.people import Person
from isegoria.lottery.record import Record, Round
from isegoria.lottery.units import LONGEST_BLOCK
from isegoria.objectives import solve


@dataclass(frozen=True)
class Answer:
    """What a member told about one slot of a round; `line` is the ratings line it is under (counted from 1)."""

    line: int
    member: int
    round: int
    slot: int
    values: tuple[str | None, ...]


@dataclass
class Replay:
    """The lines of a record played to its learner, up to the next freeze."""

    record: Record
    learner: Any = None
    tickets: dict[tuple[int, int], Any] = field(default_factory=dict)
    closed: set[tuple[int, int]] = field(default_factory=set)
    waiting: list[Answer] = field(default_factory=list)
    current: Round | None = None
    proposal: Any = None
    overrides: dict[int, int] = field(default_factory=dict)
    roster: list[dict | None] = field(default_factory=list)
    arms: list[str] = field(default_factory=list)

    def play(self, answers: Iterable[Answer], lines: int | None = None) -> Replay:
        """Play the first `lines` lines (all, if not said); the answers are those under their ratings lines."""
        told: dict[int, list[Answer]] = {}
        for answer in answers:
            told.setdefault(answer.line, []).append(answer)
        for number, said in enumerate(self.record.parsed[:lines], start=1):
            kind = said["line"]
            if kind == "charter":
                self.arms = said["arms"]
            elif kind == "amend" and said["field"] == "arms":
                self.arms = said["value"]
            elif kind == "roster":
                self.roster = said["members"]
            elif kind == "freeze":
                self.catch_up()
                self.current, self.overrides = self.record.rounds[said["round"] - 1], {}
                self.proposal = self.learner.propose(said["available"])
            elif kind == "void":
                self.current = None
            elif kind == "override" and self.current and said["round"] == self.current.number:
                self.overrides[said["slot"]] = said["arm"]
            elif kind == "ratings":
                self.waiting += sorted(told.get(number, []), key=lambda one: (one.slot, one.member))
        self.catch_up()
        return self

    def catch_up(self) -> None:
        """Bring the learner to where the next freeze finds it: settle, tell, close, and let people come and go."""
        if self.learner is None:
            self._begin()
        if self.current and self.current.draw:
            self._settle(self.current)
            self.current = None
        self._tell()
        for key in sorted(set(self.tickets) - self.closed):
            self.learner.close(self.tickets[key])
            self.closed.add(key)
        present = set(self.learner.agents)
        for number, entry in enumerate(self.roster):
            if entry and str(number) not in present:
                self.learner.join(str(number))
                self.learner.set_weight(str(number), entry["weight"])
            elif entry is None and str(number) in present:
                self.learner.leave(str(number))
        for arm in self.arms[len(self.learner.arms) :]:
            self.learner.add_arm(arm)

    def _begin(self) -> None:
        self.learner = new_learner(self.record.charter, self.roster, self.arms)

    def _settle(self, now: Round) -> None:
        """One ticket for each slot; a slot whose override names an arm that had been masked is a round of its own."""
        freeze, drawn = now.freeze, now.draw
        played = [self.overrides.get(slot, arm) for slot, arm in enumerate(drawn["arms"])]
        inside = [slot for slot, arm in enumerate(played) if arm in freeze["available"]]
        if freeze["kind"] == "trial":
            flags, chances = [False], None
        else:
            flags = [
                steps.voice_of(freeze, ball)[1] is None and slot not in self.overrides
                for slot, ball in enumerate(drawn["balls"])
            ]
            total = sum(freeze["voices"]) + sum(freeze["explore"])
            chances = [(a + b) / total for a, b in zip(freeze["voices"], freeze["explore"], strict=True)]
        if inside:
            arms = [played[slot] for slot in inside]
            tickets = self.learner.settle(self.proposal, arms, [flags[slot] for slot in inside], chances)
            self.tickets |= {(now.number, slot): ticket for slot, ticket in zip(inside, tickets, strict=True)}
        for slot in set(range(len(played))) - set(inside):
            proposal = self.learner.propose([played[slot]])
            self.tickets[now.number, slot] = self.learner.settle(proposal, played[slot])

    def _tell(self) -> None:
        low, high = map(exact, self.record.charter["scale"])
        later = []
        for answer in self.waiting:
            ticket = self.tickets.get((answer.round, answer.slot))
            if ticket is None:
                later.append(answer)
                continue
            value = answer.values[ticket.arm] if ticket.arm < len(answer.values) else None
            if value is not None:
                reward = float((exact(value) - low) / (high - low))
                late = (answer.round, answer.slot) in self.closed
                self.learner.tell(ticket, {str(answer.member): reward}, close=late)
        self.waiting = later


def new_learner(charter: dict, roster: list[dict | None], arms: list[str]):
    """The learner that a charter names, before the first round; members are known to it by their numbers."""
    settings = {name: _value(text) for name, text in charter["settings"].items()}
    members = {str(number): entry["weight"] for number, entry in enumerate(roster) if entry}
    who = {"agents": list(members), "arms": arms, "weights": list(members.values())}
    seed = int(charter["group"][:8], 16)
    return LEARNERS[charter["learner"]](len(members), len(arms), seed=seed, **who, **settings)


def next_freeze(
    record: Record, people: list[Person], answers: list[Answer], available: list[int], lines: int | None = None
) -> Frozen | None:
    """What the record's learner would freeze next; None where an arm must first be tried."""
    learner = Replay(record).play(answers, lines).learner
    proposal = learner.propose(available)
    if proposal.forced:
        return None
    present = [int(name) for name in learner.agents]
    sets = dict(zip(present, proposal.sets.tolist(), strict=True))
    in_doubt = {k for row in sets.values() if sum(row) > 1 for k, held in enumerate(row) if held}
    doubtful = [k for k in proposal.doubtful if k in in_doubt] if proposal.rate > 0 else []
    block = 1 if doubtful else min(len(present), LONGEST_BLOCK)
    told: dict[int, list] = {}
    for answer in answers:
        told.setdefault(answer.member, []).append(answer.values)
    frozen = learned(
        record, people, sets, told, rate=proposal.rate, doubtful=doubtful, block=block, available=available
    )
    chosen = np.array([float(share) for share in frozen.voices.policy])
    if abs(chosen - np.array(proposal.policy)).max() > tolerances.SAME_POLICY:
        raise InputError(f"the learner {record.charter['learner']} does not propose the fair policy for its sets.")
    return frozen


def check_learner(id: str, settings: Mapping) -> None:
    """Refuse a learner whose policy is not the fair one for the sets it believes in: its voices could not be shown."""
    learner = LEARNERS[id](2, 3, seed=1, **{name: _value(_text(value)) for name, value in settings.items()})
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


def settings_of(id: str, given: Mapping) -> dict[str, str | None]:
    """A learner's settings as the charter shows them; who may join later is always allowed for."""
    joins = {"may_join": True} if "may_join" in LEARNERS[id].settings else {}
    return {name: _text(value) for name, value in {**joins, **given}.items()}


def _text(value) -> str | None:
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if value in ("true", "false") else decimal(value)


def _value(text: str | None):
    if text in (None, "true", "false"):
        return {None: None, "true": True, "false": False}[text]
    return float(text) if "." in text else int(text)
