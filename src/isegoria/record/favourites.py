"""Favourite sets from ratings as they were typed: decimals compared exactly, so that a stranger gets the same sets."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from isegoria.record.format.canonical import exact
from isegoria.record.format.people import Ratings

TIE = Fraction(1, 10**12)
"""Ratings this close to a member's best, as a part of the scale, are favourites too."""

CLEAR = 1e-9
"""Doubles decide where ratings differ by more than this part of the scale, or by nothing; fractions decide between."""

STEEP = 1e3
"""On a scale whose ends are this many times its length from 0, doubles lose too many digits, and fractions decide."""


def favourite_sets(
    rows: Sequence[Ratings | None], arms: int, available: Sequence[int], scale: Sequence[str]
) -> np.ndarray:
    """(N, K) booleans: the available arms that each member rated best; all available ones if she rated none of them.

    >>> favourite_sets([["4", "4", "5"], ["1", None, "1"], None], 3, [0, 1], ["0", "5"]).astype(int).tolist()
    [[1, 1, 0], [1, 0, 0], [1, 1, 0]]
    """
    low, high = map(exact, scale)
    span, open_arms = float(high - low), np.zeros(arms, dtype=bool)
    open_arms[list(available)] = True
    values = _table(rows, arms)
    values[:, ~open_arms] = -np.inf
    best = values.max(axis=1)
    unrated = best == -np.inf
    with np.errstate(invalid="ignore"):
        gap = best[:, None] - values
    sets = gap == 0
    sets[unrated] = open_arms
    near = ((gap > 0) & (gap <= CLEAR * span)).any(axis=1)
    if max(abs(float(low)), abs(float(high))) > STEEP * span:
        near = ~unrated
    for i in np.flatnonzero(near & ~unrated).tolist():
        sets[i] = _exactly(rows[i] or (), arms, available, (high - low) * TIE)
    return sets


def _table(rows: Sequence[Ratings | None], arms: int) -> np.ndarray:
    """(N, K) the ratings as doubles, minus infinity where there is none; each text is read once, as most are alike."""
    nothing = [None] * arms
    flat = [value for row in rows for value in (nothing if row is None else [*row, *nothing[len(row) :]])]
    number = {text: -np.inf if text is None else float(text) for text in set(flat)}
    return np.fromiter(map(number.__getitem__, flat), dtype=float, count=len(flat)).reshape(len(rows), arms)


def _exactly(row: Ratings, arms: int, available: Sequence[int], tie: Fraction) -> np.ndarray:
    rated = {k: exact(value) for k in available if k < len(row) and (value := row[k]) is not None}
    least = max(rated.values()) - tie
    found = np.zeros(arms, dtype=bool)
    found[[k for k, value in rated.items() if value >= least]] = True
    return found
