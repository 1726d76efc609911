"""`Group`: what the events of a group add up to, one at a time: the lines of its record, and what stays private.

It knows no file, no clock and no chance. Replaying the events from the first always gives the same group, whoever keeps
them: the command line in a file, the service in a database.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any

from isegoria.errors import InputError
from isegoria.record.format.lines import NewLine, Said, chances, exploring, read, voice_of

FIRST = bytes(32)
COLLECTING, CLOSED, FROZEN, ENDED = "collecting", "closed", "frozen", "ended"
LATE_ROUNDS = 20
"""A rating may come this many rounds after its draw; then the learner's ticket is closed."""


@dataclass(frozen=True)
class Closing:
    """What a closing made final for the freeze that follows: later ratings are late.

    - `counted`: by member, her ratings of the options by arm. `told`: (round, slot, member, arm, rating) of what
      happened, each once. `seq` is the number of the event, `occasion` that of the timetable.
    """

    occasion: int | None
    seq: int
    counted: dict[int, dict[int, str]]
    told: list[tuple[int, int, int, int, str]]


@dataclass
class Round:
    """One round: its freeze, what was said about it, and how it ended.

    - `source`, `roster`, `arms` are those in force when it was frozen; `line` is the number of the freeze line.
    - `closing` is what its freeze counted; `answers[slot][member]` is (arm, rating) of what happened in that slot, and
      `rooted` are the (slot, member) that can no longer change, each with its ratings line (0: that is to come).
    """

    number: int
    freeze: Said
    freeze_hash: bytes
    source: Said
    roster: Said
    arms: list[str]
    line: int
    closing: Closing
    commits: dict[int, str] = field(default_factory=dict)
    witnesses: dict[int, Said] = field(default_factory=dict)
    reveals: dict[int, Said] = field(default_factory=dict)
    seen: dict[int, Said] = field(default_factory=dict)
    overrides: dict[int, Said] = field(default_factory=dict)
    answers: dict[int, dict[int, tuple[int, str]]] = field(default_factory=dict)
    rooted: dict[tuple[int, int], int] = field(default_factory=dict)
    draw: Said | None = None
    void: Said | None = None

    @property
    def state(self) -> str:
        """ "open", "drawn" or "void"."""
        return "drawn" if self.draw else "void" if self.void else "open"

    @property
    def fair(self) -> bool:
        """Whether it is drawn from everyone's voices; else it is the first trial of an arm."""
        return bool(self.freeze["kind"] == "fair")

    @property
    def slots(self) -> range:
        """The slots of a drawn round."""
        return range(len(self.draw["arms"])) if self.draw else range(0)

    @property
    def played(self) -> list[int]:
        """The arm of each slot, an override counted; nothing while it is not drawn."""
        drawn = self.draw["arms"] if self.draw else []
        return [self.overrides[slot]["arm"] if slot in self.overrides else arm for slot, arm in enumerate(drawn)]

    @property
    def policy(self) -> list[float] | None:
        """The chance of each arm in a fair round; None in a first trial, which is not drawn."""
        return chances(self.freeze)

    @property
    def exploring(self) -> float:
        """The chance that a slot is drawn to learn, and not by a voice."""
        return exploring(self.freeze)

    @property
    def speaks_at(self) -> int | None:
        """When the beacon speaks, in Unix seconds; None for any other source."""
        if self.source["kind"] != "beacon" or self.freeze["source_round"] is None:
            return None
        return int(self.source["genesis"] + (self.freeze["source_round"] - 1) * self.source["period"])

    def whose(self, slot: int) -> str | None:
        """The pseudonym whose voice decided a slot; None for exploration and first trials."""
        balls = self.draw["balls"] if self.draw else []
        return voice_of(self.freeze, balls[slot])[1] if balls else None

    def has(self, member: int) -> bool:
        """Whether a member was on its roster."""
        return member < len(self.roster["members"]) and self.roster["members"][member] is not None

    def row(self, arm: int, rating: str) -> list[str | None]:
        """A rating of what happened as a row over the arms of this round (and one put in its place later)."""
        return [rating if place == arm else None for place in range(max(len(self.arms), arm + 1))]


