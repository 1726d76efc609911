"""Draw balls from a drum in which every voice has its exact place, and compute waiting times for a favourite.

Equal chances do not prevent bad luck. Blocks of draws do, because their balls are spread over the whole drum.
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
from isegoria.record.exact_voices import Voices
from isegoria.record.format.draw_stream import NO_FREEZE_HASH, DrawStream, draw_block
from isegoria.record.format.voice_units import MAX_BLOCK_DRAWS
from isegoria.utils.arguments import explain_keywords
from isegoria.utils.arrays import freeze
from isegoria.utils.formatting import pluralise
from isegoria.utils.notebook import NotebookView


@dataclass(frozen=True, eq=False)
class DrawResult(NotebookView):
    """A block of draws from exact voices, in slot order.

    Attributes
    ----------
    voices : Voices
        The voices that were drawn from.
    arms : array of shape (B,)
        The position of the arm of each slot.
    agents : array of shape (B,)
        The position of the agent whose voice each slot was.
    balls : array of shape (B,)
        The number that each slot drew from the drum.
    """

    voices: Voices = field(repr=False)
    arms: np.ndarray
    agents: np.ndarray
    balls: np.ndarray

    def view_lines(self) -> list[str]:
        """Return the number of draws."""
        return [pluralise(len(self.arms), "draw")]

    def view_rows(self) -> list[dict[str, Any]]:
        """Return the arm and the agent of each draw."""
        return [{"draw": n, "arm": arm, "agent": agent} for n, (arm, agent) in enumerate(self.names, start=1)]

    @property
    def names(self) -> list[tuple[str, str]]:
        """The arm of each slot, and the agent whose voice it was."""
        arms, agents = self.voices.arms, self.voices.agents
        return [(arms[k], agents[i]) for k, i in zip(self.arms.tolist(), self.agents.tolist(), strict=True)]


@explain_keywords
def draw(voices: Voices, seed: bytes | str, draws: int = 1) -> DrawResult:
    """Draw a block of arms from `voices`, determined by `seed` alone.

    Each slot alone follows the policy exactly. Together the slots are turns: in a block of N draws for N members with
    one favourite each, everyone gets one.

    Parameters
    ----------
    voices : Voices
        Exact voices, as `voices` returns them.
    seed : bytes or str
        The randomness itself, such as dice that the group has thrown. Text is encoded in UTF-8.
    draws : int
        The number of draws, 1 to 20.

    Returns
    -------
    DrawResult
        Arms, agents and balls in slot order. Equal seeds give equal draws.

    Raises
    ------
    InputError
        If an argument has the wrong type, or `draws` is out of range.

    Examples
    --------
    >>> import isegoria as iso
    >>> voices = iso.voices(iso.Instance([[1, 0], [1, 0], [0, 1]], arms=["tea", "coffee"]))
    >>> iso.draw(voices, seed=b"3 6 1 1 4 2", draws=3).names
    [('tea', 'Agent 1'), ('coffee', 'Agent 3'), ('tea', 'Agent 2')]
    """
    if not isinstance(voices, Voices):
        raise InputError(f"draw needs Voices, not a {type(voices).__name__}; iso.voices(instance) makes them.")
    balls = draw_block(DrawStream(NO_FREEZE_HASH, encode_seed(seed)), voices.total, require_block(draws))
    arms = locate_arms(voices, balls)
    agents = [locate_agent(voices, ball) for ball in balls]
    return DrawResult(voices, *(freeze(np.array(column, dtype=np.int64)) for column in (arms, agents, balls)))


def locate_ball(voices: Voices, ball: int) -> tuple[int, int, int]:
    """Return the arm, the type and the rank among the members of that type to which a ball belongs.

    The drum is laid out arm by arm; within an arm type by type, within a type member by member.
    """
    ends = np.cumsum(voices.voices)
    arm = int(np.searchsorted(ends, ball, side="right"))
    offset = ball - int(ends[arm] - voices.voices[arm])
    within = np.cumsum(voices.counts * voices.rows[:, arm])
    kind = int(np.searchsorted(within, offset, side="right"))
    before = int(within[kind] - voices.counts[kind] * voices.rows[kind, arm])
    return arm, kind, (offset - before) // int(voices.rows[kind, arm])


def locate_arms(voices: Voices, balls: Sequence[int]) -> list[int]:
    """Return the arm to which each ball belongs."""
    ends = np.cumsum(voices.voices)
    return np.searchsorted(ends, np.array(balls, dtype=np.int64), side="right").tolist()


def locate_agent(voices: Voices, ball: int) -> int:
    """Return the position of the member whose voice a ball is; the members of a type are laid out in their order."""
    _, kind, rank = locate_ball(voices, ball)
    return int(np.flatnonzero(voices.member == kind)[rank])


def require_block(block: Any) -> int:
    """Return the number of draws in a block. Raise `InputError` unless it is 1 to 20."""
    if not isinstance(block, (int, np.integer)) or isinstance(block, bool) or not 1 <= block <= MAX_BLOCK_DRAWS:
        raise InputError(f"block is {block!r}; a block has 1 to {MAX_BLOCK_DRAWS} draws.")
    return int(block)


def encode_seed(seed: Any) -> bytes:
    """Return the randomness of a draw as bytes; text is encoded in UTF-8."""
    if isinstance(seed, str):
        return seed.encode("utf-8", "surrogateescape")
    if not isinstance(seed, (bytes, bytearray, memoryview)):
        raise InputError(f"seed is {seed!r}; give the randomness as bytes, such as seed=b'3 6 1 1 4 2', or as text.")
    return bytes(seed)


# -- waiting: the chance that a member gets none of their favourites for days ------------------------------------------

MAX_FOLLOWED_ARMS = 16
"""All sets of arms that may have come up are tracked: 2 to the power of the number of arms."""

ArmSetProbabilities = dict[int, Fraction]  # sets of arms as bits, with the chance that exactly these came up


def dry_spell_probability(voices: Voices, days: int, block: int = 1) -> Fraction:
    """Compute the chance that somebody gets none of their favourites in `days` draws from the start of a block.

    >>> import isegoria as iso
    >>> voices = iso.voices(iso.Instance([[1, 0], [1, 0], [0, 1]]))
    >>> [str(dry_spell_probability(voices, days=3, block=block)) for block in (1, 3)]
    ['1/3', '0']
    """
    if len(voices.arms) > MAX_FOLLOWED_ARMS:
        raise InputError(
            f"{len(voices.arms)} arms are too many to follow every set of them; at most {MAX_FOLLOWED_ARMS}."
        )
    block = require_block(block)
    whole, rest = divmod(days, block)
    met: ArmSetProbabilities = {0: Fraction(1)}
    each = compute_seen_arms(voices, block, block)
    for _ in range(whole):
        met = _combine_blocks(met, each)
    if rest:
        met = _combine_blocks(met, compute_seen_arms(voices, block, rest))
    wants = [int(sum(1 << k for k in np.flatnonzero(held))) for held in voices.sets]
    return sum((chance for mask, chance in met.items() if any(not mask & want for want in wants)), Fraction(0))


def compute_seen_arms(voices: Voices, block: int, slots: int) -> ArmSetProbabilities:
    """Compute the chance of each set of arms to be exactly what the first `slots` draws of a block show."""
    step, ends = Fraction(voices.total, block), np.cumsum(voices.voices).tolist()
    cuts = sorted({Fraction(0), step, *(Fraction(end) % step for end in ends)})
    found: ArmSetProbabilities = {}
    for start, end in pairwise(cuts):
        balls = [start + j * step for j in range(block)]
        counts = [0] * len(ends)
        for ball in balls:
            counts[next(k for k, last in enumerate(ends) if ball < last)] += 1
        for mask, ways in _count_selections(counts, slots).items():
            found[mask] = found.get(mask, Fraction(0)) + (end - start) / step * Fraction(ways, comb(block, slots))
    return found


def _count_selections(counts: list[int], slots: int) -> dict[int, int]:
    """Count the ways in which `slots` of the balls, `counts` per arm, show exactly each set of arms."""
    ways = {(0, 0): 1}
    for arm, count in enumerate(counts):
        more: dict[tuple[int, int], int] = {}
        for (mask, used), known in ways.items():
            for taken in range(min(count, slots - used) + 1):
                key = (mask | (1 << arm if taken else 0), used + taken)
                more[key] = more.get(key, 0) + known * comb(count, taken)
        ways = more
    return {mask: known for (mask, used), known in ways.items() if used == slots}


def _combine_blocks(one: ArmSetProbabilities, other: ArmSetProbabilities) -> ArmSetProbabilities:
    found: ArmSetProbabilities = {}
    for a, p in one.items():
        for b, q in other.items():
            found[a | b] = found.get(a | b, Fraction(0)) + p * q
    return found
