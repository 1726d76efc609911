"""Settled turns: no lottery but between ties. The option whose supporters have most on their side is played.

Supporters bring what they are owed, this round's promise, and a quarter of a decision for each round they waited (at
most 12); the voices of this round count one half. All in whole numbers, four times those of the sentence.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from isegoria.record.format.stream import Stream
from isegoria.record.format.units import UNITS
from isegoria.record.turns.ledger import Ballots, exact_product, scores

LONGEST_WAIT = 12


def settled_scores(ballots: Ballots, owed: np.ndarray, waited: Sequence[int]) -> list[int]:
    """(K,) 4·(owed + credit) and U·waited of each supporter who asks, by weight, and 2·⌊V·W_a/W⌋ for the voices."""
    asking, weights = ballots.asking, ballots.weights
    everyone, asked = int(weights.sum()), int(weights[asking].sum())
    patience = np.minimum(np.array(waited, dtype=np.int64), LONGEST_WAIT)[asking] * UNITS * weights[asking]
    waiting = exact_product(patience[None, :], ballots.wants[asking])[0]
    claims = scores(ballots, owed[:, :1])[0]
    return [
        2 * (voice * asked // everyone) + 4 * int(claim) + int(wait)
        for voice, claim, wait in zip(ballots.voices.tolist(), claims, waiting, strict=True)
    ]


def tied_at_the_top(ballots: Ballots, points: Sequence[int]) -> list[int]:
    """The options of the largest score among those that some voice is spent on."""
    played = [arm for arm, units in enumerate(ballots.voices.tolist()) if units > 0]
    top = max(points[arm] for arm in played)
    return [arm for arm in played if points[arm] == top]


def ball_among(stream: Stream, voices: np.ndarray, tied: Sequence[int]) -> int:
    """A number of the drum that lies on one of the tied options, each as likely: ties are drawn by voices."""
    ends: list[int] = np.cumsum(voices).tolist()
    number = stream.below(sum(int(voices[arm]) for arm in tied))
    for arm in tied:
        if number < int(voices[arm]):
            return ends[arm] - int(voices[arm]) + number
        number -= int(voices[arm])
    raise AssertionError("the number lies below the sum")
