"""An append-only file of record heads."""

from __future__ import annotations

import contextlib
import json
import logging
from pathlib import Path
from typing import Any

from isegoria.errors import FileError
from isegoria.record.format.hash_chain import hash_line
from isegoria.record.format.head_words import encode_words
from isegoria.service.delivery.queue_worker import QueueWorker
from isegoria.service.store import Store

log = logging.getLogger("isegoria.service")
SHUTDOWN_TIMEOUT_SECONDS = 1.0  # seconds to write pending heads when the service stops
HEAD_BATCH_LINES = 100


class HeadLog:
    """Appends every new record head to a file, on a thread of its own."""

    def __init__(self, store: Store, path: str | None) -> None:
        self.store, self.path = store, path
        self._told: dict[str, int] = {}
        self._heads: QueueWorker | None = None

    def start(self) -> None:
        """Start the thread, if a file of heads is set."""
        if self.path:
            self._told = read_logged_lengths(self.path)
            self._heads = QueueWorker("heads", self.tell)

    def changed(self, group: str) -> None:
        """Queue a group that has changed."""
        if self._heads is not None:
            self._heads.hand(group)

    def stop(self) -> None:
        """Write pending heads, within `SHUTDOWN_TIMEOUT_SECONDS` seconds, and stop."""
        if self._heads is not None:
            self._heads.stop(SHUTDOWN_TIMEOUT_SECONDS)

    def tell(self, group: str) -> None:
        """Append every new head of a group to the file."""
        while new := self._new_lines(group):
            for said in new:
                self._told[group] = said["lines"]
                if self.path:
                    self._note(self.path, said)

    def _new_lines(self, group: str) -> list[dict[str, Any]]:
        """Return the next new heads of a group, at most `HEAD_BATCH_LINES`; without a file of heads, only the last
        one."""
        with self.store.reading() as session:
            row = session.group(group)
            behind = 0 if row is None or self.path else max(0, row.lines - 1)
            told = self._told.get(group, behind)
            found = session.public(group, told, HEAD_BATCH_LINES)
        heads = [hash_line(line.encode()) for _, line in found]
        return [
            {
                "group": group,
                "lines": told + count,
                "head": head.hex(),
                "words": encode_words(head),
                "line": json.loads(line)["line"],
                "at": at,
            }
            for count, ((at, line), head) in enumerate(zip(found, heads, strict=True), start=1)
        ]

    def _note(self, path: str, said: dict[str, Any]) -> None:
        try:
            with open(path, "a", encoding="utf-8") as file:
                file.write(f"{said['at']} {said['group']} {said['lines']} {said['head']} {said['words']}\n")
        except OSError as error:
            log.warning("the head of %s could not be kept in a file: %s", said["group"], error)


def read_head_log(path: str | Path) -> dict[str, tuple[int, str]]:
    """Read a file of heads: return the largest number of lines of each group, with the head at that line."""
    told: dict[str, tuple[int, str]] = {}
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                parts = line.split(" ", 4)
                if len(parts) == 5 and parts[2].isascii() and parts[2].isdecimal():
                    told[parts[1]] = max((int(parts[2]), parts[3]), told.get(parts[1], (0, "")))
    except OSError as error:
        raise FileError(f"cannot read {path}: {(error.strerror or str(error)).lower()}.") from error
    return told


def read_logged_lengths(path: str) -> dict[str, int]:
    """Return the number of lines of each group in a file of heads; empty if the file cannot be read."""
    with contextlib.suppress(FileError):
        return {group: lines for group, (lines, _) in read_head_log(path).items()}
    return {}
