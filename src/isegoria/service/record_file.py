"""A group of the store as a record in a file, with its secrets beside it: for `isegoria record replay`, or to go on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from isegoria.errors import InputError
from isegoria.io.atomic import write_private
from isegoria.record.secrets import BODIES, Secrets, secrets_path
from isegoria.service.store import Session

GONE = {"name": "(erased)", "salt": "0" * 64, "secret": "0" * 64, "seed": None}
"""What stands for a member who was erased."""


def export(session: Session, group: str, path: Path) -> int:
    """Write the record of a group to `path` and what is private beside it; how many lines it has.

    Nothing is overwritten. Signing keys are not among it: a service never has them.
    """
    row = session.group(group)
    if row is None:
        raise InputError(f"there is no group {group!r} in this store.")
    lines: list[str] = []
    log: list[dict[str, Any]] = []
    for event in session.events(group):
        if event.line is not None:
            lines.append(event.line)
        elif event.kind in BODIES:
            body = json.loads(event.body)
            if event.kind == "setting":
                if "changes" not in body:
                    continue
                body = {"changes": body["changes"] or 1}
            log.append({"after": len(lines), "at": event.at, "kind": event.kind, "body": body})
    people = [
        {"name": one.name, **json.loads(one.secrets), "seed": None} if one.secrets else GONE
        for one in session.people(group)
    ]
    found: dict[str, Any] = log[0]["body"]
    marked = [number for number, one in enumerate(found["entries"]) if one and one["organiser"]]
    held = Secrets(found["charter"]["group"], json.loads(row.vault)["secret"], people, marked, log)
    write_private(secrets_path(path), held.to_bytes(), fresh=True)
    write_private(path, "".join(f"{line}\n" for line in lines).encode(), fresh=True)
    path.chmod(0o644)
    return len(lines)
