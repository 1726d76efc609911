"""A round at the desk, step by step: commit, freeze, witness, reveal, draw; void, override, amend, close."""

from __future__ import annotations

import secrets as chance
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

from isegoria.errors import FileError, InputError, unknown
from isegoria.lottery import steps
from isegoria.lottery.desk.book import Book, normal
from isegoria.lottery.desk.telling import frozen_now, write_ratings
from isegoria.lottery.ed25519 import public_key, sign
from isegoria.lottery.messages import commit_hash, reveal_message, value_message, void_message, witness_message
from isegoria.lottery.order import refuse_while_open
from isegoria.lottery.record import Round
from isegoria.lottery.shapes import AMENDABLE, hexadecimal
from isegoria.lottery.sources import SOURCES


def add_key(book: Book, name: str, public: str | None = None, keep: bool = True) -> str:
    """Put a signing key of a member on the roster, and return its seed (hexadecimal; empty for a key made elsewhere).

    `public` registers a key whose seed stays with her; otherwise one is made, and kept in the secrets unless `keep` is
    False. Keys count from the next freeze on.
    """
    number = book.number(name)
    seed = "" if public else chance.token_hex(32)
    if public is not None and not hexadecimal(64)(public):
        raise InputError("a public key has 64 hexadecimal digits in lower case.")
    key = public or public_key(bytes.fromhex(seed)).hex()
    members = [
        one and ({**one, "key": key} if n == number else one) for n, one in enumerate(book.record.roster["members"])
    ]
    line = steps.roster(book.record, members)
    book.secrets.members[number]["seed"] = seed if keep and seed else None
    book.save()
    book.append(line)
    return seed


def commit(book: Book, name: str) -> None:
    """A member commits to a fresh number for the round that comes next; the number waits in the secrets."""
    number, round_ = book.number(name), book.record.next_round
    waiting = book.secrets.values.setdefault(str(round_), {})
    value = waiting.get(str(number)) or chance.token_hex(32)
    hashed = commit_hash(book.record.group, round_, number, bytes.fromhex(value)).hex()
    line = steps.commit(book.record, number, hashed)
    waiting[str(number)] = value
    book.save()
    book.append(line)


def freeze(book: Book, now: int, occasion: int | None = None, event: str | None = None, form=None) -> Round:
    """Freeze the next round; ratings that were told go on record first. `now` picks the occasion of a beacon."""
    refuse_while_open(book.record, "the next freeze comes after")
    if book.record.closed:
        raise InputError("the record is closed; nothing follows.")
    if book.record.charter["learner"] is not None:
        write_ratings(book)
    source = book.record.terms["source"]
    if source["kind"] == "beacon" and occasion is None:
        occasion = next_occasion(source, now, book.record.last_occasion)
    frozen = frozen_now(book, book.available)
    if frozen is None:
        SOURCES[source["kind"]].frozen(source, occasion)  # an event or form would be of no use, an occasion might be
        line = steps.trial(book.record, available=book.available, occasion=occasion)
    else:
        line = steps.freeze(book.record, frozen, occasion=occasion, event=event, form=form)
    book.append(line)
    return book.record.rounds[-1]


