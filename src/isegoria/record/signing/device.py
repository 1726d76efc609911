"""A member's device on the command line: their key, everything it signed, and the rules by which it signs.

One file holds all of it, so that nobody copies the key without its memory by accident.
"""

from __future__ import annotations

import secrets as chance
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from isegoria.errors import FileError, InputError
from isegoria.io.storage.atomic_write import write_private
from isegoria.record.actions.rounds import MAX_CLOCK_SKEW_SECONDS
from isegoria.record.format.canonical_json import dump_canonical, parse_canonical
from isegoria.record.format.identities import derive_pseudonym, hash_committed_number
from isegoria.record.format.lines import encode_statement
from isegoria.record.format.record_view import LinePayload
from isegoria.record.format.schema import HASH_HEX, STATEMENT_SCHEMA, list_of, null_or, object_with, one_of
from isegoria.record.signing.ed25519 import public_key, sign
from isegoria.record.sources.dice import parse_throw
from isegoria.record.state.group import Group
from isegoria.record.state.round import Round
from isegoria.utils.fields import AnyField
from isegoria.utils.messages import Message

KEY_FILE_FORMAT, KEY_FILE_VERSION = "isegoria key", 3
STATEMENT_FILE_SCHEMA = object_with(line=one_of("statement"), **STATEMENT_SCHEMA)
KEY_FILE_SCHEMA = object_with(
    format=one_of(KEY_FILE_FORMAT),
    version=one_of(KEY_FILE_VERSION),
    seed=HASH_HEX,
    record=null_or(HASH_HEX),
    statements=list_of(object_with(line=one_of("statement"), freeze=null_or(HASH_HEX), **STATEMENT_SCHEMA)),
    committed_numbers=list_of(HASH_HEX),
    sent_ratings=list_of(object_with(round=AnyField(), slot=AnyField(), at=AnyField(), values=AnyField())),
)

ConfirmPrompt = Callable[[str], bool]


@dataclass(frozen=True)
class Device:
    """A signing key with its memory.

    - `seed`: the seed of the key. `record`: the id of the one record that it signs, None before the first signature.
    - `statements`: every signed statement it made, with the hash of the page that was open (`freeze`).
      `committed_numbers`: those it committed to. `sent_ratings`: the ratings it sent.
    """

    seed: str
    record: str | None = None
    statements: list[dict[str, Any]] = field(default_factory=list)
    committed_numbers: list[str] = field(default_factory=list)
    sent_ratings: list[dict[str, Any]] = field(default_factory=list)

    @property
    def key(self) -> str:
        """The public key, in hexadecimal."""
        return public_key(bytes.fromhex(self.seed)).hex()

    @classmethod
    def read(cls, path: Path | str) -> Device:
        """Read a device from its key file. Raise `FileError` if it is missing or damaged."""
        try:
            said = parse_canonical(Path(path).read_bytes().removesuffix(b"\n"))
        except OSError as error:
            raise FileError(f"cannot read the key {path}: {(error.strerror or str(error)).lower()}.") from error
        except InputError:
            said = {}
        if not KEY_FILE_SCHEMA.accepts(said):
            raise FileError(f"{path} is not the file of a key; 'isegoria record key NAME --out FILE' makes one.")
        return cls(
            **{name: said[name] for name in ("seed", "record", "statements", "committed_numbers", "sent_ratings")}
        )

    def write(self, path: Path | str, fresh: bool = False) -> None:
        """Write the device to disk, readable by its owner only."""
        write_private(
            Path(path),
            dump_canonical({"format": KEY_FILE_FORMAT, "version": KEY_FILE_VERSION, **asdict(self)}) + b"\n",
            fresh=fresh,
        )

    def remember(self, round_: int | None, slot: int | None, at: int, values: list[str | None]) -> Device:
        """Return this device with these ratings added to those it sent."""
        return replace(
            self, sent_ratings=[*self.sent_ratings, {"round": round_, "slot": slot, "at": at, "values": values}]
        )


