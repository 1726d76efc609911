"""Restore: fill an empty store from a backup, completely or not at all, and validate every record.

A record that continues from an old backup looks like a second history to devices that have seen more of the first one.
So the missing lines must come from another copy, or the group continues in a new record under a new address.
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
from isegoria.record.actions.action import ActionContext, NewEvent
from isegoria.record.actions.members import found_group
from isegoria.record.receipts import find_data_fault
from isegoria.record.state.group import Group
from isegoria.service.actions.administration import normalise_timetable
from isegoria.service.actions.group_creation import NewGroup, generate_group_id
from isegoria.service.actions.security_log import OPERATOR, add_security_event
from isegoria.service.backup.backup_file import ROW_FORMATS, BackupFormatError, parse_row, read_validated_rows
from isegoria.service.delivery.head_log import read_head_log
from isegoria.service.groups.repository import StoredPeople
from isegoria.service.groups.result_writer import StoreActionResult, encode_body
from isegoria.service.store import EventRow, GroupRow, Store, Transaction
from isegoria.service.store.server_key import SEALED_PREFIX
from isegoria.utils.formatting import pluralise
from isegoria.verifier.isegoria_verify import verify


def find_record_fault(group: Group) -> str | None:
    """Return what a verifier finds wrong with the lines of a group: a signature, a proof, a page, a draw; else None."""
    if not group.begun:
        return None
    found = verify(b"".join(line + b"\n" for line in group.lines))
    return str(found["sentence"]) if found["exit_code"] in (1, 2) else None


@dataclass
class RestoreResult:
    """Result of a restore: counts of groups and events, lines per record, and what became of groups that were renewed.

    `renewed` has their new address, `join_tokens` their new join link's token by that address, and `lost_webhooks` the
    addresses of those whose webhook must be set again.
    """

    groups: int = 0
    events: int = 0
    lines: dict[str, int] = field(default_factory=dict)
    renewed: dict[str, str] = field(default_factory=dict)
    join_tokens: dict[str, str] = field(default_factory=dict)
    lost_webhooks: list[str] = field(default_factory=list)


def restore(
    store: Store,
    path: str | Path,
    records: Iterable[str | Path] = (),
    heads: str | Path | None = None,
    new_record: bool = False,
) -> RestoreResult:
    """Fill an empty store from a backup, completely or not at all, and return what was restored.

    Every row is validated, every group is replayed to the length and the head that its row states, and names, secrets
    and ratings are compared with the commitments and roots on record. The server key of the store authenticates the
    file. Without the key of the backup, secrets cannot be read: with `new_record` every group that has not ended goes
    on in a new record, with new links, and without webhook and mail addresses. A record that
    continues from an old backup looks like a second history to devices that have seen more of the first one. Copies in
    `records` restore the missing lines; private data behind those lines is lost.

    Parameters
    ----------
    store : Store
        An empty store.
    path : str or Path
        The backup.
    records : iterable of str or Path, optional
        Record files, as devices or exports have them, that supply missing lines.
    heads : str or Path, optional
        The file that `serve --heads` appends to. A record that is shorter, or has another head, is an error.
    new_record : bool, optional
        Continue such a group in a new record instead. Without `heads`, do so for every record that has begun and has
        not ended.

    Returns
    -------
    Restored
        What the store contains now.

    Raises
    ------
    InputError
        If the store already contains groups.
    FileError
        If the backup or a record cannot be read or is invalid; nothing is restored then.
    """
    done = RestoreResult()
    has_key, lines = read_validated_rows(path, store.require_key())
    if not has_key and not new_record:
        raise FileError(
            f"{path} was written under another server key than {store.secret_path}, so that its secrets cannot be "
            "read; give its key with --secret-file, or let the groups go on in new records with --new-record."
        )
    told = None if heads is None else read_head_log(heads)
    with store.writing() as session:
        if session.groups():
            raise InputError("the store holds groups already; restore into an empty one.")
        filling = _RestoreJob(session, done, [_read_record(one) for one in records], told, new_record, has_key)
        for number, line in enumerate(lines, start=2):
            try:
                filling.take(line)
            except BackupFormatError as error:
                raise FileError(f"{path}, line {number}: {error}; nothing was restored. Take another copy.") from None
        try:
            filling.finish()
        except BackupFormatError as error:
            raise FileError(f"{path}: {error}; nothing was restored. Take another copy.") from None
        if filling.records:
            raise FileError("a record that was given is of no group in this backup; nothing was restored.")
        for group in session.groups():
            add_security_event(session, group, "restore", int(time.time()), OPERATOR)
    return done


def _read_record(path: str | Path) -> list[bytes]:
    """Read a record file and return its lines; raise `FileError` if it is not a complete record."""
    try:
        data = Path(path).read_bytes()
        Group.from_bytes(data)
    except OSError as error:
        raise FileError(f"cannot read {path}: {(error.strerror or str(error)).lower()}.") from error
    except InputError as error:
        raise FileError(f"{path} is no whole record ({error}); take another copy of it.") from None
    return data[:-1].split(b"\n")


class _RestoreJob:
    """A store that is being filled: the group whose rows are read, and its state replayed so far."""

    def __init__(
        self,
        session: Transaction,
        done: RestoreResult,
        records: list[list[bytes]],
        told: dict[str, tuple[int, str]] | None,
        new_record: bool,
        has_key: bool,
    ) -> None:
        self.session, self.done, self.records, self.told, self.new_record = session, done, records, told, new_record
        self.has_key, self.stored = has_key, session.as_stored()
        self.row: GroupRow | None = None
        self.group = Group()
        self.trees: dict[int, list[tuple[int, str]]] = {}

    def take(self, line: Any) -> None:
        """Validate one row and write it to the store."""
        kind, values = parse_row(line)
        if kind == "group":
            self.finish()
            if self.session.group(values[0]) is not None:
                raise BackupFormatError(f"group {values[0]} comes twice")
            self.row, self.group, self.trees = GroupRow(*values), Group(values[0]), {}
            self.done.groups += 1
        elif kind == "event":
            self._count(EventRow(*values))
            self.done.events += 1
        self._check_whose(kind, values)
        row = self.row or GroupRow("", 0, 0, 0, 0, "", None, "")
        try:
            if self.has_key:
                ROW_FORMATS[kind].keep(self.stored, row, values)
            elif (readable := drop_sealed_values(kind, values)) is not None:
                ROW_FORMATS[kind].keep(self.session, row, readable)
        except Exception as error:  # two rows with the same key, or an error of the database
            raise BackupFormatError(f"the store does not take it ({error})") from error

    def _count(self, event: EventRow) -> None:
        if self.row is None:
            raise BackupFormatError("an event comes before its group")
        if event.seq != self.group.seq + 1:
            raise BackupFormatError(f"event {event.seq} of {self.row.id} comes where {self.group.seq + 1} is expected")
        try:
            if self.has_key:
                event = self.session.open_event(self.row.id, event)
            line = None if event.line is None else event.line.encode()
            body = json.loads(event.body)
            self.group.apply(event.kind, body, line, event.at)
            if line is not None and "tree" in body and "root" in self.group.parsed[-1]:
                self.trees[len(self.group.lines)] = [(int(owner), str(digest)) for owner, digest in body["tree"]]
        except Exception as error:  # an invalid log may raise any error during replay
            said = str(error) if isinstance(error, IsegoriaError) else type(error).__name__
            raise BackupFormatError(f"event {event.seq} of {self.row.id} cannot be replayed ({said})") from None

    def _check_whose(self, kind: str, values: list[Any]) -> None:
        """Raise `BackupFormatError` if a row belongs to a different group than the one it is listed under."""
        name = None if self.row is None else self.row.id
        if kind in ("person", "contact", "objection", "consent") and name is None:
            raise BackupFormatError(f"a {kind} comes before its group")
        if kind in ("token", "session") and values[1] != name:
            raise BackupFormatError("a link is not of the group that it stands with")
        if kind == "answer" and not values[0].startswith((":", f"{name}:")):
            raise BackupFormatError("an answer is not of the group that it stands with")

    def finish(self) -> None:
        """Finish the current group; raise `BackupFormatError` if its log does not match its row."""
        row, group = self.row, self.group
        if row is None:
            return
        found = (group.seq, len(group.lines), group.head.hex())
        if found != (row.length, row.lines, row.head):
            raise BackupFormatError(
                f"group {row.id} says that it has {row.length} events and {row.lines} lines up to {row.head[:8]}…, and "
                f"its log has {found[0]} and {found[1]} up to {found[2][:8]}…"
            )
        try:
            fault = find_data_fault(group, StoredPeople(self.session, group), self.trees) or find_record_fault(group)
        except Exception as error:  # secrets and leaves that cannot be read may raise any error
            fault = f"its private data cannot be read ({type(error).__name__})"
        if fault is not None:
            raise BackupFormatError(f"group {row.id} does not follow from its record: {fault}")
        for record in [one for one in self.records if group.lines and one[0] == group.lines[0]]:
            self.records.remove(record)
            row = self._go_on(row, record)
        self._settle(row)
        self.row = None

    def _settle(self, row: GroupRow) -> None:
        """Note the length of a record; continue a record that is too short in a new one, or raise
        `BackupFormatError`."""
        lines = len(self.group.lines)
        short = self._short(row)
        if short and not self.new_record:
            raise BackupFormatError(
                f"{short}. Bring them back with --record FILE, or go on in a new record with --new-record"
            )
        begun = self.group.begun and (short or self.told is None)
        if self.new_record and not self.group.ended and (begun or not self.has_key):
            made = restart_group(self.session, row, self.group, int(time.time()))
            self.done.renewed[row.id] = made.row.id
            if made.join is not None:
                self.done.join_tokens[made.row.id] = made.join
            if not self.has_key and self.group.settings["webhook"]:
                self.done.lost_webhooks.append(made.row.id)
        else:
            self.done.lines[row.id] = lines

    def _short(self, row: GroupRow) -> str:
        """Return what is known to be missing from a record, or "" if nothing is."""
        count, head = (self.told or {}).get(row.id, (0, ""))
        lines, hashes = len(self.group.lines), self.group.hashes
        if count > lines:
            missing = pluralise(count - lines, "line")
            return (
                f"the record of {row.id} ends at line {lines}, and {count} were told: phones refuse it, {missing} short"
            )
        if count and hashes[count - 1].hex() != head:
            return f"line {count} of the record of {row.id} is not the one that was told: phones refuse another history"
        return ""

    def _go_on(self, row: GroupRow, record: list[bytes]) -> GroupRow:
        """Append the missing lines of a record copy to the group and return the group's new row."""
        group = self.group
        shared = min(len(record), len(group.lines))
        if record[:shared] != group.lines[:shared]:
            raise BackupFormatError(f"the record that was given is another history of {row.id} than the backup's")
        for line in record[len(group.lines) :]:
            kind, prev = json.loads(line)["line"], row.head
            try:
                group.apply(kind, {}, line, row.touched)
            except Exception as error:  # the private data that it followed from is not in the backup
                raise BackupFormatError(
                    f"line {len(group.lines) + 1} of the record cannot follow the backup ({error})"
                ) from None
            event = EventRow(
                row.length + 1, f"restored:{row.length + 1}", kind, "restore", row.touched, "{}", line.decode(), prev
            )
            after = self.session.append(row, event, group.head.hex())
            if after is None:
                raise BackupFormatError(f"line {len(group.lines)} of the record stands in the backup already")
            row = after
            self.done.events += 1
        return row


