"""Backup and restore: everything the store holds as lines of JSON, taken while others write, for either database."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from isegoria.errors import FileError, InputError
from isegoria.io.atomic import writing
from isegoria.record.group import Group
from isegoria.service.store import AnswerRow, Event, GroupRow, PersonRow, Session, Snapshot, Store, TokenRow

FORMAT, VERSION = "isegoria backup", 1


def backup(store: Store, path: str | Path) -> dict[str, int]:
    """Write all groups, as of one moment, to `path`; how many groups and events there were.

    The file holds everybody's ratings and secrets (though no link: only hashes of tokens are kept anywhere), so it is
    for its owner only.
    """
    seal, counts = hashlib.sha256(), {"groups": 0, "events": 0}
    with store.reading() as session, writing(path) as file:
        for line in _lines(session, counts):
            data = json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            seal.update(data)
            file.write(data)
        file.write(json.dumps({"end": seal.hexdigest()}).encode() + b"\n")
    Path(path).chmod(0o600)
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
        yield from ({"answer": answer} for answer in session.answers(f"{name}:"))
        if kept := session.snapshot(name):
            yield {"snapshot": kept}
    yield from ({"answer": answer} for answer in session.answers(":"))


def restore(store: Store, path: str | Path) -> dict[str, int]:
    """Fill an empty store with a backup, whole or not at all; every record is checked line by line on the way."""
    lines = _checked(path)
    counts = {"groups": 0, "events": 0}
    with store.writing() as session:
        if session.groups():
            raise InputError("the store holds groups already; restore into an empty one.")
        group, record = GroupRow("", 0, 0, 0, 0, "", None, ""), Group()  # every backup begins with a group
        for line in lines:
            ((kind, values),) = line.items()
            if kind == "group":
                group, record = GroupRow(*values), Group()
                session.add_group(group)
                counts["groups"] += 1
            elif kind == "event":
                event = Event(*values)
                if event.line is not None:
                    record.append(event.line.encode())
                session.place(group.id, event)
                counts["events"] += 1
            else:
                _KEEP[kind](session, group, values)
    return counts


_KEEP = {
    "person": lambda session, group, values: session.keep_person(group.id, PersonRow(*values)),
    "token": lambda session, group, values: session.add_tokens([TokenRow(*values)]),
    "answer": lambda session, group, values: session.keep_answer(*values[:2], AnswerRow(*values[2:5]), values[5]),
    "snapshot": lambda session, group, values: session.keep_snapshot(group.id, Snapshot(*values)),
}


def _checked(path: str | Path) -> Iterable[dict[str, Any]]:
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
    except ValueError:
        raise FileError(f"{path} is not a whole backup; take another copy of it.") from None
    if not isinstance(first, dict) or first.get("format") != FORMAT or first.get("version") != VERSION:
        raise FileError(f"{path} is not a backup of this version; expected a file that isegoria backup wrote.")
    if said != {"end": seal.hexdigest()}:
        raise FileError(f"{path} is cut off or was changed; take another copy of it.")
    return _body(path)


def _body(path: str | Path) -> Iterator[dict[str, Any]]:
    with Path(path).open("rb") as file:
        next(file)
        held = next(file, b"")
        for data in file:
            yield json.loads(held)
            held = data
