"""Export of a record file with its secrets file, for `isegoria record replay` or to continue it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from isegoria.errors import InputError
from isegoria.io.storage.atomic_write import write_private
from isegoria.record.files.secrets_file import EVENT_BODY_SCHEMAS, SecretsFile, secrets_path
from isegoria.service.store import Transaction

ERASED_MEMBER = {"name": "(erased)", "salt": "0" * 64, "secret": "0" * 64, "seed": None}
"""Placeholder for the private data of an erased member."""


def export_record(session: Transaction, group: str, path: Path) -> int:
    """Write the record of a group to `path` and its secrets file beside it; return the number of lines.

    Existing files are not overwritten. The secrets file has no signing keys, because a service never has them. Raise
    `InputError` if there is no such group.
    """
    row = session.group(group)
    if row is None:
        raise InputError(f"there is no group {group!r} in this store.")
    lines: list[str] = []
    log: list[dict[str, Any]] = []
    for event in session.events(group):
        if event.line is not None:
            lines.append(event.line)
        elif event.kind in EVENT_BODY_SCHEMAS:
            body = json.loads(event.body)
            if event.kind == "setting":
                if "changes" not in body:
                    continue
                body = {"changes": body["changes"] or 1}
            log.append({"line_count": len(lines), "at": event.at, "kind": event.kind, "body": body})
    people = [
        {"name": one.name, **json.loads(one.secrets), "seed": None} if one.secrets else ERASED_MEMBER
        for one in session.people(group)
    ]
    found: dict[str, Any] = log[0]["body"]
    marked = [number for number, one in enumerate(found["entries"]) if one and one["organiser"]]
    held = SecretsFile(found["charter"]["group"], json.loads(row.vault)["secret"], people, marked, log)
    write_private(secrets_path(path), held.to_bytes(), fresh=True)
    write_private(path, "".join(f"{line}\n" for line in lines).encode(), fresh=True)
    path.chmod(0o644)
    return len(lines)
