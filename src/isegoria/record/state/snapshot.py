"""Snapshots of a group and archives of its old rounds, so that a long log need not be replayed or held in memory.

Every so often, a database store saves a snapshot of the group and, once, the rounds that can no longer change. A
snapshot is only a copy: the log holds the same. A snapshot of another `SNAPSHOT_VERSION` is not read.

The text is JSON, a list of objects of which each refers only to earlier ones; the last is the snapshot. Numbers, text
and null stand for themselves, `[n]` is object n, so what is shared stays shared.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from isegoria.record.format.identities import SignedRatings
from isegoria.record.format.record_view import LinePayload
from isegoria.record.state.round import Cutoff, ProposedOption, Round
from isegoria.record.state.round_log import DROPPED_LINE, LazyFreezePage, RatingsDelta
from isegoria.record.turns.ledger import LedgerEntry

if TYPE_CHECKING:
    from isegoria.record.state.group import Group

MAX_SNAPSHOT_BYTES = 512 * 1024 * 1024
"""Maximum size of an inflated snapshot; a larger one is not read, and the log is replayed."""
EXCLUDED_ATTRIBUTES = ("address", "fetch", "lines", "parsed", "names", "rounds")
"""Attributes left out of a snapshot: the store knows them itself (above all the names) or can read them again."""

SNAPSHOT_VERSION = "4"
"""Version of the stored form: raise it whenever what a snapshot holds, or means, changes. Others are not read."""

SNAPSHOT_FIELDS: dict[type, tuple[str, ...]] = {
    **{kind: tuple(field.name for field in fields(kind)) for kind in (Round, Cutoff, ProposedOption, LedgerEntry)},
    SignedRatings: SignedRatings._fields,
    RatingsDelta: ("_later", "_own", "_without"),
}
"""The only classes that a snapshot may contain besides plain data, each with the attributes that are stored."""
SNAPSHOT_CLASSES = {kind.__name__: kind for kind in SNAPSHOT_FIELDS}
PLAIN_TYPES = frozenset({int, float, str, bool, type(None)})
SEQUENCE_TYPES: dict[str, type] = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}
SEQUENCE_NAMES = {kind: name for name, kind in SEQUENCE_TYPES.items()}
Resolve = Callable[[str, int], Any]


def dump_rounds(group: Group, rounds: list[Round]) -> str:
    """Serialise a part of the archive, without the rosters, which the group has."""
    known = {id(group.fetch): ("fetch", 0)}
    for place, roster in enumerate(group.rosters):
        known |= {id(roster): ("roster", place), id(roster["members"]): ("members", place)}
    return _dump(rounds, known)


def load_rounds(text: str, fetch: Callable[[bytes], bytes] | None, rosters: Sequence[LinePayload]) -> list[Round]:
    """Restore the rounds that `dump_rounds` serialised."""

    def resolve(kind: str, place: int) -> Any:
        return fetch if kind == "fetch" else rosters[place] if kind == "roster" else rosters[place]["members"]

    rounds: list[Round] = _load(text, resolve)
    return rounds


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
    encoder = _SnapshotEncoder(known)
    encoder.encode([what])
    data = json.dumps(encoder.objects, ensure_ascii=False, separators=(",", ":")).encode()
    return b64encode(zlib.compress(data, 1)).decode("ascii")


class _SnapshotEncoder:
    """Collects objects, each after those to which it refers; an object met again is not collected twice."""

    def __init__(self, known: dict[int, tuple[str, int]]) -> None:
        self.objects: list[list[Any]] = []
        self._known = known
        self._places: dict[int, int] = {}
        self._alive: list[Any] = []  # so that no id is used twice while this runs

    def encode(self, value: Any) -> Any:
        """Return a value as it stands in JSON: itself if it is plain, otherwise a reference."""
        if type(value) in PLAIN_TYPES:
            return value
        place = self._places.get(id(value))
        if place is None:
            entry = self._describe(value)
            place = self._places[id(value)] = len(self.objects)
            self.objects.append(entry)
            self._alive.append(value)
        return [place]

    def _describe(self, value: Any) -> list[Any]:
        if id(value) in self._known:
            return ["known", *self._known[id(value)]]
        kind = type(value)
        if kind in SNAPSHOT_FIELDS:
            return [kind.__name__, *(self.encode(getattr(value, name)) for name in SNAPSHOT_FIELDS[kind])]
        if kind is dict:
            return ["dict", *(self.encode(part) for pair in value.items() for part in pair)]
        if kind in SEQUENCE_NAMES:
            return [SEQUENCE_NAMES[kind], *map(self.encode, value)]
        if kind is bytes:
            return ["bytes", value.hex()]
        if kind is LazyFreezePage:
            return ["page", *(self.encode(part) for part in (dict(value.items()), value._fetch, value._key))]
        if value is bytes:  # a page whose line is held beside it is read by this
            return ["type bytes"]
        raise TypeError(f"a snapshot cannot hold a {kind.__name__}")


def _load(text: str, resolve: Resolve) -> Any:
    inflater = zlib.decompressobj()
    data = inflater.decompress(b64decode(text), MAX_SNAPSHOT_BYTES)
    if not inflater.eof:
        raise ValueError(f"a snapshot is cut short or has more than {MAX_SNAPSHOT_BYTES:,} bytes")
    objects: list[Any] = []
    for kind, *parts in json.loads(data):
        objects.append(_restore(kind, [objects[part[0]] if type(part) is list else part for part in parts], resolve))
    return objects[-1][0]


def _restore(kind: str, parts: list[Any], resolve: Resolve) -> Any:
    """Return one object of a snapshot; what it refers to is restored already."""
    if kind in SEQUENCE_TYPES:
        return parts if kind == "list" else SEQUENCE_TYPES[kind](parts)
    if kind == "dict":
        return dict(zip(parts[::2], parts[1::2], strict=True))
    if kind == "bytes":
        return bytes.fromhex(parts[0])
    if kind == "known":
        return resolve(*parts)
    if kind == "page":
        return LazyFreezePage(*parts)
    if kind == "type bytes":
        return bytes
    return _restore_instance(SNAPSHOT_CLASSES[kind], parts)


def _restore_instance(kind: type, values: list[Any]) -> Any:
    """Return an instance with these attributes; raise `ValueError` if their number is not that of the class."""
    if kind is SignedRatings:
        return SignedRatings(*values)
    instance: Any = object.__new__(kind)
    for name, value in zip(SNAPSHOT_FIELDS[kind], values, strict=True):
        object.__setattr__(instance, name, value)
    return instance
