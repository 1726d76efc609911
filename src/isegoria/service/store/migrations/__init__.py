"""Schema migrations, by number: each is one SQL file for both databases, run once and never edited."""

from __future__ import annotations

from importlib.resources import files
from typing import NamedTuple

from isegoria.errors import InputError


class Migration(NamedTuple):
    """One numbered migration: its number, its file name and its statements."""

    number: int
    name: str
    statements: tuple[str, ...]


def load_migrations() -> list[Migration]:
    """Return all migrations in order; numbers are 1, 2, 3, … without gaps.

    >>> [step.number for step in load_migrations()][:2]
    [1, 2]
    """
    steps = []
    for file in sorted(files(__name__).iterdir(), key=lambda file: file.name):
        if file.name.endswith(".sql"):
            parts = (part.strip() for part in file.read_text(encoding="utf-8").split(";\n"))
            steps.append(Migration(int(file.name[:4]), file.name, tuple(part for part in parts if part)))
    return steps


def list_pending(version: int) -> list[Migration]:
    """Return the migrations that a database of that version needs; raise `InputError` if it is too new."""
    steps = load_migrations()
    if version > len(steps):
        raise InputError(
            f"the database is of version {version} and this program knows {len(steps)}; "
            "install the newer isegoria that wrote it."
        )
    return steps[version:]
