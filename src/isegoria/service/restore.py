"""Restore: a backup back into an empty store, whole or not at all, every record checked on the way.

A record that goes on where an old backup ends is a second history to whoever has seen more of the first. So the missing
lines are brought back from wherever they are kept, or the group goes on in a new record under a new address.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from isegoria.errors import FileError, InputError, IsegoriaError
from isegoria.record.changes import Context, NewEvent
from isegoria.record.group import Group
from isegoria.record.people import found
from isegoria.service.backup import ROWS, Wrong, checked_lines, row_of
from isegoria.service.creating import Made, fresh_name
from isegoria.service.groups import StoreChange, compact
from isegoria.service.organising import begun
from isegoria.service.store import Event, GroupRow, Session, Store
from isegoria.service.webhooks import told_heads
from isegoria.wording import counted


@dataclass
class Restored:
    """How many groups and events there are, how many lines each record has, and under which address a group goes on."""

    groups: int = 0
    events: int = 0
    lines: dict[str, int] = field(default_factory=dict)
    renewed: dict[str, str] = field(default_factory=dict)


def restore(
    store: Store, path: str | Path, records: Iterable[str | Path] = (), heads: str | Path | None = None,
    new_record: bool = False,
) -> Restored:  # fmt: skip
    """Fill an empty store with a backup, whole or not at all; what there is now.

    Every row is checked for its shape, every group by replaying its log to the length and the head that it says it has.
    A record that goes on where the backup ends is a second history to whoever has seen more of the first: `records`
    (files that phones or exports have) bring the missing lines back. What was private behind them is lost. A record
    that is shorter than `heads` (the file that `serve --heads` adds to) tells is refused, unless `new_record` lets its
    group go on in a new one; without such a file it does so for every record that has begun and has not ended.
    """
    lines, done = checked_lines(path), Restored()
    told = None if heads is None else told_heads(heads)
    with store.writing() as session:
        if session.groups():
            raise InputError("the store holds groups already; restore into an empty one.")
        filling = _Filling(session, done, [_record(one) for one in records], told, new_record)
        for number, line in enumerate(lines, start=2):
            try:
                filling.take(line)
            except Wrong as error:
                raise FileError(f"{path}, line {number}: {error}; nothing was restored. Take another copy.") from None
        try:
            filling.finish()
        except Wrong as error:
            raise FileError(f"{path}: {error}; nothing was restored. Take another copy.") from None
        if filling.records:
            raise FileError("a record that was given is of no group in this backup; nothing was restored.")
    return done


def _record(path: str | Path) -> list[bytes]:
    """The lines of a record, as it was fetched from somewhere."""
    try:
        data = Path(path).read_bytes()
        Group.from_bytes(data)
    except OSError as error:
        raise FileError(f"cannot read {path}: {(error.strerror or str(error)).lower()}.") from error
    except InputError as error:
        raise FileError(f"{path} is no whole record ({error}); take another copy of it.") from None
    return data[:-1].split(b"\n")


class _Filling:
    """A store that is being filled: the group whose lines come, and what its log adds up to so far."""

    def __init__(
        self, session: Session, done: Restored, records: list[list[bytes]], told: dict[str, tuple[int, str]] | None,
        new_record: bool,
    ) -> None:  # fmt: skip
        self.session, self.done, self.records, self.told, self.new_record = session, done, records, told, new_record
        self.row: GroupRow | None = None
        self.group = Group()

    def take(self, line: Any) -> None:
        """Check one line, and keep it."""
        kind, values = row_of(line)
        if kind == "group":
            self.finish()
            if self.session.group(values[0]) is not None:
                raise Wrong(f"group {values[0]} comes twice")
            self.row, self.group = GroupRow(*values), Group(values[0])
            self.done.groups += 1
        elif kind == "event":
            self._count(Event(*values))
            self.done.events += 1
        self._check_whose(kind, values)
        try:
            ROWS[kind].keep(self.session, self.row or GroupRow("", 0, 0, 0, 0, "", None, ""), values)
        except Exception as error:  # two rows of one name, or the database's own trouble
            raise Wrong(f"the store does not take it ({error})") from error

    def _count(self, event: Event) -> None:
        if self.row is None:
            raise Wrong("an event comes before its group")
        if event.seq != self.group.seq + 1:
            raise Wrong(f"event {event.seq} of {self.row.id} comes where {self.group.seq + 1} is expected")
        try:
            line = None if event.line is None else event.line.encode()
            self.group.apply(event.kind, json.loads(event.body), line, event.at)
        except Exception as error:  # whatever a log that nobody wrote makes of a group
            said = str(error) if isinstance(error, IsegoriaError) else type(error).__name__
            raise Wrong(f"event {event.seq} of {self.row.id} cannot be replayed ({said})") from None

    def _check_whose(self, kind: str, values: list[Any]) -> None:
        """Refuse a row that belongs to another group than the one it stands with."""
        name = None if self.row is None else self.row.id
        if kind in ("person", "contact", "snapshot") and name is None:
            raise Wrong(f"a {kind} comes before its group")
        if kind in ("token", "session") and values[1] != name:
            raise Wrong("a link is not of the group that it stands with")
        if kind == "answer" and not values[0].startswith((":", f"{name}:")):
            raise Wrong("an answer is not of the group that it stands with")

    def finish(self) -> None:
        """Refuse a group whose log does not add up to what its row says."""
        row, group = self.row, self.group
        if row is None:
            return
        found = (group.seq, len(group.lines), group.head.hex())
        if found != (row.length, row.lines, row.head):
            raise Wrong(
                f"group {row.id} says that it has {row.length} events and {row.lines} lines up to {row.head[:8]}…, and "
                f"its log has {found[0]} and {found[1]} up to {found[2][:8]}…"
            )
        for record in [one for one in self.records if group.lines and one[0] == group.lines[0]]:
            self.records.remove(record)
            row = self._go_on(row, record)
        self._settle(row)
        self.row = None

    def _settle(self, row: GroupRow) -> None:
        """Note how long a record is; one that is shorter than was told goes on in a new record, or not at all."""
        lines = len(self.group.lines)
        short = self._short(row)
        if short and not self.new_record:
            raise Wrong(f"{short}. Bring them back with --record FILE, or go on in a new record with --new-record")
        if self.new_record and self.group.begun and not self.group.ended and (short or self.told is None):
            self.done.renewed[row.id] = renew(self.session, row, self.group, int(time.time()))
        else:
            self.done.lines[row.id] = lines

    def _short(self, row: GroupRow) -> str:
        """What is missing of a record, as far as is known; nothing if nothing is."""
        count, head = (self.told or {}).get(row.id, (0, ""))
        lines, hashes = len(self.group.lines), self.group.hashes
        if count > lines:
            missing = counted(count - lines, "line")
            return (
                f"the record of {row.id} ends at line {lines}, and {count} were told: phones refuse it, {missing} short"
            )
        if count and hashes[count - 1].hex() != head:
            return f"line {count} of the record of {row.id} is not the one that was told: phones refuse another history"
        return ""

    def _go_on(self, row: GroupRow, record: list[bytes]) -> GroupRow:
        """The row of a group whose record goes on as this one does."""
        group = self.group
        shared = min(len(record), len(group.lines))
        if record[:shared] != group.lines[:shared]:
            raise Wrong(f"the record that was given is another history of {row.id} than the backup's")
        for line in record[len(group.lines) :]:
            kind, prev = json.loads(line)["line"], row.head
            try:
                group.apply(kind, {}, line, row.touched)
            except Exception as error:  # private things that it followed from are not in the backup
                raise Wrong(f"line {len(group.lines) + 1} of the record cannot follow the backup ({error})") from None
            event = Event(row.length + 1, f"restored:{row.length + 1}", kind, "restore", row.touched, "{}",
                          line.decode(), prev)  # fmt: skip
            after = self.session.append(row, event, group.head.hex())
            if after is None:
                raise Wrong(f"line {len(group.lines)} of the record stands in the backup already")
            row = after
            self.done.events += 1
        return row


# -- a group that goes on in a new record, under a new address ---------------------------------------------------------
#
# Phones know a record by what they have signed of it, and refuse another one in its place. So nothing of the old group
# stays but what a newly made one could be given: its people, options, ratings and rules; everybody gets a new link, and
# what was owed or learned begins anew.

TIMES = ("recurrence", "time", "zone", "lead")


def renew(session: Session, row: GroupRow, group: Group, now: int) -> str:
    """The address under which a group goes on, written in this transaction; what it was is erased."""
    named = {one.number: one.name for one in session.people(row.id)}
    here = [number for number in group.members if named.get(number)]
    kept = {one.number: one for one in session.contacts(row.id)}
    change = _change(group, here, [str(named[number]) for number in here], now)
    title = group.terms["title"]
    vault = compact({"secret": secrets.token_hex(32)})
    session.remove_group(row.id)
    made = Made(GroupRow(fresh_name(title), now, now, 0, 0, "0" * 64, None, vault), change)
    while not session.add_group(made.row):
        made = made.renamed(fresh_name(title))
    made.keep(session)
    for number, member in enumerate(here):
        if member in kept:
            session.keep_contact(made.row.id, kept[member]._replace(number=number))
    return made.row.id


def _change(group: Group, here: list[int], names: list[str], now: int) -> StoreChange:
    """The first change of the new group."""
    resting = group.used | group.withdrawn
    arms = [arm for arm in range(len(group.options)) if arm not in resting] or list(range(len(group.options)))
    copied = ("title", "source", "privacy", "block", "learner", "settings", "tie", "turns")
    terms = {name: group.terms[name] for name in copied}
    body = {
        **terms, "arms": [group.options[arm] for arm in arms], "members": names, "scale": group.scale,
        "weights": [group.members[number]["weight"] for number in here],
        "organisers": [name for name, number in zip(names, here, strict=True) if group.members[number]["organiser"]],
        "ratings": [[group.ratings.get(number, {}).get(arm) for arm in arms] for number in here],
    }  # fmt: skip
    first = found(Context(Group(), body, now, chance=secrets.token_bytes))
    masked = [place for place, arm in enumerate(arms) if arm in group.masked]
    events = [*first.events, NewEvent("setting:first", "setting", _settings(group, now))]
    if masked and len(masked) < len(arms):
        events.append(NewEvent("mask:first", "mask", {"masked": masked}))
    timed = group.settings["timetable"] is not None
    return StoreChange.of(first, events=events, due=now if timed else None)


def _settings(group: Group, now: int) -> dict[str, Any]:
    """What was set stays set; the timetable begins anew."""
    table = group.settings["timetable"]
    if table is None:
        return dict(group.settings)
    asked = {name: table[name] for name in TIMES if name in table} | {"start": None}
    return group.settings | {"timetable": begun(asked, 1, now, group.source == "beacon")}
