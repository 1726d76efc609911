"""How sure a mean is: its standard error, and the bootstrap interval of a mean or of a mean difference of pairs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from isegoria.seeds import stream

RESAMPLES = 2000
CONFIDENCE = 0.95
TOGETHER = 64
"""Resamples that are counted before they meet the values: few enough to stay in the processor's cache."""


class Interval(NamedTuple):
    """The mean of some values, its standard error, the ends of its 95 % bootstrap interval, and how many there were."""

    mean: float
    se: float
    low: float
    high: float
    values: int


def intervals(values: np.ndarray, seed: int = 0, resamples: int = RESAMPLES) -> list[Interval]:
    """The `Interval` of each column of `values` (n, m), by resampling whole rows; a column's NaNs are left out of it.

    Where the columns are differences between two rules on the same groups (or two learners on the same seeds), the
    intervals are paired: what makes a group easy for both leaves the difference. The draws depend on `seed` and n only.

    >>> found = intervals(np.column_stack([np.arange(100.0), np.full(100, 2.0)]))
    >>> round(found[0].mean, 1), 40 < found[0].low < 47 < 52 < found[0].high < 59, found[1][:4]
    (49.5, True, (2.0, 0.0, 2.0, 2.0))
    """
    values = np.asarray(values, dtype=float)
    known = ~np.isnan(values)
    counts, filled = known.sum(axis=0), np.where(known, values, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = filled.sum(axis=0) / counts
        spread = (np.where(known, values - means, 0.0) ** 2).sum(axis=0)
        errors = np.sqrt(spread / (counts - 1) / counts)
    low, high = _ends(filled, known.astype(float), seed, resamples)
    exact = (spread == 0) & (counts > 0)  # a constant: nothing to resample but rounding
    low, high, errors = (np.where(exact, other, each) for other, each in zip((means, means, 0.0), (low, high, errors),
                                                                             strict=True))  # fmt: skip
    columns = zip(means, errors, low, high, counts, strict=True)
    return [Interval(float(m), float(e), float(a), float(b), int(n)) for m, e, a, b, n in columns]


def _ends(filled: np.ndarray, known: np.ndarray, seed: int, resamples: int) -> tuple[np.ndarray, np.ndarray]:
    """The lower and upper ends (m,): quantiles of the means over resampled rows; NaN for a column of no values."""
    rng, rows = stream(seed, "bootstrap"), len(filled)
    found = np.full((resamples, filled.shape[1]), np.nan)
    for start in range(0, resamples if rows else 0, TOGETHER):
        some = min(TOGETHER, resamples - start)
        times = np.stack([np.bincount(drawn, minlength=rows) for drawn in rng.integers(rows, size=(some, rows))])
        with np.errstate(invalid="ignore", divide="ignore"):
            found[start : start + some] = (times @ filled) / (times @ known)
    tail = (1 - CONFIDENCE) / 2
    missing = np.isnan(found).all(axis=0)
    low, high = np.nanquantile(np.where(missing, 0.0, found), (tail, 1 - tail), axis=0)
    return np.where(missing, np.nan, low), np.where(missing, np.nan, high)
