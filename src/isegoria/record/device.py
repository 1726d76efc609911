"""A member's device on the command line: her key, all that it signed, and the rules by which it signs.

The file of a key holds them together, so that a copy of the key without its memory is never made by accident.
"""

from __future__ import annotations

import secrets as chance
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from isegoria.errors import FileError, InputError
from isegoria.io.atomic import write_private
from isegoria.record.ed25519 import public_key, sign
from isegoria.record.format.canonical import canonical, parsed
from isegoria.record.format.lines import Said, slip_message
from isegoria.record.format.people import commit_hash
from isegoria.record.format.shapes import HASH, SAY, either, keyed, listed, nothing, one_of
from isegoria.record.group import Group
from isegoria.record.round import Round
from isegoria.record.rounds import CLOCKS
from isegoria.record.sources.dice import thrown

FORMAT, VERSION = "isegoria key", 2
SLIP = keyed(line=one_of("say"), **SAY)
SHAPE = keyed(
    format=one_of(FORMAT), version=one_of(VERSION), seed=HASH, record=either(nothing, HASH),
    says=listed(keyed(line=one_of("say"), freeze=either(nothing, HASH), **SAY)),
    numbers=listed(HASH),
    told=listed(lambda one: isinstance(one, dict) and one.keys() == {"round", "slot", "at", "values"}),
)  # fmt: skip

Ask = Callable[[str], bool]


@dataclass(frozen=True)
class Device:
    """A key with its memory.

    - `seed` of the key; `record`: the id of the one record that it signs, None before the first time.
    - `says`: every say it made, each with the hash of the page that was open (`freeze`); `numbers`: those it committed
      to; `told`: the ratings it sent.
    """

    seed: str
    record: str | None = None
    says: list[dict[str, Any]] = field(default_factory=list)
    numbers: list[str] = field(default_factory=list)
    told: list[dict[str, Any]] = field(default_factory=list)

    @property
    def key(self) -> str:
        """The public key, in hexadecimal."""
        return public_key(bytes.fromhex(self.seed)).hex()

    @classmethod
    def read(cls, path: Path | str) -> Device:
        """The device in the file of a key."""
        try:
            said = parsed(Path(path).read_bytes().removesuffix(b"\n"))
        except OSError as error:
            raise FileError(f"cannot read the key {path}: {(error.strerror or str(error)).lower()}.") from error
        except InputError:
            said = {}
        if not SHAPE(said):
            raise FileError(f"{path} is not the file of a key; 'isegoria record key NAME --out FILE' makes one.")
        return cls(**{name: said[name] for name in ("seed", "record", "says", "numbers", "told")})

    def write(self, path: Path | str, fresh: bool = False) -> None:
        """Put it on disk, readable by its owner only."""
        write_private(
            Path(path), canonical({"format": FORMAT, "version": VERSION, **asdict(self)}) + b"\n", fresh=fresh
        )

    def remember(self, round_: int | None, slot: int | None, at: int, values: list[str | None]) -> Device:
        """The same device, having told these ratings."""
        return replace(self, told=[*self.told, {"round": round_, "slot": slot, "at": at, "values": values}])


def read_slip(path: Path | str) -> Said:
    """A say that a device made, to be appended by whoever keeps the record."""
    try:
        said = parsed(Path(path).read_bytes().removesuffix(b"\n"))
    except OSError as error:
        raise FileError(f"cannot read the slip {path}: {(error.strerror or str(error)).lower()}.") from error
    except InputError:
        said = {}
    if not SLIP(said):
        raise FileError(f"{path} is not a slip; 'isegoria sign' prints one.")
    return said


def sign_over(
    device: Device, group: Group, receipt: Said, now: int, what: str = "seen", value: str | None = None,
    ask: Ask = lambda question: False,
) -> tuple[Device, Said]:  # fmt: skip
    """(the device as it must be stored before anything leaves it, the slip) over a record that was verified.

    `value` is what the dice showed; `ask` puts a question to the member. What the rules forbid is refused.
    """
    number = receipt["member"]
    _check_history(device, group)
    _check_own_key(device, group, number)
    _check_time(group, now)
    _check_told(device, group, receipt, ask)
    _check_draws(device, group)
    device, said = {"seen": _seen, "commit": _commit, "reveal": _reveal, "dice": _dice}[what](
        device, group, number, value
    )
    size, page = len(group.lines), group.open
    freeze = None if page is None else page.freeze_hash.hex()
    for one in device.says:
        if one["what"] == what and (one["size"] == size or (what in ("dice", "reveal") and one["freeze"] == freeze)):
            return device, {key: item for key, item in one.items() if key != "freeze"}  # asked again, it says the same
    slip = {
        "line": "say", "by": number, "size": size, "head": group.head.hex(), "at": now, "what": what, "value": said,
    }  # fmt: skip
    slip["signature"] = sign(bytes.fromhex(device.seed), slip_message(group.record, slip)).hex()
    kept = replace(device, record=group.record.hex(), says=[*device.says, {**slip, "freeze": freeze}])
    return kept, slip