class Group:
    """A group as of its last event: charter, people, ratings, rounds, and what may come next.

    - `lines`: the bytes of each line without its newline; `head`: the hash of the last, 32 bytes. `seq`, `at`: how many
      events there were, and when the last came. `address`: where its keeper has it.
    - `charter`, `terms`: the charter line, and the same as amended. `rosters`: all roster lines, `members`: who is on
      the last, by number. `names`: who is who, where the keeper knows it.
    - `rounds`: all that were frozen, `open`: the one not yet ended; `closing`: set between a closing and its freeze.
    - `commits`: {member: hash} for the round that comes next; `tried`: the arms played before the last freeze.
    - `ratings`: what members think of the options; `masked`: the arms that rest.

    >>> Group().next_round
    1
    """

    def __init__(self, address: str = "") -> None:
        self.address = address
        self.seq = self.at = 0
        self.lines: list[bytes] = []
        self.parsed: list[Said] = []
        self.head = FIRST
        self.charter: Said = {}
        self.charter_hash = b""
        self.terms: Said = {}
        self.rosters: list[Said] = []
        self.members: dict[int, Said] = {}
        self.names: dict[int, str] = {}
        self.rounds: list[Round] = []
        self.phase = COLLECTING
        self.closing: Closing | None = None
        self.commits: dict[int, str] = {}
        self.tried: set[int] = set()
        self.last_occasion: int | None = None
        self.ratings: dict[int, dict[int, str]] = {}
        self.edits: dict[tuple[int, int], int] = {}
        self.masked: tuple[int, ...] = ()
        self.checks: dict[int, int] = {}
        self.erased: set[int] = set()
        self.settings: Said = {"timetable": None, "webhook": None, "retention": None, "note": "", "waiting": False}
        self.coorganisers: dict[int, str] = {}
        self.invited = 0

    @classmethod
    def from_lines(cls, lines: Iterable[bytes]) -> Group:
        """The group of these lines (without newlines), each checked as it is read."""
        group = cls()
        for line in lines:
            group.append(line)
        return group

    @classmethod
    def from_bytes(cls, data: bytes) -> Group:
        """The group of a whole file; one that ends inside a line is refused."""
        if not data.endswith(b"\n"):
            raise InputError("the record is empty." if not data else "the last line of the record is cut off.")
        return cls.from_lines(data[:-1].split(b"\n"))

    # -- what follows from it ------------------------------------------------------------------------------------------

    @property
    def id(self) -> bytes:
        """The 16 bytes that name this group."""
        return bytes.fromhex(self.charter["group"])

    @property
    def arms(self) -> list[str]:
        """The names of all arms that there ever were."""
        arms: list[str] = self.terms["arms"]
        return arms

    @property
    def available(self) -> list[int]:
        """The arms that the next freeze may draw."""
        return [arm for arm in range(len(self.arms)) if arm not in self.masked]

    @property
    def learns(self) -> bool:
        """Whether a learner decides from ratings of what happened; else ratings of the arms count as they are."""
        return self.charter["learner"] is not None

    @property
    def source(self) -> str:
        """The kind of the source of randomness."""
        return str(self.terms["source"]["kind"])

    @property
    def scale(self) -> tuple[float, float]:
        """The lowest and the highest rating."""
        low, high = self.charter["scale"]
        return float(low), float(high)

    @property
    def roster(self) -> Said:
        """The latest roster line."""
        return self.rosters[-1]

    @property
    def last(self) -> Round | None:
        """The last round that was frozen."""
        return self.rounds[-1] if self.rounds else None

    @property
    def open(self) -> Round | None:
        """The round that was frozen and neither drawn nor voided, if there is one."""
        return self.rounds[-1] if self.phase == FROZEN else None

    @property
    def ended(self) -> bool:
        """Whether the record is closed for good."""
        return self.phase == ENDED

    @property
    def next_round(self) -> int:
        """The number of the round that the next freeze opens."""
        return len(self.rounds) + 1

    @property
    def played_so_far(self) -> set[int]:
        """The arms that were ever played, as far as the next freeze knows."""
        return self.tried | set(self.rounds[-1].played if self.rounds else [])

    def name(self, number: int) -> str:
        """A member's name, or what stands for one who was erased."""
        return self.names.get(number, f"(erased {number})")

    def round(self, number: int) -> Round | None:
        """A round that was frozen, by its number."""
        return self.rounds[number - 1] if 1 <= number <= len(self.rounds) else None

    def open_for_ratings(self, round_: Round) -> bool:
        """Whether what happened in a round may still be rated: the one rule for late answers."""
        return round_.draw is not None and round_.number > len(self.rounds) - LATE_ROUNDS

    def coming(self, occasion: int | None) -> Closing:
        """What a closing at this moment would make final."""
        counted = {} if self.learns else {member: values for member, values in self.ratings.items() if values}
        told = [
            (round_.number, slot, member, arm, value)
            for round_ in self.rounds[-LATE_ROUNDS:]
            for slot, answers in sorted(round_.answers.items())
            for member, (arm, value) in sorted(answers.items())
            if (slot, member) not in round_.rooted
        ]
        return Closing(occasion, self.seq, counted, told)

    def checked_available(self, available: Sequence[int] | None) -> list[int]:
        """The available arms in order; all if none are named."""
        chosen = list(range(len(self.arms))) if available is None else sorted(set(available))
        if not chosen or chosen[0] < 0 or chosen[-1] >= len(self.arms):
            raise InputError(f"available arms are {chosen}; expected one or more of 0 to {len(self.arms) - 1}.")
        return chosen

    # -- how it changes ------------------------------------------------------------------------------------------------

    def snapshot(self) -> Group:
        """The group as it is now, for whoever works on it while it goes on; what ended is shared."""
        twin = copy(self)
        twin.lines, twin.parsed = [*self.lines], [*self.parsed]
        twin.rounds, twin.rosters = [*self.rounds], [*self.rosters]
        twin.commits, twin.tried, twin.names = {**self.commits}, {*self.tried}, {**self.names}
        return twin

    def behind(self, line: NewLine) -> Group:
        """The group with its head at a new line, to which another one is sealed in the same change."""
        twin = copy(self)
        twin.head = line.hash
        return twin

    def append(self, line: bytes | NewLine) -> None:
        """Take one more line of the record, without anything private."""
        sealed = line if isinstance(line, NewLine) else self._read(line)
        self.apply("end" if sealed.said["line"] == "close" else sealed.said["line"], {}, sealed)

    def apply(self, kind: str, body: Mapping[str, Any], line: bytes | NewLine | None = None, at: int = 0) -> None:
        """Count one more event; a line that was not sealed behind this very head is checked first."""
        sealed = line
        if isinstance(line, bytes) or (line is not None and line.said["prev"] != self.head.hex()):
            sealed = self._read(line if isinstance(line, bytes) else line.data)
        self.seq, self.at = self.seq + 1, at
        if isinstance(sealed, NewLine):
            self.lines.append(sealed.data)
            self.parsed.append(sealed.said)
            self.head = sealed.hash
            getattr(self, f"_on_{kind}")(sealed.said)
        else:
            getattr(self, f"_on_{kind}")(body)

    def _read(self, line: bytes) -> NewLine:
        try:
            return read(self, line)
        except InputError as error:
            raise InputError(f"line {len(self.lines) + 1} of the record: {error}") from None

    # lines of the record

    def _on_charter(self, said: Said) -> None:
        self.charter, self.charter_hash, self.terms = said, self.head, said

    def _on_roster(self, said: Said) -> None:
        self.rosters.append(said)
        self.members = {number: entry for number, entry in enumerate(said["members"]) if entry is not None}
        for number in said["left"]:
            self.ratings.pop(number, None)

    def _on_commit(self, said: Said) -> None:
        self.commits[said["by"]] = said["hash"]

    def _on_ratings(self, said: Said) -> None:
        """What the closing made final of a round is under this line."""
        self._closed()
        rooted = self.rounds[said["round"] - 1].rooted
        rooted.update({pair: len(self.lines) for pair, line in rooted.items() if line == 0})

    def _on_freeze(self, said: Said) -> None:
        closing = self._closed(said["occasion"])
        self.tried = self.played_so_far
        self.rounds.append(
            Round(
                said["round"], said, self.head, self.terms["source"], self.roster, self.arms, len(self.lines), closing,
                self.commits,
            )
        )  # fmt: skip
        self.commits, self.closing, self.phase = {}, None, FROZEN
        self.last_occasion = said["occasion"] if said["occasion"] is not None else self.last_occasion

    def _on_witness(self, said: Said) -> None:
        self.rounds[-1].witnesses[said["by"]] = said

    def _on_reveal(self, said: Said) -> None:
        self.rounds[-1].reveals[said["by"]] = said

    def _on_draw(self, said: Said) -> None:
        self.rounds[-1].draw, self.phase = said, COLLECTING

    def _on_void(self, said: Said) -> None:
        self.rounds[-1].void, self.phase = said, COLLECTING

    def _on_override(self, said: Said) -> None:
        """Another arm took the slot; ratings of the one that did not happen are dropped."""
        round_, slot = self.rounds[said["round"] - 1], said["slot"]
        round_.overrides[slot] = said
        for member, (arm, _) in list(round_.answers.get(slot, {}).items()):
            if arm != said["arm"] and (slot, member) not in round_.rooted:
                del round_.answers[slot][member]

    def _on_amend(self, said: Said) -> None:
        self.terms = {**self.terms, said["field"]: said["value"]}
        if said["field"] == "source":
            self.last_occasion = None

    def _on_end(self, said: Said) -> None:
        self.phase = ENDED

    # what stays private

    def _on_rate(self, body: Said) -> None:
        values = {int(arm): value for arm, value in body["values"].items()}
        member, number = body["member"], body["round"]
        self.edits[number or 0, member] = self.edits.get((number or 0, member), 0) + 1
        if number is None:
            kept = self.ratings.get(member, {}) | values  # a new mapping: rounds before keep the one they counted
            self.ratings[member] = {arm: value for arm, value in sorted(kept.items()) if value is not None}
            return
        answers = self.rounds[number - 1].answers.setdefault(body["slot"], {})
        for arm, value in values.items():
            answers.pop(member, None) if value is None else answers.__setitem__(member, (arm, value))

    def _on_close(self, body: Said) -> None:
        self._closed(body["occasion"])

    def _closed(self, occasion: int | None = None) -> Closing:
        """The closing of the next freeze. Where nobody wrote it down apart, the lines of a freeze begin with it."""
        if self.closing is None:
            self.closing, self.phase = self.coming(occasion), CLOSED
            for number, slot, member, _, _ in self.closing.told:
                self.rounds[number - 1].rooted[slot, member] = 0
        return self.closing

    def _on_seen(self, body: Said) -> None:
        self.rounds[-1].seen[body["by"]] = body

    def _on_check(self, body: Said) -> None:
        self.checks[body["by"]] = body["lines"]

    def _on_mask(self, body: Said) -> None:
        self.masked = tuple(body["masked"])

    def _on_setting(self, body: Said) -> None:
        self.settings = self.settings | body

    def _on_erase(self, body: Said) -> None:
        """Who a member is goes, and with it what she said that no line holds yet."""
        member = body["member"]
        self.erased.add(member)
        self.names.pop(member, None)
        for round_ in self.rounds:
            for slot, answers in round_.answers.items():
                if (slot, member) not in round_.rooted:
                    answers.pop(member, None)

    def _on_link(self, body: Said) -> None:
        """A link was issued again: nothing changes but that it stands in the log."""

    def _on_invite(self, body: Said) -> None:
        self.invited += 1
        self.coorganisers[body["number"]] = body["name"]

    def _on_dismiss(self, body: Said) -> None:
        self.coorganisers.pop(body["number"], None)
