"""What the steps do to a record in a file: people and arms by their names."""

from __future__ import annotations

import secrets as chance
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from isegoria.errors import InputError, unknown
from isegoria.instance import Instance
from isegoria.record import keep_file, people, ratings, rounds
from isegoria.record.device import Device
from isegoria.record.ed25519 import public_key, sign
from isegoria.record.format.canonical import decimal
from isegoria.record.format.people import override_message, rating_message
from isegoria.record.format.shapes import AMENDABLE, hexadecimal
from isegoria.record.format.units import UNITS, checked_total
from isegoria.record.keep_file import RecordFile
from isegoria.record.proposals import normal
from isegoria.record.receipts import receipt, tree_again
from isegoria.record.round import Round
from isegoria.record.secrets import Secrets
from isegoria.record.sources import SOURCES

DIGITS = 12
"""Ratings come off a scale by a division and go back on it; what lies beyond this many places is its rounding."""


def begin(
    path: str | Path, instance: Instance, *, source: dict[str, Any], title: str | None = None,
    scale: Sequence[float] = (0, 1), learner: str | None = None, settings: Mapping[str, Any] | None = None,
    **terms: Any,
) -> None:  # fmt: skip
    """Begin a record at `path`, with the members, arms and ratings of `instance`, and its secrets beside it.

    With a `learner` the ratings of the table are not used: members will tell how each round was. `terms` go into the
    charter (`privacy`, `block`, `tie`); `organisers` are the members who are marked on the roster.
    """
    checked_total(instance.total_weight)
    keep_file.begin(
        path,
        {
            **terms, "source": source, "scale": scale, "learner": learner, "settings": settings,
            "title": Path(path).stem if title is None else title, "arms": list(instance.arms),
            "members": list(instance.agents), "weights": instance.weights.tolist(),
            "ratings": _on_scale(instance, scale) if learner is None else (),
        },
    )  # fmt: skip


def _on_scale(instance: Instance, scale: Sequence[float]) -> list[list[str]]:
    low, high = scale
    means = instance.means if isinstance(instance.means, np.ndarray) else instance.means.toarray()
    table = (means * (high - low) + low).round(DIGITS)
    return [[decimal(value) for value in row] for row in table.tolist()]


def join(record: RecordFile, name: str, weight: int = 1, values: Mapping[str, Any] | None = None) -> None:
    """A new member, from the next freeze on."""
    if not normal(name):
        raise InputError("a member needs a name.")
    if values and record.group.learns:
        raise InputError("with a learner members rate what was played; let her join without ratings.")
    given = {record.arm(arm): value for arm, value in (values or {}).items()}
    record.act(people.join, body={"name": name, "weight": weight, "ratings": given})


def leave(record: RecordFile, name: str) -> None:
    """A member goes, from the next freeze on; her number stays empty for ever."""
    record.act(people.leave, body={"member": record.number(name)})


def add_key(record: RecordFile, name: str, public: str | None = None, keep: bool = True) -> str:
    """Put a signing key of a member on the next roster, and return its seed (empty for a key made elsewhere).

    `public` registers a key whose seed stays with her; otherwise one is made, and kept in the secrets unless `keep` is
    False. A key that the keeper holds is marked on the roster, and counts for nobody who trusts `members`.
    """
    number = record.number(name)
    seed = "" if public else chance.token_hex(32)
    if public is not None and not hexadecimal(64)(public):
        raise InputError("a public key has 64 hexadecimal digits in lower case.")
    held = seed if keep and seed else None
    mark = int(held is not None or number in record.secrets.marked)

    def put(secrets: Secrets) -> None:
        secrets.members[number]["seed"] = held

    key = public or public_key(bytes.fromhex(seed)).hex()
    record.act(people.register_key, number, {"key": key, "organiser": mark}, keep=put)
    return seed


def rate(
    record: RecordFile, name: str, values: Mapping[str, Any], round_: int | None = None, slot: int | None = None,
    *, key: Path | None = None, now: int = 0,
) -> int:  # fmt: skip
    """Take a member's ratings: of all options, or of what was played in a slot of a round (a learner).

    With her `key` they are signed, and her device remembers them. What comes back is the round that counts them.
    """
    number, group = record.number(name), record.group
    given = {record.arm(arm): value for arm, value in values.items()}
    if not group.learns and (round_ is not None or slot is not None):
        raise InputError("this record has no learner: ratings are of the options themselves; leave out the round.")
    if group.learns:
        there = _happened(record, round_)
        round_ = there.number
        slot = 0 if slot is None and len(there.slots) == 1 else slot
        if slot is None:
            raise InputError(f"round {round_} has slots 0 to {len(there.slots) - 1}; say which with --slot.")
    body: dict[str, Any] = {"round": round_, "slot": slot, "values": given}
    if key is None:
        return int(record.act(ratings.rate, number, body, now=now).answer["counts_from"])
    device = Device.read(key)
    row = ratings.row_of(group, number, round_, ratings.by_number(group, given))
    message = rating_message(group.id, number, round_, slot, now, row)
    signed = {"at": now, "signature": sign(bytes.fromhex(device.seed), message).hex()}
    change = record.act(ratings.rate, number, body | signed, now=now)
    device.remember(round_, slot, now, row).write(key)
    return int(change.answer["counts_from"])


