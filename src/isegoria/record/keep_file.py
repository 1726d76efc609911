"""A record in a file, kept by one writer at a time: every change is on disk before a step returns."""

from __future__ import annotations

import os
import secrets as chance
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isegoria.errors import FileError, InputError, IsegoriaWarning, unknown
from isegoria.io.atomic import write_bytes, write_private
from isegoria.io.locks import alone
from isegoria.record.changes import Action, Change, Context
from isegoria.record.format.people import Person
from isegoria.record.group import Group
from isegoria.record.people import found
from isegoria.record.proposals import normal
from isegoria.record.receipts import names_file
from isegoria.record.secrets import BODIES, Secrets, check_fit, load, secrets_path


@dataclass
class RecordFile:
    """A record, its file and its secrets. Secrets are saved before the line that needs them is appended."""

    path: Path
    file: GrowingFile
    group: Group
    secrets: Secrets

    def act(
        self, action: Action, member: int = -1, body: Mapping[str, Any] | None = None, now: int | None = None,
        keep: Callable[[Secrets], None] | None = None,
    ) -> Change:  # fmt: skip
        """Let an action happen: what it refuses changes nothing. `keep` puts away what only the secrets know of it."""
        moment = int(time.time()) if now is None else now
        change = action(
            Context(
                self.group, body or {}, moment, member, chance=chance.token_bytes,
                people=self.secrets.people(self.group), secret=bytes.fromhex(self.secrets.organiser),
            )
        )  # fmt: skip
        if keep is not None:
            keep(self.secrets)
        if _note(self.secrets, change, len(self.group.lines), moment) or keep is not None:
            self.save()
        for event in change.events:
            if event.line is not None:
                self.file.append(event.line.data)
            self.group.apply(event.kind, event.body, event.line, moment)
        self.group.names = _names(self.group, self.secrets)
        if any(event.kind in ("roster", "amend") for event in change.events):
            self.publish()
        return change

    def save(self) -> None:
        """Put the secrets on disk, whole or not at all."""
        write_private(secrets_path(self.path), self.secrets.to_bytes())

    def publish(self) -> None:
        """Write `RECORD.names` of an open group: the people on the roster, whom everyone may see."""
        if self.group.charter["privacy"] == "open":
            write_bytes(names_path(self.path), names_file(self.group, self.people()))

    def people(self) -> dict[int, Person]:
        """Everyone who was ever on a roster, by number."""
        return self.secrets.people(self.group)

    def number(self, name: str) -> int:
        """The number of the member with this name; an unknown one is refused with the nearest."""
        names = {self.secrets.members[n]["name"]: n for n in self.group.members}
        if normal(name) not in names:
            raise unknown("member", normal(name), names)
        return int(names[normal(name)])

    def arm(self, name: str) -> str:
        """The arm with this name, as the record writes it."""
        if normal(name) not in self.group.arms:
            raise unknown("arm", name, self.group.arms)
        return normal(name)


def _note(secrets: Secrets, change: Change, lines: int, at: int) -> bool:
    """Put what is private of a change into the secrets; whether there was anything."""
    for person in change.people:
        secrets.keep(person)
    before = len(secrets.log)
    for event in change.events:
        lines += event.line is not None
        if event.kind in BODIES and event.kind != "close":  # in a file the first line of a freeze is its closing
            secrets.log.append({"after": lines, "at": at, "kind": event.kind, "body": dict(event.body)})
    return bool(change.people) or len(secrets.log) > before


def _names(group: Group, secrets: Secrets) -> dict[int, str]:
    here = (number for number in range(len(group.entries)) if number not in group.erased)
    return {number: secrets.members[number]["name"] for number in here}


@contextmanager
def keeping(path: str | Path) -> Iterator[RecordFile]:
    """The record at `path`, locked for writing."""
    path = Path(path)
    with growing(path) as file:
        if file.torn:
            warnings.warn(
                f"the last line of {path} was cut off by an interruption; its step counts as not done, so repeat it.",
                IsegoriaWarning,
                stacklevel=3,
            )
        secrets = load(secrets_path(path))
        kept = RecordFile(path, file, _folded(path, file, secrets), secrets)
        if any(one["after"] > len(file.lines) for one in secrets.log):
            # their line never came, and another one must not be taken for it
            secrets.log = [one for one in secrets.log if one["after"] <= len(file.lines)]
            kept.save()
        yield kept


def reading(path: str | Path) -> tuple[Group, GrowingFile]:
    """(group, file) at `path`, without its secrets, as it is now."""
    path = Path(path)
    file = whole_lines(path)
    return _folded(path, file), file


