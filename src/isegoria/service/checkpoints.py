"""Checkpoints: what a store keeps of a group so that its log need not be replayed: as it stood, its past in parts."""

from __future__ import annotations

import contextlib
import logging
import pickle
import zlib
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from isegoria.errors import IsegoriaError
from isegoria.record.format.lines import Said
from isegoria.record.format.people import Person
from isegoria.record.group import Group
from isegoria.record.past import group_again, kept_group, kept_part, part_again, program
from isegoria.record.round import PART, Round
from isegoria.service.http.refusals import NotFound
from isegoria.service.store import GroupRow, Session, Store, StoreError

EVERY = 250  # events after which a group is kept again; a freeze of a small group is two
WHOLE = -1  # the place of the group itself; parts of its past are at 0, 1, 2 …
UNREADABLE = (pickle.UnpicklingError, zlib.error, ValueError, TypeError, KeyError, AttributeError, IndexError, EOFError)
log = logging.getLogger("isegoria.service")


class Archive:
    """Where a group finds what it does not hold: lines by the hash of the one before, and parts of its past.

    `gone`: a part is not where it was put, since the group was restored meanwhile; its state is to be made anew.
    """

    def __init__(self, store: Store, address: str) -> None:
        self.store, self.address, self.gone = store, address, False
        self.line = lru_cache(maxsize=4)(self._line)
        self._last: tuple[int, list[Round]] = (-1, [])

    def __deepcopy__(self, memo: object) -> Archive:
        """Copies of a group find things where it does."""
        return self

    def _line(self, prev: bytes) -> bytes:
        with self.store.reading() as session:
            found = session.line_behind(self.address, prev.hex())
        if found is None:  # the group was erased meanwhile
            raise NotFound("there is no such group; look at the link again.")
        return found.encode()

    def past(self, place: int, rosters: Sequence[Said]) -> list[Round]:
        """The rounds of a part; whoever goes through them in order reads each part once."""
        known, rounds = self._last
        if known != place:
            with self.store.reading() as session:
                found = session.kept(self.address, program(), place)
            if found is None:
                self.gone = True
                raise StoreError("the group was restored meanwhile; ask again.")
            rounds = part_again(found[1], self.line, rosters)
            self._last = place, rounds
        return rounds

    def forget(self) -> None:
        """The past may be another one from now on."""
        self._last, self.gone = (-1, []), False


def taken_up(session: Session, row: GroupRow, fresh: Group) -> Group | None:
    """The group as it was last kept by this program; None if it never was, or nothing can be made of it."""
    found = session.kept(row.id, program(), WHOLE)
    if found is None or found[0] > row.length:
        return None
    try:
        return group_again(found[1], fresh)
    except UNREADABLE as error:
        log.warning("group %s: what was kept of it is not used (%r)", row.id, error)
        return None


class KeptCounts(NamedTuple):
    """The counts that a store keeps of one group's members, for `heard`; `later` has one written."""

    group: str
    store: Store
    later: Callable[..., object]

    def kept(self, number: int) -> str | None:
        with self.store.reading() as session:
            return session.count(self.group, number)

    def keep(self, person: Person, state: str) -> None:
        self.later(self._written, person, state)

    def _written(self, person: Person, state: str) -> None:
        with contextlib.suppress(IsegoriaError), self.store.writing() as session:
            secrets = [row.secrets for row in session.people(self.group) if row.number == person.number]
            if any(person.secret.hex() in (one or "") for one in secrets):  # she was not erased meanwhile
                session.keep_count(self.group, person.number, state)


class Checkpoint(NamedTuple):
    """A group as it stood after so many events: the text for each place, and how many rounds are put away in them."""

    address: str
    seq: int
    head: str
    rounds: int
    texts: dict[int, str]

    @classmethod
    def of(cls, group: Group) -> Checkpoint:
        """That of a group, with what of its past was not kept yet."""
        twin, parts = group.snapshot(), group.rounds.parts
        first = group.rounds.away // PART
        texts = {first + place: kept_part(twin, rounds) for place, rounds in enumerate(parts)}
        twin.rounds.put_away(PART * len(parts))
        return cls(group.address, group.seq, group.head.hex(), PART * len(parts), texts | {WHOLE: kept_group(twin)})

    def write(self, store: Store, now: int) -> bool:
        """Keep it, unless the log has gone on meanwhile; whether it is kept."""
        with store.writing() as session:
            row = session.group(self.address, lock=True)
            if row is None or (row.length, row.head) != (self.seq, self.head):
                return False
            for place, text in self.texts.items():
                session.keep(self.address, program(), place, self.seq, now, text)
        return True
