"""The number stream of a draw, which anyone can recompute from the freeze page and the public randomness.

It is based on SHA-256, not on a NumPy generator: SHA-256 exists in every language, and a draw must be verifiable
without this package.
"""

from __future__ import annotations

from hashlib import sha256

from isegoria.errors import InputError

NO_FREEZE_HASH = bytes(32)
"""Replaces the freeze hash where there is no record."""


class DrawStream:
    """Numbers below any bound, in order, from SHA-256("isegoria draw 1\\0" ‖ freeze hash ‖ source bytes) and a counter.

    >>> stream = DrawStream(NO_FREEZE_HASH, b"2026-11-16")
    >>> [stream.below(6) + 1 for _ in range(8)]
    [3, 2, 4, 4, 1, 2, 4, 4]
    """

    def __init__(self, freeze: bytes, source: bytes):
        self._seed = sha256(b"isegoria draw 1\0" + freeze + source).digest()
        self._count = 0

    def below(self, bound: int) -> int:
        """Return the next number, uniform on 0 to `bound` − 1. Rejection sampling makes it exactly uniform."""
        limit = 2**64 - 2**64 % bound
        while (number := self._next()) >= limit:
            pass
        return number % bound

    def _next(self) -> int:
        block = sha256(self._seed + self._count.to_bytes(4, "big")).digest()
        self._count += 1
        return int.from_bytes(block[:8], "big")


def draw_block(stream: DrawStream, total: int, block: int) -> list[int]:
    """Draw `block` balls from a drum of `total` numbers: evenly spaced from one random start, in random order.

    Each slot alone is uniform over the drum. Together, the balls hit each part of the drum as often as its share says,
    up to one (Grimmett 2004; Gölz, Peters and Procaccia 2022).

    >>> sorted(draw_block(DrawStream(NO_FREEZE_HASH, b"7"), 12, 4))
    [0, 3, 6, 9]
    """
    if block < 1 or total % block:
        raise InputError(f"a block of {block} draws does not divide a drum of {total} numbers; choose another block.")
    step = total // block
    start = stream.below(step)
    balls = [start + j * step for j in range(block)]
    for i in range(block - 1, 0, -1):
        j = stream.below(i + 1)
        balls[i], balls[j] = balls[j], balls[i]
    return balls
