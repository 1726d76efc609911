"""`Round`, one round of a group with the closing that its page counts; and `Rounds`, all of them.

Of rounds of long ago a group keeps little, and reads or looks up the rest when it is asked: what a page says of every
member is read again from its line; whose ratings it counted is kept as what was different one round later; and the
oldest may be with the keeper altogether.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, overload

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
"""Bytes of a page above which a keeper that can read it again keeps it as its line alone."""
ANCHOR = 16
"""Of so many rounds, one keeps all ratings that it counted: nobody looks further than that."""


class ColdPage(dict[str, Any]):
    """A page without its `types`, which are read again from its line, `fetch(key)`, whenever they are asked for.

    >>> page = ColdPage({"round": 1, "types": []}, bytes, b'{"round":1,"types":[{"set":[0]}]}')
    >>> page["round"], page["types"], "types" in page
    (1, [{'set': [0]}], True)
    """

    def __init__(self, said: dict[str, Any], fetch: Callable[[bytes], bytes], key: bytes) -> None:
        super().__init__({key: value for key, value in said.items() if key != "types"})
        self._fetch, self._key = fetch, key

    def __missing__(self, key: str) -> Any:
        if key != "types":
            raise KeyError(key)
        return _types(self._fetch(self._key))

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
    if "types" in old.freeze and group.fetch is None:
        old.freeze = group.parsed[place] = ColdPage(old.freeze, bytes, line)
    elif "types" in old.freeze and not 0 < len(line) <= LARGE:
        assert group.fetch is not None
        old.freeze = ColdPage(old.freeze, group.fetch, group.hashes[place - 1])
    if group.fetch is not None:
        group.edits = {edit: count for edit, count in group.edits.items() if not 0 < edit[0] <= old.number}
        _forget(group, old.line, later.line)
        old.commits, old.reveals, old.throws, old.early = {}, {}, {}, {}
    counted = Counted(old.closing.counted, later) if old.number % ANCHOR else old.closing.counted
    old.closing = replace(old.closing, counted=counted, entries=old.roster["members"])
    old.since = _UNHEARD


def _forget(group: Group, first: int, last: int) -> None:
    """Let go of the lines from one page to before the next: whoever keeps the group can read them again."""
    for place in range(first - 1, last - 1):
        group.lines[place], group.parsed[place] = b"", NOTHING


NOTHING: dict[str, Any] = {"line": ""}
"""What stands for a line that was let go."""
_NOBODY: frozenset[int] = frozenset()
_UNHEARD: set[int] = set()  # of rounds of long ago nobody is noted any more


# -- all of them -------------------------------------------------------------------------------------------------------

PART = 32
"""Rounds that are put away together; whole anchors, so that no round of a part refers to the next part."""
Fetch = Callable[[int, Sequence[Said]], list[Round]]
"""How a keeper gives a part of the past back, by its place, for a group with these rosters."""


class Rounds(Sequence[Round]):
    """The rounds of a group, of which the first `away` are with the keeper and the others `here`.

    `changed`: those away that were overridden since, by their place. `dated`: how many of those away there are up to
    the last that had an occasion.
    """

    def __init__(self, fetch: Fetch | None = None) -> None:
        self.away = self.dated = 0
        self.here: list[Round] = []
        self.changed: dict[int, Round] = {}
        self.fetch = fetch
        self.rosters: Sequence[Said] = ()

    def __len__(self) -> int:
        return self.away + len(self.here)

    @overload
    def __getitem__(self, place: int) -> Round: ...

    @overload
    def __getitem__(self, place: slice) -> list[Round]: ...

    def __getitem__(self, place: int | slice) -> Round | list[Round]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        if place < 0:
            place += len(self)
        if not 0 <= place < len(self):
            raise IndexError("there is no such round.")
        if place >= self.away:
            return self.here[place - self.away]
        if place in self.changed:
            return self.changed[place]
        assert self.fetch is not None, "whoever puts rounds away can give them back"
        return self.fetch(place // PART, self.rosters)[place % PART]

    @property
    def last(self) -> Round | None:
        """The last of all, which is always here: only those are put away that have left the window."""
        return self.here[-1] if self.here else None

    def append(self, round_: Round) -> None:
        """One more round."""
        self.here.append(round_)

    def to_change(self, number: int) -> Round:
        """A round that is about to change: one that was away is kept at hand from now on."""
        round_ = self[number - 1]
        if number <= self.away and number - 1 not in self.changed:
            round_ = self.changed[number - 1] = replace(round_, overrides={**round_.overrides})
        return round_

    def copy(self, rosters: Sequence[Said]) -> Rounds:
        """The same rounds, for whoever works on them while others come and go."""
        twin = Rounds(self.fetch)
        twin.away, twin.dated, twin.rosters = self.away, self.dated, rosters
        twin.here, twin.changed = [*self.here], {**self.changed}
        return twin

    @property
    def parts(self) -> list[list[Round]]:
        """The parts that can be put away now: whole ones, of rounds that have left the window."""
        count = max(0, len(self.here) - WINDOW) // PART
        return [self.here[PART * part : PART * (part + 1)] for part in range(count)]

    def put_away(self, count: int) -> None:
        """The keeper has the first so many of those here."""
        places = [place for place, one in enumerate(self.here[:count], 1) if one.closing.occasion is not None]
        self.dated = self.away + places[-1] if places else self.dated
        del self.here[:count]
        self.away += count

    def latest_dated(self) -> Sequence[int]:
        """Places of the rounds that may have an occasion, the latest first."""
        return [*range(len(self) - 1, self.away - 1, -1), *range(self.dated - 1, -1, -1)]
