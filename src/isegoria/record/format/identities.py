"""Identities in a record: commitments that a name opens, unlinkable pseudonyms, leaves, and signed messages.

A leaf is private data of one member: their ratings, with their signature if their device signed them. This module
defines byte by byte what members sign.
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple

from isegoria.record.format.canonical_json import dump_canonical

RatingRow = Sequence[str | None]  # one decimal, or None, for each arm
OwnedLeaves = list[tuple[int, bytes]]  # (member number, leaf), in the order of their tree


@dataclass(frozen=True)
class MemberIdentity:
    """A member as the writer knows them: number on the roster, weight, and what only the member and the writer hold."""

    number: int
    weight: int
    secret: bytes
    salt: bytes = b""
    name: str = ""


class SignedRatings(NamedTuple):
    """Submitted ratings: a decimal or None for each arm that existed then, the time, and any signature with its key."""

    values: RatingRow
    at: int = 0
    signature: str | None = None
    key: str | None = None

    def under(self, key: str | None) -> SignedRatings:
        """Return these ratings for a roster with `key` for the member; a signature by any other key is left out."""
        return self if self.signature is None or self.key == key else self._replace(signature=None, key=None)


def encode_uint32(number: int) -> bytes:
    """Encode a member number, a slot, an arm or a counter in 4 bytes."""
    return number.to_bytes(4, "big")


def encode_uint64(number: int) -> bytes:
    """Encode a round, a size or a time in 8 bytes."""
    return number.to_bytes(8, "big")


def compute_commitment(salt: bytes, n: int, secret: bytes, name: str) -> bytes:
    """Return the commitment to member n on the roster. Only their name, salt and secret open it."""
    return sha256(b"isegoria member 3\0" + salt + encode_uint32(n) + secret + name.encode("utf-8")).digest()


def derive_pseudonym(secret: bytes, group: bytes, round_: int, n: int) -> bytes:
    """Return the 24-byte pseudonym of member n in a round."""
    return hmac.digest(secret, group + encode_uint64(round_) + encode_uint32(n), "sha256")[:24]


def derive_nonce(secret: bytes, group: bytes, round_: int) -> bytes:
    """Return 32 bytes that keep a leaf from being guessed."""
    return hmac.digest(secret, b"leaf\0" + group + encode_uint64(round_) + b"ratings", "sha256")


def encode_ratings_leaf(
    group: bytes, person: MemberIdentity, round_: int, slot: int | None, told: SignedRatings
) -> bytes:
    """Return the leaf of one member's ratings in canonical JSON. It is formatted by hand for speed."""
    shown = ",".join(["null" if value is None else f'"{value}"' for value in told.values])
    where = "null" if slot is None else slot
    signed = "null" if told.signature is None else f'"{told.signature}"'
    secret = derive_nonce(person.secret, group, round_).hex()
    return (
        f'{{"at":{told.at},"nonce":"{secret}","round":{round_},"signature":{signed},"slot":{where},"values":[{shown}]}}'
    ).encode("ascii")


def sort_by_pseudonym(
    group: bytes, round_: int, people: Sequence[MemberIdentity]
) -> list[tuple[bytes, MemberIdentity]]:
    """Return members with their pseudonyms in a round, ascending by pseudonym: the order of rows and of leaves."""
    return sorted(
        ((derive_pseudonym(person.secret, group, round_, person.number), person) for person in people),
        key=lambda pair: pair[0],
    )


PseudonymOrder = Sequence[tuple[bytes, MemberIdentity]]  # members with their pseudonyms in a round, ascending


# -- what members sign; `record` is the record's id, the hash of its line 2; hashes have 32 bytes ----------------------

NO_SLOT = 2**32 - 1


def encode_statement_fields(
    record: bytes, n: int, size: int, head: bytes, at: int, kind: str, value: bytes = b""
) -> bytes:
    """Return the message that member n signs: they know this record of `size` lines with this head at this time.

    `kind` and `value` are what they state beyond that, if anything.
    """
    place = record + encode_uint32(n) + encode_uint64(size) + head + encode_uint64(at)
    return b"isegoria statement 3\0" + place + kind.encode("ascii") + b"\0" + value


def encode_key_proof(group: bytes, n: int, key: bytes) -> bytes:
    """Return the message with which a key proves that its owner holds it, as the key of member n."""
    return b"isegoria key 3\0" + group + encode_uint32(n) + key


def encode_override(record: bytes, n: int, round_: int, slot: int, arm: int, reason: str) -> bytes:
    """Return the message with which member n signs that another arm was played in a slot, and why."""
    place = record + encode_uint32(n) + encode_uint64(round_) + encode_uint32(slot) + encode_uint32(arm)
    return b"isegoria override 3\0" + place + sha256(reason.encode("utf-8")).digest()


def encode_rating(group: bytes, n: int, round_: int | None, slot: int | None, at: int, values: RatingRow) -> bytes:
    """Return the message with which member n signs ratings: of options (round and slot None) or of what was played.

    It names the group, not the record, because people rate before the record begins.
    """
    place = (
        group
        + encode_uint32(n)
        + encode_uint64(round_ or 0)
        + encode_uint32(NO_SLOT if slot is None else slot)
        + encode_uint64(at)
    )
    return b"isegoria rating 3\0" + place + sha256(dump_canonical(list(values))).digest()


def hash_committed_number(record: bytes, n: int, number: bytes) -> bytes:
    """Return the hash by which member n commits, before the freeze, to the 32 bytes that they will reveal."""
    return sha256(b"isegoria commit 3\0" + record + encode_uint32(n) + number).digest()