def _happened(record: RecordFile, number: int | None) -> Round:
    found = [one for one in record.group.rounds if one.happened and number in (None, one.number)]
    if not found:
        raise InputError(f"round {number} has not been drawn." if number else "no round has been drawn yet.")
    return found[-1]


def receipt_for(record: RecordFile, name: str) -> bytes:
    """The receipt of a member, with all her leaves; it holds her secret."""
    group, everyone = record.group, record.people()
    return receipt(group, everyone[record.number(name)], lambda line: tree_again(group, everyone, line))


def owed_by_name(record: RecordFile) -> list[tuple[str, Fraction, int]]:
    """(name, decisions owed, rounds waited) of everyone who is here and has asked, most owed first; with turns."""
    group, debts = record.group, record.group.owed
    if group.turns is None:
        raise InputError("this record has no turns with memory, so nothing is owed from round to round.")
    here = [
        (person.name, debts.get(group.alias(person, 0))) for n, person in record.people().items() if n in group.members
    ]
    found = [(name, Fraction(entry.owed[0], UNITS), entry.waited) for name, entry in here if entry is not None]
    return sorted(found, key=lambda row: (-row[1], row[0]))


def write_roster(record: RecordFile) -> int:
    """Write charter and roster, or what was gathered since the last roster; how many lines that were."""
    return int(record.act(rounds.write_roster).answer["written"])


def freeze(
    record: RecordFile, now: int, occasion: int | None = None, event: str | None = None,
    form: dict[str, Any] | None = None, undrawn: bool = False,
) -> Round:  # fmt: skip
    """Freeze the next round; who takes part and ratings that were told go on record first."""
    body = {"occasion": occasion, "event": event, "form": form, "undrawn": undrawn}
    record.act(rounds.freeze, body=body, now=now)
    return record.group.rounds[-1]


def add(record: RecordFile, slip: Mapping[str, Any], now: int, late: bool = False) -> None:
    """Append what a member's device said; `late`: also while a beacon that has spoken is not drawn yet."""
    body = {key: value for key, value in slip.items() if key != "line"}
    record.act(rounds.add, body={**body, "late": late}, now=now)


def draw(record: RecordFile, now: int, value: str | None = None) -> Round:
    """Draw the open round from what its source said."""
    round_ = open_round(record)
    record.act(rounds.draw, body={"value": value}, now=now)
    return round_


def override(
    record: RecordFile, round_: int, slot: int, arm: str, reason: str, by: str | None = None, key: Path | None = None
) -> None:
    """Another arm was played in a slot than the one drawn; the drawn one stays on record. By a member with her key."""
    body: dict[str, Any] = {"round": round_, "slot": slot, "arm": record.arm(arm), "reason": reason}
    if by is not None:
        number = record.number(by)
        arm_number = record.group.arms.index(body["arm"])
        message = override_message(record.group.record, number, round_, slot, arm_number, reason)
        body |= {"by": number, "signature": sign(_seed(record, number, key), message).hex()}
    record.act(rounds.override, body=body)


def mask(record: RecordFile, arms: Iterable[str]) -> None:
    """Let these arms rest from the next freeze on, and no others."""
    record.act(rounds.mask, body={"unavailable": [record.arm(arm) for arm in arms]})


def amend(record: RecordFile, field: str, value: str | None, reason: str, **timetable: int | None) -> None:
    """Change a rule from the next freeze on: title, arms (names to add), block or source; or `end` the record."""
    if field not in AMENDABLE:
        raise unknown("field", field, AMENDABLE)
    if field == "end":
        if value is not None:
            raise InputError("end takes no value; leave it out.")
        record.act(rounds.end, body={"reason": reason})
        return
    if value is None:
        raise InputError(f"{field} needs a value.")
    amended = _amended(record, field, value, timetable)
    record.act(rounds.amend, body={"field": field, "value": amended, "reason": reason})


def _amended(record: RecordFile, field: str, value: str, timetable: Mapping[str, int | None]) -> object:
    if field != "source" and any(item is not None for item in timetable.values()):
        raise InputError("a timetable belongs to a source; leave it out.")
    if field == "arms":
        arms, new = record.group.arms, [normal(name) for name in value.split(",")]
        if not all(new) or len({*arms, *new}) < len(arms) + len(new):
            raise InputError(f"the new arms are {value!r}; give names that are not there yet, with commas between.")
        return [*arms, *new]
    if field == "block":
        if value != "default" and not (value.isascii() and value.isdigit()):
            raise InputError(f"block is {value!r}; expected a number from 1 to 20, or default.")
        return None if value == "default" else int(value)
    return SOURCES[value].terms(**timetable) if field == "source" else value


def open_round(record: RecordFile) -> Round:
    """The round that was frozen and has not ended."""
    if record.group.open is None:
        raise InputError("no round is open; 'isegoria record freeze' opens one.")
    return record.group.open


def _seed(record: RecordFile, number: int, key: Path | None = None) -> bytes:
    """The seed of a member's key: from a file, or from the secrets."""
    if key is not None:
        return bytes.fromhex(Device.read(key).seed)
    kept = record.secrets.members[number]
    if kept["seed"] is None:
        raise InputError(f"the key of {kept['name']} is not here; name its file with --key.")
    return bytes.fromhex(kept["seed"])
