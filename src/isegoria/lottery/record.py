"""`Record`: the lines of a record folded into what they mean, one line at a time.

It knows no file, no clock and no chance: the command line keeps its lines in a file, the service in a database.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass, field

from isegoria.errors import InputError
from isegoria.lottery.canonical import canonical, line_hash, parsed
from isegoria.lottery.order import check_order
from isegoria.lottery.shapes import check_shape

FIRST = bytes(32)


@dataclass
class Round:
    """One round: its freeze, what was said about it, and how it ended."""

    number: int
    freeze: dict
    freeze_hash: bytes
    source: dict  # in force when it was frozen
    roster: dict  # the roster line it names
    arms: list[str]
    commits: dict[int, str] = field(default_factory=dict)
    witnesses: dict[int, dict] = field(default_factory=dict)
    reveals: dict[int, dict] = field(default_factory=dict)
    overrides: dict[int, dict] = field(default_factory=dict)
    draw: dict | None = None
    void: dict | None = None

    @property
    def state(self) -> str:
        """ "open", "drawn" or "void"."""
        return "drawn" if self.draw else "void" if self.void else "open"

    @property
    def played(self) -> list[int]:
        """The arm of each slot, an override counted; nothing while it is not drawn."""
        drawn = self.draw["arms"] if self.draw else []
        return [self.overrides[slot]["arm"] if slot in self.overrides else arm for slot, arm in enumerate(drawn)]

    @property
    def speaks_at(self) -> int | None:
        """When the beacon speaks, in Unix seconds; None for any other source."""
        if self.source["kind"] != "beacon" or self.freeze["source_round"] is None:
            return None
        return self.source["genesis"] + (self.freeze["source_round"] - 1) * self.source["period"]


class Record:
    """What the lines so far say: charter, roster, rounds, and what may come next.

    - `lines`: the bytes of each line without its newline; `head`: the hash of the last, 32 bytes.
    - `charter`, `terms`: the charter line, and the same as amended; `charter_hash`, `group`: bytes.
    - `roster`: the latest roster line; `rosters`: all, by version. `rounds`: all, and `open`: the one not yet ended.
    - `commits`: {member: hash} for the round that comes next; `tried`: the arms played before the last freeze.

    >>> Record().next_round
    1
    """

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.parsed: list[dict] = []
        self.head: bytes = FIRST
        self.charter: dict = {}
        self.charter_hash: bytes = b""
        self.terms: dict = {}
        self.rosters: dict[int, dict] = {}
        self.rounds: list[Round] = []
        self.commits: dict[int, str] = {}
        self.tried: set[int] = set()
        self.last_occasion: int | None = None
        self.closed = False

    @classmethod
    def from_lines(cls, lines: Iterable[bytes]) -> Record:
        """The record of these lines (without newlines), each checked as it is read."""
        record = cls()
        for line in lines:
            record.append(line)
        return record

    @classmethod
    def from_bytes(cls, data: bytes) -> Record:
        """The record of a whole file; one that ends inside a line is refused."""
        if not data.endswith(b"\n"):
            raise InputError("the record is empty." if not data else "the last line of the record is cut off.")
        return cls.from_lines(data[:-1].split(b"\n"))

    @property
    def group(self) -> bytes:
        """The 16 bytes that name this group."""
        return bytes.fromhex(self.charter["group"])

    @property
    def roster(self) -> dict:
        """The latest roster line."""
        return self.rosters[max(self.rosters)]

    @property
    def members(self) -> dict[int, dict]:
        """Who is on the latest roster, by number."""
        return {n: entry for n, entry in enumerate(self.roster["members"]) if entry}

    @property
    def open(self) -> Round | None:
        """The round that was frozen and neither drawn nor voided, if there is one."""
        return self.rounds[-1] if self.rounds and self.rounds[-1].state == "open" else None

    @property
    def next_round(self) -> int:
        """The number of the round that the next freeze opens."""
        return len(self.rounds) + 1

    @property
    def played_so_far(self) -> set[int]:
        """The arms that were ever played, as far as the next freeze knows."""
        last = self.rounds[-1].played if self.rounds else []
        return self.tried | set(last)

    def seal(self, line: dict) -> bytes:
        """The bytes of a new line that fits behind the last one; the record itself does not change."""
        line = {**line, "prev": self.head.hex()}
        check_shape(line)
        check_order(self, line)
        return canonical(line)

    def append(self, line: bytes) -> None:
        """Take one more line (without its newline): its form, its `prev` and its place in the order are checked."""
        where = f"line {len(self.lines) + 1} of the record: "
        try:
            said = parsed(line)
            check_shape(said)
            if said["prev"] != self.head.hex():
                raise InputError("its prev is not the hash of the line before.")
            check_order(self, said)
        except InputError as error:
            raise InputError(where + str(error)) from None
        self._fold(said, line)

    def copy(self) -> Record:
        """A record that goes its own way from here; lines and rounds before are shared."""
        twin = copy(self)
        twin.lines, twin.parsed, twin.rounds = [*self.lines], [*self.parsed], [*self.rounds]
        twin.rosters, twin.commits, twin.tried = {**self.rosters}, {**self.commits}, {*self.tried}
        for k, one in enumerate(twin.rounds):
            twin.rounds[k] = copy(one)
            for name in ("witnesses", "reveals", "overrides"):
                setattr(twin.rounds[k], name, {**getattr(one, name)})
        return twin

    def _fold(self, said: dict, line: bytes) -> None:
        digest = line_hash(line)
        getattr(self, f"_fold_{said['line']}")(said, digest)
        self.lines.append(line)
        self.parsed.append(said)
        self.head = digest

    def _fold_charter(self, said: dict, digest: bytes) -> None:
        self.charter, self.charter_hash, self.terms = said, digest, {**said}

    def _fold_roster(self, said: dict, digest: bytes) -> None:
        self.rosters[said["version"]] = said

    def _fold_commit(self, said: dict, digest: bytes) -> None:
        self.commits[said["by"]] = said["hash"]

    def _fold_freeze(self, said: dict, digest: bytes) -> None:
        self.tried = self.played_so_far
        source, arms = self.terms["source"], self.terms["arms"]
        self.rounds.append(Round(said["round"], said, digest, source, self.roster, arms, self.commits))
        self.commits = {}
        self.last_occasion = said["occasion"] if said["occasion"] is not None else self.last_occasion

    def _fold_witness(self, said: dict, digest: bytes) -> None:
        self.rounds[-1].witnesses[said["by"]] = said

    def _fold_reveal(self, said: dict, digest: bytes) -> None:
        self.rounds[-1].reveals[said["by"]] = said

    def _fold_draw(self, said: dict, digest: bytes) -> None:
        self.rounds[-1].draw = said

    def _fold_void(self, said: dict, digest: bytes) -> None:
        self.rounds[-1].void = said

    def _fold_ratings(self, said: dict, digest: bytes) -> None:
        """Only roots: what was rated stays private."""

    def _fold_override(self, said: dict, digest: bytes) -> None:
        self.rounds[said["round"] - 1].overrides[said["slot"]] = said

    def _fold_amend(self, said: dict, digest: bytes) -> None:
        self.terms = {**self.terms, said["field"]: said["value"]}
        if said["field"] == "source":
            self.last_occasion = None

    def _fold_close(self, said: dict, digest: bytes) -> None:
        self.closed = True
