"""Backup and restore: everything the store holds as lines of JSON, taken while others write, for either database."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from isegoria.errors import FileError, InputError, IsegoriaError
from isegoria.io.atomic import writing
from isegoria.record.group import Group
from isegoria.service.store import (
    AnswerRow,
    Contact,
    Event,
    GroupRow,
    PersonRow,
    Session,
    SessionRow,
    Snapshot,
    Store,
    TokenRow,
)

FORMAT, VERSION = "isegoria backup", 1


def backup(store: Store, path: str | Path) -> dict[str, int]:
    """Write all groups, as of one moment, to `path`; how many groups and events there were.

    The file holds everybody's ratings and secrets (though no link: only hashes of tokens are kept anywhere), so it is
    for its owner only, from its first byte on.
    """
    seal, counts = hashlib.sha256(), {"groups": 0, "events": 0}
    with store.reading() as session, writing(path, mode=0o600) as file:
        for line in _lines(session, counts):
            data = json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            seal.update(data)
            file.write(data)
        file.write(json.dumps({"end": seal.hexdigest()}).encode() + b"\n")
    return counts


def _lines(session: Session, counts: dict[str, int]) -> Iterator[dict[str, Any]]:
    yield {"format": FORMAT, "version": VERSION, "at": int(time.time())}
    for name in session.groups():
        row = session.group(name)
        counts["groups"] += 1
        yield {"group": row}
        for event in session.events(name):
            counts["events"] += 1
            yield {"event": event}
        yield from ({"person": person} for person in session.people(name))
        yield from ({"token": token._replace(secret=None)} for token in session.tokens(name))
        yield from ({"session": one} for one in session.sessions_of(name))
        yield from ({"contact": contact} for contact in session.contacts(name))
        yield from ({"answer": answer} for answer in session.answers(f"{name}:"))
        if kept := session.snapshot(name):
            yield {"snapshot": kept}
    yield from ({"answer": answer} for answer in session.answers(":"))
    yield from ({"start": start} for start in session.starts())


# -- restore -----------------------------------------------------------------------------------------------------------


def restore(store: Store, path: str | Path) -> dict[str, int]:
    """Fill an empty store with a backup, whole or not at all.

    Every row is checked for its shape, every group by replaying its log to the length and the head that it says it has.
    """
    lines = _checked(path)
    counts = {"groups": 0, "events": 0}
    with store.writing() as session:
        if session.groups():
            raise InputError("the store holds groups already; restore into an empty one.")
        filling = _Filling(session, counts)
        for number, line in enumerate(lines, start=2):
            try:
                filling.take(line)
            except _Wrong as error:
                raise FileError(f"{path}, line {number}: {error}; nothing was restored. Take another copy.") from None
        try:
            filling.finish()
        except _Wrong as error:
            raise FileError(f"{path}: {error}; nothing was restored. Take another copy.") from None
    return counts


class _Wrong(Exception):
    """What is not as a backup has it."""


class Row(NamedTuple):
    """A kind of line: what each of its values is (a trailing ? allows null), and how it is kept."""

    values: tuple[str, ...]
    keep: Callable[[Session, GroupRow, list[Any]], object]


_KINDS = {"text": str, "whole": int}
ROWS = {
    "group": Row(("text", "whole", "whole", "whole", "whole", "text", "whole?", "text"),
                 lambda session, group, values: session.add_group(GroupRow(*values))),
    "event": Row(("whole", "text", "text", "text", "whole", "text", "text?", "text?"),
                 lambda session, group, values: session.place(group.id, Event(*values))),
    "person": Row(("whole", "text?", "text?"),
                  lambda session, group, values: session.keep_person(group.id, PersonRow(*values))),
    "token": Row(("text", "text", "text", "whole", "whole", "whole?", "text?"),
                 lambda session, group, values: session.add_tokens([TokenRow(*values)])),
    "session": Row(("text", "text", "text", "whole", "whole", "text", "whole", "whole"),
                   lambda session, group, values: session.add_session(SessionRow(*values))),
    "contact": Row(("whole", "text?", "text", "text", "text?"),
                   lambda session, group, values: session.keep_contact(group.id, Contact(*values))),
    "answer": Row(("text", "text", "text", "whole", "text", "whole"),
                  lambda session, group, values: session.keep_answer(
                      values[0], values[1], AnswerRow(*values[2:5]), values[5])),
    "snapshot": Row(("whole", "text", "text"),
                    lambda session, group, values: session.keep_snapshot(group.id, Snapshot(*values))),
    "start": Row(("text", "whole"), lambda session, group, values: session.replace_start(*values)),
}  # fmt: skip


class _Filling:
    """A store that is being filled: the group whose lines come, and what its log adds up to so far."""

    def __init__(self, session: Session, counts: dict[str, int]) -> None:
        self.session, self.counts = session, counts
        self.row: GroupRow | None = None
        self.group = Group()

    def take(self, line: Any) -> None:
        """Check one line, and keep it."""
        kind, values = _row_of(line)
        if kind == "group":
            self.finish()
            if self.session.group(values[0]) is not None:
                raise _Wrong(f"group {values[0]} comes twice")
            self.row, self.group = GroupRow(*values), Group(values[0])
            self.counts["groups"] += 1
        elif kind == "event":
            self._count(Event(*values))
            self.counts["events"] += 1
        self._check_whose(kind, values)
        try:
            ROWS[kind].keep(self.session, self.row or GroupRow("", 0, 0, 0, 0, "", None, ""), values)
        except Exception as error:  # two rows of one name, or the database's own trouble
            raise _Wrong(f"the store does not take it ({error})") from error

    def _count(self, event: Event) -> None:
        if self.row is None:
            raise _Wrong("an event comes before its group")
        if event.seq != self.group.seq + 1:
            raise _Wrong(f"event {event.seq} of {self.row.id} comes where {self.group.seq + 1} is expected")
        try:
            line = None if event.line is None else event.line.encode()
            self.group.apply(event.kind, json.loads(event.body), line, event.at)
        except Exception as error:  # whatever a log that nobody wrote makes of a group
            said = str(error) if isinstance(error, IsegoriaError) else type(error).__name__
            raise _Wrong(f"event {event.seq} of {self.row.id} cannot be replayed ({said})") from None

    def _check_whose(self, kind: str, values: list[Any]) -> None:
        """Refuse a row that belongs to another group than the one it stands with."""
        name = None if self.row is None else self.row.id
        if kind in ("person", "contact", "snapshot") and name is None:
            raise _Wrong(f"a {kind} comes before its group")
        if kind in ("token", "session") and values[1] != name:
            raise _Wrong("a link is not of the group that it stands with")
        if kind == "answer" and not values[0].startswith((":", f"{name}:")):
            raise _Wrong("an answer is not of the group that it stands with")

    def finish(self) -> None:
        """Refuse a group whose log does not add up to what its row says."""
        row, group = self.row, self.group
        if row is None:
            return
        found = (group.seq, len(group.lines), group.head.hex())
        if found != (row.length, row.lines, row.head):
            raise _Wrong(
                f"group {row.id} says that it has {row.length} events and {row.lines} lines up to {row.head[:8]}…, and "
                f"its log has {found[0]} and {found[1]} up to {found[2][:8]}…"
            )


def _row_of(line: Any) -> tuple[str, list[Any]]:
    """The kind and the values of a line, each as its kind asks."""
    if not isinstance(line, dict) or len(line) != 1:
        raise _Wrong("this is no row of a backup")
    ((kind, values),) = line.items()
    if kind not in ROWS or not isinstance(values, list):
        raise _Wrong(f"{str(kind)[:20]!r} is no kind of row")
    asked = ROWS[kind].values
    if len(values) != len(asked):
        raise _Wrong(f"a {kind} has {len(values)} values where {len(asked)} are expected")
    for value, of in zip(values, asked, strict=True):
        plain = type(value) is _KINDS[of.rstrip("?")] and not (type(value) is int and abs(value) >= 2**63)
        if not plain and not (value is None and of.endswith("?")):
            raise _Wrong(f"a {kind} holds a value that is not of its kind")
    return kind, values


def _checked(path: str | Path) -> Iterable[Any]:
    """The lines of a backup that is whole and unchanged; they are read a second time when they are used."""
    seal, last, opening = hashlib.sha256(), b"", b""
    try:
        with Path(path).open("rb") as file:
            for data in file:
                opening = opening or data
                seal.update(last)
                last = data
        said, first = json.loads(last), json.loads(opening)
    except OSError as error:
        raise FileError(f"cannot read {path}: {(error.strerror or str(error)).lower()}.") from error
    except (ValueError, RecursionError):
        raise FileError(f"{path} is not a whole backup; take another copy of it.") from None
    if not isinstance(first, dict) or first.get("format") != FORMAT or first.get("version") != VERSION:
        raise FileError(f"{path} is not a backup of this version; expected a file that isegoria backup wrote.")
    if said != {"end": seal.hexdigest()}:
        raise FileError(f"{path} is cut off or was changed; take another copy of it.")
    return _body(path)


def _body(path: str | Path) -> Iterator[Any]:
    with Path(path).open("rb") as file:
        next(file)
        held = next(file, b"")
        for data in file:
            try:
                yield json.loads(held)
            except (ValueError, RecursionError):
                yield None
            held = data
