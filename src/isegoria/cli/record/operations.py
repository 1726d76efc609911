"""The operations of the steps on a record file, with members and arms by name."""

from __future__ import annotations

import secrets as chance
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from isegoria.errors import InputError, unknown_name_error
from isegoria.profiles import Instance
from isegoria.record.actions import members, ratings, rounds
from isegoria.record.actions.proposals import normalise_name
from isegoria.record.files import file_store
from isegoria.record.files.file_store import FileStore
from isegoria.record.files.secrets_file import SecretsFile
from isegoria.record.format.canonical_json import format_decimal
from isegoria.record.format.identities import encode_key_proof, encode_override, encode_rating
from isegoria.record.format.schema import AMENDABLE_FIELDS, HASH_HEX, SIGNATURE_HEX
from isegoria.record.format.voice_units import UNITS_PER_VOICE, compute_total_units
from isegoria.record.receipts import build_receipt, rebuild_tree
from isegoria.record.signing.device import Device
from isegoria.record.signing.ed25519 import public_key, sign
from isegoria.record.sources import RANDOMNESS_SOURCES
from isegoria.record.state.round import Round

RATING_DECIMALS = 12
"""Ratings come off a scale by a division and go back on it; what lies beyond this many places is its rounding."""


def create_record(
    path: str | Path,
    instance: Instance,
    *,
    source: dict[str, Any],
    title: str | None = None,
    scale: Sequence[float] = (0, 1),
    learner: str | None = None,
    settings: Mapping[str, Any] | None = None,
    **terms: Any,
) -> None:
    """Begin a record at `path` with the members, arms and ratings of `instance`, and its secrets beside it.

    With a `learner` the ratings of the table are not used: members will rate what each round played. `terms` go into
    the charter (`privacy`, `block`, `tie`); `organisers` are the members who are marked on the roster.
    """
    compute_total_units(instance.total_weight)
    file_store.create_record(
        path,
        {
            **terms,
            "source": source,
            "scale": scale,
            "learner": learner,
            "settings": settings,
            "title": Path(path).stem if title is None else title,
            "arms": list(instance.arms),
            "members": list(instance.agents),
            "weights": instance.weights.tolist(),
            "ratings": _format_ratings(instance, scale) if learner is None else (),
        },
    )


def _format_ratings(instance: Instance, scale: Sequence[float]) -> list[list[str]]:
    low, high = scale
    means = instance.means if isinstance(instance.means, np.ndarray) else instance.means.toarray()
    table = (means * (high - low) + low).round(RATING_DECIMALS)
    return [[format_decimal(value) for value in row] for row in table.tolist()]


def add_member(record: FileStore, name: str, weight: int = 1, values: Mapping[str, Any] | None = None) -> None:
    """Add a member from the next freeze on."""
    if not normalise_name(name):
        raise InputError("a member needs a name.")
    if values and record.group.learns:
        raise InputError("with a learner members rate what was played; let them join without ratings.")
    given = {record.arm(arm): value for arm, value in (values or {}).items()}
    record.act(members.join, body={"name": name, "weight": weight, "ratings": given})


def remove_member(record: FileStore, name: str) -> None:
    """Remove a member from the next freeze on; the member's number is never used again."""
    record.act(members.remove_member, body={"member": record.number(name)})


