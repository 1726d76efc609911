"""Rounds of long ago: a group keeps little of them, and reads or looks up the rest when it is asked.

What a page says of every member is read again from its line; whose ratings it counted is kept as what was different one
round later.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from isegoria.record.format.people import Told

if TYPE_CHECKING:
    from isegoria.record.group import Group
    from isegoria.record.round import Round

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
