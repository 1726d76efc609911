"""What people ask of a record in a file, by their names: the writer signs for those whose keys it holds."""

from __future__ import annotations

import secrets as chance
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from isegoria.errors import FileError, InputError, unknown
from isegoria.instance import Instance
from isegoria.record import keep_file, people, ratings, rounds
from isegoria.record.ed25519 import public_key, sign
from isegoria.record.format.canonical import decimal
from isegoria.record.format.messages import (
    commit_hash,
    reveal_message,
    value_message,
    void_message,
    witness_message,
)
from isegoria.record.format.shapes import AMENDABLE, hexadecimal
from isegoria.record.format.units import checked_total
from isegoria.record.group import Round
from isegoria.record.keep_file import RecordFile
from isegoria.record.people import normal
from isegoria.record.receipts import receipt, tree_again
from isegoria.record.secrets import Secrets
from isegoria.record.sources import SOURCES

DIGITS = 12
"""Ratings come off a scale by a division and go back on it; what lies beyond this many places is its rounding."""


def begin(
    path: str | Path, instance: Instance, *, source: dict[str, Any], title: str | None = None,
    scale: Sequence[float] = (0, 1), learner: str | None = None, settings: Mapping[str, Any] | None = None,
    **terms: Any,
) -> None:  # fmt: skip
    """Write a new record at `path`, with the members, arms and ratings of `instance`, and its secrets beside it.

    With a `learner` the ratings of the table are not used: members will tell how each round was. `terms` go into the
    charter (`privacy`, `block`, `explore_max`, `units`, `tie`).
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
    """Put a signing key of a member on the roster, and return its seed (hexadecimal; empty for a key made elsewhere).

    `public` registers a key whose seed stays with her; otherwise one is made, and kept in the secrets unless `keep` is
    False. Keys count from the next freeze on.
    """
    number = record.number(name)
    seed = "" if public else chance.token_hex(32)
    if public is not None and not hexadecimal(64)(public):
        raise InputError("a public key has 64 hexadecimal digits in lower case.")

    def put(secrets: Secrets) -> None:
        secrets.members[number]["seed"] = seed if keep and seed else None

    record.act(people.register_key, number, {"key": public or public_key(bytes.fromhex(seed)).hex()}, keep=put)
    return seed


def rate(
    record: RecordFile, name: str, values: Mapping[str, Any], round_: int | None = None, slot: int | None = None
) -> int:
    """Take a member's ratings: of all options, or of what was played in a slot of a round (a learner).

    What comes back is the round whose freeze counts them.
    """
    number, group = record.number(name), record.group
    given = {record.arm(arm): value for arm, value in values.items()}
    if not group.learns and (round_ is not None or slot is not None):
        raise InputError("this record has no learner: ratings are of the options themselves; leave out the round.")
    if group.learns:
        there = _drawn_round(record, round_)
        round_ = there.number
        slot = 0 if slot is None and len(there.slots) == 1 else slot
        if slot is None:
            raise InputError(f"round {round_} has slots 0 to {len(there.slots) - 1}; say which with --slot.")
    change = record.act(ratings.rate, number, {"round": round_, "slot": slot, "values": given})
    return int(change.answer["counts_from"])


def _drawn_round(record: RecordFile, number: int | None) -> Round:
    drawn = [one for one in record.group.rounds if one.draw and number in (None, one.number)]
    if not drawn:
        raise InputError(f"round {number} has not been drawn." if number else "no round has been drawn yet.")
    return drawn[-1]


def receipt_for(record: RecordFile, name: str) -> bytes:
    """The receipt of a member, with all her leaves; it holds her secret."""
    everyone = record.people()
    return receipt(record.group, everyone[record.number(name)], lambda line: tree_again(record.group, everyone, line))


def commit(record: RecordFile, name: str) -> None:
    """A member commits to a fresh number for the round that comes next; the number waits in the secrets."""
    number, round_ = record.number(name), record.group.next_round
    value = record.secrets.values.get(str(round_), {}).get(str(number)) or chance.token_hex(32)
    hashed = commit_hash(record.group.id, round_, number, bytes.fromhex(value)).hex()

    def put(secrets: Secrets) -> None:
        secrets.values.setdefault(str(round_), {})[str(number)] = value

    record.act(rounds.commit, number, {"hash": hashed}, keep=put)


def freeze(
    record: RecordFile, now: int, occasion: int | None = None, event: str | None = None, form: list[int] | None = None
) -> Round:
    """Freeze the next round; ratings that were told go on record first. `now` picks the occasion of a beacon."""
    record.act(rounds.freeze, body={"occasion": occasion, "event": event, "form": form}, now=now)
    return record.group.rounds[-1]


def witness(record: RecordFile, name: str, at: int, key: Path | None = None, claim: bool = False) -> None:
    """A member signs that she saw the frozen page at time `at`; after a beacon has spoken it is too late."""
    number, now = record.number(name), open_round(record)
    seed = None if claim else _seed(record, number, key)
    signature = seed and sign(seed, witness_message(record.group.charter_hash, now.freeze_hash, at)).hex()
    record.act(rounds.witness, number, {"freeze": now.freeze_hash.hex(), "at": at, "signature": signature}, now=at)


def reveal(record: RecordFile, name: str, key: Path | None = None) -> None:
    """A member opens her commitment, signed if her key is at hand."""
    number, now = record.number(name), open_round(record)
    value = record.secrets.values.get(str(now.number), {}).get(str(number))
    if value is None:
        raise InputError(f"{name} has not committed to round {now.number}; only those who committed can reveal.")
    seed = _seed(record, number, key, needed=key is not None)
    message = reveal_message(record.group.charter_hash, now.freeze_hash, bytes.fromhex(value))
    record.act(rounds.reveal, number, {"value": value, "signature": seed and sign(seed, message).hex()})


def draw(record: RecordFile, value: str | None = None, seen_by: Iterable[str] | None = None) -> Round:
    """Draw the open round from what its source said; under dice, members sign the value.

    They are those in `seen_by`, or if not said all who witnessed the freeze and whose keys are at hand.
    """
    now = open_round(record)
    kind, signatures = SOURCES[now.source["kind"]], {}
    if seen_by and not (now.fair and kind.signed):
        raise InputError("only the value of dice is signed; leave --seen-by out.")
    if now.fair and kind.signed:
        source = kind.spoken(record.group, now, value)
        message = value_message(record.group.charter_hash, now.freeze_hash, source)
        signatures = {by: sign(_needed(record, by), message) for by in _signers(record, now, seen_by)}
    record.act(rounds.draw, body={"value": value, "missing": "skip", "signatures": signatures})
    return now


def void(record: RecordFile, at: int, reason: str, signers: Iterable[str] | None = None) -> None:
    """Void the open round; signed like a draw of dice. After the source has spoken it is too late."""
    now = open_round(record)
    message = void_message(record.group.charter_hash, now.freeze_hash, at)
    signing = _signers(record, now, signers) if now.fair or signers else []
    signed = [{"by": by, "signature": sign(_needed(record, by), message).hex()} for by in signing]
    record.act(rounds.void, body={"at": at, "reason": reason, "signatures": signed}, now=at)


def override(record: RecordFile, round_: int, slot: int, arm: str, reason: str, by: str | None = None) -> None:
    """Another arm was played in a slot than the one drawn; the drawn one stays on record."""
    number = None if by is None else record.number(by)
    body = {"round": round_, "slot": slot, "arm": record.arm(arm), "reason": reason, "by": number}
    record.act(rounds.override, body=body)


def mask(record: RecordFile, arms: Iterable[str]) -> None:
    """Let these arms rest from the next freeze on, and no others."""
    record.act(rounds.mask, body={"unavailable": [record.arm(arm) for arm in arms]})


def amend(record: RecordFile, field: str, value: str, reason: str, **timetable: int | None) -> None:
    """Change a rule from the next freeze on: title, arms (names to add), block, explore_max or source."""
    if field not in AMENDABLE:
        raise unknown("field", field, AMENDABLE)
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
    if field == "explore_max":
        return explore_text(value)
    return SOURCES[value].terms(**timetable) if field == "source" else value


def explore_text(value: str) -> str:
    """A rate such as 0.2 or 1/5 as the charter writes it."""
    try:
        rate = Fraction(value)
        if not 0 <= rate <= Fraction(1, 2) or rate.denominator >= 10**9:
            raise ValueError
    except (ValueError, ZeroDivisionError):
        raise InputError(f"explore_max is {value!r}; expected a fraction from 0 to 1/2, such as 1/5.") from None
    return f"{rate.numerator}/{rate.denominator}"


def close(record: RecordFile) -> None:
    """Close the record for ever."""
    record.act(rounds.end)


def open_round(record: RecordFile) -> Round:
    """The round that was frozen and has not ended."""
    if record.group.open is None:
        raise InputError("no round is open; 'isegoria record freeze' opens one.")
    return record.group.open


def _signers(record: RecordFile, now: Round, names: Iterable[str] | None) -> list[int]:
    """Those named, or everyone who witnessed this freeze with a key that is at hand."""
    if names:
        return sorted({record.number(name) for name in names})
    return [by for by in sorted(now.witnesses) if now.witnesses[by]["signature"] and _seed(record, by, needed=False)]


def _needed(record: RecordFile, number: int) -> bytes:
    seed = _seed(record, number)
    assert seed is not None
    return seed


def _seed(record: RecordFile, number: int, key: Path | None = None, needed: bool = True) -> bytes | None:
    """The seed of a member's key: from a file, or from the secrets."""
    if key is not None:
        return read_seed(key)
    kept = record.secrets.members[number]
    if kept["seed"] is None and needed:
        raise InputError(
            f"there is no key of {kept['name']} at hand: 'isegoria record key' makes one before the freeze, --key "
            "names a file."
        )
    return None if kept["seed"] is None else bytes.fromhex(kept["seed"])


def read_seed(path: Path) -> bytes:
    """The seed in a key file: 64 hexadecimal digits."""
    try:
        text = Path(path).read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"cannot read the key {path}: {getattr(error, 'strerror', None) or 'not text'}.") from error
    if not hexadecimal(64)(text):
        raise FileError(f"{path} is not a key: expected 64 hexadecimal digits.")
    return bytes.fromhex(text)