def add_key(
    record: FileStore, name: str, public: str | None = None, keep: bool = True, proof: str | None = None, now: int = 0
) -> str:
    """Put a signing key of a member on the next roster, and return its seed (empty for a key made elsewhere).

    `public` registers a key whose seed stays with the member, who proves to hold it by `proof`. Otherwise a key is
    made, and kept in the secrets unless `keep` is False. A key that the record's keeper holds is marked on the roster,
    and does not count for anyone who trusts `members`.
    """
    number = record.number(name)
    seed = "" if public else chance.token_hex(32)
    if public is not None and not HASH_HEX.accepts(public):
        raise InputError("a public key has 64 hexadecimal digits in lower case.")
    if public is not None and not SIGNATURE_HEX.accepts(proof):
        raise InputError("a key that the member made needs its proof of possession: --proof, 128 hexadecimal digits.")
    held = seed if keep and seed else None
    mark = int(held is not None or number in record.secrets.marked_organisers)

    def put(secrets: SecretsFile) -> None:
        secrets.members[number]["seed"] = held

    key = public or public_key(bytes.fromhex(seed)).hex()
    if seed:
        message = encode_key_proof(record.group.id, number, bytes.fromhex(key))
        proof = sign(bytes.fromhex(seed), message).hex()
    record.act(members.register_key, number, {"key": key, "proof": proof, "organiser": mark}, now=now, keep=put)
    return seed


def rate(
    record: FileStore,
    name: str,
    values: Mapping[str, Any],
    round_: int | None = None,
    slot: int | None = None,
    *,
    key: Path | None = None,
    now: int = 0,
) -> int:
    """Store a member's ratings and return the round that counts them.

    They are ratings of all options or, with a learner, of what was played in a slot of a round. With the member's `key`
    they are signed, and the member's device remembers them.
    """
    number, group = record.number(name), record.group
    given = {record.arm(arm): value for arm, value in values.items()}
    if not group.learns and (round_ is not None or slot is not None):
        raise InputError("this record has no learner: ratings are of the options themselves; leave out the round.")
    if group.learns:
        there = _find_played_round(record, round_)
        round_ = there.number
        slot = 0 if slot is None and len(there.slots) == 1 else slot
        if slot is None:
            raise InputError(f"round {round_} has slots 0 to {len(there.slots) - 1}; say which with --slot.")
    body: dict[str, Any] = {"round": round_, "slot": slot, "values": given}
    if key is None:
        return int(record.act(ratings.rate, number, body, now=now).answer["counts_from"])
    device = Device.read(key)
    row = ratings.build_rating_row(group, number, round_, ratings.parse_ratings(group, given))
    message = encode_rating(group.id, number, round_, slot, now, row)
    signed = {"at": now, "signature": sign(bytes.fromhex(device.seed), message).hex()}
    change = record.act(ratings.rate, number, body | signed, now=now)
    device.remember(round_, slot, now, row).write(key)
    return int(change.answer["counts_from"])


def _find_played_round(record: FileStore, number: int | None) -> Round:
    found = [one for one in record.group.rounds if one.happened and number in (None, one.number)]
    if not found:
        raise InputError(f"round {number} has not been drawn." if number else "no round has been drawn yet.")
    return found[-1]


def build_member_receipt(record: FileStore, name: str, now: int) -> bytes:
    """Return the receipt of a member, with all the member's leaves; it contains the member's secret."""
    group, everyone = record.group, record.people()
    return build_receipt(group, everyone[record.number(name)], lambda line: rebuild_tree(group, everyone, line), now)


def list_debts(record: FileStore) -> list[tuple[str, Fraction, int]]:
    """Return (name, decisions owed, rounds waited) of all present members who have asked, most owed first.

    Raises InputError if the record has no turns.
    """
    group, debts = record.group, record.group.owed
    if group.turns is None:
        raise InputError("this record has no turns with memory, so nothing is owed from round to round.")
    here = [
        (person.name, debts.get(group.alias(person, 0))) for n, person in record.people().items() if n in group.members
    ]
    found = [
        (name, Fraction(entry.owed[0], UNITS_PER_VOICE), entry.waited) for name, entry in here if entry is not None
    ]
    return sorted(found, key=lambda row: (-row[1], row[0]))


def write_roster(record: FileStore) -> int:
    """Write charter and roster, or the changes since the last roster; return the number of lines written."""
    return int(record.act(rounds.write_roster).answer["written"])


