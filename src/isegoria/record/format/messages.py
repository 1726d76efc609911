"""What members sign, byte by byte. `charter` and `freeze` are the hashes of those lines, 32 bytes each."""

from __future__ import annotations

from hashlib import sha256

from isegoria.record.format.people import number4, number8


def witness_message(charter: bytes, freeze: bytes, at: int) -> bytes:
    """I saw this frozen page at this time (Unix seconds)."""
    return b"isegoria witness 1\0" + charter + freeze + number8(at)


def value_message(charter: bytes, freeze: bytes, source: bytes) -> bytes:
    """I saw these numbers come up for this frozen page."""
    return b"isegoria value 1\0" + charter + freeze + source


def reveal_message(charter: bytes, freeze: bytes, value: bytes) -> bytes:
    """This is what I had committed to, and I saw this frozen page before I said it."""
    return b"isegoria reveal 1\0" + charter + freeze + value


def void_message(charter: bytes, freeze: bytes, at: int) -> bytes:
    """I agreed at this time that this round shall not be drawn."""
    return b"isegoria void 1\0" + charter + freeze + number8(at)


def commit_hash(group: bytes, round_: int, n: int, value: bytes) -> bytes:
    """What member n shows before the freeze of the 32 bytes she will reveal."""
    return sha256(b"isegoria commit 1\0" + group + number8(round_) + number4(n) + value).digest()


def check_message(charter: bytes, head: bytes) -> bytes:
    """My device has checked this record up to this head."""
    return b"isegoria checked 1\0" + charter + head
