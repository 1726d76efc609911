"""The file store: a record in a file with one writer at a time. Every change is on disk before a call returns."""

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

from isegoria.errors import FileError, InputError, IsegoriaWarning, unknown_name_error
from isegoria.io.storage.atomic_write import write_bytes, write_private
from isegoria.io.storage.file_lock import try_lock
from isegoria.record.actions.action import Action, ActionContext, ActionResult
from isegoria.record.actions.members import found_group
from isegoria.record.actions.proposals import normalise_name
from isegoria.record.files.secrets_file import (
    EVENT_BODY_SCHEMAS,
    SecretsFile,
    load_secrets,
    require_matching_secrets,
    secrets_path,
)
from isegoria.record.format.identities import MemberIdentity
from isegoria.record.receipts import build_names_file
from isegoria.record.state.group import Group


@dataclass
class FileStore:
    """A record, its file and its secrets. Secrets are saved before the line that needs them is appended."""

    path: Path
    file: AppendOnlyFile
    group: Group
    secrets: SecretsFile

    def act(
        self,
        action: Action,
        member: int = -1,
        body: Mapping[str, Any] | None = None,
        now: int | None = None,
        keep: Callable[[SecretsFile], None] | None = None,
    ) -> ActionResult:
        """Run an action and store its change. If the action raises, nothing changes.

        `keep` may store in the secrets what only they hold of the change.
        """
        moment = int(time.time()) if now is None else now
        change = action(
            ActionContext(
                self.group,
                body or {},
                moment,
                member,
                chance=chance.token_bytes,
                people=self.secrets.people(self.group),
                secret=bytes.fromhex(self.secrets.organiser),
            )
        )
        if keep is not None:
            keep(self.secrets)
        if _store_private_events(self.secrets, change, len(self.group.lines), moment) or keep is not None:
            self.save()
        for event in change.events:
            if event.line is not None:
                self.file.append(event.line.data)
            self.group.apply(event.kind, event.body, event.line, moment)
        self.group.names = _collect_names(self.group, self.secrets)
        if any(event.kind in ("roster", "amend") for event in change.events):
            self.publish()
        return change

    def save(self) -> None:
        """Write the secrets to disk atomically."""
        write_private(secrets_path(self.path), self.secrets.to_bytes())

    def publish(self) -> None:
        """Write `RECORD.names` of an open group: the people on the roster, whom everyone may see."""
        if self.group.charter["privacy"] == "open":
            write_bytes(names_path(self.path), build_names_file(self.group, self.people()))

    def people(self) -> dict[int, MemberIdentity]:
        """Return everyone who was ever on a roster, by number."""
        return self.secrets.people(self.group)

    def number(self, name: str) -> int:
        """Return the number of the member with this name. Raise an error that suggests the nearest known name."""
        names = {self.secrets.members[n]["name"]: n for n in self.group.members}
        if normalise_name(name) not in names:
            raise unknown_name_error("member", normalise_name(name), names)
        return int(names[normalise_name(name)])

    def arm(self, name: str) -> str:
        """Return the arm with this name, as the record writes it. Raise an error if there is none."""
        if normalise_name(name) not in self.group.arms:
            raise unknown_name_error("arm", name, self.group.arms)
        return normalise_name(name)


def _store_private_events(secrets: SecretsFile, change: ActionResult, lines: int, at: int) -> bool:
    """Store the private part of a change in the secrets, and return whether there was any."""
    for person in change.people:
        secrets.keep(person)
    before = len(secrets.private_events)
    for event in change.events:
        lines += event.line is not None
        # In a file the first line of a freeze is its cutoff, unless members are absent.
        if event.kind in EVENT_BODY_SCHEMAS and (event.kind != "close" or event.body["absent"]):
            secrets.private_events.append({"line_count": lines, "at": at, "kind": event.kind, "body": dict(event.body)})
    return bool(change.people) or len(secrets.private_events) > before


def _collect_names(group: Group, secrets: SecretsFile) -> dict[int, str]:
    here = (number for number in range(len(group.entries)) if number not in group.erased)
    return {number: secrets.members[number]["name"] for number in here}


@contextmanager
def open_record(path: str | Path) -> Iterator[FileStore]:
    """Open the record at `path` and lock it for writing until the block ends."""
    path = Path(path)
    with open_for_append(path) as file:
        if file.torn:
            warnings.warn(
                f"the last line of {path} was cut off by an interruption; its step counts as not done, so repeat it.",
                IsegoriaWarning,
                stacklevel=3,
            )
        secrets = load_secrets(secrets_path(path))
        kept = FileStore(path, file, _replay_events(path, file, secrets), secrets)
        if any(one["line_count"] > len(file.lines) for one in secrets.private_events):
            # Their line was never written, and another one must not be mistaken for it.
            secrets.private_events = [one for one in secrets.private_events if one["line_count"] <= len(file.lines)]
            kept.save()
        yield kept


