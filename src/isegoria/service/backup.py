"""Backup: everything the store holds as lines of JSON, taken while others write, from either database.

What its lines look like stands in `ROWS`; a file is read back only if it is whole, unchanged, and of rows that a store
can take.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from isegoria.errors import FileError
from isegoria.io.atomic import writing
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


# -- reading it back ---------------------------------------------------------------------------------------------------


class Wrong(Exception):
    """What is not as a backup has it."""


class BackupRow(NamedTuple):
    """A kind of line: what each of its values is (a trailing ? allows null), and how it is kept."""

    values: tuple[str, ...]
    keep: Callable[[Session, GroupRow, list[Any]], object]


_KINDS = {"text": str, "whole": int}
ROWS = {
    "group": BackupRow(("text", "whole", "whole", "whole", "whole", "text", "whole?", "text"),
                 lambda session, group, values: session.add_group(GroupRow(*values))),
    "event": BackupRow(("whole", "text", "text", "text", "whole", "text", "text?", "text?"),
                 lambda session, group, values: session.place(group.id, Event(*values))),
    "person": BackupRow(("whole", "text?", "text?"),
                  lambda session, group, values: session.keep_person(group.id, PersonRow(*values))),
    "token": BackupRow(("text", "text", "text", "whole", "whole", "whole?", "text?"),
                 lambda session, group, values: session.add_tokens([TokenRow(*values)])),
    "session": BackupRow(("text", "text", "text", "whole", "whole", "text", "whole", "whole"),
                   lambda session, group, values: session.add_session(SessionRow(*values))),
    "contact": BackupRow(("whole", "text?", "text", "text", "text?"),
                   lambda session, group, values: session.keep_contact(group.id, Contact(*values))),
    "answer": BackupRow(("text", "text", "text", "whole", "text", "whole"),
                  lambda session, group, values: session.keep_answer(
                      values[0], values[1], AnswerRow(*values[2:5]), values[5])),
    "snapshot": BackupRow(("whole", "text", "text"),
                    lambda session, group, values: session.keep_snapshot(group.id, Snapshot(*values))),
    "start": BackupRow(("text", "whole"), lambda session, group, values: session.replace_start(*values)),
}  # fmt: skip


def row_of(line: Any) -> tuple[str, list[Any]]:
    """The kind and the values of a line, each as its kind asks."""
    if not isinstance(line, dict) or len(line) != 1:
        raise Wrong("this is no row of a backup")
    ((kind, values),) = line.items()
    if kind not in ROWS or not isinstance(values, list):
        raise Wrong(f"{str(kind)[:20]!r} is no kind of row")
    asked = ROWS[kind].values
    if len(values) != len(asked):
        raise Wrong(f"a {kind} has {len(values)} values where {len(asked)} are expected")
    for value, of in zip(values, asked, strict=True):
        plain = type(value) is _KINDS[of.rstrip("?")] and not (type(value) is int and abs(value) >= 2**63)
        if not plain and not (value is None and of.endswith("?")):
            raise Wrong(f"a {kind} holds a value that is not of its kind")
    return kind, values


def checked_lines(path: str | Path) -> Iterable[Any]:
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
