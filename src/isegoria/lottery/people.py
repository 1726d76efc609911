"""Who is who in a record: commitments that a name opens, and pseudonyms that do not link rounds."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from hashlib import sha256


@dataclass(frozen=True)
class Person:
    """A member as the writer knows her: number on the roster, weight, and what only she and the writer hold."""

    number: int
    weight: int
    secret: bytes
    salt: bytes = b""
    name: str = ""


def number4(number: int) -> bytes:
    """A member number or a counter: 4 bytes."""
    return number.to_bytes(4, "big")


def number8(number: int) -> bytes:
    """A round or a time: 8 bytes."""
    return number.to_bytes(8, "big")


def commitment(salt: bytes, n: int, secret: bytes, name: str) -> bytes:
    """What the roster shows of member n: only her name, salt and secret open it."""
    return sha256(b"isegoria member 1\0" + salt + number4(n) + secret + name.encode("utf-8")).digest()


def pseudonym(secret: bytes, group: bytes, round_: int, n: int) -> bytes:
    """The 24 bytes under which member n stands in a round."""
    return hmac.digest(secret, group + number8(round_) + number4(n), "sha256")[:24]


def nonce(secret: bytes, group: bytes, round_: int, kind: str) -> bytes:
    """32 bytes that keep a leaf from being guessed; `kind` is "ratings" or "tally"."""
    return hmac.digest(secret, b"leaf\0" + group + number8(round_) + kind.encode("ascii"), "sha256")
