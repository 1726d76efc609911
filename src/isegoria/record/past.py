"""A group as its keeper keeps it, and its past in parts: so that a log of years need not be replayed, nor held.

Every so often a keeper with a database keeps the group as it stands, and, once and for all, the rounds that nothing
changes any more. What is kept is only ever a copy: the log says the same, and a copy that another version of this
program made is not read.
"""

from __future__ import annotations

import io
import pickle
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from isegoria.record.format.lines import Said
from isegoria.record.format.people import Told
from isegoria.record.round import NOTHING, Closing, ColdPage, Counted, ProposedOption, Round
from isegoria.record.turns.ledger import Debt

if TYPE_CHECKING:
    from isegoria.record.group import Group

KINDS = (Round, Closing, ProposedOption, Told, Debt, Counted, ColdPage)
"""All that a kept copy is made of, besides plain numbers, texts, lists and mappings: nothing else is made from one."""
NOT_KEPT = ("address", "fetch", "lines", "parsed", "names", "rounds")
"""What the keeper knows itself (who is who, above all), or can read again."""


@cache
def program() -> str:
    """What this program makes of a log, as a digest of its text: a copy is read by the very program that made it."""
    digest = sha256()
    folders = [files("isegoria.record")]
    while folders:
        for entry in sorted(folders.pop().iterdir(), key=lambda one: one.name):
            if entry.is_dir():
                folders.append(entry)
            elif entry.name.endswith(".py"):
                digest.update(entry.name.encode() + b"\0" + entry.read_bytes())
    return digest.hexdigest()[:16]


def kept_part(group: Group, rounds: list[Round]) -> str:
    """A part of the past as text, without the rosters, which the group has."""
    known = {id(group.fetch): ("fetch", 0)}
    for place, roster in enumerate(group.rosters):
        known |= {id(roster): ("roster", place), id(roster["members"]): ("members", place)}
    return _written(rounds, known)


def part_again(text: str, fetch: Callable[[bytes], bytes] | None, rosters: Sequence[Said]) -> list[Round]:
    """The rounds of such a text."""

    def known(kind: str, place: int) -> Any:
        return fetch if kind == "fetch" else rosters[place] if kind == "roster" else rosters[place]["members"]

    found: list[Round] = _read(text, known)
    return found


def kept_group(group: Group) -> str:
    """A group as text: all that its log adds up to, but for the rounds that are away."""
    state = {name: value for name, value in vars(group).items() if name not in NOT_KEPT}
    rounds = group.rounds
    past = (rounds.away, rounds.dated, rounds.here, rounds.changed)
    return _written((len(group.lines), past, state), {id(group.fetch): ("fetch", 0)})


def group_again(text: str, fresh: Group) -> Group:
    """The group of such a text, in place of a fresh one of the same keeper."""
    count, past, state = _read(text, lambda kind, place: fresh.fetch)
    vars(fresh).update(state)
    fresh.lines, fresh.parsed = [b""] * count, [NOTHING] * count
    rounds = fresh.rounds
    rounds.away, rounds.dated, rounds.here, rounds.changed = past
    rounds.rosters = fresh.rosters
    return fresh


def _written(what: Any, known: dict[int, tuple[str, int]]) -> str:
    stream = io.BytesIO()
    pickler = _Pickler(stream, protocol=5)
    pickler.known = known
    pickler.dump(what)
    return b64encode(zlib.compress(stream.getvalue(), 1)).decode("ascii")


def _read(text: str, known: Callable[[str, int], Any]) -> Any:
    unpickler = _Unpickler(io.BytesIO(zlib.decompress(b64decode(text))))
    unpickler.known = known
    return unpickler.load()


class _Pickler(pickle.Pickler):
    known: dict[int, tuple[str, int]]

    def persistent_id(self, one: Any) -> tuple[str, int] | None:
        return self.known.get(id(one))


class _Unpickler(pickle.Unpickler):
    """Makes the kinds above and nothing else, whatever stands in the text: a database is no place for code."""

    known: Callable[[str, int], Any]

    def persistent_load(self, pid: Any) -> Any:
        return self.known(*pid)

    def find_class(self, module: str, name: str) -> Any:
        found = next((kind for kind in KINDS if (kind.__module__, kind.__qualname__) == (module, name)), None)
        if found is None:
            raise pickle.UnpicklingError(f"{module}.{name} is no part of a group")
        return found
