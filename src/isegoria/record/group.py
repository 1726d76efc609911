"""`Group`: what the events of a group add up to, one at a time: the lines of its record, and what stays private.

It knows no file, no clock and no chance. Replaying the events from the first always gives the same group, whoever keeps
them: the command line in a file, the service in a database.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

from isegoria.errors import InputError
from isegoria.record import cold
from isegoria.record.format.lines import NewLine, Said, chances, read, voice_of
from isegoria.record.format.people import Person, Told, pseudonym
from isegoria.record.turns.debts import Debts, carried

FIRST = bytes(32)
COLLECTING, CLOSED, FROZEN, ENDED = "collecting", "closed", "frozen", "ended"
LATE_ROUNDS = 20
"""A rating may come this many rounds after its draw; later ones are refused."""

Answer = tuple[int, int, int, int, Told]  # round, slot, member, arm, and what she told


@dataclass(frozen=True)
class Closing:
    """What a closing made final for the freeze that follows: later ratings, joins and keys are late.

    - `counted`: by member, her ratings of the options. `told`: what was told of rounds that happened, each once.
    - `entries`: the roster as it is to be, `available`: the arms of the page. `seq` is the number of the event,
      `occasion` that of the timetable.
    """

    occasion: int | None
    seq: int
    counted: dict[int, Told]
    told: list[Answer]
    entries: list[Said | None]
    available: list[int]


@dataclass(frozen=True)
class Proposal:
    """An option that is on no line yet: its name, and the number of whoever proposed it (-1: the organiser, or one who
    was erased). None for a name: it was withdrawn."""

    name: str | None
    by: int


@dataclass
class Round:
    """One round: its page (a freeze or a trial), what was said about it, and how it ended.

    - `source`, `roster`, `arms` are those in force when it was frozen; `line`, `drawn_line` are numbers of lines.
    - `commits` (hashes), `reveals` (numbers), `throws` (source bytes), in hexadecimal, by member; `early`: who signed
      over this page before it was drawn, and when; `since`: who signed past its draw.
    - `overrides` by slot; `put`: the arms of those that count as played, since no later page stood before them.
    - `closing` is what its freeze counted; `answers[slot][member]` is (arm, rating) of what happened in that slot,
      `told[slot, member]` the same as it was signed, and `rooted` are the (slot, member) that can no longer change,
      each with its ratings line (0: that is to come).
    - `turns`: what the charter says of turns. Of their worlds only the real one, the first, is played.
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
    reveals: dict[int, str] = field(default_factory=dict)
    throws: dict[int, str] = field(default_factory=dict)
    early: dict[int, int] = field(default_factory=dict)
    since: set[int] = field(default_factory=set)
    overrides: dict[int, Said] = field(default_factory=dict)
    put: dict[int, int] = field(default_factory=dict)
    answers: dict[int, dict[int, tuple[int, str]]] = field(default_factory=dict)
    told: dict[tuple[int, int], Told] = field(default_factory=dict)
    rooted: dict[tuple[int, int], int] = field(default_factory=dict)
    draw: Said | None = None
    drawn_line: int = 0
    left: bool = False
    turns: Said | None = None

    @property
    def state(self) -> str:
        """ "open", "drawn", "trial", or "never drawn"."""
        if not self.fair:
            return "trial"
        return "drawn" if self.draw else "never drawn" if self.left else "open"

    @property
    def fair(self) -> bool:
        """Whether it is drawn from everyone's voices; else it is the first trial of an arm."""
        return bool(self.freeze["line"] == "freeze")

    @property
    def happened(self) -> bool:
        """Whether arms were played in it: it was drawn, or is a trial."""
        return self.draw is not None or not self.fair

    @property
    def block(self) -> int:
        """How many slots it has."""
        return int(self.freeze["block"]) if self.fair and self.turns is None else 1

    @property
    def slots(self) -> range:
        """The slots of a round that happened."""
        return range(self.block) if self.happened else range(0)

    @property
    def drawn(self) -> list[int]:
        """The arm of each slot as it was drawn, or tried."""
        arms: list[int] = self.draw["arms"] if self.draw else [] if self.fair else [self.freeze["arm"]]
        return arms[: self.block]

    @property
    def played(self) -> list[int]:
        """The arm of each slot, overrides in time counted; nothing while it is not drawn."""
        return [self.put.get(slot, arm) for slot, arm in enumerate(self.drawn)]

    @property
    def charged(self) -> list[int] | None:
        """With turns: the arm that each world is charged with; None if nothing was played that counts.

        What was put in in time is charged in all worlds.
        """
        if 0 in self.put:
            return [self.put[0]] * int(self.freeze["block"])
        return self.draw["arms"] if self.draw else None

    @property
    def policy(self) -> list[float] | None:
        """The chance of each arm in a fair round; None where there is none to be told.

        That is in a first trial, in settled turns, which are no lottery, and where turns use options up: what is on
        offer then depends on earlier draws, and nothing is said of odds.
        """
        if self.turns is not None and (self.turns["mode"] == "settled" or self.turns["used_up"]):
            return None
        return chances(self.freeze)

    @property
    def speaks_at(self) -> int | None:
        """When the beacon speaks, in Unix seconds; None for any other source, and for a trial."""
        if not self.fair or self.source["kind"] != "beacon":
            return None
        return int(self.source["genesis"] + (self.freeze["source_round"] - 1) * self.source["period"])

    def whose(self, slot: int) -> str | None:
        """The pseudonym whose voice decided a slot; None in a first trial."""
        return voice_of(self.freeze, self.draw["balls"][slot])[1] if self.draw else None

    def has(self, member: int) -> bool:
        """Whether a member was on its roster."""
        return member < len(self.roster["members"]) and self.roster["members"][member] is not None

    def row(self, arm: int, rating: str | None) -> list[str | None]:
        """A rating of what happened as a row over the arms of this round (and one put in its place later)."""
        return [rating if place == arm else None for place in range(max(len(self.arms), arm + 1))]


