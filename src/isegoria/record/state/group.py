"""`Group`: the state of a group, as its events add up to it: the lines of its record and what stays private.

It uses no file, no clock and no randomness. Replaying the events from the first always gives the same state, in the
file store of the command line and in the database store of the service.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any

from isegoria.errors import InputError
from isegoria.record.format.hash_chain import GENESIS_HASH
from isegoria.record.format.identities import MemberIdentity, SignedRatings, derive_pseudonym
from isegoria.record.format.lines import SealedLine, parse_line
from isegoria.record.format.record_view import LinePayload
from isegoria.record.state.reducers import EVENT_REDUCERS
from isegoria.record.state.round import Cutoff, ProposedOption, Round
from isegoria.record.state.round_log import ArchiveLoader, RoundLog
from isegoria.record.turns.record_ledger import Ledger, carry_debts

if TYPE_CHECKING:
    from isegoria.record.actions.action import NewEvent

PHASE_COLLECTING, PHASE_CLOSED, PHASE_FROZEN, PHASE_ENDED = "collecting", "closed", "frozen", "ended"
MAX_RATING_DELAY_ROUNDS = 20
"""A rating may arrive at most this many rounds after its draw; later ones are rejected."""


class Group:
    """The state of a group after its last event: charter, people, ratings, rounds, and what may come next.

    - `lines`: the bytes of each line without its newline. `hashes`: the hash of each. `head`: the last hash, 32 bytes.
      `record`: the record's id, the hash of line 2 (empty before it). `seq`, `at`: the number of events, and the time
      of the last. `address`: where its store has it. `fetch`: how its store reads the line behind a hash again; with
      it, old lines are not kept in memory.
    - `charter`, `terms`: the charter line, and the same as amended; before the record begins, what it will say.
      `rosters`: all roster lines. `entries`: people as the next roster will have them. `members`: those who are
      present. `names`: the names, where the store knows them.
    - `rounds`: all that were frozen. `open`: the one not yet ended. `closing`: the cutoff, between it and its freeze.
      `past`: how its store returns archived rounds. `titles`: what was decided, as the freezes name it.
    - `says`: by member, (size, what) of their statements about the latest line that they had seen. `commits`: {member:
      hash} for the next freeze. `committed`: all hashes so far. `asked_until`: until when numbers of open pages are
      held. `tried`: the arms played before the last page.
    - `ratings`: members' ratings of the options. `masked`: the arms that are unavailable for now.
    - With turns, `proposals` by number: options for the next freeze. `withdrawn`: the numbers of those withdrawn.
    - `departed`: why members are gone, "left" or "removed". `away`: until when members take no part (None: until they
      are back). `presence`: by member, the last round of which they said whether they are in, and 1 if they are.
      `organisers`: the members to whom the group was handed over. `compared`: by number and key, in hexadecimal, the
      members without a mark who compared it.
    - With turns, `debts`: the debts before the last round. `spent`: the arms that were used up before it.

    >>> Group().next_round
    1
    """

    def __init__(
        self, address: str = "", fetch: Callable[[bytes], bytes] | None = None, past: ArchiveLoader | None = None
    ) -> None:
        self.address, self.fetch = address, fetch
        self.seq = self.at = 0
        self.lines: list[bytes] = []
        self.parsed: list[LinePayload] = []
        self.hashes: list[bytes] = []
        self.head = GENESIS_HASH
        self.record = b""
        self.charter: LinePayload = {}
        self.terms: LinePayload = {}
        self.rosters: list[LinePayload] = []
        self.roster_lines: list[int] = []
        self.entries: list[LinePayload | None] = []
        self.members: dict[int, LinePayload] = {}
        self.private = self.ended = False
        self.names: dict[int, str] = {}
        self.rounds = RoundLog(past)
        self.rounds.rosters = self.rosters
        self.titles: set[str] = set()
        self.closing: Cutoff | None = None
        self.says: dict[int, list[tuple[int, str]]] = {}
        self.commits: dict[int, str] = {}
        self.asked_until = 0
        self.committed: set[str] = set()
        self.tried: set[int] = set()
        self.last_occurrence: int | None = None
        self.ratings: dict[int, dict[int, str]] = {}
        self.told: dict[int, SignedRatings] = {}
        self.edits: dict[tuple[int, int], int] = {}
        self.masked: tuple[int, ...] = ()
        self.proposals: dict[int, ProposedOption] = {}
        self.withdrawn: set[int] = set()
        self.debts: Ledger = {}
        self.spent: set[int] = set()
        self.erased: set[int] = set()
        self.settings: LinePayload = {
            "timetable": None,
            "webhook": None,
            "retention": None,
            "note": "",
            "waiting": False,
            "owed": False,
            "presence": 0,
        }
        self.coorganisers: dict[int, str] = {}
        self.reissued: dict[int, tuple[int, str]] = {}
        self.departed: dict[int, str] = {}
        self.away: dict[int, int | None] = {}
        self.presence: dict[int, tuple[int, int]] = {}
        self.organisers: set[int] = set()
        self.compared: dict[str, frozenset[int]] = {}
        self.invited = 0

    @classmethod
    def from_lines(cls, lines: Iterable[bytes]) -> Group:
        """Return the group of these lines (without newlines), validating each."""
        group = cls()
        for line in lines:
            group.append(line)
        return group

    @classmethod
    def from_bytes(cls, data: bytes) -> Group:
        """Return the group of a whole file. Raise `InputError` if it is empty or ends inside a line."""
        if not data.endswith(b"\n"):
            raise InputError("the record is empty." if not data else "the last line of the record is cut off.")
        return cls.from_lines(data[:-1].split(b"\n"))

    # -- derived state -------------------------------------------------------------------------------------------------

    @property
    def id(self) -> bytes:
        """The 16 bytes that identify this group."""
        return bytes.fromhex(self.charter["group"])

    @property
    def arms(self) -> list[str]:
        """The names of all arms so far."""
        arms: list[str] = self.terms["arms"]
        return arms

    @property
    def available(self) -> list[int]:
        """The arms that the next freeze may draw."""
        out = self.used.union(self.masked, self.withdrawn)
        there = [arm for arm in range(len(self.options)) if arm not in out]
        return [arm for arm in there if arm not in self.resting] or there

    @property
    def options(self) -> list[str]:
        """The names of all arms, followed by those that become arms at the next freeze."""
        if not self.proposals:
            return self.arms
        return [*self.arms, *(one.name or f"(withdrawn {number})" for number, one in sorted(self.proposals.items()))]

    @property
    def turns(self) -> LinePayload | None:
        """The charter's term on turns with memory: mode, worlds, single_use; None for a record without turns."""
        turns: LinePayload | None = self.charter.get("turns")
        return turns

    @property
    def used(self) -> set[int]:
        """With turns that use options up, the arms that were played, as far as the next freeze knows."""
        last = self.last
        if self.turns is None or not self.turns["single_use"] or last is None:
            return self.spent
        return self.spent | set((last.charged or [])[:1])

    @property
    def resting(self) -> set[int]:
        """The arms that rest: those played in the last rounds that played any, as far as the next freeze knows."""
        rounds, arms = self.terms.get("resting", 0), set[int]()
        for place in range(len(self.rounds) - 1, -1, -1):
            if not rounds:
                break
            round_ = self.rounds[place]
            played = round_.played if self.turns is None else (round_.charged or [])[:1]
            arms.update(played)
            rounds -= bool(played)
        return arms

    @property
    def owed(self) -> Ledger:
        """With turns, what each pseudonym is owed now, including the last round as far as it was played."""
        last = self.last
        if self.turns is None or last is None:
            return {}
        return carry_debts(last.freeze, self.debts, last.charged)

    def alias(self, person: MemberIdentity, number: int) -> str:
        """Return the pseudonym of a member in a round, in hexadecimal; with turns it is the same in every round."""
        return derive_pseudonym(person.secret, self.id, self.naming(number), person.number).hex()

    def naming(self, number: int) -> int:
        """Return the round number from which pseudonyms are derived: 0 with turns, because debts must be followed."""
        return number if self.turns is None else 0

    @property
    def learns(self) -> bool:
        """Whether a learner decides from ratings of what happened; if not, ratings of the arms are used directly."""
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
    def roster(self) -> LinePayload:
        """The latest roster line; an empty one before the record begins."""
        return self.rosters[-1] if self.rosters else {"version": 0, "members": []}

    @property
    def seats(self) -> list[LinePayload | None]:
        """The latest roster by number, extended to every number that any roster assigned."""
        given = max((len(roster["members"]) for roster in self.rosters), default=0)
        members: list[LinePayload | None] = self.roster["members"]
        return [*members, *[None] * (given - len(members))]

    @property
    def weights(self) -> dict[int, int]:
        """The weight of everybody who ever joined, by number; those who left have their last weight."""
        lists = [*(line["members"] for line in self.rosters), self.entries]
        return {number: one["weight"] for entries in lists for number, one in enumerate(entries) if one}

    @property
    def begun(self) -> bool:
        """Whether the record has begun: charter and roster are written."""
        return len(self.lines) > 1

    @property
    def phase(self) -> str:
        """ "ended", "closed" (a freeze is being worked out), "frozen" (a round is open) or "collecting"."""
        if self.ended:
            return PHASE_ENDED
        return PHASE_CLOSED if self.closing is not None else PHASE_FROZEN if self.open is not None else PHASE_COLLECTING

    @property
    def last(self) -> Round | None:
        """The last round that was frozen, or None."""
        return self.rounds.last

    @property
    def open(self) -> Round | None:
        """The fair round that is frozen and neither drawn nor given up, or None."""
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

    def name(self, number: int) -> str:
        """Return a member's name, or a placeholder if they were erased or the name is not known."""
        return self.names.get(number, f"(erased {number})" if number in self.erased else f"member {number}")

    def round(self, number: int) -> Round | None:
        """Return a frozen round by its number, or None."""
        return self.rounds[number - 1] if 1 <= number <= len(self.rounds) else None

    def open_for_ratings(self, round_: Round) -> bool:
        """Return whether what happened in a round may still be rated: the one rule for late ratings."""
        return round_.happened and round_.number > len(self.rounds) - MAX_RATING_DELAY_ROUNDS

    def roster_at(self, line: int) -> LinePayload:
        """Return the latest roster before a line (counted from 1)."""
        place = bisect_left(self.roster_lines, line) - 1
        return self.rosters[place]

    @property
    def changes_from(self) -> int:
        """The next round that may have another roster than the one before: 1, N + 1, 2N + 1, …"""
        every: int = self.settings.get("changes") or 1
        return self.next_round + -(self.next_round - 1) % every

    @property
    def seats_to_come(self) -> list[LinePayload | None]:
        """The roster of the next page: all collected changes, or the latest roster while changes wait.

        Lost keys do not wait: erased members leave at once, and a reissued link counts at once.
        """
        if not self.rosters or self.changes_from == self.next_round:
            return [*self.entries]
        held: list[LinePayload | None] = self.roster["members"]
        return [None if n in self.erased else _merge_seat(one, self.entries[n]) for n, one in enumerate(held)]

    def absent_at(self, now: int) -> list[int]:
        """Return the members who take no part in the next round: away at that time, or asked and not in."""
        asked, coming = self.settings.get("presence"), (self.next_round, 1)
        return [
            number
            for number, entry in enumerate(self.seats_to_come)
            if entry is not None
            and (
                (number in self.away and ((until := self.away[number]) is None or until > now))
                or (asked and self.presence.get(number) != coming)
            )
        ]

    def member_state(self, number: int, now: int) -> tuple[str, int | None, int | None]:
        """Return the state of a member, with the round from which they take part or until when they are away."""
        last = self.last
        if number not in self.members:
            return self.departed.get(number, "removed"), None, None
        entry = self.members[number]
        if entry["by_hand"]:
            return "by_hand", None, None
        if number in self.away and ((until := self.away[number]) is None or until > now):
            return "away", None, until
        if self.begun and (last is None or not last.has(number)):
            return "pending", self.changes_from + (self.closing is not None and self._is_late(number)), None
        return "active" if entry["key"] else "invited", None, None

    def _is_late(self, number: int) -> bool:
        """Return whether a member is not on the roster of the cutoff, so that the coming page will not have them."""
        entries = self.closing.entries if self.closing else []
        return number >= len(entries) or entries[number] is None

    def coming(self, occurrence: int | None, absent: Sequence[int] = ()) -> Cutoff:
        """Return the cutoff that a freeze at this moment would use."""
        seats = self.seats_to_come
        here = {number for number, entry in enumerate(seats) if entry is not None and number not in absent}
        counted = {} if self.learns else {m: told for m, told in sorted(self.told.items()) if m in here}
        told = [
            (round_.number, slot, member, arm, round_.told[slot, member])
            for round_ in self.rounds[-MAX_RATING_DELAY_ROUNDS:]
            for slot, answers in sorted(round_.answers.items())
            for member, (arm, _) in sorted(answers.items())
            if (slot, member) not in round_.rooted
        ]
        return Cutoff(occurrence, self.seq, counted, told, seats, self.available, tuple(absent))

    def checked_available(self, available: Sequence[int] | None) -> list[int]:
        """Return the available arms in order, all if None. Raise `InputError` if there are none or unknown ones."""
        chosen = list(range(len(self.arms))) if available is None else sorted(set(available))
        if not chosen or chosen[0] < 0 or chosen[-1] >= len(self.arms):
            raise InputError(f"available arms are {chosen}; expected one or more of 0 to {len(self.arms) - 1}.")
        return chosen

    # -- updates -------------------------------------------------------------------------------------------------------

    def snapshot(self) -> Group:
        """Return a copy of the group as it is now, to work on while the original changes; the rounds are shared."""
        twin = copy(self)
        twin.lines, twin.parsed, twin.hashes = [*self.lines], [*self.parsed], [*self.hashes]
        twin.rosters, twin.entries, twin.titles = [*self.rosters], [*self.entries], {*self.titles}
        twin.rounds = self.rounds.copy(twin.rosters)
        twin.roster_lines = [*self.roster_lines]
        twin.commits, twin.tried, twin.names = {**self.commits}, {*self.tried}, {**self.names}
        return twin

    def after(self, events: Iterable[NewEvent]) -> Group:
        """Return the group after events that are about to be written. The group itself does not change."""
        twin = self.snapshot()
        for event in events:
            twin.apply(event.kind, event.body, event.line)
        return twin

    def behind(self, line: SealedLine) -> Group:
        """Return the group with its head at a new line, so that another line can follow in the same change."""
        twin = copy(self)
        twin.head = line.hash
        return twin

    def append(self, line: bytes | SealedLine) -> None:
        """Apply one more line of the record, without private data."""
        sealed = line if isinstance(line, SealedLine) else self._read(line)
        self.apply(sealed.said["line"], {}, sealed)

    def apply(self, kind: str, body: Mapping[str, Any], line: bytes | SealedLine | None = None, at: int = 0) -> None:
        """Apply one event; a line that was not built on this very head is validated first."""
        sealed = line
        if isinstance(line, bytes) or (line is not None and line.said["prev"] != self.head.hex()):
            sealed = self._read(line if isinstance(line, bytes) else line.data)
        self.seq, self.at = self.seq + 1, at
        if isinstance(sealed, SealedLine):
            self.lines.append(sealed.data)
            self.parsed.append(sealed.said)
            self.hashes.append(sealed.hash)
            self.head = sealed.hash
            body = sealed.said
        EVENT_REDUCERS[kind](self, body)

    def _read(self, line: bytes) -> SealedLine:
        try:
            return parse_line(self, line)
        except InputError as error:
            raise InputError(f"line {len(self.lines) + 1} of the record: {error}") from None


def _merge_seat(held: LinePayload | None, gathered: LinePayload | None) -> LinePayload | None:
    """Return a roster entry while changes wait: the held one, unless its key is gone."""
    if held is None or gathered is None:
        return held
    lost = held["key"] is not None and gathered["key"] is None
    return gathered if lost else held