def read_statement(path: Path | str) -> LinePayload:
    """Read a signed statement that a device made, to be appended to the record."""
    try:
        said = parse_canonical(Path(path).read_bytes().removesuffix(b"\n"))
    except OSError as error:
        raise FileError(f"cannot read the slip {path}: {(error.strerror or str(error)).lower()}.") from error
    except InputError:
        said = {}
    if not STATEMENT_FILE_SCHEMA.accepts(said):
        raise FileError(f"{path} is not a slip; 'isegoria sign' prints one.")
    return said


def sign_record(
    device: Device,
    group: Group,
    receipt: LinePayload,
    now: int,
    what: str = "seen",
    value: str | None = None,
    ask: ConfirmPrompt = lambda question: False,
) -> tuple[Device, LinePayload]:
    """Sign a statement over a verified record. Return the device, to be stored first, and the statement.

    `value` is what the dice showed, or the number and key of a member whose key was compared; `ask` puts a question to
    the member. Raise `InputError` for what the rules forbid.
    """
    number = receipt["member"]
    _require_same_history(device, group)
    _require_own_key(device, group, number)
    _require_before_beacon(group, now)
    _require_own_ratings(device, group, receipt, ask)
    _require_confirmed_throws(device, group)
    device, said = {
        "seen": _acknowledge,
        "commit": _commit_number,
        "reveal": _reveal_number,
        "dice": _confirm_dice,
        "compare": _compare_keys,
    }[what](device, group, number, value)
    size, page = len(group.lines), group.open
    freeze = None if page is None else page.freeze_hash.hex()
    for one in device.statements:
        same = one["size"] == size and (what != "compare" or one["value"] == said)
        if one["kind"] == what and (same or (what in ("dice", "reveal") and one["freeze"] == freeze)):
            return device, {
                key: item for key, item in one.items() if key != "freeze"
            }  # a repeated request gets the same statement
    slip = {
        "line": "statement",
        "member": number,
        "size": size,
        "head": group.head.hex(),
        "at": now,
        "kind": what,
        "value": said,
    }
    slip["signature"] = sign(bytes.fromhex(device.seed), encode_statement(group.record, slip)).hex()
    kept = replace(device, record=group.record.hex(), statements=[*device.statements, {**slip, "freeze": freeze}])
    return kept, slip


def _require_same_history(device: Device, group: Group) -> None:
    """Raise `InputError` unless this key signs this record, and the record extends everything that it signed."""
    if not group.begun:
        raise InputError(Message("record_not_begun"))
    if device.record not in (None, group.record.hex()):
        raise InputError("this key has signed another record, and signs no second one.")
    for one in device.statements:
        if one["size"] > len(group.lines) or group.hashes[one["size"] - 1].hex() != one["head"]:
            raise InputError(
                f"this key has signed another history of this record, at line {one['size']}: nothing was signed. Keep "
                "both files and show them to the others."
            )


def _require_own_key(device: Device, group: Group, number: int) -> None:
    entries = group.roster["members"]
    entry = entries[number] if number < len(entries) else None
    if entry is None or entry["key"] != device.key:
        raise InputError(f"the roster does not have this key for member {number}; the next freeze may put it there.")


def _require_before_beacon(group: Group, now: int) -> None:
    page = group.open
    if page is not None and page.speaks_at is not None and now > page.speaks_at - MAX_CLOCK_SKEW_SECONDS:
        raise InputError(
            f"the beacon of round {page.number} speaks at {page.speaks_at}, and less than "
            f"{MAX_CLOCK_SKEW_SECONDS} s are left; "
            "sign again after the draw."
        )


