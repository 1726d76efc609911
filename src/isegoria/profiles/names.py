"""Names of agents and arms: given ones are validated, missing ones are generated on demand."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, overload

import numpy as np

from isegoria.errors import InputError
from isegoria.utils.formatting import describe_type, pluralise

NamesLike = Sequence[str] | None
"""Distinct names as passed by users; None numbers them."""


class Names(Sequence[str]):
    """Base class of name sequences without an object per name; equal to, and hashed as, the tuple of the same names.

    A subclass implements the length, `_name` (the name at an index) and `_position` (the index of a name).
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
        """Return the index of `name` in the sequence."""
        position = self._position(name) if isinstance(name, str) else None
        if position is None or position not in range(len(self))[start:stop]:
            raise ValueError(f"{name!r} is not among the {len(self)} names")
        return position

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Names | tuple | list) or len(self) != len(other):
            return False
        return all(map(operator.eq, self, other))

    def __hash__(self) -> int:
        return hash(tuple(self))  # the hash of the equal tuple; millions of names are hashed once at most

    def __repr__(self) -> str:
        return repr(tuple(self)) if len(self) <= 6 else f"({self[0]!r}, {self[1]!r}, …, {self[-1]!r})"


class NumberedNames(Names):
    """The names "Agent 1", "Agent 2", …, each generated on demand.

    Ten million unnamed agents must not cost ten million strings.

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
    """Names as one array of UTF-8 bytes and one of offsets, so that ten million names are not ten million objects.

    - `data` (bytes,) uint8, all names concatenated; `ends` (N + 1,) int64, 0 and then the end of each name.

    >>> names = PackedNames.of(["Ann", "Zoë"])
    >>> names[-1], names.index("Ann"), "Bob" in names, names.distinct()
    ('Zoë', 0, False, True)
    """

    WORTH = 100_000
    """Packing pays off with more names than this; with fewer, a tuple is as good and simpler."""

    __slots__ = ("data", "ends")

    def __init__(self, data: np.ndarray, ends: np.ndarray):
        self.data, self.ends = data, ends

    @classmethod
    def of(cls, names: Sequence[str]) -> PackedNames:
        """Pack a sequence of strings."""
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
        """Return (N,) 64-bit hashes of the names, equal for equal names."""
        from isegoria.solvers.rows.name_bytes import hash_names

        return hash_names(self.data, self.ends)

    def plain(self) -> bool:
        """Return whether all names are valid: distinct, not empty and not blank."""
        from isegoria.solvers.rows.name_bytes import blank_name

        return bool((np.diff(self.ends) > 0).all()) and blank_name(self.data, self.ends) < 0 and self.distinct()

    def distinct(self) -> bool:
        """Return whether all names are distinct; names of equal hash are compared in full."""
        hashes = self.hashes()
        order = np.argsort(hashes, kind="stable")
        same = np.flatnonzero(hashes[order[1:]] == hashes[order[:-1]])
        return all(self._name(order[i]) != self._name(order[i + 1]) for i in same.tolist())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, PackedNames):  # without making a name
            return np.array_equal(self.ends, other.ends) and np.array_equal(self.data, other.data)
        return super().__eq__(other)

    __hash__ = Names.__hash__


def validate_names(names: Any, count: int, kind: str) -> Sequence[str]:
    """Return `count` distinct names as text, or numbered ones if None is given; `kind` is "agent" or "arm"."""
    if names is None:
        return NumberedNames(kind.capitalize(), count)
    if isinstance(names, NumberedNames) and len(names) == count:
        return names
    if isinstance(names, PackedNames) and len(names) == count and names.ends[0] == 0 and names.plain():
        return names  # otherwise the list of names produces the error message
    if isinstance(names, str | bytes):
        raise InputError(f"{kind}s is the text {names!r}; expected one name for each {kind}. Give a list of names.")
    try:
        listed = tuple(map(str, names))
    except TypeError:
        raise InputError(
            f"{kind}s is {describe_type(names)}; expected one name for each {kind}. Give a list of names."
        ) from None
    if len(listed) != count:
        raise InputError(
            f"{kind}s has {pluralise(len(listed), 'name')} for {pluralise(count, kind)}; expected one name for each. "
            f"Give {pluralise(count, 'name')}, or leave {kind}s out to have them numbered."
        )
    _require_valid_names(listed, kind)
    return listed


def _require_valid_names(names: tuple[str, ...], kind: str) -> None:
    """Raise `InputError` at the first name that is empty, repeated (with both indices) or cannot be encoded."""
    if len(set(names)) == len(names) and all(map(str.strip, names)) and _is_encodable("".join(names)):
        return
    first: dict[str, int] = {}
    for i, name in enumerate(names):
        validate_name(name, kind, f"{kind}s[{i}]")
        if name in first:
            raise InputError(
                f"{kind}s[{i}] is {name!r}, and so is {kind}s[{first[name]}]; names must differ. Rename one of them"
                + (", or give one row with a weight if they are identical." if kind == "agent" else ".")
            )
        first[name] = i


def validate_name(name: str, kind: str, where: str) -> None:
    """Raise `InputError` for a name that is empty or cannot be encoded; `where` says which one it is."""
    if not _is_encodable(name):
        raise InputError(
            f"{where} is {name!r}, which holds half a character (a lone surrogate) and cannot be written to "
            "any file. Rename it, or decode the text that it came from as UTF-8."
        )
    if not name.strip():
        raise InputError(f"{where} is an empty name; every {kind} needs one to be told apart. Name it.")


def _is_encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
