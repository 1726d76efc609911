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
V = TypeVar("V")
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
    - `group` is the entry point group in which other packages offer rows, after our own, or several that mean the
      same. `adapt(id, found)` makes a row of what an entry point leads to.
    - `names` are attributes of a row that are names of it too, such as a label or a tuple of aliases.

    An id is looked up as it is written; failing that, any name is found without regard to case.

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
        group: str | tuple[str, ...] | None = None,
        adapt: Callable[[str, Any], R] | None = None,
        names: tuple[str, ...] = (),
    ):
        self.kind, self._adapt, self._names = kind, adapt, names
        self.groups = (group,) if isinstance(group, str) else group or ()
        given = rows.items() if isinstance(rows, Mapping) else ((row.id, row) for row in rows)  # type: ignore[attr-defined]
        self._rows: dict[str, Any] = dict(given)
        self._shipped = tuple(self._rows)
        self._used: dict[str, R] = {}  # as they were handed out: one look is all that `solve` pays for
        self._complete = not self.groups

    def __getitem__(self, id: str) -> R:
        try:
            return self._used[id]
        except (KeyError, TypeError):
            return self._first_used(id)

    def _first_used(self, id: str) -> R:
        """The row of an id or another name, imported if it has to be; an error for what is no name in the table."""
        own = self._id_of(id)
        if own is None:
            raise unknown(self.kind, id, self, others=self._named())
        row = self._rows[own]
        if isinstance(row, str):
            row = place(row)
        elif isinstance(row, Offer):
            row = self._accepted(own, row)
        self._used[id] = self._used[own] = row
        return row

    def __contains__(self, id: object) -> bool:
        return self._id_of(id) is not None

    def _id_of(self, name: object) -> str | None:
        """The id of the row that has this name, or None."""
        if not isinstance(name, str):
            return None
        if name in self._rows or name in self._all():
            return name
        folded = name.casefold()
        own = next((id for id in self._rows if id.casefold() == folded), None)
        return own if own is not None else self._named().get(folded)

    def _named(self) -> dict[str, str]:
        """The further names of all rows, in small letters, and whose they are; the first to have a name keeps it."""
        found: dict[str, str] = {}
        for id in self._all() if self._names else ():
            try:
                row = self[id]
            except InputError:  # a package that cannot be loaded has no further names
                continue
            for name in names_of(row, self._names):
                found.setdefault(name.casefold(), id)
        return found

    @property
    def shipped(self) -> dict[str, R]:
        """Our own rows, without those of other packages or added since."""
        return {id: self[id] for id in self._shipped}

    def origin(self, id: str) -> str:
        """Whose row it is: empty for our own, else the package, or that it was added in this process."""
        own = self._id_of(id)
        if own is None or own in self._shipped:
            return ""
        row = self._rows[own]
        return f"package {row.package}" if isinstance(row, Offer) else "added in this process"

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
        if name in self._all():
            raise InputError(f"there is a {self.kind} '{name}' already; give yours an id of its own.")
        for other in (name, *names_of(row, self._names)):
            owner = self._id_of(other)
            if owner is not None:
                raise InputError(
                    f"the {self.kind} '{name}' cannot be called '{other}': that is a name of the {self.kind} "
                    f"'{owner}'. Give yours another."
                )
        self._rows[name] = row
        return row

    def _all(self) -> dict[str, Any]:
        """Every row, with those that other packages offer, which are looked up once."""
        if not self._complete:
            self._complete = True
            for id, offer in (each for group in self.groups for each in offers(group)):
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


class View(Mapping[str, V], Generic[V]):
    """Those rows of a table that are of one type, by id and in its order; it follows the table, and is read-only.

    >>> from types import SimpleNamespace
    >>> table = Table("thing", [SimpleNamespace(id="a"), Row("b", "math:pi")])
    >>> list(View("row", table, Row))
    ['b']
    """

    def __init__(self, kind: str, table: Table[Any], type: type[V]):
        self.kind, self._table, self._type = kind, table, type

    def __getitem__(self, id: str) -> V:
        row = self._table.get(id)
        if not isinstance(row, self._type):
            raise unknown(self.kind, id, self)
        return row

    def __contains__(self, id: object) -> bool:
        return id in self._table and isinstance(self._table[id], self._type)  # type: ignore[index]

    @overload
    def get(self, id: str, /) -> V | None: ...
    @overload
    def get(self, id: str, /, default: D) -> V | D: ...
    def get(self, id: Any, /, default: Any = None) -> Any:
        row = self._table.get(id)
        return row if isinstance(row, self._type) else default

    def __iter__(self) -> Iterator[str]:
        for id in self._table:
            try:
                row = self._table[id]
            except InputError:  # a package that cannot be loaded; asking for it by name says why
                continue
            if isinstance(row, self._type):
                yield id

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"Table of {self.kind}s: {', '.join(self)}"


def names_of(row: Any, attributes: tuple[str, ...]) -> list[str]:
    """The further names of a row: the texts in these attributes, other than its id.

    >>> from types import SimpleNamespace
    >>> names_of(SimpleNamespace(id="nash", label="NSW", aliases=("mnw",)), ("label", "aliases"))
    ['NSW', 'mnw']
    """
    values = [getattr(row, name, ()) for name in attributes]
    names = [name for value in values for name in ((value,) if isinstance(value, str) else value)]
    return [name for name in names if name and name != getattr(row, "id", None)]


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
