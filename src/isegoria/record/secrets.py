"""`RECORD.secrets`: what the writer of a record in a file holds for the members, readable by its owner only (mode 600).

With the lines of the record it gives all events of the group again: what was told is kept in order, each with the
number of lines that there were.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from isegoria.errors import FileError, InputError, IsegoriaWarning
from isegoria.io.locks import WINDOWS
from isegoria.record.format.canonical import canonical, parsed
from isegoria.record.format.people import Person, commitment
from isegoria.record.format.shapes import (
    HASH,
    MEMBER,
    SIGNATURE,
    Check,
    decimal_text,
    either,
    hexadecimal,
    keyed,
    listed,
    nothing,
    one_of,
    text,
    whole,
)
from isegoria.record.group import Group

FORMAT, VERSION = "isegoria secrets", 3


def _numbered(check: Check) -> Check:
    """Objects whose keys are numbers, each value with its check."""
    return lambda value: isinstance(value, dict) and all(key.isdigit() and check(item) for key, item in value.items())


def _object(value: object) -> bool:
    return isinstance(value, dict)


ENTRY = either(nothing, MEMBER)
BODIES = {
    "found": keyed(charter=_object, entries=listed(ENTRY)),
    "draft": keyed(field=text, value=lambda value: True),
    "seat": keyed(member=whole(), entry=ENTRY),
    "rate": keyed(
        member=whole(), round=either(nothing, whole(1)), slot=either(nothing, whole()), at=whole(),
        signature=either(nothing, SIGNATURE), key=either(nothing, HASH),
        values=_numbered(either(nothing, decimal_text)),
    ),
    "mask": keyed(masked=listed(whole(), ascending=True)),
    "close": keyed(occasion=either(nothing, whole())),
    "erase": keyed(member=whole()),
    "reopen": keyed(),
    "propose": keyed(name=text, by=whole(-1)),
    "withdraw": keyed(number=whole()),
    "setting": keyed(changes=whole(1)),
}  # fmt: skip
"""The private events that a file keeps; all others follow from its lines. Closings stand apart only in what a service
exported: there somebody may have rated between a closing and its freeze."""
EVENT = keyed(after=whole(), at=whole(), kind=one_of(*BODIES), body=_object)
SHAPE = keyed(
    format=one_of(FORMAT),
    version=one_of(VERSION),
    group=hexadecimal(32),
    organiser=HASH,
    members=listed(keyed(name=text, salt=HASH, secret=HASH, seed=either(nothing, HASH))),
    marked=listed(whole(), ascending=True),
    log=listed(lambda one: EVENT(one) and BODIES[one["kind"]](one["body"])),
)


@dataclass
class Secrets:
    """Everything that is private: by member number where it is a member's.

    - `members`: {name, salt, secret, seed}, in hexadecimal; `seed` is that of her signing key, None if held elsewhere:
      whose key lies here is marked on the roster. `marked`: who is marked whatever key she has, as an organiser.
    - `log`: private events {after, at, kind, body}; `after` is how many lines the record had.
    """

    group: str
    organiser: str
    members: list[dict[str, Any]]
    marked: list[int] = field(default_factory=list)
    log: list[dict[str, Any]] = field(default_factory=list)

    def person(self, number: int, weight: int) -> Person:
        """Member `number` as the freezing and the receipts want her."""
        kept = self.members[number]
        return Person(number, weight, bytes.fromhex(kept["secret"]), bytes.fromhex(kept["salt"]), kept["name"])

    def people(self, group: Group) -> dict[int, Person]:
        """Everybody who ever joined, by number; whoever left has the weight that she had."""
        return {number: self.person(number, weight) for number, weight in group.weights.items()}

    def keep(self, person: Person) -> None:
        """Keep a newcomer; one who was about to join when interrupted is replaced."""
        kept = {"name": person.name, "salt": person.salt.hex(), "secret": person.secret.hex(), "seed": None}
        self.members[person.number : person.number + 1] = [kept]

    def by_place(self) -> dict[int, list[dict[str, Any]]]:
        """The private events by the number of lines that the record had."""
        found: dict[int, list[dict[str, Any]]] = {}
        for one in self.log:
            found.setdefault(one["after"], []).append(one)
        return found

    def to_bytes(self) -> bytes:
        """The file's content."""
        return canonical({"format": FORMAT, "version": VERSION, **vars(self)}) + b"\n"


def secrets_path(record: Path) -> Path:
    """Where the secrets of a record are kept: beside it."""
    return record.with_name(record.name + ".secrets")


def load(path: Path) -> Secrets:
    """The secrets at `path`; a file that is damaged or missing is refused."""
    try:
        data = path.read_bytes()
        if not WINDOWS and path.stat().st_mode & 0o077:  # there the rights of the folder decide, and no such bits
            warnings.warn(
                f"{path} can be read by others on this computer; say chmod 600.", IsegoriaWarning, stacklevel=2
            )
    except OSError as error:
        raise FileError(
            f"cannot read {path}: {(error.strerror or str(error)).lower()}. The secrets lie beside the record."
        ) from error
    try:
        said = parsed(data.removesuffix(b"\n"))
        if not SHAPE(said):
            raise InputError("it is not a file of secrets.")
    except InputError:
        raise FileError(f"{path} is damaged: it is not a file of secrets; put back a copy of it.") from None
    return Secrets(**{key: said[key] for key in said if key not in ("format", "version")})


def check_fit(path: Path, group: Group, secrets: Secrets) -> None:
    """Refuse secrets that do not open every member of the roster."""
    for number, entry in group.members.items():
        kept = secrets.members[number] if number < len(secrets.members) else None
        opened = kept and commitment(bytes.fromhex(kept["salt"]), number, bytes.fromhex(kept["secret"]), kept["name"])
        if not opened or opened.hex() != entry["commitment"]:
            raise FileError(f"{path} does not fit the record: it does not open member {number} of the roster.")