class Group:
    """A group as of its last event: charter, people, ratings, rounds, and what may come next.

    - `lines`: the bytes of each line without its newline; `hashes`: of each; `head`: that of the last, 32 bytes;
      `record`: the record's id, the hash of line 2 (empty before it). `seq`, `at`: how many events there were, and when
      the last came. `address`: where its keeper has it.
    - `charter`, `terms`: the charter line, and the same as amended; before the record begins, what it will say.
      `rosters`: all roster lines. `entries`: people as the next roster will have them, `members`: those who are here.
      `names`: who is who, where the keeper knows it.
    - `rounds`: all that were frozen, `open`: the one not yet ended; `closing`: set between a closing and its freeze.
    - `says`: (size, what) of all that each member said; `commits`: {member: hash} for the next freeze, `committed`: all
      hashes there were; `tried`: the arms played before the last page.
    - `ratings`: what members think of the options; `masked`: the arms that rest.
    - With turns, `proposals` by number: options for the next freeze; `withdrawn`: the numbers of those taken back.
    - With turns, `debts`: what is owed before the last round; `spent`: the arms that were used up before it.

    >>> Group().next_round
    1
    """

    def __init__(self, address: str = "") -> None:
        self.address = address
        self.seq = self.at = 0
        self.lines: list[bytes] = []
        self.parsed: list[Said] = []
        self.hashes: list[bytes] = []
        self.head = FIRST
        self.record = b""
        self.charter: Said = {}
        self.terms: Said = {}
        self.rosters: list[Said] = []
        self.roster_lines: list[int] = []
        self.entries: list[Said | None] = []
        self.members: dict[int, Said] = {}
        self.private = self.ended = False
        self.names: dict[int, str] = {}
        self.rounds: list[Round] = []
        self.closing: Closing | None = None
        self.says: dict[int, list[tuple[int, str]]] = {}
        self.commits: dict[int, str] = {}
        self.committed: set[str] = set()
        self.tried: set[int] = set()
        self.last_occasion: int | None = None
        self.ratings: dict[int, dict[int, str]] = {}
        self.told: dict[int, Told] = {}
        self.edits: dict[tuple[int, int], int] = {}
        self.masked: tuple[int, ...] = ()
        self.proposals: dict[int, Proposal] = {}
        self.withdrawn: set[int] = set()
        self.debts: Debts = {}
        self.spent: set[int] = set()
        self.erased: set[int] = set()
        self.settings: Said = {
            "timetable": None,
            "webhook": None,
            "retention": None,
            "note": "",
            "waiting": False,
            "owed": False,
        }
        self.coorganisers: dict[int, str] = {}
        self.reissued: dict[int, tuple[int, str]] = {}
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
        resting = self.used.union(self.masked, self.withdrawn)
        return [arm for arm in range(len(self.options)) if arm not in resting]

    @property
    def options(self) -> list[str]:
        """The names of all arms, and behind them those that will be arms at the next freeze."""
        if not self.proposals:
            return self.arms
        return [*self.arms, *(one.name or f"(withdrawn {number})" for number, one in sorted(self.proposals.items()))]

    @property
    def turns(self) -> Said | None:
        """What the charter says of turns with memory: mode, worlds, used_up; None for a record without."""
        turns: Said | None = self.charter.get("turns")
        return turns

    @property
    def used(self) -> set[int]:
        """With turns that use options up: the arms that were played, as far as the next freeze knows."""
        last = self.last
        if self.turns is None or not self.turns["used_up"] or last is None:
            return self.spent
        return self.spent | set((last.charged or [])[:1])

    @property
    def owed(self) -> Debts:
        """With turns: what each pseudonym is owed now, the last round counted as far as it was played."""
        last = self.last
        if self.turns is None or last is None:
            return {}
        return carried(self.turns, last.freeze, self.debts, last.charged)

    def alias(self, person: Person, number: int) -> str:
        """The pseudonym of a member in a round, as digits: with turns the same in every one."""
        return pseudonym(person.secret, self.id, self.naming(number), person.number).hex()

    def naming(self, number: int) -> int:
        """The number of a round as pseudonyms are made from it: 0 with turns, since debts are followed."""
        return number if self.turns is None else 0

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
        """The latest roster line; before the record begins, one of nobody."""
        return self.rosters[-1] if self.rosters else {"version": 0, "members": []}

    @property
    def seats(self) -> list[Said | None]:
        """The latest roster by number, with every number that any roster gave."""
        given = max((len(roster["members"]) for roster in self.rosters), default=0)
        members: list[Said | None] = self.roster["members"]
        return [*members, *[None] * (given - len(members))]

    @property
    def begun(self) -> bool:
        """Whether its record has begun: charter and roster are written."""
        return len(self.lines) > 1

    @property
    def phase(self) -> str:
        """ "ended", "closed" (a freeze is being worked out), "frozen" (a round is open) or "collecting"."""
        if self.ended:
            return ENDED
        return CLOSED if self.closing is not None else FROZEN if self.open is not None else COLLECTING

    @property
    def last(self) -> Round | None:
        """The last round that was frozen."""
        return self.rounds[-1] if self.rounds else None

    @property
    def open(self) -> Round | None:
        """The fair round that was frozen and neither drawn nor left, if there is one."""
        last = self.last
        return last if last is not None and last.state == "open" else None

    @property
    def next_round(self) -> int:
        """The number of the round that the next freeze opens."""
        return len(self.rounds) + 1

    @property
    def played_so_far(self) -> set[int]:
        """The arms that were ever played, as far as the next freeze knows."""
        return self.tried | set(self.rounds[-1].played if self.rounds else [])

    @property
    def events(self) -> set[str]:
        """What was decided so far, as the freezes name it."""
        return {one.freeze["event"] for one in self.rounds if one.fair}

    def name(self, number: int) -> str:
        """A member's name, or what stands for one who was erased."""
        return self.names.get(number, f"(erased {number})" if number in self.erased else f"member {number}")

    def round(self, number: int) -> Round | None:
        """A round that was frozen, by its number."""
        return self.rounds[number - 1] if 1 <= number <= len(self.rounds) else None

    def open_for_ratings(self, round_: Round) -> bool:
        """Whether what happened in a round may still be rated: the one rule for late answers."""
        return round_.happened and round_.number > len(self.rounds) - LATE_ROUNDS

    def roster_at(self, line: int) -> Said:
        """The latest roster before a line (counted from 1)."""
        place = bisect_left(self.roster_lines, line) - 1
        return self.rosters[place]

    def coming(self, occasion: int | None) -> Closing:
        """What a closing at this moment would make final."""
        here = self.members
        counted = {} if self.learns else {m: told for m, told in sorted(self.told.items()) if m in here}
        told = [
            (round_.number, slot, member, arm, round_.told[slot, member])
            for round_ in self.rounds[-LATE_ROUNDS:]
            for slot, answers in sorted(round_.answers.items())
            for member, (arm, _) in sorted(answers.items())
            if (slot, member) not in round_.rooted
        ]
        return Closing(occasion, self.seq, counted, told, [*self.entries], self.available)

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
        twin.lines, twin.parsed, twin.hashes = [*self.lines], [*self.parsed], [*self.hashes]
        twin.rounds, twin.rosters, twin.entries = [*self.rounds], [*self.rosters], [*self.entries]
        twin.roster_lines = [*self.roster_lines]
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
        self.apply(sealed.said["line"], {}, sealed)

    def apply(self, kind: str, body: Mapping[str, Any], line: bytes | NewLine | None = None, at: int = 0) -> None:
        """Count one more event; a line that was not sealed behind this very head is checked first."""
        sealed = line
        if isinstance(line, bytes) or (line is not None and line.said["prev"] != self.head.hex()):
            sealed = self._read(line if isinstance(line, bytes) else line.data)
        self.seq, self.at = self.seq + 1, at
        if isinstance(sealed, NewLine):
            self.lines.append(sealed.data)
            self.parsed.append(sealed.said)
            self.hashes.append(sealed.hash)
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
        self.charter = self.terms = said

    def _on_roster(self, said: Said) -> None:
        """What was gathered is written; who reads lines alone learns here who takes part."""
        self.rosters.append(said)
        self.roster_lines.append(len(self.lines))
        if len(self.lines) == 2:
            self.record = self.head
        if not self.private:
            self.entries = self.seats
            self._seat()

    def _on_say(self, said: Said) -> None:
        by, size, now = said["by"], said["size"], self.open
        self.says.setdefault(by, []).append((size, said["what"]))
        if said["what"] == "commit":
            self.commits[by] = said["value"]
            self.committed.add(said["value"])
        if now is not None and size >= now.line:
            now.early.setdefault(by, said["at"])
            if said["what"] in ("reveal", "dice"):
                (now.reveals if said["what"] == "reveal" else now.throws)[by] = said["value"]
        for round_ in reversed(self.rounds):
            if round_.drawn_line and size >= round_.drawn_line:
                if by in round_.since:
                    break
                round_.since.add(by)

    def _on_ratings(self, said: Said) -> None:
        """What the closing made final of a round is under this line."""
        self._closed()
        rooted = self.rounds[said["round"] - 1].rooted
        rooted.update({pair: len(self.lines) for pair, line in rooted.items() if line == 0})

    def _on_freeze(self, said: Said) -> None:
        self._on_page(said, self.commits)
        self.commits = {}

    def _on_trial(self, said: Said) -> None:
        self._on_page(said, {})

    def _on_page(self, said: Said, commits: dict[int, str]) -> None:
        closing = self._closed(said["occasion"])
        self.tried = self.played_so_far
        self.spent, self.debts = self.used, self.owed
        if self.open is not None:
            self.open.left = True
        self.rounds.append(
            Round(
                said["round"], said, self.head, self.terms["source"], self.roster, self.arms, len(self.lines), closing,
                commits, turns=self.turns,
            )
        )  # fmt: skip
        self.closing = None
        self.last_occasion = said["occasion"] if said["occasion"] is not None else self.last_occasion
        self._cool()

    def _cool(self) -> None:
        """Let go of what the page that leaves the window says of each member, if that is much: its line has it."""
        if len(self.rounds) <= cold.WINDOW:
            return
        old = self.rounds[-cold.WINDOW - 1]
        line = self.lines[old.line - 1]
        if "types" in old.freeze and len(line) > cold.LARGE:
            old.freeze = self.parsed[old.line - 1] = cold.ColdPage(old.freeze, line)

    def _on_draw(self, said: Said) -> None:
        self.rounds[-1].draw, self.rounds[-1].drawn_line = said, len(self.lines)

    def _on_override(self, said: Said) -> None:
        """Another arm took the slot; ratings of the one that did not happen are dropped."""
        round_, slot = self.rounds[said["round"] - 1], said["slot"]
        round_.overrides[slot] = said
        if round_ is not self.rounds[-1]:
            return
        round_.put[slot] = said["arm"]
        for member, (arm, _) in list(round_.answers.get(slot, {}).items()):
            if arm != said["arm"] and (slot, member) not in round_.rooted:
                del round_.answers[slot][member]

    def _on_amend(self, said: Said) -> None:
        if said["field"] == "end":
            self.ended = True
            if self.open is not None:
                self.open.left = True
            return
        self._on_draft(said)

    # what stays private

    def _on_found(self, body: Said) -> None:
        """What the record will begin with; nothing of it is written yet."""
        self.charter = self.terms = {**body["charter"]}
        self.entries, self.private = [*body["entries"]], True
        self._seat()

    def _on_draft(self, body: Said) -> None:
        """A term changes: before the record begins, or by an amendment."""
        self.terms = {**self.terms, body["field"]: body["value"]}
        if body["field"] == "arms":
            self.proposals = {number: one for number, one in self.proposals.items() if number >= len(body["value"])}
        if body["field"] == "source":
            self.last_occasion = None

    def _on_seat(self, body: Said) -> None:
        """A member's entry in the next roster: she joins, leaves (None), or has another key, mark or commitment."""
        number, entry = body["member"], body["entry"]
        self.entries = [*self.entries[:number], entry, *self.entries[number + 1 :]]
        self._seat()

    def _seat(self) -> None:
        self.members = {number: entry for number, entry in enumerate(self.entries) if entry is not None}
        for number in [number for number in self.ratings if number not in self.members]:
            del self.ratings[number]
            self.told.pop(number, None)

    def _on_rate(self, body: Said) -> None:
        values = {int(arm): value for arm, value in body["values"].items()}
        member, number = body["member"], body["round"]
        self.edits[number or 0, member] = self.edits.get((number or 0, member), 0) + 1
        signed = (body["at"], body["signature"], body["key"])
        if number is None:
            kept = self.ratings.get(member, {}) | values  # a new mapping: rounds before keep the one they counted
            self.ratings[member] = {arm: value for arm, value in sorted(kept.items()) if value is not None}
            row = [self.ratings[member].get(arm) for arm in range(len(self.options))]
            self.told.pop(member, None)
            if self.ratings[member]:
                self.told[member] = Told(row, *signed)
            return
        round_, slot = self.rounds[number - 1], body["slot"]
        answers = round_.answers.setdefault(slot, {})
        for arm, value in values.items():
            answers.pop(member, None)
            if value is not None:
                answers[member] = (arm, value)
                round_.told[slot, member] = Told(round_.row(arm, value), *signed)

    def _on_close(self, body: Said) -> None:
        self._closed(body["occasion"])

    def _on_reopen(self, body: Said) -> None:
        """A closing led to no page: what it had made final is open again."""
        for number, slot, member, _, _ in self.closing.told if self.closing else ():
            if self.rounds[number - 1].rooted.get((slot, member)) == 0:
                del self.rounds[number - 1].rooted[slot, member]
        self.closing = None

    def _closed(self, occasion: int | None = None) -> Closing:
        """The closing of the next freeze. Where nobody wrote it down apart, the lines of a freeze begin with it."""
        if self.closing is None:
            self.closing = self.coming(occasion)
            for number, slot, member, _, _ in self.closing.told:
                self.rounds[number - 1].rooted[slot, member] = 0
        return self.closing

    def _on_mask(self, body: Said) -> None:
        self.masked = tuple(body["masked"])

    def _on_propose(self, body: Said) -> None:
        self.proposals = {**self.proposals, len(self.options): Proposal(body["name"], body["by"])}

    def _on_withdraw(self, body: Said) -> None:
        number = body["number"]
        self.proposals = {**self.proposals, number: Proposal(None, self.proposals[number].by)}
        self.withdrawn = self.withdrawn | {number}

    def _on_setting(self, body: Said) -> None:
        self.settings = self.settings | body

    def _on_erase(self, body: Said) -> None:
        """Who a member is goes, and with it what she said that no line holds yet."""
        member = body["member"]
        self.erased.add(member)
        self.names.pop(member, None)
        mine = {number for number, one in self.proposals.items() if one.by == member}
        self.proposals = {n: replace(one, by=-1) if n in mine else one for n, one in self.proposals.items()}
        for round_ in self.rounds:
            for slot, answers in round_.answers.items():
                if (slot, member) not in round_.rooted:
                    answers.pop(member, None)

    def _on_link(self, body: Said) -> None:
        """A link was issued again: whose it is can see when, and by whom."""
        if body["role"] == "member":
            self.reissued[body["number"]] = (self.at, body["by"])

    def _on_invite(self, body: Said) -> None:
        self.invited += 1
        self.coorganisers[body["number"]] = body["name"]

    def _on_dismiss(self, body: Said) -> None:
        self.coorganisers.pop(body["number"], None)
