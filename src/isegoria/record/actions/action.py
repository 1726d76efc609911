"""The input and the result of an action: a `ActionContext`, and a `ActionResult` or an error.

An action is a function from a `ActionContext` (the group, the request, the time, and a source of randomness) to a
`ActionResult`.
It modifies nothing; the store writes the change, completely or not at all. It raises `InputError` for what cannot be
done now, and `InvalidActionError` for what never makes sense.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from isegoria.errors import InputError
from isegoria.record.format.identities import MemberIdentity
from isegoria.record.format.lines import SealedLine
from isegoria.record.state.group import Group


class InvalidActionError(InputError):
    """A request that makes no sense in any state of this group."""


class NewEvent(NamedTuple):
    """An event to be stored: its key (unique in a group), its kind, and its private body or its public line.

    A line whose leaves are private has both: the body says who owns each leaf.
    """

    key: str
    kind: str
    body: Mapping[str, Any] = {}
    line: SealedLine | None = None


@dataclass(frozen=True)
class ActionResult:
    """All that one action changes, and its response: events in order, people with their secrets, and erased members."""

    answer: dict[str, Any]
    events: Sequence[NewEvent] = ()
    people: Sequence[MemberIdentity] = ()
    forgotten: Sequence[int] = ()


@dataclass(frozen=True)
class ActionContext:
    """The request of an action: who asks what of which group, and when.

    - `member`: the member's number, or -1, which nobody has, for those who run the group. `role`: what their link is
      for.
    - `how`: what let in the device that asks, as the origin of a key (`KEY_ORIGINS`).
    - `chance(size)`: returns so many random bytes. `people`: members with their secrets. `secret`: the organiser's
      secret.
    """

    group: Group
    body: Mapping[str, Any]
    now: int
    member: int = -1
    role: str = "organiser"
    how: str = "key_file"
    chance: Callable[[int], bytes] = field(default=lambda size: bytes(size), repr=False)
    people: Mapping[int, MemberIdentity] = field(default_factory=dict, repr=False)
    secret: bytes = field(default=b"", repr=False)


Action = Callable[[ActionContext], ActionResult]


def shorten_list(names: Sequence[str]) -> str:
    """Join the first eight names with commas."""
    return ", ".join(names[:8]) + (" …" if len(names) > 8 else "")