def _check_history(device: Device, group: Group) -> None:
    """The record extends everything that this key has signed, and is the one that it signs."""
    if not group.begun:
        raise InputError("the record has not begun; there is nothing to sign yet.")
    if device.record not in (None, group.record.hex()):
        raise InputError("this key has signed another record, and signs no second one.")
    for one in device.says:
        if one["size"] > len(group.lines) or group.hashes[one["size"] - 1].hex() != one["head"]:
            raise InputError(
                f"this key has signed another history of this record, at line {one['size']}: nothing was signed. Keep "
                "both files and show them to the others."
            )


def _check_own_key(device: Device, group: Group, number: int) -> None:
    entries = group.roster["members"]
    entry = entries[number] if number < len(entries) else None
    if entry is None or entry["key"] != device.key:
        raise InputError(f"the roster does not have this key for member {number}; the next freeze may put it there.")


def _check_time(group: Group, now: int) -> None:
    page = group.open
    if page is not None and page.speaks_at is not None and now > page.speaks_at - CLOCKS:
        raise InputError(
            f"the beacon of round {page.number} speaks at {page.speaks_at}, and less than {CLOCKS} s are left; "
            "sign again after the draw."
        )


def _check_told(device: Device, group: Group, receipt: Said, ask: Ask) -> None:
    """The newest leaf of the receipt is what this device told last, or what its member says she told elsewhere."""
    frozen = [one.freeze["at"] for one in group.rounds if one.fair]
    leaves = sorted((item["leaf"] for item in receipt["ratings"]), key=lambda leaf: leaf["at"])
    sent = [one for one in device.told if frozen and one["at"] <= frozen[-1]]
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


def _check_draws(device: Device, group: Group) -> None:
    """No round was drawn from another throw than the one that this device confirmed."""
    confirmed = {one["freeze"]: one["value"] for one in device.says if one["what"] == "dice"}
    for round_ in group.rounds:
        value = confirmed.get(round_.freeze_hash.hex())
        if value is not None and round_.draw is not None and round_.draw["source_bytes"] != value:
            raise InputError(
                f"round {round_.number} was drawn from another throw than this device confirmed; nothing was signed."
            )


def _seen(device: Device, group: Group, number: int, value: str | None) -> tuple[Device, None]:
    return device, None


def _commit(device: Device, group: Group, number: int, value: str | None) -> tuple[Device, str]:
    """A fresh number, kept before its hash leaves."""
    again = [one for one in device.says if one["what"] == "commit" and one["size"] == len(group.lines)]
    if again:
        return device, again[-1]["value"]
    secret = chance.token_hex(32)
    return replace(device, numbers=[*device.numbers, secret]), commit_hash(
        group.record, number, bytes.fromhex(secret)
    ).hex()


def _reveal(device: Device, group: Group, number: int, value: str | None) -> tuple[Device, str]:
    page = _page(group, "group")
    for secret in device.numbers:
        if commit_hash(group.record, number, bytes.fromhex(secret)).hex() == page.commits.get(number):
            return device, secret
    raise InputError(f"this key has not committed for round {page.number}; only those who committed can reveal.")


def _dice(device: Device, group: Group, number: int, value: str | None) -> tuple[Device, str]:
    page = _page(group, "dice")
    freeze = page.freeze_hash.hex()
    if value is None:
        raise InputError("say what the dice showed.")
    shown = thrown(value, page.freeze["form"]).hex()
    had = [one for one in device.says if one["what"] == "dice" and one["freeze"] == freeze]
    if had and had[-1]["value"] != shown:
        raise InputError(f"this key has confirmed another throw for round {page.number}; only the first one counts.")
    if not any(one["size"] >= page.line and one["what"] != "dice" for one in device.says):
        raise InputError("this key had not signed this page before the throw; sign the page first, then throw.")
    return device, shown


def _page(group: Group, kind: str) -> Round:
    if group.open is None or group.open.source["kind"] != kind:
        raise InputError(f"no round under {kind} is open.")
    return group.open