# -- a group that goes on in a new record, under a new address ---------------------------------------------------------
#
# Devices know a record by what they have signed of it, and refuse another one in its place. So the new group keeps only
# what any new group can be given: people, options, ratings and rules. Everybody gets a new link, and credits and the
# learner start from the beginning.

TIMETABLE_FIELDS = ("recurrence", "time", "zone", "lead")


def restart_group(session: Transaction, row: GroupRow, group: Group, now: int) -> NewGroup:
    """Continue a group in a new record, in this transaction, and return the new group; erase the old one."""
    named = {one.number: one.name for one in session.people(row.id)}
    here = [number for number in group.members if named.get(number)]
    kept = {one.number: one for one in session.contacts(row.id)}
    change = _build_restart_result(group, here, [str(named[number]) for number in here], now)
    title = group.terms["title"]
    vault = encode_body({"secret": secrets.token_hex(32)})
    session.remove_group(row.id)
    made = NewGroup(title, GroupRow(generate_group_id(title), now, now, 0, 0, "0" * 64, None, vault), change)
    made.insert(session)
    for number, member in enumerate(here):
        if member in kept:
            session.keep_contact(made.row.id, kept[member]._replace(number=number))
    return made


def drop_sealed_values(kind: str, values: list[Any]) -> list[Any] | None:
    """Return a row without what another server key encrypted, or None if nothing of it can be used."""
    if kind in ("token", "session", "contact", "answer", "objection", "consent"):
        return None
    if kind == "group":  # the organiser's secret of the rehearsal source is lost, and a new one is as good
        return [*values[:-1], encode_body({"secret": secrets.token_hex(32)})]
    if kind == "person":
        return [*values[:2], None]
    if kind == "event" and values[2] == "setting":
        body = json.loads(values[5])
        return [*values[:5], encode_body(body | ({"webhook": None} if "webhook" in body else {})), *values[6:]]
    return values


