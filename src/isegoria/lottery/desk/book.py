"""`Book`: a record file with its secrets, open for one writer; every change is on disk before a step returns."""

from __future__ import annotations

import unicodedata
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from isegoria.errors import FileError, InputError, IsegoriaWarning, unknown
from isegoria.io.atomic import write_bytes
from isegoria.lottery.desk.file import GrowingFile, growing, whole_lines
from isegoria.lottery.desk.secrets import Secrets, load, save, secrets_path
from isegoria.lottery.people import Person
from isegoria.lottery.receipts import names_file
from isegoria.lottery.record import Record


@dataclass
class Book:
    """A record, its file and its secrets. Secrets are saved before the line that needs them is appended."""

    path: Path
    file: GrowingFile
    record: Record
    secrets: Secrets

    def append(self, *lines: bytes) -> None:
        """Put lines on the record and on disk, one at a time."""
        for line in lines:
            twin = self.record.copy() if self.record.lines else Record()
            twin.append(line)  # what does not fit is refused before anything is written
            self.file.append(line)
            self.record = twin

    def save(self) -> None:
        """Put the secrets on disk; in an open group also the names, which everyone may see."""
        save(secrets_path(self.path), self.secrets)
        self.publish()

    def publish(self) -> None:
        """Write `RECORD.names` of an open group: the people on the roster."""
        if self.record.charter["privacy"] == "open":
            people = {person.number: person for person in self.people()}
            listed = [people.get(n) for n in range(len(self.record.roster["members"]))]
            write_bytes(names_path(self.path), names_file(self.record, listed))

    def people(self) -> list[Person]:
        """Everyone on the latest roster."""
        return [self.secrets.person(n, entry["weight"]) for n, entry in self.record.members.items()]

    def number(self, name: str) -> int:
        """The number of the member with this name; an unknown one is refused with the nearest."""
        name = normal(name)
        names = {self.secrets.members[n]["name"]: n for n in self.record.members}
        if name not in names:
            raise unknown("member", name, names)
        return names[name]

    def arm(self, name: str) -> int:
        """The number of the arm with this name."""
        arms = self.record.terms["arms"]
        if normal(name) not in arms:
            raise unknown("arm", name, arms)
        return arms.index(normal(name))

    @property
    def available(self) -> list[int]:
        """The arms that do not rest."""
        return [k for k in range(len(self.record.terms["arms"])) if k not in self.secrets.masked]


@contextmanager
def keeping(path) -> Iterator[Book]:
    """The book at `path`, locked for writing."""
    path = Path(path)
    with growing(path) as file:
        if file.torn:
            warnings.warn(
                f"the last line of {path} was cut off by an interruption; its step counts as not done, so repeat it.",
                IsegoriaWarning,
                stacklevel=3,
            )
        record = _folded(path, file)
        yield Book(path, file, record, load(secrets_path(path), record))


def reading(path) -> tuple[Record, GrowingFile]:
    """(record, file) at `path`, without its secrets, as it is now."""
    path = Path(path)
    file = whole_lines(path)
    return _folded(path, file), file


def _folded(path: Path, file: GrowingFile) -> Record:
    if not file.lines:
        raise FileError(f"{path} has no lines; 'isegoria record init' begins a record.")
    try:
        return Record.from_lines(file.lines)
    except InputError as error:
        raise FileError(f"{path}: {error}") from None


def names_path(record: Path) -> Path:
    """Where an open group's names are: beside the record."""
    return record.with_name(record.name + ".names")


def normal(name: str) -> str:
    """A name as the record writes it: Unicode form NFC, without space around it."""
    return unicodedata.normalize("NFC", name).strip()