def _require_own_ratings(device: Device, group: Group, receipt: LinePayload, ask: ConfirmPrompt) -> None:
    """Check the receipt's newest leaf: this device sent it last, or the member confirms to have sent it elsewhere."""
    frozen = [
        one.freeze["at"] for one in group.rounds if one.fair and (group.learns or _takes_part(one, group, receipt))
    ]
    leaves = sorted((item["leaf"] for item in receipt["ratings"]), key=lambda leaf: leaf["at"])
    sent = [one for one in device.sent_ratings if frozen and one["at"] <= frozen[-1]]
    newest, last = leaves[-1] if leaves else None, max(sent, key=lambda one: one["at"], default=None)
    if last is not None and (newest is None or newest["at"] < last["at"]):
        raise InputError(
            "the record does not hold what this device told last; nothing was signed. Show this to the others."
        )
    if newest is None:
        return
    if last is not None and newest["at"] == last["at"]:
        if newest["values"] != last["values"]:
            raise InputError("the record holds other ratings than this device told; nothing was signed.")
        return
    shown = ", ".join(f"{arm} {value}" for arm, value in zip(group.arms, newest["values"], strict=False) if value)
    if not ask(f"{shown}, told at {newest['at']} elsewhere: was it you?"):
        raise InputError("these ratings were not told by this device; nothing was signed. Say --yes if they are yours.")


def _takes_part(round_: Round, group: Group, receipt: LinePayload) -> bool:
    """Return whether the answers of a receipt's member count in a round: while they are away, they do not."""
    secret, number = bytes.fromhex(receipt["secret"]), receipt["member"]
    own = derive_pseudonym(secret, group.id, group.naming(round_.number), number).hex()
    return not any(own in one["pseudonyms"] for one in round_.freeze["absent"])


def _require_confirmed_throws(device: Device, group: Group) -> None:
    """Raise `InputError` if a round was drawn from another throw than the one that this device confirmed."""
    confirmed = {one["freeze"]: one["value"] for one in device.statements if one["kind"] == "dice"}
    for round_ in group.rounds:
        value = confirmed.get(round_.freeze_hash.hex())
        if value is not None and round_.draw is not None and round_.draw["source_bytes"] != value:
            raise InputError(
                f"round {round_.number} was drawn from another throw than this device confirmed; nothing was signed."
            )


def _acknowledge(device: Device, group: Group, number: int, value: str | None) -> tuple[Device, None]:
    return device, None


def _compare_keys(device: Device, group: Group, number: int, value: str | None) -> tuple[Device, str]:
    """Return the comparison `value`, a member's number and key, if the roster has it: what both phones showed."""
    members = group.roster["members"]
    other = int((value or "")[:8] or "0", 16)
    entry = members[other] if other < len(members) and other != number else None
    if value is None or entry is None or entry["key"] != value[8:]:
        raise InputError("the key that you compared is not that member's on the latest roster; nothing was signed.")
    return device, value


def _commit_number(device: Device, group: Group, number: int, value: str | None) -> tuple[Device, str]:
    """Return a commitment to a fresh number, and the device that stores the number."""
    again = [one for one in device.statements if one["kind"] == "commit" and one["size"] == len(group.lines)]
    if again:
        return device, again[-1]["value"]
    secret = chance.token_hex(32)
    return replace(device, committed_numbers=[*device.committed_numbers, secret]), hash_committed_number(
        group.record, number, bytes.fromhex(secret)
    ).hex()


def _reveal_number(device: Device, group: Group, number: int, value: str | None) -> tuple[Device, str]:
    page = _require_open_round(group, "commit_reveal")
    for secret in device.committed_numbers:
        if hash_committed_number(group.record, number, bytes.fromhex(secret)).hex() == page.commits.get(number):
            return device, secret
    raise InputError(f"this key has not committed for round {page.number}; only those who committed can reveal.")


def _confirm_dice(device: Device, group: Group, number: int, value: str | None) -> tuple[Device, str]:
    page = _require_open_round(group, "dice")
    freeze = page.freeze_hash.hex()
    if value is None:
        raise InputError("say what the dice showed.")
    shown = parse_throw(value, page.freeze["dice_form"]).hex()
    had = [one for one in device.statements if one["kind"] == "dice" and one["freeze"] == freeze]
    if had and had[-1]["value"] != shown:
        raise InputError(f"this key has confirmed another throw for round {page.number}; only the first one counts.")
    if not any(one["size"] >= page.line and one["kind"] != "dice" for one in device.statements):
        raise InputError("this key had not signed this page before the throw; sign the page first, then throw.")
    return device, shown


def _require_open_round(group: Group, kind: str) -> Round:
    if group.open is None or group.open.source["kind"] != kind:
        raise InputError(f"no round under {kind} is open.")
    return group.open
