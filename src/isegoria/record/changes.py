"""What every action is given, and what it returns: a change, or a refusal.

An action is a function of one `Context` (the group, what is asked, the time, and where chance comes from) that gives a
`Change`. It changes nothing itself; whoever keeps the group writes the change down, whole or not at all. What cannot
be done now is refused with an `InputError`, what could never be meant with an `Invalid`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from isegoria.errors import InputError
from isegoria.record.format.lines import NewLine
from isegoria.record.format.people import Person
from isegoria.record.group import Group


class Invalid(InputError):
    """What was asked makes no sense in any state of this group."""


class NewEvent(NamedTuple):
    """One event to be: its key (never twice in a group), its kind, and its private body or its public line.

    A line whose leaves are private has both: the body says whose each leaf is.
    """

    key: str
    kind: str
    body: Mapping[str, Any] = {}
    line: NewLine | None = None


@dataclass(frozen=True)
class Change:
    """All that one action changes, and its answer: events in order, people with their secrets, and who is forgotten."""

    answer: dict[str, Any]
    events: Sequence[NewEvent] = ()
    people: Sequence[Person] = ()
    forgotten: Sequence[int] = ()


@dataclass(frozen=True)
class Context:
    """Who asks what of which group, and when.

    - `member`: her number; -1, which nobody has, for whoever runs the group. `role`: what her link is for.
    - `chance(size)`: so many random bytes. `people`: members with their secrets, `secret`: the organiser's own.
    """

    group: Group
    body: Mapping[str, Any]
    now: int
    member: int = -1
    role: str = "organiser"
    chance: Callable[[int], bytes] = field(default=lambda size: bytes(size), repr=False)
    people: Mapping[int, Person] = field(default_factory=dict, repr=False)
    secret: bytes = field(default=b"", repr=False)


Action = Callable[[Context], Change]


def some(names: Sequence[str]) -> str:
    """The first few of some names."""
    return ", ".join(names[:8]) + (" …" if len(names) > 8 else "")