def _folded(path: Path, file: GrowingFile, secrets: Secrets | None = None) -> Group:
    """The group of all events: its lines, and between them what was told."""
    if not file.lines and secrets is None:
        raise FileError(f"{path} has no lines yet; its first freeze begins the record.")
    group, private = Group(str(path)), secrets.by_place() if secrets else {}
    for count, line in enumerate([None, *file.lines]):
        try:
            if line is not None:
                group.append(line)
        except InputError as error:
            raise FileError(f"{path}: {error}") from None
        _apply(path, group, private.get(count, []))
        if secrets and secrets.group != group.charter.get("group"):
            raise FileError(f"{secrets_path(path)} belongs to another record.")
    if secrets:
        check_fit(secrets_path(path), group, secrets)
        group.names = _names(group, secrets)
    return group


def events_of(record: RecordFile) -> Iterator[tuple[str, Mapping[str, Any], bytes | None, int]]:
    """All events of a record in a file, in order: kind, private body, line, time."""
    private = record.secrets.by_place()
    for count, line in enumerate([None, *record.file.lines]):
        if line is not None:
            yield record.group.parsed[count - 1]["line"], {}, line, 0
        for one in private.get(count, []):
            yield one["kind"], one["body"], None, one["at"]


def _apply(path: Path, group: Group, private: list[dict[str, Any]]) -> None:
    try:
        for one in private:
            group.apply(one["kind"], one["body"], None, one["at"])
    except LookupError:
        raise FileError(f"{secrets_path(path)} does not fit the record: it rates a round that never was.") from None


def begin(path: str | Path, body: Mapping[str, Any], now: int | None = None) -> None:
    """Begin a group (see `people.found` for what is asked): an empty record and its secrets beside it, both or none.

    Its first lines come just before the first freeze, with every key that there is by then.
    """
    path = Path(path)
    if path.exists() or secrets_path(path).exists():
        there = path if path.exists() else secrets_path(path)
        raise FileError(f"{there} exists already, and nothing was overwritten; choose another name.")
    moment = int(time.time()) if now is None else now
    change = found(Context(Group(), body, moment, chance=chance.token_bytes))
    marked = [person.number for person in change.people if person.name in map(normal, body.get("organisers") or ())]
    held = Secrets(change.answer["group"], chance.token_bytes(32).hex(), [], marked)
    _note(held, change, 0, moment)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_private(secrets_path(path), held.to_bytes(), fresh=True)
    try:
        write_private(path, b"", fresh=True)
        path.chmod(0o644)  # the record is for everyone
    except BaseException:
        secrets_path(path).unlink(missing_ok=True)
        raise


def names_path(record: Path) -> Path:
    """Where an open group's names are: beside the record."""
    return record.with_name(record.name + ".names")


class GrowingFile:
    """An open record file: its whole lines, and a way to put one more behind them.

    A line that an interruption cut off was never finished, and nobody was told of it: it is not among `lines`, and the
    next append takes its place.
    """

    def __init__(self, path: Path, descriptor: int):
        self.path, self._descriptor = path, descriptor
        data = b"".join(iter(lambda: os.read(descriptor, 1 << 20), b""))
        self.size = data.rfind(b"\n") + 1
        self.torn = len(data) - self.size
        self.lines = data[: self.size - 1].split(b"\n") if self.size else []

    def append(self, line: bytes) -> None:
        """Put `line` on disk with its newline, whole or not at all."""
        data = line + b"\n"
        try:
            if self.torn:
                os.ftruncate(self._descriptor, self.size)
                self.torn = 0
            os.lseek(self._descriptor, self.size, os.SEEK_SET)
            written = 0
            while written < len(data):
                written += os.write(self._descriptor, data[written:])
            os.fsync(self._descriptor)
        except OSError as error:
            self._take_back()
            raise FileError(f"cannot write {self.path}: {(error.strerror or str(error)).lower()}.") from error
        self.size += len(data)
        self.lines.append(line)

    def _take_back(self) -> None:
        try:
            os.ftruncate(self._descriptor, self.size)
        except OSError:  # then the next writer finds the torn line and takes its place
            self.torn = 1


@contextmanager
def growing(path: Path) -> Iterator[GrowingFile]:
    """The file at `path`, for one writer: a second one is refused at once."""
    descriptor = _opened(path, os.O_RDWR)
    try:
        with alone(descriptor) as mine:
            if not mine:
                raise FileError(
                    f"{path} is being written by someone else at this moment; try again when they are done."
                )
            yield GrowingFile(path, descriptor)
    finally:
        os.close(descriptor)


def whole_lines(path: Path) -> GrowingFile:
    """The file at `path` as it is now, for reading."""
    descriptor = _opened(path, os.O_RDONLY)
    try:
        return GrowingFile(path, descriptor)
    except OSError as error:
        raise FileError(f"cannot read {path}: {(error.strerror or str(error)).lower()}.") from error
    finally:
        os.close(descriptor)


def _opened(path: Path, flags: int) -> int:
    try:
        return os.open(path, flags | getattr(os, "O_BINARY", 0))
    except OSError as error:
        raise FileError(f"cannot open {path}: {(error.strerror or str(error)).lower()}.") from error
