"""Names of agents and arms: given ones are checked, missing ones are made up when somebody asks for them."""

from __future__ import annotations

from collections.abc import Sequence

from isegoria.errors import InputError
from isegoria.wording import counted, kind_of


class NumberedNames(Sequence):
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

    def __getitem__(self, index):
        if isinstance(index, slice):
            return tuple(f"{self._kind} {i + 1}" for i in range(self._count)[index])
        return f"{self._kind} {range(self._count)[index] + 1}"

    def __contains__(self, name) -> bool:
        return self._position(name) is not None

    def index(self, name, start: int = 0, stop: int | None = None) -> int:
        """Where `name` stands in the sequence."""
        position = self._position(name)
        if position is None or position not in range(self._count)[start:stop]:
            raise ValueError(f"{name!r} is not among the {self._count} names")
        return position

    def _position(self, name) -> int | None:
        kind, _, number = name.rpartition(" ") if isinstance(name, str) else ("", "", "")
        usual = kind == self._kind and number.isascii() and number.isdigit() and not number.startswith("0")
        return int(number) - 1 if usual and int(number) <= self._count else None

    def __eq__(self, other) -> bool:
        if isinstance(other, NumberedNames):
            return (self._kind, self._count) == (other._kind, other._count)
        return isinstance(other, tuple | list) and len(self) == len(other) and all(map(str.__eq__, self, other))

    def __hash__(self) -> int:
        return hash((self._kind, self._count))

    def __repr__(self) -> str:
        if self._count <= 6:
            return repr(tuple(self))
        return f"({self[0]!r}, {self[1]!r}, …, {self[-1]!r})"


def checked_names(names, count: int, kind: str) -> Sequence[str]:
    """A tuple of `count` distinct names as text, or numbered names when None is given; `kind` is "agent" or "arm"."""
    if names is None:
        return NumberedNames(kind.capitalize(), count)
    if isinstance(names, NumberedNames) and len(names) == count:
        return names
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
