"""How a fault is planted: a name that the package uses is replaced, while it runs, by something subtly wrong."""

from __future__ import annotations

import importlib
import inspect
import textwrap
from collections.abc import Callable
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
