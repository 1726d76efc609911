"""Deterministic turns (mode `deterministic`): the option with the largest score is played; a lottery decides only ties.

Supporters contribute what they are owed, this round's credit, and a quarter of a decision for each round they waited
(at most 12); the voices of this round count one half. Scores are whole numbers, four times these amounts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from isegoria.record.format.draw_stream import DrawStream
from isegoria.record.format.voice_units import UNITS_PER_VOICE
from isegoria.record.turns.ledger import Ballots, multiply_exactly, score_options

MAX_COUNTED_WAIT_ROUNDS = 12


def score_deterministic(ballots: Ballots, owed: np.ndarray, waited: Sequence[int]) -> list[int]:
    """Compute the score of each option (K,).

    It is the sum of 4·(owed + credit) + U·waited over participating supporters, by weight, and 2·⌊V·W_a/W⌋ for the
    voices.
    """
    asking, weights = ballots.asking, ballots.weights
    everyone, asked = int(weights.sum()), int(weights[asking].sum())
    patience = (
        np.minimum(np.array(waited, dtype=np.int64), MAX_COUNTED_WAIT_ROUNDS)[asking]
        * UNITS_PER_VOICE
        * weights[asking]
    )
    waiting = multiply_exactly(patience[None, :], ballots.wants[asking])[0]
    claims = score_options(ballots, owed[:, :1])[0]
    return [
        2 * (voice * asked // everyone) + 4 * int(claim) + int(wait)
        for voice, claim, wait in zip(ballots.voices.tolist(), claims, waiting, strict=True)
    ]


def find_top_options(ballots: Ballots, points: Sequence[int]) -> list[int]:
    """Return the options with the largest score among those that some voice is spent on."""
    played = [arm for arm, units in enumerate(ballots.voices.tolist()) if units > 0]
    top = max(points[arm] for arm in played)
    return [arm for arm in played if points[arm] == top]


def draw_among_tied(stream: DrawStream, voices: np.ndarray, tied: Sequence[int]) -> int:
    """Draw a number of the drum that belongs to one of the tied options, uniformly: ties are decided by voices."""
    ends: list[int] = np.cumsum(voices).tolist()
    number = stream.below(sum(int(voices[arm]) for arm in tied))
    for arm in tied:
        if number < int(voices[arm]):
            return ends[arm] - int(voices[arm]) + number
        number -= int(voices[arm])
    raise AssertionError("the number lies below the sum")
