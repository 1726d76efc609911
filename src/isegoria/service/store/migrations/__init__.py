"""The changes of the tables, by number: each is one file of SQL that both databases read, run once and never edited."""

from __future__ import annotations

from importlib.resources import files
from typing import NamedTuple

from isegoria.errors import InputError


class Migration(NamedTuple):
    """One numbered step: its number, its file's name and its statements."""

    number: int
    name: str
    statements: tuple[str, ...]


def migrations() -> list[Migration]:
    """Every step, in order; numbers run 1, 2, 3 … without a hole.

    >>> [step.number for step in migrations()][:2]
    [1, 2]
    """
    steps = []
    for file in sorted(files(__name__).iterdir(), key=lambda file: file.name):
        if file.name.endswith(".sql"):
            parts = (part.strip() for part in file.read_text(encoding="utf-8").split(";\n"))
            steps.append(Migration(int(file.name[:4]), file.name, tuple(part for part in parts if part)))
    return steps


def pending(version: int) -> list[Migration]:
    """The steps that a database of that version still needs; one that is newer than this program is refused."""
    steps = migrations()
    if version > len(steps):
        raise InputError(
            f"the database is of version {version} and this program knows {len(steps)}; "
            "install the newer isegoria that wrote it."
        )
    return steps[version:]
