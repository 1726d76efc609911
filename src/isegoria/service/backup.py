"""Backup: everything the store holds as lines of JSON, taken while others write, from either database."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from isegoria.io.atomic import writing
from isegoria.service.store import Session, Store

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
