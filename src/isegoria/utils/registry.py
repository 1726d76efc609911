"""Registry used by every family of the package: entries by id, in order, extensible by other packages.

A family (objectives, learners, formats, figures, …) is one `Registry`; a new member is one file and one line in it.
Everything that lists a family (command-line options, documents, contract tests) is generated from the table.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib import import_module
from typing import Any, Generic, NamedTuple, TypeVar, overload

from isegoria.errors import InputError, IsegoriaWarning, unknown_name_error

R = TypeVar("R")
D = TypeVar("D")


def import_object(home: str) -> Any:
    """Import and return the object at "package.module:name", or the module at "package.module".

    >>> import_object("math:sqrt")(9.0)
    3.0
    """
    module, _, name = home.partition(":")
    found = import_module(module)
    return getattr(found, name) if name else found


class Registry(Mapping[str, R], Generic[R]):
    """Registry: a read-only mapping from id to entry, in listing order; entries can be added but not replaced.

    - `kind` is the word for an entry in messages: an unknown id raises an `UnknownNameError` that lists the known ones.
    - `entries` each have an `id`; or they are a mapping of ids to paths ("module:name"), imported at first use.
    - `group` is the entry-point group in which other packages offer entries, which come after the shipped ones.
      `adapt(id, found)` converts the object of an entry point to an entry.
    - `names` are attributes of an entry that also name it, such as a label or a tuple of aliases.

    Ids are looked up exactly first; then any name matches without regard to case.

    >>> table = Registry("metal", {"iron": "decimal:Decimal", "gold": "fractions:Fraction"})
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
        entries: Iterable[R] | Mapping[str, str],
        *,
        group: str | None = None,
        adapt: Callable[[str, Any], R] | None = None,
        names: tuple[str, ...] = (),
    ):
        self.kind, self.group, self._adapt, self._names = kind, group, adapt, names
        self._entries: dict[str, Any] = (
            dict(entries) if isinstance(entries, Mapping) else {entry.id: entry for entry in entries}  # type: ignore[attr-defined]
        )
        self._shipped = tuple(self._entries)
        self._loaded: dict[str, R] = {}  # by every name used so far, so that `solve` needs a single lookup
        self._has_all = group is None

    def __getitem__(self, name: str) -> R:
        try:
            return self._loaded[name]
        except (KeyError, TypeError):
            return self._resolve(name)

    def _resolve(self, name: str) -> R:
        """Return the entry with this id or other name, importing it if needed; raise `UnknownNameError` if unknown."""
        id = self._find_id(name)
        if id is None:
            raise unknown_name_error(self.kind, name, self, others=self._list_names())
        entry = self._entries[id]
        if isinstance(entry, str):
            entry = import_object(entry)
        elif isinstance(entry, PluginEntry):
            entry = self._load_plugin(id, entry)
        self._loaded[name] = self._loaded[id] = entry
        return entry

    def __contains__(self, name: object) -> bool:
        return self._find_id(name) is not None

    def _find_id(self, name: object) -> str | None:
        """Return the id of the entry with this name, or None."""
        if not isinstance(name, str):
            return None
        if name in self._entries or name in self._list_entries():
            return name
        folded = name.casefold()
        ids = {id.casefold(): id for id in reversed(self._entries)}
        return ids.get(folded) or self._list_names().get(folded)

    def _list_names(self) -> dict[str, str]:
        """Map the further names of all entries, in lower case, to ids; the first entry with a name keeps it."""
        ids: dict[str, str] = {}
        for id in self._list_entries() if self._names else ():
            with suppress(InputError):  # a package that cannot be loaded has no further names
                for name in alternative_names(self[id], self._names):
                    ids.setdefault(name.casefold(), id)
        return ids

    @property
    def builtin(self) -> dict[str, R]:
        """The entries of this package, without those of other packages or added at run time."""
        return {id: self[id] for id in self._shipped}

    def origin(self, id: str) -> str:
        """Return where an entry comes from: "" if shipped, else the package, or that it was added in this process."""
        own = self._find_id(id)
        if own is None or own in self._shipped:
            return ""
        entry = self._entries[own]
        return f"package {entry.package}" if isinstance(entry, PluginEntry) else "added in this process"

    @overload
    def get(self, id: str, /) -> R | None: ...
    @overload
    def get(self, id: str, /, default: D) -> R | D: ...
    def get(self, id: Any, /, default: Any = None) -> Any:
        if id not in self:
            return default
        return self[id]

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._list_entries()))

    def __len__(self) -> int:
        return len(self._list_entries())

    def __repr__(self) -> str:
        return f"Registry of {self.kind}s: {', '.join(self)}"

    def _repr_html_(self) -> str:
        from isegoria.utils.notebook import html_box, html_line, html_table

        rows = [(id, getattr(row, "label", ""), getattr(row, "summary", "")) for id, row in self.items()]
        return html_box(html_line(f"of {self.kind}s", "Registry"), html_table(["id", "label", "summary"], rows, 3))

    def add(self, row: R, id: str | None = None) -> R:
        """Append an entry for the lifetime of this process, and return it, so that it works as a class decorator.

        Other processes (workers, the command line) do not see it; an entry point in `group` reaches all of them.

        Parameters
        ----------
        row : R
            The entry.
        id : str, optional
            Its id; `row.id` by default.

        Returns
        -------
        R
            The same entry.

        Raises
        ------
        InputError
            If the id or another name of the entry is taken.
        """
        name = id or row.id  # type: ignore[attr-defined]
        if name in self._list_entries():
            raise InputError(f"there is a {self.kind} '{name}' already; give yours an id of its own.")
        for other in (name, *alternative_names(row, self._names)):
            owner = self._find_id(other)
            if owner is not None:
                raise InputError(
                    f"the {self.kind} '{name}' cannot be called '{other}': that is a name of the {self.kind} "
                    f"'{owner}'. Give yours another."
                )
        self._entries[name] = row
        return row

    def _list_entries(self) -> dict[str, Any]:
        """Return all entries, including those that other packages offer, which are looked up once."""
        if not self._has_all:
            self._has_all = True
            for id, plugin in find_plugins(self.group):
                if id in self._entries:
                    message = (
                        f"the {self.kind} '{id}' of the package {plugin.package} is left out: there is one already."
                    )
                    warnings.warn(message, IsegoriaWarning, stacklevel=4)
                else:
                    self._entries[id] = plugin
        return self._entries

    def _load_plugin(self, id: str, plugin: PluginEntry) -> R:
        """Load an entry that another package offers; raise `InputError` that names the package if that fails."""
        try:
            found = import_object(plugin.home)
            return self._adapt(id, found) if self._adapt else found
        except Exception as error:
            raise InputError(
                f"the {self.kind} '{id}' of the package {plugin.package} cannot be used: {type(error).__name__}: "
                f"{str(error).rstrip('.')}. Mend that package, or uninstall it."
            ) from error


