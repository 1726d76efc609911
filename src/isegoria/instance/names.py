"""Names of agents and arms: given ones are checked, missing ones are made up when somebody asks for them."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, overload

import numpy as np

from isegoria.errors import InputError
from isegoria.wording import counted, kind_of

GivenNames = Sequence[str] | None
"""Distinct names as users give them; None has them numbered."""


class Names(Sequence[str]):
    """Names that are kept without an object for each: equal to a tuple or list of the same names, hashed as the tuple.

    A subclass has a length, makes the name at a place, and says where a name stands.
    """

    __slots__ = ()

    def _name(self, i: int) -> str:
        raise NotImplementedError

    def _position(self, name: str) -> int | None:
        raise NotImplementedError

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...
    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        if isinstance(index, slice):
            return tuple(map(self._name, range(len(self))[index]))
        return self._name(range(len(self))[index])

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._position(name) is not None

    def index(self, name: Any, start: int = 0, stop: int | None = None) -> int:
        """Where `name` stands in the sequence."""
        position = self._position(name) if isinstance(name, str) else None
        if position is None or position not in range(len(self))[start:stop]:
            raise ValueError(f"{name!r} is not among the {len(self)} names")
        return position

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Names | tuple | list) or len(self) != len(other):
            return False
        return all(map(operator.eq, self, other))

    def __hash__(self) -> int:
        return hash(tuple(self))  # as the tuple that it equals; nobody hashes millions of names more than once

    def __repr__(self) -> str:
        return repr(tuple(self)) if len(self) <= 6 else f"({self[0]!r}, {self[1]!r}, …, {self[-1]!r})"


class NumberedNames(Names):
    """The names "Agent 1", "Agent 2", … as a sequence that makes each one when it is asked for.

    Ten million agents without names must not cost ten million strings.

    >>> names = NumberedNames("Agent", 10_000_000)
    >>> names[-1], names.index("Agent 7"), names[:2]
    ('Agent 10000000', 6, ('Agent 1', 'Agent 2'))
    """

    __slots__ = ("_count", "_kind")

    def __init__(self, kind: str, count: int):
        self._kind, self._count = kind, count

    def __len__(self) -> int:
        return self._count

    def _name(self, i: int) -> str:
        return f"{self._kind} {i + 1}"

    def _position(self, name: str) -> int | None:
        kind, _, number = name.rpartition(" ")
        usual = kind == self._kind and number.isascii() and number.isdigit() and not number.startswith("0")
        return int(number) - 1 if usual and int(number) <= self._count else None

    def __eq__(self, other: object) -> bool:
        if isinstance(other, NumberedNames):  # without making a name
            return self._count == other._count and (self._kind == other._kind or not self._count)
        return super().__eq__(other)

    __hash__ = Names.__hash__


class PackedNames(Names):
    """Names as one array of UTF-8 bytes and one of their ends: ten million of them are no ten million objects.

    - `data` (bytes,) uint8, all names one after another; `ends` (N + 1,) int64, 0 and then where each of them ends.

    >>> names = PackedNames.of(["Ann", "Zoë"])
    >>> names[-1], names.index("Ann"), "Bob" in names, names.distinct()
    ('Zoë', 0, False, True)
    """

    WORTH = 100_000
    """How many names it takes to be worth it: below, a tuple is as good and plainer."""

    __slots__ = ("data", "ends")

    def __init__(self, data: np.ndarray, ends: np.ndarray):
        self.data, self.ends = data, ends

    @classmethod
    def of(cls, names: Sequence[str]) -> PackedNames:
        """The same from texts."""
        parts = [name.encode("utf-8") for name in names]
        return cls(np.frombuffer(b"".join(parts), np.uint8), np.cumsum([0, *map(len, parts)]))

    def __len__(self) -> int:
        return len(self.ends) - 1

    def _name(self, i: int) -> str:
        return self.data[self.ends[i] : self.ends[i + 1]].tobytes().decode("utf-8")

    def _position(self, name: str) -> int | None:
        wanted = PackedNames.of([name])
        for i in np.flatnonzero(self.hashes() == wanted.hashes()[0]).tolist():
            if self._name(i) == name:
                return i
        return None

    def hashes(self) -> np.ndarray:
        """(N,) a 64-bit number for each name, the same for the same name: a polynomial of its bytes."""
        from isegoria.rows.text import hash_names

        return hash_names(self.data, self.ends)

    def plain(self) -> bool:
        """Is there nothing to refuse: every name different, and with something visible in it?"""
        from isegoria.rows.text import blank_name

        return bool((np.diff(self.ends) > 0).all()) and blank_name(self.data, self.ends) < 0 and self.distinct()

    def distinct(self) -> bool:
        """Are all names different? Those of equal hash are compared in full."""
        hashes = self.hashes()
        order = np.argsort(hashes, kind="stable")
        same = np.flatnonzero(hashes[order[1:]] == hashes[order[:-1]])
        return all(self._name(order[i]) != self._name(order[i + 1]) for i in same.tolist())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, PackedNames):  # without making a name
            return np.array_equal(self.ends, other.ends) and np.array_equal(self.data, other.data)
        return super().__eq__(other)

    __hash__ = Names.__hash__


def checked_names(names: Any, count: int, kind: str) -> Sequence[str]:
    """A tuple of `count` distinct names as text, or numbered names when None is given; `kind` is "agent" or "arm"."""
    if names is None:
        return NumberedNames(kind.capitalize(), count)
    if isinstance(names, NumberedNames) and len(names) == count:
        return names
    if isinstance(names, PackedNames) and len(names) == count and names.ends[0] == 0 and names.plain():
        return names  # else the list of them says what is wrong
    if isinstance(names, str | bytes):
        raise InputError(f"{kind}s is the text {names!r}; expected one name for each {kind}. Give a list of names.")
    try:
        listed = tuple(map(str, names))
    except TypeError:
        raise InputError(
            f"{kind}s is {kind_of(names)}; expected one name for each {kind}. Give a list of names."
        ) from None
    if len(listed) != count:
        raise InputError(
            f"{kind}s has {counted(len(listed), 'name')} for {counted(count, kind)}; expected one name for each. "
            f"Give {counted(count, 'name')}, or leave {kind}s out to have them numbered."
        )
    _refuse_bad(listed, kind)
    return listed


def _refuse_bad(names: tuple[str, ...], kind: str) -> None:
    """Raise at the first name that is empty, repeated (with the places of both) or no text that can be written."""
    if len(set(names)) == len(names) and all(map(str.strip, names)) and _writable("".join(names)):
        return
    first: dict[str, int] = {}
    for i, name in enumerate(names):
        check_name(name, kind, f"{kind}s[{i}]")
        if name in first:
            raise InputError(
                f"{kind}s[{i}] is {name!r}, and so is {kind}s[{first[name]}]; names must differ. Rename one of them"
                + (", or give one row with a weight if they are identical." if kind == "agent" else ".")
            )
        first[name] = i


def check_name(name: str, kind: str, where: str) -> None:
    """Refuse a name that is empty, or no text that can be written to a file; `where` says which one it is."""
    if not _writable(name):
        raise InputError(
            f"{where} is {name!r}, which holds half a character (a lone surrogate) and cannot be written to "
            "any file. Rename it, or decode the text that it came from as UTF-8."
        )
    if not name.strip():
        raise InputError(f"{where} is an empty name; every {kind} needs one to be told apart. Name it.")


def _writable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
