"""What members sign, byte by byte. `record` is the record's id, the hash of its line 2; hashes have 32 bytes."""

from __future__ import annotations

from hashlib import sha256

from isegoria.record.format.canonical import canonical
from isegoria.record.format.people import Ratings, number4, number8

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