def freeze(
    record: FileStore,
    now: int,
    occurrence: int | None = None,
    event: str | None = None,
    form: dict[str, Any] | None = None,
    undrawn: bool = False,
) -> Round:
    """Freeze the next round, after recording who takes part and the pending ratings."""
    body = {"occurrence": occurrence, "event": event, "form": form, "undrawn": undrawn}
    record.act(rounds.freeze, body=body, now=now)
    return record.group.rounds[-1]


def add_statement(record: FileStore, slip: Mapping[str, Any], now: int, late: bool = False) -> None:
    """Append a signed statement from a member's device.

    With `late`, accept it also after a beacon has spoken, until the round is drawn.
    """
    body = {key: value for key, value in slip.items() if key != "line"}
    record.act(rounds.add_statement, body={**body, "late": late}, now=now)


def draw(record: FileStore, now: int, value: str | None = None) -> Round:
    """Draw the open round from the value of its source."""
    round_ = require_open_round(record)
    record.act(rounds.draw, body={"value": value}, now=now)
    return round_


def override(
    record: FileStore, round_: int, slot: int, arm: str, reason: str, by: str | None = None, key: Path | None = None
) -> None:
    """Record that another arm was played in a slot than the one drawn, which stays on record.

    If `by` names a member, it is signed with that member's key.
    """
    body: dict[str, Any] = {"round": round_, "slot": slot, "arm": record.arm(arm), "reason": reason}
    if by is not None:
        number = record.number(by)
        arm_number = record.group.arms.index(body["arm"])
        message = encode_override(record.group.record, number, round_, slot, arm_number, reason)
        body |= {"by": number, "signature": sign(_load_seed(record, number, key), message).hex()}
    record.act(rounds.override, body=body)


def mask(record: FileStore, arms: Iterable[str]) -> None:
    """Make exactly these arms unavailable from the next freeze on."""
    record.act(rounds.mask_options, body={"unavailable": [record.arm(arm) for arm in arms]})


def amend(record: FileStore, field: str, value: str | None, reason: str, **timetable: int | None) -> None:
    """Change a rule from the next freeze on: title, arms (names to add), block or source; or `end` the record."""
    if field not in AMENDABLE_FIELDS:
        raise unknown_name_error("field", field, AMENDABLE_FIELDS)
    if field == "end":
        if value is not None:
            raise InputError("end takes no value; leave it out.")
        record.act(rounds.end_record, body={"reason": reason})
        return
    if value is None:
        raise InputError(f"{field} needs a value.")
    amended = _parse_amendment(record, field, value, timetable)
    record.act(rounds.amend, body={"field": field, "value": amended, "reason": reason})


def _parse_amendment(record: FileStore, field: str, value: str, timetable: Mapping[str, int | None]) -> object:
    if field != "source" and any(item is not None for item in timetable.values()):
        raise InputError("a timetable belongs to a source; leave it out.")
    if field == "arms":
        arms, new = record.group.arms, [normalise_name(name) for name in value.split(",")]
        if not all(new) or len({*arms, *new}) < len(arms) + len(new):
            raise InputError(f"the new arms are {value!r}; give names that are not there yet, with commas between.")
        return [*arms, *new]
    if field == "block":
        if value != "default" and not (value.isascii() and value.isdigit()):
            raise InputError(f"block is {value!r}; expected a number from 1 to 20, or default.")
        return None if value == "default" else int(value)
    return RANDOMNESS_SOURCES[value].terms(**timetable) if field == "source" else value


def require_open_round(record: FileStore) -> Round:
    """Return the round that was frozen and has not ended; raise InputError if there is none."""
    if record.group.open is None:
        raise InputError("no round is open; 'isegoria record freeze' opens one.")
    return record.group.open


def _load_seed(record: FileStore, number: int, key: Path | None = None) -> bytes:
    """Return the seed of a member's key, from a file or from the secrets."""
    if key is not None:
        return bytes.fromhex(Device.read(key).seed)
    kept = record.secrets.members[number]
    if kept["seed"] is None:
        raise InputError(f"the key of {kept['name']} is not here; name its file with --key.")
    return bytes.fromhex(kept["seed"])
