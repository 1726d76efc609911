"""How long somebody waits: the chance that a member sees none of her favourites for days, exactly.

Equal chances do not keep anyone from bad luck. Blocks of draws do: their balls are spread over the whole drum.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import comb

import numpy as np

from isegoria.errors import InputError
from isegoria.record.drawing import checked_block
from isegoria.record.voices import Voices

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