def alternative_names(row: Any, attributes: tuple[str, ...]) -> list[str]:
    """Return the further names of an entry: the texts in these attributes, except its id.

    >>> from types import SimpleNamespace
    >>> alternative_names(SimpleNamespace(id="nash", label="NSW", aliases=("mnw",)), ("label", "aliases"))
    ['NSW', 'mnw']
    """
    values = [getattr(row, name, ()) for name in attributes]
    names = [name for value in values for name in ((value,) if isinstance(value, str) else value)]
    return [name for name in names if name and name != getattr(row, "id", None)]


class PluginEntry(NamedTuple):
    """Entry of another package that is not loaded yet: its path and the package."""

    home: str
    package: str


def find_plugins(group: str | None) -> list[tuple[str, PluginEntry]]:
    """Return (id, offer) for every entry point in `group`, sorted by id."""
    if not _has_plugins():
        return []
    from importlib.metadata import entry_points

    found = entry_points(group=group or "")
    return sorted(
        (point.name, PluginEntry(point.value, point.dist.name if point.dist else "unknown")) for point in found
    )


@cache
def _has_plugins() -> bool:
    """Return whether any installed package has entry points for us, by a quick look at the files.

    Importing `importlib.metadata` takes a sixth of the time of a command such as `isegoria solve`.
    """
    for folder in sys.path:
        if os.path.isfile(folder):
            return True  # an archive: only the full lookup can tell
        try:
            names = os.listdir(folder or ".")
        except OSError:
            continue
        for name in names:
            if name.endswith((".dist-info", ".egg-info")) and _declares_plugin(os.path.join(folder, name)):
                return True
    return False


def _declares_plugin(folder: str) -> bool:
    try:
        with open(os.path.join(folder, "entry_points.txt"), "rb") as stream:
            return b"[isegoria." in stream.read()
    except OSError:
        return False