def next_occasion(source: dict, now: int, last: int | None) -> int:
    """The first occasion of the timetable that is still to come, after the last one used."""
    ahead = max(0, (now - source["first"]) // source["every"] + 1)
    return ahead if last is None else max(ahead, last + 1)


def witness(book: Book, name: str, at: int, key: Path | None = None, claim: bool = False) -> None:
    """A member signs that she saw the frozen page at time `at`; after a beacon has spoken it is too late."""
    number, now = book.number(name), _open(book)
    if now.speaks_at is not None and at >= now.speaks_at:
        raise InputError(f"the beacon of round {now.number} has spoken at {now.speaks_at}; witnessing is over.")
    seed = None if claim else _seed(book, number, key)
    message = witness_message(book.record.charter_hash, now.freeze_hash, at)
    book.append(steps.witness(book.record, number, at, None if seed is None else sign(seed, message)))


def reveal(book: Book, name: str, key: Path | None = None) -> None:
    """A member opens her commitment, signed if her key is at hand."""
    number, now = book.number(name), _open(book)
    value = book.secrets.values.get(str(now.number), {}).get(str(number))
    if value is None:
        raise InputError(f"{name} has not committed to round {now.number}; only those who committed can reveal.")
    seed = _seed(book, number, key, needed=key is not None)
    message = reveal_message(book.record.charter_hash, now.freeze_hash, bytes.fromhex(value))
    book.append(steps.reveal(book.record, number, bytes.fromhex(value), seed and sign(seed, message)))


def draw(book: Book, value: str | None = None, seen_by: Iterable[str] | None = None) -> Round:
    """Draw the open round from what its source said; under dice, members sign the value.

    They are those in `seen_by`, or if not said all who witnessed the freeze and whose keys are at hand.
    """
    now = _open(book)
    if now.freeze["kind"] == "trial":
        if value is not None or seen_by:
            raise InputError(f"round {now.number} is a first trial and is not drawn; leave the value out.")
        book.append(steps.draw(book.record))
        return book.record.rounds[-1]
    kind = SOURCES[now.source["kind"]]
    source = kind.spoken(book.record, now, value, bytes.fromhex(book.secrets.organiser))
    signatures = {}
    if kind.signed:
        message = value_message(book.record.charter_hash, now.freeze_hash, source)
        signatures = {by: sign(_seed(book, by), message) for by in _signers(book, now, seen_by)}
    elif seen_by:
        raise InputError("only the value of dice is signed; leave --seen-by out.")
    book.append(steps.draw(book.record, source, signatures))
    return book.record.rounds[-1]


def void(book: Book, at: int, reason: str, signers: Iterable[str] | None = None) -> None:
    """Void the open round; signed like a draw of dice. After the source has spoken it is too late."""
    now = _open(book)
    if now.speaks_at is not None and at >= now.speaks_at:
        raise InputError(f"the beacon of round {now.number} has spoken at {now.speaks_at}: draw it, then override it.")
    message = void_message(book.record.charter_hash, now.freeze_hash, at)
    trial = now.freeze["kind"] == "trial"
    signing = [] if trial and not signers else _signers(book, now, signers)
    book.append(steps.void(book.record, at, reason, {by: sign(_seed(book, by), message) for by in signing}))


def override(book: Book, round_: int, slot: int, arm: str, reason: str, by: str | None = None) -> None:
    """Another arm was played in a slot than the one drawn; the drawn one stays on record."""
    number = None if by is None else book.number(by)
    book.append(steps.override(book.record, round_, slot, book.arm(arm), reason, number))


def mask(book: Book, arms: Iterable[str]) -> None:
    """Let these arms rest from the next freeze on, and no others."""
    masked = sorted({book.arm(arm) for arm in arms})
    if len(masked) == len(book.record.terms["arms"]):
        raise InputError("all arms would rest; leave at least one.")
    book.secrets.masked = masked
    book.save()


def amend(book: Book, field: str, value: str, reason: str, **timetable) -> None:
    """Change a rule from the next freeze on: title, arms (names to add), block, explore_max or source."""
    if field not in AMENDABLE:
        raise unknown("field", field, AMENDABLE)
    book.append(steps.amend(book.record, field, _amended(book, field, value, timetable), reason))
    book.publish()


def _amended(book: Book, field: str, value: str, timetable: dict):
    if field != "source" and any(item is not None for item in timetable.values()):
        raise InputError("a timetable belongs to a source; leave it out.")
    if field == "arms":
        new = [normal(name) for name in value.split(",")]
        if not all(new) or len({*book.record.terms["arms"], *new}) < len(book.record.terms["arms"]) + len(new):
            raise InputError(f"the new arms are {value!r}; give names that are not there yet, with commas between.")
        return [*book.record.terms["arms"], *new]
    if field == "block":
        return None if value == "default" else _whole(value, "block", "a number from 1 to 20, or default")
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


def _whole(value: str, what: str, expected: str) -> int:
    if not value.isascii() or not value.isdigit():
        raise InputError(f"{what} is {value!r}; expected {expected}.")
    return int(value)


def close(book: Book) -> None:
    """Close the record for ever."""
    book.append(steps.close(book.record))


def _open(book: Book) -> Round:
    if book.record.open is None:
        raise InputError("no round is open; 'isegoria record freeze' opens one.")
    return book.record.open


def _signers(book: Book, now: Round, names: Iterable[str] | None) -> list[int]:
    """Those named, or everyone who witnessed this freeze with a key that is at hand."""
    if names:
        return sorted({book.number(name) for name in names})
    return [by for by in sorted(now.witnesses) if now.witnesses[by]["signature"] and book.secrets.members[by]["seed"]]


def _seed(book: Book, number: int, key: Path | None = None, needed: bool = True) -> bytes | None:
    """The seed of a member's key: from a file, or from the secrets."""
    if key is not None:
        return read_seed(key)
    seed = book.secrets.members[number]["seed"]
    if seed is None and needed:
        name = book.secrets.members[number]["name"]
        raise InputError(
            f"there is no key of {name} at hand: 'isegoria record key' makes one before the freeze, --key names a file."
        )
    return None if seed is None else bytes.fromhex(seed)


def read_seed(path: Path) -> bytes:
    """The seed in a key file: 64 hexadecimal digits."""
    try:
        text = Path(path).read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"cannot read the key {path}: {getattr(error, 'strerror', None) or 'not text'}.") from error
    if not hexadecimal(64)(text):
        raise FileError(f"{path} is not a key: expected 64 hexadecimal digits.")
    return bytes.fromhex(text)
