"""`Round`: one round of a group, and what it is made of: the closing that its page counts, and the page itself.

Of rounds of long ago a group keeps little, and reads or looks up the rest when it is asked: what a page says of every
member is read again from its line; whose ratings it counted is kept as what was different one round later.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from isegoria.record.format.lines import Said, chances, voice_of
from isegoria.record.format.people import Told

if TYPE_CHECKING:
    from isegoria.record.group import Group

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
    counted: Mapping[int, Told]
    told: list[Answer]
    entries: list[Said | None]
    available: list[int]


@dataclass(frozen=True)
class ProposedOption:
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
        """The chance of each arm; None where there is none to be told."""
        return chances(self.freeze, self.turns)

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


# -- rounds of long ago ------------------------------------------------------------------------------------------------

WINDOW = 64
"""Rounds that are kept as they were read: the last ones are looked at again and again."""
LARGE = 16 * 1024
"""Bytes of a line above which a keeper that can read it again keeps it on disk alone."""
ANCHOR = 16
"""Of so many rounds, one keeps all ratings that it counted: nobody looks further than that."""


class ColdPage(dict[str, Any]):
    """A page without its `types`, which are read again from its line whenever they are asked for.

    >>> page = ColdPage({"round": 1, "types": []}, lambda: b'{"round":1,"types":[{"set":[0]}]}')
    >>> page["round"], page["types"], "types" in page
    (1, [{'set': [0]}], True)
    """

    def __init__(self, said: dict[str, Any], line: Callable[[], bytes]) -> None:
        super().__init__({key: value for key, value in said.items() if key != "types"})
        self._line = line

    def __missing__(self, key: str) -> Any:
        if key != "types":
            raise KeyError(key)
        return _types(self._line())

    def __contains__(self, key: object) -> bool:
        return key == "types" or super().__contains__(key)


@lru_cache(maxsize=8)
def _types(line: bytes) -> Any:
    return json.loads(line)["types"]  # it was checked when it came


class Counted(Mapping[int, Told]):
    """The ratings that a round counted, by member, as what is different from those of the `later` round."""

    def __init__(self, counted: Mapping[int, Told], later: Round) -> None:
        others = later.closing.counted
        self._later = later
        self._own = {number: told for number, told in counted.items() if others.get(number) is not told}
        self._without = frozenset(number for number in others if number not in counted) or _NOBODY

    def __getitem__(self, number: int) -> Told:
        if number in self._own:
            return self._own[number]
        if number in self._without:
            raise KeyError(number)
        return self._later.closing.counted[number]

    def __iter__(self) -> Iterator[int]:
        return iter(sorted({*self._own, *self._later.closing.counted} - self._without))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def recent(group: Group) -> list[Round]:
    """The rounds that are kept as they were read."""
    return group.rounds[-WINDOW:]


def cool(group: Group) -> None:
    """Let go of most of the round that leaves the window, now that a newer one has come."""
    if len(group.rounds) <= WINDOW:
        return
    old, later = group.rounds[-WINDOW - 1], group.rounds[-WINDOW]
    place, line = old.line - 1, group.lines[old.line - 1]
    if "types" in old.freeze:
        again = partial(bytes, line)
        if group.fetch is not None and len(line) > LARGE:
            again = partial(group.fetch, group.hashes[place - 1])
        old.freeze = group.parsed[place] = ColdPage(old.freeze, again)
    if group.fetch is not None:
        _forget(group, old.line, later.line)
    counted = Counted(old.closing.counted, later) if old.number % ANCHOR else old.closing.counted
    old.closing = replace(old.closing, counted=counted, entries=old.roster["members"])
    old.since = _UNHEARD


def _forget(group: Group, first: int, last: int) -> None:
    """Let go of the lines from one page to before the next: whoever keeps the group can read them again."""
    for place in range(first - 1, last - 1):
        group.lines[place] = b""
        if group.parsed[place]["line"] in ("say", "ratings"):
            group.parsed[place] = _NOTHING


_NOTHING: dict[str, Any] = {"line": ""}
_NOBODY: frozenset[int] = frozenset()
_UNHEARD: set[int] = set()  # of rounds of long ago nobody is noted any more
