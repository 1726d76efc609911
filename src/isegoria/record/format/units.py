"""From ratings to voices, exactly: favourites by the decimals that were typed, and voices in whole units.

So that a stranger gets the same sets and the same rows: decimals are compared as they are, and rows add up.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from isegoria.errors import InputError
from isegoria.record.format.canonical import LARGEST, exact
from isegoria.record.format.people import Ratings

UNITS = 3_724_680_960
"""16 · lcm(1 … 20): ties of up to 20 arms and blocks of up to 20 draws divide it evenly."""

LONGEST_BLOCK = 20
FINEST = 2.0**62  # shares become whole numbers before they are divided: then every remainder is exact


def checked_total(weight: int) -> int:
    """W·U, the units of all voices together; a group that is too large for exact numbers is refused.

    >>> checked_total(3)
    11174042880
    """
    if weight * UNITS >= LARGEST:
        raise InputError(
            f"a group of total weight {weight:,} is too large for exact voices of {UNITS:,} units each: "
            f"at most {(LARGEST - 1) // UNITS:,}. Divide the group, or let one row stand for fewer people."
        )
    return weight * UNITS


def finest_units(weight: int) -> int:
    """U, the units of one voice in a group of total weight W: the largest multiple of `UNITS` that fits.

    >>> finest_units(10), finest_units(2_000_000) == UNITS
    (900717248471040, True)
    """
    checked_total(weight)
    return UNITS * max(1, (LARGEST - 1) // (weight * UNITS))


def rounded_rows(shares: np.ndarray, totals: np.ndarray) -> np.ndarray:
    """(m, K) whole numbers in proportion to each row of `shares`, of sum `totals` (m,), by largest remainder.

    What is missing after rounding down goes to the largest remainders, between equal ones to the lower arm. An entry
    of 0 stays 0.

    >>> rounded_rows(np.array([[0.5, 0.5, 0.0], [0.2, 0.2, 0.2]]), np.array([3, 10])).tolist()
    [[2, 1, 0], [4, 3, 3]]
    """
    rows = []
    for row, total in zip(shares.tolist(), totals.tolist(), strict=True):
        top = max(row)
        held = [k for k, share in enumerate(row) if share > 0]
        units = [0] * len(row)
        for k, found in zip(held, divided([int(row[k] / top * FINEST) for k in held], total), strict=True):
            units[k] = found
        rows.append(units)
    return np.array(rows, dtype=np.int64).reshape(shares.shape)


def divided(parts: Sequence[int], total: int) -> list[int]:
    """`total` units in proportion to whole numbers `parts`, by largest remainder, ties to the lower place.

    >>> divided([1, 1, 1], 10)
    [4, 3, 3]
    """
    if len(parts) == 1:
        return [total]
    whole = sum(parts)
    units, left = map(list, zip(*(divmod(part * total, whole) for part in parts), strict=True))
    for place in sorted(range(len(parts)), key=lambda i: (-left[i], i))[: total - sum(units)]:
        units[place] += 1
    return units


def doubters_row(arms: int, held: Sequence[int], leader: int, total: int, explore: Fraction) -> list[int]:
    """(K,) the units of a member in doubt: 1 − `explore` of them on her leader, the rest equal on her other arms.

    >>> doubters_row(4, [0, 1, 3], 1, 10, Fraction(1, 4))
    [1, 8, 0, 1]
    """
    row = [0] * arms
    if len(held) == 1:
        row[held[0]] = total
        return row
    each = explore / (len(held) - 1)
    quotas = {arm: total * (1 - explore if arm == leader else each) for arm in held}
    for arm, quota in quotas.items():
        row[arm] = int(quota)
    for arm in sorted(held, key=lambda k: (row[k] - quotas[k], k))[: total - sum(row)]:
        row[arm] += 1
    return row


# -- favourites --------------------------------------------------------------------------------------------------------

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
