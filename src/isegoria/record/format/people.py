"""Who is who in a record: commitments that a name opens, pseudonyms that do not link rounds, leaves, and signatures.

A leaf is what is private of one member: ratings that she told, with her signature if her device signed them. What
members sign stands here byte by byte.
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple

from isegoria.record.format.canonical import canonical

Ratings = Sequence[str | None]  # one decimal, or None, for each arm
Leaves = list[tuple[int, bytes]]  # (member number, leaf), in the order of their tree


@dataclass(frozen=True)
class Person:
    """A member as the writer knows her: number on the roster, weight, and what only she and the writer hold."""

    number: int
    weight: int
    secret: bytes
    salt: bytes = b""
    name: str = ""


class Told(NamedTuple):
    """Ratings as they were told: a decimal or None for each arm of that time, when, and signed by which key, if any."""

    values: Ratings
    at: int = 0
    signature: str | None = None
    key: str | None = None

    def under(self, key: str | None) -> Told:
        """The same where the roster has `key` for her: a signature that is not by this one is left out."""
        return self if self.signature is None or self.key == key else self._replace(signature=None, key=None)


def number4(number: int) -> bytes:
    """A member number, a slot, an arm or a counter: 4 bytes."""
    return number.to_bytes(4, "big")


def number8(number: int) -> bytes:
    """A round, a size or a time: 8 bytes."""
    return number.to_bytes(8, "big")


def commitment(salt: bytes, n: int, secret: bytes, name: str) -> bytes:
    """What the roster shows of member n: only her name, salt and secret open it."""
    return sha256(b"isegoria member 2\0" + salt + number4(n) + secret + name.encode("utf-8")).digest()


def pseudonym(secret: bytes, group: bytes, round_: int, n: int) -> bytes:
    """The 24 bytes under which member n stands in a round."""
    return hmac.digest(secret, group + number8(round_) + number4(n), "sha256")[:24]


def nonce(secret: bytes, group: bytes, round_: int) -> bytes:
    """32 bytes that keep a leaf from being guessed."""
    return hmac.digest(secret, b"leaf\0" + group + number8(round_) + b"ratings", "sha256")


def ratings_leaf(group: bytes, person: Person, round_: int, slot: int | None, told: Told) -> bytes:
    """The leaf of one member's ratings; written by hand, as there are many: it is the canonical form."""
    shown = ",".join(["null" if value is None else f'"{value}"' for value in told.values])
    where = "null" if slot is None else slot
    signed = "null" if told.signature is None else f'"{told.signature}"'
    secret = nonce(person.secret, group, round_).hex()
    return (
        f'{{"at":{told.at},"nonce":"{secret}","round":{round_},"signature":{signed},"slot":{where},"values":[{shown}]}}'
    ).encode("ascii")


def in_order(group: bytes, round_: int, people: Sequence[Person]) -> list[tuple[bytes, Person]]:
    """Members with their pseudonyms in a round, ascending by them: the order of rows and of leaves."""
    return sorted(
        ((pseudonym(person.secret, group, round_, person.number), person) for person in people),
        key=lambda pair: pair[0],
    )


Ordered = Sequence[tuple[bytes, Person]]  # members with their pseudonyms in a round, ascending


# -- what members sign; `record` is the record's id, the hash of its line 2; hashes have 32 bytes ----------------------

NO_SLOT = 2**32 - 1


def say_message(record: bytes, n: int, size: int, head: bytes, at: int, what: str, value: bytes = b"") -> bytes:
    """Member n knows this record of `size` lines with this head at this time, and says something or nothing more."""
    place = record + number4(n) + number8(size) + head + number8(at)
    return b"isegoria say 2\0" + place + what.encode("ascii") + b"\0" + value


def override_message(record: bytes, n: int, round_: int, slot: int, arm: int, reason: str) -> bytes:
    """Member n says that another arm was played in a slot, and why."""
    place = record + number4(n) + number8(round_) + number4(slot) + number4(arm)
    return b"isegoria override 2\0" + place + sha256(reason.encode("utf-8")).digest()


def rating_message(group: bytes, n: int, round_: int | None, slot: int | None, at: int, values: Ratings) -> bytes:
    """Member n rates: the options (round and slot None), or what was played. It names the group, not the record,
    because people rate before the record begins.
    """
    place = group + number4(n) + number8(round_ or 0) + number4(NO_SLOT if slot is None else slot) + number8(at)
    return b"isegoria rating 2\0" + place + sha256(canonical(list(values))).digest()


def commit_hash(record: bytes, n: int, number: bytes) -> bytes:
    """What member n shows before the freeze of the 32 bytes that she will reveal."""
    return sha256(b"isegoria commit 2\0" + record + number4(n) + number).digest()
