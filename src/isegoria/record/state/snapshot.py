"""Snapshots of a group and archives of its old rounds, so that a long log need not be replayed or held in memory.

Every so often, a database store saves a snapshot of the group and, once, the rounds that can no longer change. A
snapshot is only a copy: the log holds the same. A snapshot of another `SNAPSHOT_VERSION` is not read.
"""

from __future__ import annotations

import io
import pickle
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from isegoria.record.format.identities import SignedRatings
from isegoria.record.format.record_view import LinePayload
from isegoria.record.state.round import Cutoff, ProposedOption, Round
from isegoria.record.state.round_log import DROPPED_LINE, LazyFreezePage, RatingsDelta
from isegoria.record.turns.ledger import LedgerEntry

if TYPE_CHECKING:
    from isegoria.record.state.group import Group

SNAPSHOT_CLASSES = (Round, Cutoff, ProposedOption, SignedRatings, LedgerEntry, RatingsDelta, LazyFreezePage)
"""The only classes that a snapshot may contain, besides plain numbers, strings, lists and mappings."""
MAX_SNAPSHOT_BYTES = 512 * 1024 * 1024
"""Maximum size of an inflated snapshot; a larger one is not read, and the log is replayed."""
EXCLUDED_ATTRIBUTES = ("address", "fetch", "lines", "parsed", "names", "rounds")
"""Attributes left out of a snapshot: the store knows them itself (above all the names) or can read them again."""

SNAPSHOT_VERSION = "1"
"""Version of the stored form: raise it whenever what a snapshot holds, or means, changes. Others are not read."""


def dump_rounds(group: Group, rounds: list[Round]) -> str:
    """Serialise a part of the archive, without the rosters, which the group has."""
    known = {id(group.fetch): ("fetch", 0)}
    for place, roster in enumerate(group.rosters):
        known |= {id(roster): ("roster", place), id(roster["members"]): ("members", place)}
    return _dump(rounds, known)


def load_rounds(text: str, fetch: Callable[[bytes], bytes] | None, rosters: Sequence[LinePayload]) -> list[Round]:
    """Restore the rounds that `dump_rounds` serialised."""

    def known(kind: str, place: int) -> Any:
        return fetch if kind == "fetch" else rosters[place] if kind == "roster" else rosters[place]["members"]

    found: list[Round] = _load(text, known)
    return found


def dump_group(group: Group) -> str:
    """Serialise the state of a group, without its archived rounds."""
    state = {name: value for name, value in vars(group).items() if name not in EXCLUDED_ATTRIBUTES}
    rounds = group.rounds
    past = (rounds.away, rounds.dated, rounds.here, rounds.changed)
    return _dump((len(group.lines), past, state), {id(group.fetch): ("fetch", 0)})


def load_group(text: str, fresh: Group) -> Group:
    """Restore the state that `dump_group` serialised into `fresh`, a new group of the same store, and return it."""
    count, past, state = _load(text, lambda kind, place: fresh.fetch)
    vars(fresh).update(state)
    fresh.lines, fresh.parsed = [b""] * count, [DROPPED_LINE] * count
    rounds = fresh.rounds
    rounds.away, rounds.dated, rounds.here, rounds.changed = past
    rounds.rosters = fresh.rosters
    return fresh


def _dump(what: Any, known: dict[int, tuple[str, int]]) -> str:
    stream = io.BytesIO()
    pickler = _Pickler(stream, protocol=5)
    pickler.known = known
    pickler.dump(what)
    return b64encode(zlib.compress(stream.getvalue(), 1)).decode("ascii")


def _load(text: str, known: Callable[[str, int], Any]) -> Any:
    inflater = zlib.decompressobj()
    data = inflater.decompress(b64decode(text), MAX_SNAPSHOT_BYTES)
    if not inflater.eof:
        raise ValueError(f"a snapshot is cut short or has more than {MAX_SNAPSHOT_BYTES:,} bytes")
    unpickler = _Unpickler(io.BytesIO(data))
    unpickler.known = known
    return unpickler.load()


class _Pickler(pickle.Pickler):
    known: dict[int, tuple[str, int]]

    def persistent_id(self, one: Any) -> tuple[str, int] | None:
        return self.known.get(id(one))


class _Unpickler(pickle.Unpickler):
    """An unpickler that creates only the classes in `SNAPSHOT_CLASSES`, so that a stored snapshot cannot run code."""

    known: Callable[[str, int], Any]

    def persistent_load(self, pid: Any) -> Any:
        return self.known(*pid)

    def find_class(self, module: str, name: str) -> Any:
        found = next(
            (kind for kind in SNAPSHOT_CLASSES if (kind.__module__, kind.__qualname__) == (module, name)), None
        )
        if found is None:
            raise pickle.UnpicklingError(f"{module}.{name} is no part of a group")
        return found
