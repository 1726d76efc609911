"""How a fault is planted: a name that the package uses is replaced, while it runs, by something subtly wrong."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.util
import inspect
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple


class Fault(NamedTuple):
    """A fault by name: what is wrong, who must notice, and the function that plants it."""

    name: str
    wrong: str
    noticed_by: tuple[str, ...]
    plant: Callable[[], None]


FAULTS: dict[str, Fault] = {}


def fault(*noticed_by: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """Put the decorated function into the list; its docstring says what is wrong.

    `noticed_by` are tests, or example files of the paper, one of which must fail.
    """

    def add(plant: Callable[[], None]) -> Callable[[], None]:
        wrong = " ".join((plant.__doc__ or "").split())
        FAULTS[plant.__name__] = Fault(plant.__name__, wrong, noticed_by, plant)
        return plant

    return add


class PatchingLoader(importlib.abc.SourceLoader, importlib.abc.MetaPathFinder):
    """Loads one module of the package from its source with one text replaced; it never reads compiled code."""

    def __init__(self, file: str, old: str, new: str):
        self.path = find_package() / file
        self.name = ".".join(["isegoria", *Path(file).with_suffix("").parts]).removesuffix(".__init__")
        self.old, self.new = old, new

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        if name != self.name:
            return None
        within = [str(self.path.parent)] if self.path.name == "__init__.py" else None
        return importlib.util.spec_from_file_location(name, self.path, loader=self, submodule_search_locations=within)

    def get_filename(self, name: str) -> str:
        return str(self.path)

    def get_data(self, path: str) -> bytes:
        return change_text(Path(path).read_text(encoding="utf-8"), self.old, self.new, self.name).encode()


def find_package() -> Path:
    """The folder of the package, without importing it."""
    spec = importlib.util.find_spec("isegoria")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def change_text(text: str, old: str, new: str, place: str) -> str:
    """The text with `old` replaced by `new`; it must be there once, and what comes out must be Python."""
    if text.count(old) != 1:
        raise ValueError(f"{place} has {text.count(old)} times {old!r}; plant the fault again.")
    text = text.replace(old, new)
    compile(text, place, "exec")
    return text


def plant_text(file: str, old: str, new: str) -> None:
    """Let `file` of the package be imported with `new` for `old`; it must not have been imported before."""
    loader = PatchingLoader(file, old, new)
    if loader.name in sys.modules:
        raise ValueError(f"{loader.name} is imported already; plant the fault first.")
    sys.meta_path.insert(0, loader)


def replace_name(place: str, make: Callable[[Any], Any]) -> None:
    """Put `make(old)` where the name at "module:name" or "module:Class.name" was; the name must be there."""
    module, _, path = place.partition(":")
    owner: Any = importlib.import_module(f"isegoria.{module}" if module else "isegoria")
    *parents, name = path.split(".")
    for parent in parents:
        owner = getattr(owner, parent)
    old = owner.__dict__[name] if isinstance(owner, type) else getattr(owner, name)
    setattr(owner, name, make(old))


def change_result(place: str, change: Callable[..., Any]) -> None:
    """Let the function at `place` return `change(what it returned, *its arguments)`."""
    replace_name(place, lambda old: lambda *args, **kwargs: change(old(*args, **kwargs), *args))


ORIGINAL_SOURCES: dict[str, str] = {}  # of functions as they were, for a process that plants several faults in one


def rewrite_source(place: str, *pairs: str) -> None:
    """Replace the first of each pair by the second in the source of the function at `place`; each must be there."""

    def changed(function: Any) -> Any:
        if place not in ORIGINAL_SOURCES:
            ORIGINAL_SOURCES[place] = textwrap.dedent(inspect.getsource(function))
        source = ORIGINAL_SOURCES[place]
        for old, new in zip(pairs[::2], pairs[1::2], strict=True):
            if old not in source:
                raise ValueError(f"{place} has no {old!r} any more; plant the fault anew.")
            source = source.replace(old, new, 1)
        scope: dict[str, Any] = {}
        exec(compile(source, place, "exec"), function.__globals__, scope)
        return scope[function.__name__]

    replace_name(place, changed)
