"""Backups: the content of a store as lines of JSON, from either database, also while others write.

`ROW_FORMATS` defines the lines. A file is read back only if it is complete and unchanged, and all its rows are valid.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from isegoria.errors import FileError
from isegoria.io.storage.atomic_write import open_atomic
from isegoria.service.store import (
    ContactRow,
    EventRow,
    GroupRow,
    PersonRow,
    ResponseRow,
    SessionRow,
    Store,
    TokenRow,
    Transaction,
)
from isegoria.service.store.server_key import ServerKey

BACKUP_FORMAT, BACKUP_VERSION = "isegoria backup", 2


def write_backup(store: Store, path: str | Path) -> dict[str, int]:
    """Write a consistent copy of all groups to `path`, and return the number of groups and events.

    The file contains everyone's ratings. Links, addresses and ballot secrets are in it only as the store has them,
    encrypted under the server key, which also authenticates the file. It is created with mode 0600, so that only its
    owner can read it at any time.
    """
    key = store.require_key()
    seal, counts = hashlib.sha256(), {"groups": 0, "events": 0}
    with store.reading() as session, open_atomic(path, mode=0o600) as file:
        for line in _iterate_rows(session.as_stored(), counts, key.id):
            data = json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            seal.update(data)
            file.write(data)
        end = {"end": seal.hexdigest(), "code": key.authenticate(seal.digest())}
        file.write(json.dumps(end).encode() + b"\n")
    return counts


def _iterate_rows(session: Transaction, counts: dict[str, int], key: str) -> Iterator[dict[str, Any]]:
    yield {"format": BACKUP_FORMAT, "version": BACKUP_VERSION, "at": int(time.time()), "key": key}
    for name in session.groups():
        row = session.group(name)
        counts["groups"] += 1
        yield {"group": row}
        for event in session.events(name):
            counts["events"] += 1
            yield {"event": event}
        yield from ({"person": person} for person in session.people(name))
        yield from ({"token": token} for token in session.tokens(name))
        yield from ({"session": one} for one in session.sessions_of(name))
        yield from ({"contact": contact} for contact in session.contacts(name))
        yield from ({"objection": one} for one in session.objections(name))
        yield from ({"consent": one} for one in session.consents(name).items())
        yield from ({"answer": answer} for answer in session.answers(f"{name}:"))
    yield from ({"answer": answer} for answer in session.answers(":"))
    yield from ({"refusal": refusal} for refusal in session.refusals())
    yield from ({"start": start} for start in session.starts())


# -- reading a backup --------------------------------------------------------------------------------------------------


class BackupFormatError(Exception):
    """Error for a line that is not a valid row of a backup."""


class RowFormat(NamedTuple):
    """Definition of one kind of line: the type of each value (a trailing ? allows null), and how to store it."""

    values: tuple[str, ...]
    keep: Callable[[Transaction, GroupRow, list[Any]], object]


_VALUE_TYPES = {"text": str, "whole": int}
ROW_FORMATS = {
    "group": RowFormat(
        ("text", "whole", "whole", "whole", "whole", "text", "whole?", "text"),
        lambda session, group, values: session.add_group(GroupRow(*values)),
    ),
    "event": RowFormat(
        ("whole", "text", "text", "text", "whole", "text", "text?", "text?"),
        lambda session, group, values: session.place(group.id, EventRow(*values)),
    ),
    "person": RowFormat(
        ("whole", "text?", "text?"), lambda session, group, values: session.keep_person(group.id, PersonRow(*values))
    ),
    "token": RowFormat(
        ("text", "text", "text", "whole", "whole", "whole?", "text?", "text"),
        lambda session, group, values: session.add_tokens([TokenRow(*values)]),
    ),
    "session": RowFormat(
        ("text", "text", "text", "whole", "whole", "text", "whole", "whole", "text"),
        lambda session, group, values: session.add_session(SessionRow(*values)),
    ),
    "contact": RowFormat(
        ("whole", "text?", "text", "text", "text?", "whole?", "text"),
        lambda session, group, values: session.keep_contact(group.id, ContactRow(*values)),
    ),
    "objection": RowFormat(
        ("whole", "text", "whole"), lambda session, group, values: session.add_objection(group.id, *values)
    ),
    "consent": RowFormat(("whole", "whole"), lambda session, group, values: session.add_consent(group.id, *values)),
    "answer": RowFormat(
        ("text", "text", "text", "whole", "text", "whole"),
        lambda session, group, values: session.place_answer(values[0], values[1], ResponseRow(*values[2:5]), values[5]),
    ),
    "refusal": RowFormat(("text", "whole"), lambda session, group, values: session.refuse_mail(*values)),
    "start": RowFormat(("text", "whole"), lambda session, group, values: session.replace_start(*values)),
}


def parse_row(line: Any) -> tuple[str, list[Any]]:
    """Return the kind and the values of a line; raise `BackupFormatError` if they do not match `ROW_FORMATS`."""
    if not isinstance(line, dict) or len(line) != 1:
        raise BackupFormatError("this is no row of a backup")
    ((kind, values),) = line.items()
    if kind not in ROW_FORMATS or not isinstance(values, list):
        raise BackupFormatError(f"{str(kind)[:20]!r} is no kind of row")
    asked = ROW_FORMATS[kind].values
    if len(values) != len(asked):
        raise BackupFormatError(f"a {kind} has {len(values)} values where {len(asked)} are expected")
    for value, of in zip(values, asked, strict=True):
        plain = type(value) is _VALUE_TYPES[of.rstrip("?")] and not (type(value) is int and abs(value) >= 2**63)
        if not plain and not (value is None and of.endswith("?")):
            raise BackupFormatError(f"a {kind} holds a value that is not of its kind")
    return kind, values


def read_validated_rows(path: str | Path, key: ServerKey) -> tuple[bool, Iterable[Any]]:
    """Validate a backup file and return an iterator over its rows, which reads the file a second time.

    The first value says whether the file is authenticated: it was written under this server key. Raise `FileError` if
    it cannot be read, is incomplete, was changed, or is of another version. A row that is not JSON is yielded as None.
    """
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
    if not isinstance(first, dict) or first.get("format") != BACKUP_FORMAT or first.get("version") != BACKUP_VERSION:
        raise FileError(f"{path} is not a backup of this version; expected a file that isegoria backup wrote.")
    same_key = first.get("key") == key.id
    code = key.authenticate(seal.digest()) if same_key else said.get("code") if isinstance(said, dict) else None
    if said != {"end": seal.hexdigest(), "code": code}:
        raise FileError(f"{path} is cut off or was changed; take another copy of it.")
    return same_key, _iterate_body(path)


def _iterate_body(path: str | Path) -> Iterator[Any]:
    with Path(path).open("rb") as file:
        next(file)
        held = next(file, b"")
        for data in file:
            try:
                yield json.loads(held)
            except (ValueError, RecursionError):
                yield None
            held = data
