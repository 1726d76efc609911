"""`Group`: what the events of a group add up to, one at a time: the lines of its record, and what stays private.

It knows no file, no clock and no chance. Replaying the events from the first always gives the same group, whoever keeps
them: the command line in a file, the service in a database.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any

from isegoria.errors import InputError
from isegoria.record.events import EVENTS
from isegoria.record.format.lines import NewLine, Said, read
from isegoria.record.format.people import Person, Told, pseudonym
from isegoria.record.round import Closing, Fetch, ProposedOption, Round, Rounds
from isegoria.record.turns.debts import Debts, carried

if TYPE_CHECKING:
    from isegoria.record.changes import NewEvent

FIRST = bytes(32)
COLLECTING, CLOSED, FROZEN, ENDED = "collecting", "closed", "frozen", "ended"
LATE_ROUNDS = 20
"""A rating may come this many rounds after its draw; later ones are refused."""


class Group:
    """A group as of its last event: charter, people, ratings, rounds, and what may come next.

    - `lines`: the bytes of each line without its newline; `hashes`: of each; `head`: that of the last, 32 bytes;
      `record`: the record's id, the hash of line 2 (empty before it). `seq`, `at`: how many events there were, and when
      the last came. `address`: where its keeper has it. `fetch`: how its keeper reads the line behind a hash
      again; with it, lines of long ago are not kept here.
    - `charter`, `terms`: the charter line, and the same as amended; before the record begins, what it will say.
      `rosters`: all roster lines. `entries`: people as the next roster will have them, `members`: those who are here.
      `names`: who is who, where the keeper knows it.
    - `rounds`: all that were frozen, `open`: the one not yet ended; `closing`: set between a closing and its freeze.
      `past`: how its keeper gives rounds back that it put away. `events`: what was decided, as the freezes name it.
    - `says`: by member, (size, what) of what she said of the latest line that she had seen; `commits`: {member: hash}
      for the next freeze, `committed`: all hashes there were; `asked_until`: until when numbers of open pages are held;
      `tried`: the arms played before the last page.
    - `ratings`: what members think of the options; `masked`: the arms that rest.
    - With turns, `proposals` by number: options for the next freeze; `withdrawn`: the numbers of those taken back.
    - With turns, `debts`: what is owed before the last round; `spent`: the arms that were used up before it.

    >>> Group().next_round
    1
    """

    def __init__(
        self, address: str = "", fetch: Callable[[bytes], bytes] | None = None, past: Fetch | None = None
    ) -> None:
        self.address, self.fetch = address, fetch
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
        self.rounds = Rounds(past)
        self.rounds.rosters = self.rosters
        self.events: set[str] = set()
        self.closing: Closing | None = None
        self.says: dict[int, list[tuple[int, str]]] = {}
        self.commits: dict[int, str] = {}
        self.asked_until = 0
        self.committed: set[str] = set()
        self.tried: set[int] = set()
        self.last_occasion: int | None = None
        self.ratings: dict[int, dict[int, str]] = {}
        self.told: dict[int, Told] = {}
        self.edits: dict[tuple[int, int], int] = {}
        self.masked: tuple[int, ...] = ()
        self.proposals: dict[int, ProposedOption] = {}
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
        return carried(last.freeze, self.debts, last.charged)

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
    def weights(self) -> dict[int, int]:
        """For how many people everybody stands who ever joined, by number; whoever left has the weight that she had."""
        lists = [*(line["members"] for line in self.rosters), self.entries]
        return {number: one["weight"] for entries in lists for number, one in enumerate(entries) if one}

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
        return self.rounds.last

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

    @property
    def changes_from(self) -> int:
        """The first round to come that may have another roster than the one before: 1, N + 1, 2N + 1, …"""
        every: int = self.settings.get("changes") or 1
        return self.next_round + -(self.next_round - 1) % every

    @property
    def seats_to_come(self) -> list[Said | None]:
        """Who is on the next page: all that was gathered; while changes wait, the latest roster.

        Secrets that are gone do not wait: whoever was erased is off at once, and a link issued again counts at once.
        """
        if not self.rosters or self.changes_from == self.next_round:
            return [*self.entries]
        held: list[Said | None] = self.roster["members"]
        return [None if n in self.erased else _renewed(one, self.entries[n]) for n, one in enumerate(held)]

    def coming(self, occasion: int | None) -> Closing:
        """What a closing at this moment would make final."""
        seats = self.seats_to_come
        here = {number for number, entry in enumerate(seats) if entry is not None}
        counted = {} if self.learns else {m: told for m, told in sorted(self.told.items()) if m in here}
        told = [
            (round_.number, slot, member, arm, round_.told[slot, member])
            for round_ in self.rounds[-LATE_ROUNDS:]
            for slot, answers in sorted(round_.answers.items())
            for member, (arm, _) in sorted(answers.items())
            if (slot, member) not in round_.rooted
        ]
        return Closing(occasion, self.seq, counted, told, seats, self.available)

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
        twin.rosters, twin.entries, twin.events = [*self.rosters], [*self.entries], {*self.events}
        twin.rounds = self.rounds.copy(twin.rosters)
        twin.roster_lines = [*self.roster_lines]
        twin.commits, twin.tried, twin.names = {**self.commits}, {*self.tried}, {**self.names}
        return twin

    def after(self, events: Iterable[NewEvent]) -> Group:
        """The group behind lines that are about to be written; the group itself does not change."""
        twin = self.snapshot()
        for event in events:
            twin.apply(event.kind, event.body, event.line)
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
            body = sealed.said
        EVENTS[kind](self, body)

    def _read(self, line: bytes) -> NewLine:
        try:
            return read(self, line)
        except InputError as error:
            raise InputError(f"line {len(self.lines) + 1} of the record: {error}") from None


def _renewed(held: Said | None, gathered: Said | None) -> Said | None:
    """A seat while changes wait: as it was, unless its secret is another one by now."""
    other = held is not None and gathered is not None and held["commitment"] != gathered["commitment"]
    return gathered if other else held
