"""`RECORD.secrets`: what the writer holds for the members, readable by its owner only (mode 600)."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from pathlib import Path

from isegoria.errors import FileError, InputError, IsegoriaWarning
from isegoria.lottery.canonical import canonical, parsed
from isegoria.lottery.desk.file import write_private
from isegoria.lottery.people import Person, commitment
from isegoria.lottery.record import Record
from isegoria.lottery.shapes import decimal_text, either, hexadecimal, keyed, listed, nothing, text, whole

FORMAT = "isegoria secrets"
HASH = hexadecimal(64)
VALUES = listed(either(nothing, decimal_text))


def _numbered(check):
    """Objects whose keys are numbers, each value with its check."""
    return lambda value: isinstance(value, dict) and all(key.isdigit() and check(item) for key, item in value.items())


SHAPE = keyed(
    format=text,
    version=whole(1, 1),
    group=hexadecimal(32),
    organiser=HASH,
    members=listed(keyed(name=text, salt=HASH, secret=HASH, seed=either(nothing, HASH))),
    ratings=_numbered(listed(keyed(since=whole(1), values=VALUES))),
    told=listed(keyed(member=whole(), round=whole(1), slot=whole(), values=VALUES, line=either(nothing, whole(1)))),
    masked=listed(whole(), ascending=True),
    values=_numbered(_numbered(HASH)),
)


@dataclass
class Secrets:
    """Everything that is private: by member number where it is a member's.

    - `members`: {name, salt, secret, seed}, in hexadecimal; `seed` is that of her signing key, None if held elsewhere.
    - `ratings`: known ratings {since, values}: the round from which they count, a decimal or None for each arm.
    - `told`: what was told about the slots of rounds, and the ratings line that holds it.
    - `masked`: arms that rest from the next freeze on; `values`: what members committed to, by round.
    """

    group: str
    organiser: str
    members: list[dict]
    ratings: dict[str, list[dict]] = field(default_factory=dict)
    told: list[dict] = field(default_factory=list)
    masked: list[int] = field(default_factory=list)
    values: dict[str, dict[str, str]] = field(default_factory=dict)

    def person(self, number: int, weight: int) -> Person:
        """Member `number` as the freezing and the receipts want her."""
        kept = self.members[number]
        return Person(number, weight, bytes.fromhex(kept["secret"]), bytes.fromhex(kept["salt"]), kept["name"])

    def rated(self, number: int, round_: int) -> list[str | None] | None:
        """The known ratings of a member as they count in a round; None if she has given none."""
        rows = [kept["values"] for kept in self.ratings.get(str(number), []) if kept["since"] <= round_]
        return rows[-1] if rows else None

    def set_ratings(self, number: int, since: int, values: list[str | None]) -> None:
        """Known ratings of a member, from the freeze of round `since` on."""
        before = [kept for kept in self.ratings.get(str(number), []) if kept["since"] < since]
        self.ratings[str(number)] = [*before, {"since": since, "values": values}]

    def to_bytes(self) -> bytes:
        """The file's content."""
        return canonical({"format": FORMAT, "version": 1, **vars(self)}) + b"\n"


def secrets_path(record: Path) -> Path:
    """Where the secrets of a record are kept: beside it."""
    return record.with_name(record.name + ".secrets")


def save(path: Path, secrets: Secrets, fresh: bool = False) -> None:
    """Write the secrets, whole or not at all."""
    write_private(path, secrets.to_bytes(), fresh)


def load(path: Path, record: Record) -> Secrets:
    """The secrets of `record`; a file that is damaged, of another record or missing is refused."""
    try:
        data = path.read_bytes()
        if path.stat().st_mode & 0o077:
            warnings.warn(
                f"{path} can be read by others on this computer; say chmod 600.", IsegoriaWarning, stacklevel=2
            )
    except OSError as error:
        raise FileError(
            f"cannot read {path}: {(error.strerror or str(error)).lower()}. The secrets lie beside the record."
        ) from error
    try:
        said = parsed(data.removesuffix(b"\n"))
        if not SHAPE(said) or said["format"] != FORMAT:
            raise InputError("it is not a file of secrets.")
    except InputError:
        raise FileError(f"{path} is damaged: it is not a file of secrets; put back a copy of it.") from None
    if said["group"] != record.charter["group"]:
        raise FileError(f"{path} belongs to another record.")
    secrets = Secrets(**{key: said[key] for key in said if key not in ("format", "version")})
    _check_members(path, record, secrets)
    return secrets


def _check_members(path: Path, record: Record, secrets: Secrets) -> None:
    for number, entry in record.members.items():
        kept = secrets.members[number] if number < len(secrets.members) else None
        opened = kept and commitment(bytes.fromhex(kept["salt"]), number, bytes.fromhex(kept["secret"]), kept["name"])
        if not opened or opened.hex() != entry["commitment"]:
            raise FileError(f"{path} does not fit the record: it does not open member {number} of the roster.")