def _build_restart_result(group: Group, here: list[int], names: list[str], now: int) -> StoreActionResult:
    """Return the first change of the new group."""
    resting = group.used | group.withdrawn
    arms = [arm for arm in range(len(group.options)) if arm not in resting] or list(range(len(group.options)))
    copied = ("title", "source", "privacy", "block", "learner", "settings", "tie_break", "turns")
    terms = {name: group.terms[name] for name in copied}
    body = {
        **terms,
        "arms": [group.options[arm] for arm in arms],
        "members": names,
        "scale": group.scale,
        "weights": [group.members[number]["weight"] for number in here],
        "organisers": [name for name, number in zip(names, here, strict=True) if group.members[number]["organiser"]],
        "ratings": [[group.ratings.get(number, {}).get(arm) for arm in arms] for number in here],
    }
    first = found_group(ActionContext(Group(), body, now, chance=secrets.token_bytes))
    masked = [place for place, arm in enumerate(arms) if arm in group.masked]
    events = [*first.events, NewEvent("setting:first", "setting", _copy_settings(group, now))]
    if masked and len(masked) < len(arms):
        events.append(NewEvent("mask:first", "mask", {"masked": masked}))
    timed = group.settings["timetable"] is not None
    return StoreActionResult.of(first, events=events, due=now if timed else None)


def _copy_settings(group: Group, now: int) -> dict[str, Any]:
    """Return the old settings with the timetable started from the beginning."""
    settings, table = dict(group.settings), group.settings["timetable"]
    if str(settings["webhook"] or "").startswith(SEALED_PREFIX):  # another server key has its address
        settings["webhook"] = None
    if table is None:
        return settings
    asked = {name: table[name] for name in TIMETABLE_FIELDS if name in table} | {"start": None}
    return settings | {"timetable": normalise_timetable(asked, 1, now, group.source == "beacon")}