def load_record(path: str | Path) -> tuple[Group, AppendOnlyFile]:
    """Return the group and the file at `path` as they are now, without the secrets."""
    path = Path(path)
    file = read_lines(path)
    return _replay_events(path, file), file


def _replay_events(path: Path, file: AppendOnlyFile, secrets: SecretsFile | None = None) -> Group:
    """Replay all events of a file: its lines and, between them, the private events of its secrets."""
    if not file.lines and secrets is None:
        raise FileError(f"{path} has no lines yet; its first freeze begins the record.")
    group, private = Group(str(path)), secrets.by_place() if secrets else {}
    for count, line in enumerate([None, *file.lines]):
        try:
            if line is not None:
                group.append(line)
        except InputError as error:
            raise FileError(f"{path}: {error}") from None
        _apply_private_events(path, group, private.get(count, []))
        if secrets and secrets.group != group.charter.get("group"):
            raise FileError(f"{secrets_path(path)} belongs to another record.")
    if secrets:
        require_matching_secrets(secrets_path(path), group, secrets)
        group.names = _collect_names(group, secrets)
    return group


def iter_events(record: FileStore) -> Iterator[tuple[str, Mapping[str, Any], bytes | None, int]]:
    """Yield all events of a record file in order: kind, private body, line, time."""
    private = record.secrets.by_place()
    for count, line in enumerate([None, *record.file.lines]):
        if line is not None:
            yield record.group.parsed[count - 1]["line"], {}, line, 0
        for one in private.get(count, []):
            yield one["kind"], one["body"], None, one["at"]


def _apply_private_events(path: Path, group: Group, private: list[dict[str, Any]]) -> None:
    try:
        for one in private:
            group.apply(one["kind"], one["body"], None, one["at"])
    except LookupError:
        raise FileError(f"{secrets_path(path)} does not fit the record: it rates a round that never was.") from None


def create_record(path: str | Path, body: Mapping[str, Any], now: int | None = None) -> None:
    """Create a group: an empty record with its secrets beside it, both or neither. `people.found` describes `body`.

    The first lines are written just before the first freeze, with all keys registered by then.
    """
    path = Path(path)
    if path.exists() or secrets_path(path).exists():
        there = path if path.exists() else secrets_path(path)
        raise FileError(f"{there} exists already, and nothing was overwritten; choose another name.")
    moment = int(time.time()) if now is None else now
    change = found_group(ActionContext(Group(), body, moment, chance=chance.token_bytes))
    marked = [
        person.number for person in change.people if person.name in map(normalise_name, body.get("organisers") or ())
    ]
    held = SecretsFile(change.answer["group"], chance.token_bytes(32).hex(), [], marked)
    _store_private_events(held, change, 0, moment)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_private(secrets_path(path), held.to_bytes(), fresh=True)
    try:
        write_private(path, b"", fresh=True)
        path.chmod(0o644)  # the record is for everyone
    except BaseException:
        secrets_path(path).unlink(missing_ok=True)
        raise


def names_path(record: Path) -> Path:
    """Return the path of the names of an open group: beside the record."""
    return record.with_name(record.name + ".names")


class AppendOnlyFile:
    """An open record file: its complete lines, and a method that appends one.

    A line cut off by an interruption was never acknowledged: it is not among `lines`, and the next append overwrites
    it.
    """

    def __init__(self, path: Path, descriptor: int):
        self.path, self._descriptor = path, descriptor
        data = b"".join(iter(lambda: os.read(descriptor, 1 << 20), b""))
        self.size = data.rfind(b"\n") + 1
        self.torn = len(data) - self.size
        self.lines = data[: self.size - 1].split(b"\n") if self.size else []

    def append(self, line: bytes) -> None:
        """Write `line` and its newline to disk, completely or not at all."""
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
        except OSError:  # then the next writer finds the torn line and overwrites it
            self.torn = 1


@contextmanager
def open_for_append(path: Path) -> Iterator[AppendOnlyFile]:
    """Open the file at `path` and lock it. Raise `FileError` at once if another writer holds the lock."""
    descriptor = _open(path, os.O_RDWR)
    try:
        with try_lock(descriptor) as mine:
            if not mine:
                raise FileError(
                    f"{path} is being written by someone else at this moment; try again when they are done."
                )
            yield AppendOnlyFile(path, descriptor)
    finally:
        os.close(descriptor)


def read_lines(path: Path) -> AppendOnlyFile:
    """Read the file at `path` as it is now."""
    descriptor = _open(path, os.O_RDONLY)
    try:
        return AppendOnlyFile(path, descriptor)
    except OSError as error:
        raise FileError(f"cannot read {path}: {(error.strerror or str(error)).lower()}.") from error
    finally:
        os.close(descriptor)


def _open(path: Path, flags: int) -> int:
    try:
        return os.open(path, flags | getattr(os, "O_BINARY", 0))
    except OSError as error:
        raise FileError(f"cannot open {path}: {(error.strerror or str(error)).lower()}.") from error
