"""Signatures of a beacon that are almost right."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from record.record_factory import REAL_ROUNDS


def make_invalid_signatures(number: int, count: int) -> Iterator[bytes]:
    """`count` spoilt signatures of a real round: bits flipped, bytes exchanged, another round's signature."""
    known = REAL_ROUNDS
    good, chance = bytes.fromhex(known[number]), Random(number)
    others = [bytes.fromhex(signature) for other, signature in known.items() if other != number]
    for turn in range(count):
        bad = bytearray(good)
        if turn % 4 == 3:
            bad[:] = chance.choice(others)
        elif turn % 4 == 2:
            a, b = chance.sample(range(len(bad)), 2)
            bad[a], bad[b] = bad[b], bad[a] ^ 1
        else:
            for _ in range(1 + turn % 2):
                bad[chance.randrange(len(bad))] ^= 1 << chance.randrange(8)
        if bytes(bad) != good:
            yield bytes(bad)
