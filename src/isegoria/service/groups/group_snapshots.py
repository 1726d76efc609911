"""Group snapshots: stored state and past rounds, so that the event log need not be replayed from its start."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from isegoria.errors import IsegoriaError
from isegoria.record.format.identities import MemberIdentity
from isegoria.record.format.record_view import LinePayload
from isegoria.record.state.group import Group
from isegoria.record.state.round import Round
from isegoria.record.state.round_log import ARCHIVE_CHUNK_ROUNDS
from isegoria.record.state.snapshot import SNAPSHOT_VERSION, dump_group, dump_rounds, load_group, load_rounds
from isegoria.service.http.http_errors import NotFound
from isegoria.service.store import GroupRow, Store, StoreError, Transaction
from isegoria.utils.messages import Message

SNAPSHOT_INTERVAL_EVENTS = 250  # events between two snapshots of a group; a freeze of a small group is two events
WHOLE_GROUP_CHUNK = -1  # the place of the group's state; chunks of past rounds are at 0, 1, 2 …
log = logging.getLogger("isegoria.service")


class HistoryLoader:
    """Loader of what a group does not hold in memory: lines, by the hash of the line before, and past rounds.

    `gone` is set when stored rounds are missing because the group was restored; its state must then be rebuilt.
    `unreadable` is set when they are damaged: then the whole log is replayed, until they are stored again.
    """

    def __init__(self, store: Store, address: str) -> None:
        self.store, self.address, self.gone, self.unreadable = store, address, False, False
        self.line = lru_cache(maxsize=4)(self._line)
        self._last: tuple[int, list[Round]] = (-1, [])

    def __deepcopy__(self, memo: object) -> HistoryLoader:
        """Return this object itself, so that copies of a group share its archive."""
        return self

    def _line(self, prev: bytes) -> bytes:
        with self.store.reading() as session:
            found = session.line_behind(self.address, prev.hex())
        if found is None:  # the group was erased in the meantime
            raise NotFound(Message("no_such_group"))
        return found.encode()

    def past(self, place: int, rosters: Sequence[LinePayload]) -> list[Round]:
        """Return the rounds stored at `place`; the last chunk is cached, so reading in order loads each chunk once.

        Raise `StoreError` and set `gone` if they are missing.
        """
        known, held = self._last
        rounds: list[Round] | None = held
        if known != place:
            try:
                with self.store.reading() as session:
                    found = session.kept(self.address, SNAPSHOT_VERSION, place)
                rounds = None if found is None else load_rounds(found[1], self.line, rosters)
            except Exception as error:  # whatever is wrong with a copy, the log has the same
                log.warning("group %s: its stored rounds are not used (%r)", self.address, error)
                rounds, self.unreadable = None, True
            if rounds is None:
                self.gone = True
                raise StoreError(Message("group_restored_meanwhile"))
            self._last = place, rounds
        assert rounds is not None
        return rounds

    def forget(self) -> None:
        """Clear the cached rounds and `gone`, because the group's history may have been replaced."""
        self._last, self.gone = (-1, []), False


def load_group_snapshot(session: Transaction, row: GroupRow, fresh: Group) -> Group | None:
    """Return the group from its latest snapshot, or None if there is none of this version or it cannot be read."""
    try:
        found = session.kept(row.id, SNAPSHOT_VERSION, WHOLE_GROUP_CHUNK)
        return None if found is None or found[0] > row.length else load_group(found[1], fresh)
    except Exception as error:  # whatever is wrong with a copy, the log has the same
        log.warning("group %s: what was kept of it is not used (%r)", row.id, error)
        return None


class DatabaseTallyStore(NamedTuple):
    """Stored voice tallies of one group's members, for `heard`; `later` schedules a write."""

    group: str
    store: Store
    later: Callable[..., object]

    def kept(self, number: int) -> str | None:
        with self.store.reading() as session:
            return session.count(self.group, number)

    def keep(self, person: MemberIdentity, state: str) -> None:
        self.later(self._write, person, state)

    def _write(self, person: MemberIdentity, state: str) -> None:
        with contextlib.suppress(IsegoriaError), self.store.writing() as session:
            secrets = [row.secrets for row in session.people(self.group) if row.number == person.number]
            if any(person.secret.hex() in (one or "") for one in secrets):  # the member was not erased in the meantime
                session.keep_count(self.group, person.number, state)


class GroupSnapshot(NamedTuple):
    """Snapshot of a group after `seq` events: the text for each place, and the number of rounds that it stores."""

    address: str
    seq: int
    head: str
    rounds: int
    texts: dict[int, str]

    @classmethod
    def of(cls, group: Group) -> GroupSnapshot:
        """Create a snapshot of a group, including its past rounds that are not stored yet."""
        twin, parts = group.snapshot(), group.rounds.parts
        first = group.rounds.away // ARCHIVE_CHUNK_ROUNDS
        texts = {first + place: dump_rounds(twin, rounds) for place, rounds in enumerate(parts)}
        twin.rounds.put_away(ARCHIVE_CHUNK_ROUNDS * len(parts))
        return cls(
            group.address,
            group.seq,
            group.head.hex(),
            ARCHIVE_CHUNK_ROUNDS * len(parts),
            texts | {WHOLE_GROUP_CHUNK: dump_group(twin)},
        )

    def write(self, store: Store, now: int) -> bool:
        """Write the snapshot unless the log has grown in the meantime, and return whether it was written."""
        with store.writing() as session:
            row = session.group(self.address, lock=True)
            if row is None or (row.length, row.head) != (self.seq, self.head):
                return False
            for place, text in self.texts.items():
                session.keep(self.address, SNAPSHOT_VERSION, place, self.seq, now, text)
        return True
