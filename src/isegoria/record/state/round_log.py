"""`RoundLog`: all rounds of a group. It keeps little of old rounds and reads the rest on demand.

What a page says of every member is read from its line again. The ratings that it counted are kept as differences from
the next round. The oldest rounds may be archived in the store.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, overload

from isegoria.record.format.identities import SignedRatings
from isegoria.record.format.record_view import LinePayload
from isegoria.record.state.round import Round

if TYPE_CHECKING:
    from isegoria.record.state.group import Group

RECENT_ROUNDS = 64
"""Number of latest rounds that are kept in full, because they are read often."""
LARGE_PAGE_BYTES = 16 * 1024
"""If the store can read lines again, the types of an old freeze page larger than this are dropped from memory."""
ANCHOR_INTERVAL_ROUNDS = 16
"""One old round in this many keeps all ratings that it counted, so that no lookup passes through more rounds."""


class LazyFreezePage(dict[str, Any]):
    """A page without its `types`, which are read again from its line, `fetch(key)`, whenever they are needed.

    >>> page = LazyFreezePage({"round": 1, "types": []}, bytes, b'{"round":1,"types":[{"set":[0]}]}')
    >>> page["round"], page["types"], "types" in page
    (1, [{'set': [0]}], True)
    """

    def __init__(self, said: dict[str, Any], fetch: Callable[[bytes], bytes], key: bytes) -> None:
        super().__init__({key: value for key, value in said.items() if key != "types"})
        self._fetch, self._key = fetch, key

    def __missing__(self, key: str) -> Any:
        if key != "types":
            raise KeyError(key)
        return _load_types(self._fetch(self._key))

    def __contains__(self, key: object) -> bool:
        return key == "types" or super().__contains__(key)


@lru_cache(maxsize=8)
def _load_types(line: bytes) -> Any:
    return json.loads(line)["types"]  # it was validated when it was applied


class RatingsDelta(Mapping[int, SignedRatings]):
    """The ratings that a round counted, by member, stored as differences from those of the `later` round."""

    def __init__(self, counted: Mapping[int, SignedRatings], later: Round) -> None:
        others = later.closing.counted
        self._later = later
        self._own = {number: told for number, told in counted.items() if others.get(number) is not told}
        self._without = frozenset(number for number in others if number not in counted) or _NO_MEMBERS

    def __getitem__(self, number: int) -> SignedRatings:
        if number in self._own:
            return self._own[number]
        if number in self._without:
            raise KeyError(number)
        return self._later.closing.counted[number]

    def __iter__(self) -> Iterator[int]:
        return iter(sorted({*self._own, *self._later.closing.counted} - self._without))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def list_recent_rounds(group: Group) -> list[Round]:
    """Return the latest rounds, which are kept in full."""
    return group.rounds[-RECENT_ROUNDS:]


def compact_oldest_round(group: Group) -> None:
    """Drop most data of the round that leaves the window, after a newer round was appended."""
    if len(group.rounds) <= RECENT_ROUNDS:
        return
    old, later = group.rounds[-RECENT_ROUNDS - 1], group.rounds[-RECENT_ROUNDS]
    place, line = old.line - 1, group.lines[old.line - 1]
    if "types" in old.freeze and group.fetch is None:
        old.freeze = group.parsed[place] = LazyFreezePage(old.freeze, bytes, line)
    elif "types" in old.freeze and not 0 < len(line) <= LARGE_PAGE_BYTES:
        assert group.fetch is not None
        old.freeze = LazyFreezePage(old.freeze, group.fetch, group.hashes[place - 1])
    if group.fetch is not None:
        group.edits = {edit: count for edit, count in group.edits.items() if not 0 < edit[0] <= old.number}
        _drop_lines(group, old.line, later.line)
        old.commits, old.reveals, old.throws, old.early = {}, {}, {}, {}
    counted = RatingsDelta(old.closing.counted, later) if old.number % ANCHOR_INTERVAL_ROUNDS else old.closing.counted
    old.closing = replace(old.closing, counted=counted, entries=old.roster["members"])
    old.since = _NO_SIGNERS


def _drop_lines(group: Group, first: int, last: int) -> None:
    """Drop the lines from one page to before the next; the store can read them again."""
    for place in range(first - 1, last - 1):
        group.lines[place], group.parsed[place] = b"", DROPPED_LINE


DROPPED_LINE: dict[str, Any] = {"line": ""}
"""Placeholder for a line that was dropped from memory."""
_NO_MEMBERS: frozenset[int] = frozenset()
_NO_SIGNERS: set[int] = set()  # who signed past the draw is not tracked for old rounds
ARCHIVE_CHUNK_ROUNDS = 32
"""Number of rounds archived together: a multiple of `ANCHOR_INTERVAL_ROUNDS`, so that no chunk refers to the next."""
ArchiveLoader = Callable[[int, Sequence[LinePayload]], list[Round]]
"""Function that loads an archived chunk of rounds from the store, given its index and the group's rosters."""


class RoundLog(Sequence[Round]):
    """The rounds of a group: the first `away` are archived in the store, the others are `here`.

    `changed`: archived rounds that were overridden since, by index. `dated`: the number of archived rounds up to the
    last that had an occurrence.
    """

    def __init__(self, fetch: ArchiveLoader | None = None) -> None:
        self.away = self.dated = 0
        self.here: list[Round] = []
        self.changed: dict[int, Round] = {}
        self.fetch = fetch
        self.rosters: Sequence[LinePayload] = ()

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
        return self.fetch(place // ARCHIVE_CHUNK_ROUNDS, self.rosters)[place % ARCHIVE_CHUNK_ROUNDS]

    @property
    def last(self) -> Round | None:
        """The last round, which is never archived: only rounds that have left the window are."""
        return self.here[-1] if self.here else None

    def append(self, round_: Round) -> None:
        """Append a round."""
        self.here.append(round_)

    def to_change(self, number: int) -> Round:
        """Return a round that is about to change; an archived one is kept in memory from now on."""
        round_ = self[number - 1]
        if number <= self.away and number - 1 not in self.changed:
            round_ = self.changed[number - 1] = replace(round_, overrides={**round_.overrides})
        return round_

    def copy(self, rosters: Sequence[LinePayload]) -> RoundLog:
        """Return an independent copy of this sequence that shares its rounds."""
        twin = RoundLog(self.fetch)
        twin.away, twin.dated, twin.rosters = self.away, self.dated, rosters
        twin.here, twin.changed = [*self.here], {**self.changed}
        return twin

    @property
    def parts(self) -> list[list[Round]]:
        """The parts that can be archived now: complete ones, of rounds that have left the window."""
        count = max(0, len(self.here) - RECENT_ROUNDS) // ARCHIVE_CHUNK_ROUNDS
        return [self.here[ARCHIVE_CHUNK_ROUNDS * part : ARCHIVE_CHUNK_ROUNDS * (part + 1)] for part in range(count)]

    def put_away(self, count: int) -> None:
        """Drop the first `count` rounds in memory, which the store has archived."""
        places = [place for place, one in enumerate(self.here[:count], 1) if one.closing.occurrence is not None]
        self.dated = self.away + places[-1] if places else self.dated
        del self.here[:count]
        self.away += count

    def latest_dated(self) -> Sequence[int]:
        """Return the indices of the rounds that may have an occurrence, latest first."""
        return [*range(len(self) - 1, self.away - 1, -1), *range(self.dated - 1, -1, -1)]
