"""`RECORD.secrets`: private data that the writer of a record file holds for the members, readable by its owner only.

The file has mode 600. Together with the lines of the record it holds all events of the group: private events are
stored in order, each with the number of lines that the record had.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from isegoria.errors import FileError, InputError, IsegoriaWarning
from isegoria.io.storage.file_lock import IS_WINDOWS
from isegoria.record.format.canonical_json import dump_canonical, parse_canonical
from isegoria.record.format.identities import MemberIdentity, compute_commitment
from isegoria.record.format.schema import (
    HASH_HEX,
    ROSTER_ENTRY_SCHEMA,
    SIGNATURE_HEX,
    DecimalField,
    list_of,
    null_or,
    object_with,
    one_of,
)
from isegoria.record.state.group import Group
from isegoria.utils.fields import (
    AnyField,
    Field,
    HexField,
    IntegerField,
    MapField,
    PlainTextField,
    TestedField,
    UnionField,
)

SECRETS_FORMAT, SECRETS_VERSION = "isegoria secrets", 4


def numbered_object(item: Field) -> TestedField:
    """Return the field of an object whose keys are numbers."""
    entries = MapField(item=item, least=0, most=math.inf)
    return TestedField(item=entries, test=lambda value: all(map(str.isdigit, value)))


ENTRY_SCHEMA = null_or(ROSTER_ENTRY_SCHEMA)
EVENT_BODY_SCHEMAS = {
    "found": object_with(charter=AnyField(kind=dict), entries=list_of(ENTRY_SCHEMA)),
    "draft": object_with(field=PlainTextField(), value=AnyField()),
    "seat": object_with(member=IntegerField(), entry=ENTRY_SCHEMA, reason=one_of(None, "left", "removed")),
    "rate": object_with(
        member=IntegerField(),
        round=null_or(IntegerField(low=1)),
        slot=null_or(IntegerField()),
        at=IntegerField(),
        signature=null_or(SIGNATURE_HEX),
        key=null_or(HASH_HEX),
        values=numbered_object(null_or(DecimalField())),
    ),
    "mask": object_with(masked=list_of(IntegerField(), ascending=True)),
    "away": object_with(member=IntegerField(), until=null_or(IntegerField())),
    "presence": object_with(member=IntegerField(), round=IntegerField(low=1), present=IntegerField(high=1)),
    "hand_over": object_with(member=IntegerField()),
    "close": object_with(occurrence=null_or(IntegerField()), absent=list_of(IntegerField())),
    "erase": object_with(member=IntegerField()),
    "reopen": object_with(),
    "propose": object_with(name=PlainTextField(), by=IntegerField(low=-1)),
    "withdraw": object_with(number=IntegerField()),
    "setting": UnionField(items=(object_with(changes=IntegerField(low=1)), object_with(presence=IntegerField(high=1)))),
}
"""The private events in a secrets file; all others follow from the record's lines. A cutoff is a separate event only
where members are absent, and in the export of a service, where a member may have rated between it and its freeze."""
PRIVATE_EVENT_SCHEMA = TestedField(
    item=object_with(
        line_count=IntegerField(), at=IntegerField(), kind=one_of(*EVENT_BODY_SCHEMAS), body=AnyField(kind=dict)
    ),
    test=lambda event: EVENT_BODY_SCHEMAS[event["kind"]].accepts(event["body"]),
)
SECRETS_SCHEMA = object_with(
    format=one_of(SECRETS_FORMAT),
    version=one_of(SECRETS_VERSION),
    group=HexField(digits=32),
    organiser=HASH_HEX,
    members=list_of(object_with(name=PlainTextField(), salt=HASH_HEX, secret=HASH_HEX, seed=null_or(HASH_HEX))),
    marked_organisers=list_of(IntegerField(), ascending=True),
    private_events=list_of(PRIVATE_EVENT_SCHEMA),
)


@dataclass
class SecretsFile:
    """All private data of a record.

    - `members`: {name, salt, secret, seed} by member number, in hexadecimal. `seed` is that of the member's signing
      key, None if it is held elsewhere; a member whose seed is here is marked on the roster. `marked_organisers`:
      members who are marked as organisers whatever key they have.
    - `private_events`: {line_count, at, kind, body}; `line_count` is the number of lines that the record had.
    """

    group: str
    organiser: str
    members: list[dict[str, Any]]
    marked_organisers: list[int] = field(default_factory=list)
    private_events: list[dict[str, Any]] = field(default_factory=list)

    def person(self, number: int, weight: int) -> MemberIdentity:
        """Return member `number` as a `MemberIdentity`, as freezes and receipts need it."""
        kept = self.members[number]
        return MemberIdentity(number, weight, bytes.fromhex(kept["secret"]), bytes.fromhex(kept["salt"]), kept["name"])

    def people(self, group: Group) -> dict[int, MemberIdentity]:
        """Return everybody who ever joined, by number. Those who left have their last weight."""
        return {number: self.person(number, weight) for number, weight in group.weights.items()}

    def keep(self, person: MemberIdentity) -> None:
        """Store a new member, replacing one whose join was interrupted."""
        kept = {"name": person.name, "salt": person.salt.hex(), "secret": person.secret.hex(), "seed": None}
        self.members[person.number : person.number + 1] = [kept]

    def by_place(self) -> dict[int, list[dict[str, Any]]]:
        """Return the private events, grouped by the number of lines that the record had."""
        found: dict[int, list[dict[str, Any]]] = {}
        for one in self.private_events:
            found.setdefault(one["line_count"], []).append(one)
        return found

    def to_bytes(self) -> bytes:
        """Serialise the secrets as the content of their file."""
        return dump_canonical({"format": SECRETS_FORMAT, "version": SECRETS_VERSION, **vars(self)}) + b"\n"


def secrets_path(record: Path) -> Path:
    """Return the path of the secrets of a record: beside it."""
    return record.with_name(record.name + ".secrets")


def load_secrets(path: Path) -> SecretsFile:
    """Load the secrets at `path`. Raise `FileError` if the file is damaged or missing."""
    try:
        data = path.read_bytes()
        if not IS_WINDOWS and path.stat().st_mode & 0o077:  # Windows has no such bits; the folder's permissions decide
            warnings.warn(
                f"{path} can be read by others on this computer; say chmod 600.", IsegoriaWarning, stacklevel=2
            )
    except OSError as error:
        raise FileError(
            f"cannot read {path}: {(error.strerror or str(error)).lower()}. The secrets lie beside the record."
        ) from error
    try:
        said = parse_canonical(data.removesuffix(b"\n"))
        if not SECRETS_SCHEMA.accepts(said):
            raise InputError("it is not a file of secrets.")
    except InputError:
        raise FileError(f"{path} is damaged: it is not a file of secrets; put back a copy of it.") from None
    return SecretsFile(**{key: said[key] for key in said if key not in ("format", "version")})


def require_matching_secrets(path: Path, group: Group, secrets: SecretsFile) -> None:
    """Raise `FileError` if the secrets do not open the commitment of every member of the roster."""
    for number, entry in group.members.items():
        kept = secrets.members[number] if number < len(secrets.members) else None
        opened = kept and compute_commitment(
            bytes.fromhex(kept["salt"]), number, bytes.fromhex(kept["secret"]), kept["name"]
        )
        if not opened or opened.hex() != entry["commitment"]:
            raise FileError(f"{path} does not fit the record: it does not open member {number} of the roster.")
