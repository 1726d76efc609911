"""What a group's events add up to. Replaying the log from its first event always gives the same state."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from isegoria.lottery.record import Record
from isegoria.service.store import Event, PersonRow
from isegoria.service.timetable import Clockwork, Timetable

COLLECTING, CLOSED, FROZEN, ENDED = "collecting", "closed", "frozen", "ended"
LATE_ROUNDS = 20  # a rating may come this many rounds after its draw; then the learner's ticket is closed


@dataclass
class Round:
    """One round: its freeze line as data, and what followed.

    `answers[slot][member]` is (arm, rating) of what happened in that slot; `rooted` are the (slot, member) pairs that
    stand under a ratings line, each with the number of that line, and can no longer change. What its freeze counted:
    `counted[member]` (ratings of all options) or `told` (round, slot, member, arm, rating), the answers that its
    closing made final. `arms` is the number of options there were, `line` that of its freeze line.
    """

    number: int
    occasion: int | None = None
    freeze: dict | None = None
    freeze_hash: str = ""
    close_seq: int = 0
    counted: dict[int, dict[int, str]] = field(default_factory=dict)
    told: list[tuple[int, int, int, int, str]] = field(default_factory=list)
    arms: int = 0
    line: int = 0
    draw: dict | None = None
    void: dict | None = None
    overrides: dict[int, dict] = field(default_factory=dict)
    answers: dict[int, dict[int, tuple[int, str]]] = field(default_factory=dict)
    rooted: dict[tuple[int, int], int] = field(default_factory=dict)
    seen: dict[int, dict] = field(default_factory=dict)
    drawn_at: int = 0

    def arm(self, slot: int) -> int:
        """What happened in a slot: the drawn arm, or the one put in its place."""
        return self.overrides[slot]["arm"] if slot in self.overrides else self.draw["arms"][slot]

    @property
    def slots(self) -> range:
        """The slots of a drawn round."""
        return range(len(self.draw["arms"])) if self.draw else range(0)


class State:
    """A group as of its event number `seq`: charter, people, ratings, rounds and timetable.

    `apply(event)` is the only thing that changes it, and depends on nothing but the events, so that two processes
    agree. Members and arms are numbers from 0 up, for ever.
    """

    def __init__(self, group: str):
        self.group = group
        self.seq = 0
        self.at = 0
        self.record = Record()
        self.head = "0" * 64
        self.charter: dict = {}
        self.roster: dict = {"version": 0, "members": []}
        self.members: dict[int, dict] = {}  # who is on the latest roster, by number
        self.rosters: list[dict] = []
        self.names: dict[int, str] = {}
        self.rounds: list[Round] = []
        self.phase = COLLECTING
        self.closing: Round | None = None
        self.commits: dict[int, str] = {}
        self.reveals: dict[int, dict] = {}
        self.witnesses: dict[int, dict] = {}
        self.ratings: dict[int, dict[int, str]] = {}
        self.edits: dict[tuple[int, int], int] = {}
        self.masked: tuple[int, ...] = ()
        self.settings: dict = {"timetable": None, "webhook": None, "retention": None, "note": "", "waiting": False}
        self.erased: set[int] = set()
        self.coorganisers: dict[int, str] = {}
        self.invited = 0
        self.checks: dict[int, int] = {}

    # -- what follows from it ------------------------------------------------------------------------------------------

    @property
    def arms(self) -> list[str]:
        """The names of all options that there ever were."""
        return self.charter["arms"]

    @property
    def available(self) -> list[int]:
        """The options that the next freeze may draw."""
        return [arm for arm in range(len(self.arms)) if arm not in self.masked]

    @property
    def learns(self) -> bool:
        """Whether a learner decides from ratings of what happened; else ratings of all options count as they are."""
        return self.charter["learner"] is not None

    @property
    def source(self) -> str:
        """The kind of the source of randomness."""
        return self.charter["source"]["kind"]

    @property
    def scale(self) -> tuple[float, float]:
        """The lowest and the highest rating."""
        low, high = self.charter["scale"]
        return float(low), float(high)

    @property
    def last(self) -> Round | None:
        """The last round that was frozen."""
        return self.rounds[-1] if self.rounds else None

    @property
    def next_round(self) -> int:
        """The number of the round that comes next."""
        return len(self.rounds) + 1

    @property
    def timetable(self) -> Timetable | Clockwork | None:
        """When the group decides, if it does so by itself."""
        entry = self.settings["timetable"]
        if entry is None:
            return None
        if self.source == "beacon":
            return Clockwork(self.charter["source"]["first"], self.charter["source"]["every"], entry["lead"])
        return Timetable(**entry)

    def name(self, number: int) -> str:
        """A member's name, or what stands for one who was erased."""
        return self.names.get(number, f"(erased {number})")

    def round(self, number: int) -> Round | None:
        """A round that was frozen, by its number."""
        return self.rounds[number - 1] if 1 <= number <= len(self.rounds) else None

    def open_for_ratings(self, round_: Round) -> bool:
        """Whether what happened in a round may still be rated."""
        return round_.draw is not None and round_.number > len(self.rounds) - LATE_ROUNDS

    # -- how it changes ------------------------------------------------------------------------------------------------

    def know(self, people: Iterable[PersonRow]) -> None:
        """Take the names of people, which are kept apart from the log."""
        self.names = {person.number: person.name for person in people if person.name is not None}

    def apply(self, event: Event) -> None:
        """Count one more event."""
        assert event.seq == self.seq + 1, "events are applied in order, each once"
        line = {}
        if event.line is not None:
            self.record.append(event.line.encode())
            line, self.head = self.record.parsed[-1], self.record.head.hex()
        getattr(self, f"_on_{event.kind}")(event, json.loads(event.body), line, self.head)
        self.seq, self.at = event.seq, event.at

    def _on_charter(self, event, body, line, hash_) -> None:
        self.charter = line

    def _on_roster(self, event, body, line, hash_) -> None:
        self.roster = line
        self.members = {number: entry for number, entry in enumerate(line["members"]) if entry is not None}
        self.rosters.append(line)
        for number in line["left"]:
            self.ratings.pop(number, None)

    def _on_rate(self, event, body, line, hash_) -> None:
        values = {int(arm): value for arm, value in body["values"].items()}
        member, number = body["member"], body["round"]
        self.edits[number or 0, member] = self.edits.get((number or 0, member), 0) + 1
        if number is None:
            kept = self.ratings.get(member, {}) | values  # a new mapping: rounds before keep the one they counted
            self.ratings[member] = {arm: value for arm, value in sorted(kept.items()) if value is not None}
        else:
            answers = self.rounds[number - 1].answers.setdefault(body["slot"], {})
            for arm, value in values.items():
                answers.pop(member, None) if value is None else answers.__setitem__(member, (arm, value))

    def _on_close(self, event, body, line, hash_) -> None:
        """Later ratings are late: what this round's freeze counts is fixed here."""
        self.closing = closing = Round(self.next_round, occasion=body["occasion"], close_seq=event.seq)
        self.phase = CLOSED
        if not self.learns:
            closing.counted = {member: values for member, values in self.ratings.items() if values}
            return
        for round_ in self.rounds[-LATE_ROUNDS:]:
            for slot, answers in sorted(round_.answers.items()):
                for member, (arm, value) in sorted(answers.items()):
                    if (slot, member) not in round_.rooted:
                        round_.rooted[slot, member] = 0
                        closing.told.append((round_.number, slot, member, arm, value))

    def _on_ratings(self, event, body, line, hash_) -> None:
        round_, number = self.rounds[line["round"] - 1], len(self.record.lines)
        for pair, place in round_.rooted.items():
            if place == 0:
                round_.rooted[pair] = number

    def _on_freeze(self, event, body, line, hash_) -> None:
        round_ = self.closing
        round_.freeze, round_.freeze_hash = line, hash_
        round_.arms, round_.line = len(self.arms), len(self.record.lines)
        self.rounds.append(round_)
        self.closing, self.phase = None, FROZEN
        self.witnesses, self.reveals = {}, {}

    def _on_commit(self, event, body, line, hash_) -> None:
        self.commits[line["by"]] = line["hash"]

    def _on_witness(self, event, body, line, hash_) -> None:
        self.witnesses[line["by"]] = line

    def _on_reveal(self, event, body, line, hash_) -> None:
        self.reveals[line["by"]] = line

    def _on_check(self, event, body, line, hash_) -> None:
        self.checks[body["by"]] = body["lines"]

    def _on_seen(self, event, body, line, hash_) -> None:
        self.last.seen[body["by"]] = body

    def _on_draw(self, event, body, line, hash_) -> None:
        self.last.draw, self.last.drawn_at = line, event.at
        self.phase, self.commits = COLLECTING, {}

    def _on_void(self, event, body, line, hash_) -> None:
        self.last.void = line
        self.phase, self.commits = COLLECTING, {}

    def _on_override(self, event, body, line, hash_) -> None:
        """Another option took the slot; ratings of the one that did not happen are dropped."""
        round_, slot = self.rounds[line["round"] - 1], line["slot"]
        round_.overrides[slot] = line
        for member, (arm, _) in list(round_.answers.get(slot, {}).items()):
            if arm != line["arm"] and (slot, member) not in round_.rooted:
                del round_.answers[slot][member]

    def _on_amend(self, event, body, line, hash_) -> None:
        self.charter = self.charter | {line["field"]: line["value"]}

    def _on_end(self, event, body, line, hash_) -> None:
        self.phase = ENDED

    def _on_mask(self, event, body, line, hash_) -> None:
        self.masked = tuple(body["masked"])

    def _on_setting(self, event, body, line, hash_) -> None:
        self.settings = self.settings | body

    def _on_erase(self, event, body, line, hash_) -> None:
        """Who a member is goes, and with it what she said that no line holds yet."""
        member = body["member"]
        self.erased.add(member)
        self.names.pop(member, None)
        for round_ in self.rounds:
            for slot, answers in round_.answers.items():
                if (slot, member) not in round_.rooted:
                    answers.pop(member, None)

    def _on_link(self, event, body, line, hash_) -> None:
        """A link was issued again: nothing changes but that it stands in the log."""

    def _on_invite(self, event, body, line, hash_) -> None:
        self.invited += 1
        self.coorganisers[body["number"]] = body["name"]

    def _on_dismiss(self, event, body, line, hash_) -> None:
        self.coorganisers.pop(body["number"], None)


def compact(body: Mapping) -> str:
    """A body as it is stored."""
    return json.dumps(body, separators=(",", ":"), ensure_ascii=False, sort_keys=True)
