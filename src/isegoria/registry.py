"""One small table for every family of the package: rows by their id, in order, and open to other packages.

A family (objectives, learners, formats, figures, …) is one `Table`, and a new member is one file and one line in it.
Whatever lists the family (options of the command line, documents, contract tests) is made from the table.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any, Generic, NamedTuple, TypeVar, dataclass_transform, overload

from isegoria.errors import InputError, IsegoriaWarning, unknown

R = TypeVar("R")
D = TypeVar("D")


def place(home: str) -> Any:
    """What lies at "package.module:name", or the module at "package.module"; imported now.

    >>> place("math:sqrt")(9.0)
    3.0
    """
    module, _, name = home.partition(":")
    found = import_module(module)
    return getattr(found, name) if name else found


@dataclass_transform(frozen_default=True)
class _Fields:
    """What makes a type checker read the annotations of a subclass as its fields."""


class Row(_Fields):
    """A row that is light: its id, and the place where the work is, imported when it is first needed.

    A subclass names its further fields, with defaults or without, as a frozen dataclass does; but every command reads
    a table of rows, and importing `dataclasses` takes longer than showing the help.
    """

    id: str
    home: str

    def __init__(self, *values: Any, **named: Any):
        fields = [name for kind in reversed(type(self).__mro__) for name in getattr(kind, "__annotations__", ())]
        self.__dict__.update(dict(zip(fields, values, strict=False)), **named)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a {type(self).__name__} does not change")

    def load(self) -> Any:
        """The module, class or function of this row."""
        return place(self.home)


class Table(Mapping[str, R], Generic[R]):
    """The rows of a family by id, in the order in which they are listed; nothing can be put in its place.

    - `kind` is the word for a row in messages: an unknown id raises an `UnknownNameError` with the known ones.
    - `rows` have an `id` each; or they are a mapping of ids to places ("module:name"), imported when first used.
    - `group` is the entry point group in which other packages offer rows, after our own. `adapt(id, found)` makes a
      row of what an entry point leads to.

    >>> table = Table("metal", {"iron": "decimal:Decimal", "gold": "fractions:Fraction"})
    >>> list(table), table["gold"].__name__
    (['iron', 'gold'], 'Fraction')
    >>> table["gould"]
    Traceback (most recent call last):
        ...
    isegoria.errors.UnknownNameError: metal 'gould' is not known; did you mean 'gold'? Known: iron, gold.
    """

    def __init__(
        self,
        kind: str,
        rows: Iterable[R] | Mapping[str, str],
        *,
        group: str | None = None,
        adapt: Callable[[str, Any], R] | None = None,
    ):
        self.kind, self.group, self._adapt = kind, group, adapt
        given = rows.items() if isinstance(rows, Mapping) else ((row.id, row) for row in rows)  # type: ignore[attr-defined]
        self._rows: dict[str, Any] = dict(given)
        self._used: dict[str, R] = {}  # as they were handed out: one look is all that `solve` pays for
        self._complete = group is None

    def __getitem__(self, id: str) -> R:
        try:
            return self._used[id]
        except (KeyError, TypeError):
            return self._first_used(id)

    def _first_used(self, id: str) -> R:
        """The row of an id, imported if it has to be; an error for what is no id of the table."""
        if id not in self:
            raise unknown(self.kind, id, self)
        row = self._rows[id]
        if isinstance(row, str):
            row = place(row)
        elif isinstance(row, Offer):
            row = self._accepted(id, row)
        self._used[id] = row
        return row

    def __contains__(self, id: object) -> bool:
        return isinstance(id, str) and (id in self._rows or (not self._complete and id in self._all()))

    @overload
    def get(self, id: str, /) -> R | None: ...
    @overload
    def get(self, id: str, /, default: D) -> R | D: ...
    def get(self, id: Any, /, default: Any = None) -> Any:
        if id not in self:
            return default
        return self[id]

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._all()))

    def __len__(self) -> int:
        return len(self._all())

    def __repr__(self) -> str:
        return f"Table of {self.kind}s: {', '.join(self)}"

    def add(self, row: R, id: str | None = None) -> R:
        """Put a row of one's own at the end, for as long as this process lives; the row, so it decorates a class too.

        Other processes (workers, the command line) do not know it; an entry point in `group` reaches them all.
        """
        name = id or row.id  # type: ignore[attr-defined]
        if name in self:
            raise InputError(f"there is a {self.kind} '{name}' already; give yours an id of its own.")
        self._rows[name] = row
        return row

    def _all(self) -> dict[str, Any]:
        """Every row, with those that other packages offer, which are looked up once."""
        if not self._complete:
            self._complete = True
            for id, offer in offers(self.group):
                if id in self._rows:
                    said = f"the {self.kind} '{id}' of the package {offer.package} is left out: there is one already."
                    warnings.warn(said, IsegoriaWarning, stacklevel=4)
                else:
                    self._rows[id] = offer
        return self._rows

    def _accepted(self, id: str, offer: Offer) -> R:
        """The row that another package offers, or an error that names the package."""
        try:
            found = place(offer.home)
            row = self._adapt(id, found) if self._adapt else found
        except Exception as error:
            raise InputError(
                f"the {self.kind} '{id}' of the package {offer.package} cannot be used: {type(error).__name__}: "
                f"{str(error).rstrip('.')}. Mend that package, or uninstall it."
            ) from error
        return row


class Offer(NamedTuple):
    """A row of another package that was not loaded yet: the place of the row, and the package."""

    home: str
    package: str


def offers(group: str | None) -> list[tuple[str, Offer]]:
    """The (id, offer) of every entry point in `group`, in order of id."""
    if not _somebody_offers():
        return []
    from importlib.metadata import entry_points

    found = entry_points(group=group or "")
    return sorted((point.name, Offer(point.value, point.dist.name if point.dist else "unknown")) for point in found)


@cache
def _somebody_offers() -> bool:
    """Whether any installed package has entry points for us: a look at files, far quicker than the real answer."""
    for folder in sys.path:
        if os.path.isfile(folder):
            return True  # an archive: only the real answer can tell
        try:
            names = os.listdir(folder or ".")
        except OSError:
            continue
        for name in names:
            if name.endswith((".dist-info", ".egg-info")) and _mentions_us(os.path.join(folder, name)):
                return True
    return False


def _mentions_us(folder: str) -> bool:
    try:
        with open(os.path.join(folder, "entry_points.txt"), "rb") as stream:
            return b"[isegoria." in stream.read()
    except OSError:
        return False
