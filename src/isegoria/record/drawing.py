"""A draw: balls out of a drum in which every voice has its exact place; and how long somebody waits for a favourite.

Equal chances do not keep anyone from bad luck. Blocks of draws do: their balls are spread over the whole drum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from math import comb
from typing import Any

import numpy as np

from isegoria.errors import InputError
from isegoria.record.format.stream import NO_FREEZE, Stream, block_of_balls
from isegoria.record.format.units import LONGEST_BLOCK
from isegoria.record.voices import Voices
from isegoria.rows.views import frozen


@dataclass(frozen=True, eq=False)
class Drawn:
    """A block of draws, in slot order: `arms` (B,) and `agents` (B,) by position, `balls` (B,)."""

    voices: Voices = field(repr=False)
    arms: np.ndarray
    agents: np.ndarray
    balls: np.ndarray

    @property
    def names(self) -> list[tuple[str, str]]:
        """The arm of each slot, and whose voice it was."""
        arms, agents = self.voices.arms, self.voices.agents
        return [(arms[k], agents[i]) for k, i in zip(self.arms.tolist(), self.agents.tolist(), strict=True)]


def draw(voices: Voices, seed: bytes | str, block: int = 1) -> Drawn:
    """`block` draws (1 to 20) from `voices`, by `seed` alone: the same seed always draws the same.

    Each slot alone follows the policy exactly. Together they are turns: in a block of N draws for N members of one
    favourite each, everyone gets one. `seed` is the randomness itself, such as dice that the group has thrown.

    >>> import isegoria as iso
    >>> voices = iso.voices(iso.Instance([[1, 0], [1, 0], [0, 1]], arms=["tea", "coffee"]))
    >>> iso.draw(voices, seed=b"3 6 1 1 4 2", block=3).names
    [('tea', 'Agent 1'), ('coffee', 'Agent 3'), ('tea', 'Agent 2')]
    """
    if not isinstance(voices, Voices):
        raise InputError(f"draw needs Voices, not a {type(voices).__name__}; iso.voices(instance) makes them.")
    balls = block_of_balls(Stream(NO_FREEZE, checked_seed(seed)), voices.total, checked_block(block))
    arms = arms_of(voices, balls)
    agents = [member_of(voices, ball) for ball in balls]
    return Drawn(voices, *(frozen(np.array(column, dtype=np.int64)) for column in (arms, agents, balls)))


def place(voices: Voices, ball: int) -> tuple[int, int, int]:
    """(arm, type, rank among the members of that type) that a ball names: every ball is somebody's.

    The drum is laid out arm by arm; inside an arm type by type, inside a type member by member.
    """
    ends = np.cumsum(voices.voices)
    arm = int(np.searchsorted(ends, ball, side="right"))
    offset = ball - int(ends[arm] - voices.voices[arm])
    within = np.cumsum(voices.counts * voices.rows[:, arm])
    kind = int(np.searchsorted(within, offset, side="right"))
    before = int(within[kind] - voices.counts[kind] * voices.rows[kind, arm])
    return arm, kind, (offset - before) // int(voices.rows[kind, arm])


def arms_of(voices: Voices, balls: Sequence[int]) -> list[int]:
    """The arm that each ball lies on."""
    ends = np.cumsum(voices.voices)
    return np.searchsorted(ends, np.array(balls, dtype=np.int64), side="right").tolist()


def member_of(voices: Voices, ball: int) -> int:
    """The position of the member whose voice a ball is: members of a type lie in their own order."""
    _, kind, rank = place(voices, ball)
    return int(np.flatnonzero(voices.member == kind)[rank])


def checked_block(block: Any) -> int:
    """The number of draws in a block, 1 to 20."""
    if not isinstance(block, (int, np.integer)) or isinstance(block, bool) or not 1 <= block <= LONGEST_BLOCK:
        raise InputError(f"block is {block!r}; a block has 1 to {LONGEST_BLOCK} draws.")
    return int(block)


def checked_seed(seed: Any) -> bytes:
    """The source of a draw as bytes; text is taken in UTF-8."""
    if isinstance(seed, str):
        return seed.encode("utf-8", "surrogateescape")
    if not isinstance(seed, (bytes, bytearray, memoryview)):
        raise InputError(f"seed is {seed!r}; give the randomness as bytes, such as seed=b'3 6 1 1 4 2', or as text.")
    return bytes(seed)


# -- waiting: the chance that a member sees none of her favourites for days --------------------------------------------

MOST_ARMS = 16
"""Every set of arms that may have come up is followed: 2 to the number of arms."""

Masks = dict[int, Fraction]  # sets of arms as bits, and the chance that exactly these came up


def dry_spell(voices: Voices, days: int, block: int = 1) -> Fraction:
    """The chance that in `days` draws (from the start of a block) somebody meets none of her favourites.

    >>> import isegoria as iso
    >>> voices = iso.voices(iso.Instance([[1, 0], [1, 0], [0, 1]]))
    >>> [str(dry_spell(voices, days=3, block=block)) for block in (1, 3)]
    ['1/3', '0']
    """
    if len(voices.arms) > MOST_ARMS:
        raise InputError(f"{len(voices.arms)} arms are too many to follow every set of them; at most {MOST_ARMS}.")
    block = checked_block(block)
    whole, rest = divmod(days, block)
    met: Masks = {0: Fraction(1)}
    each = seen_in(voices, block, block)
    for _ in range(whole):
        met = _together(met, each)
    if rest:
        met = _together(met, seen_in(voices, block, rest))
    wants = [int(sum(1 << k for k in np.flatnonzero(held))) for held in voices.sets]
    return sum((chance for mask, chance in met.items() if any(not mask & want for want in wants)), Fraction(0))


def seen_in(voices: Voices, block: int, slots: int) -> Masks:
    """Which arms come up in the first `slots` draws of a block, and with what chance."""
    step, ends = Fraction(voices.total, block), np.cumsum(voices.voices).tolist()
    cuts = sorted({Fraction(0), step, *(Fraction(end) % step for end in ends)})
    found: Masks = {}
    for start, end in pairwise(cuts):
        balls = [start + j * step for j in range(block)]
        counts = [0] * len(ends)
        for ball in balls:
            counts[next(k for k, last in enumerate(ends) if ball < last)] += 1
        for mask, ways in _chosen(counts, slots).items():
            found[mask] = found.get(mask, Fraction(0)) + (end - start) / step * Fraction(ways, comb(block, slots))
    return found


def _chosen(counts: list[int], slots: int) -> dict[int, int]:
    """In how many ways `slots` of the balls, of which each arm has so many, show exactly these arms."""
    ways = {(0, 0): 1}
    for arm, count in enumerate(counts):
        more: dict[tuple[int, int], int] = {}
        for (mask, used), known in ways.items():
            for taken in range(min(count, slots - used) + 1):
                key = (mask | (1 << arm if taken else 0), used + taken)
                more[key] = more.get(key, 0) + known * comb(count, taken)
        ways = more
    return {mask: known for (mask, used), known in ways.items() if used == slots}


def _together(one: Masks, other: Masks) -> Masks:
    found: Masks = {}
    for a, p in one.items():
        for b, q in other.items():
            found[a | b] = found.get(a | b, Fraction(0)) + p * q
    return found
