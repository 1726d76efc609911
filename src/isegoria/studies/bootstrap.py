"""Standard errors and bootstrap confidence intervals of means and of paired mean differences."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from isegoria.utils.arrays import count_labels
from isegoria.utils.seeds import random_stream

N_RESAMPLES = 2000
CONFIDENCE_LEVEL = 0.95
RESAMPLE_BATCH_SIZE = 64
"""Number of resamples that are counted before they are applied to the values; few enough to stay in the CPU cache."""

MAX_STORED_COUNTS = 20_000_000
"""Number of resampling counts that are stored for further tables of as many rows."""


class Interval(NamedTuple):
    """The mean of some values, its standard error, the ends of its 95 % bootstrap interval, and the count."""

    mean: float
    se: float
    low: float
    high: float
    values: int


def bootstrap_intervals(values: np.ndarray, seed: int = 0, resamples: int = N_RESAMPLES) -> list[Interval]:
    """Compute the `Interval` of each column of `values` (n, m) by resampling whole rows, ignoring NaNs per column.

    If the columns are differences between two rules on the same groups (or two learners on the same seeds), the
    intervals are paired: variation that both share cancels. The resamples depend on `seed` and n only.

    >>> found = bootstrap_intervals(np.column_stack([np.arange(100.0), np.full(100, 2.0)]))
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
    low, high = _resample_quantiles(filled, known, seed, resamples)
    exact = (spread == 0) & (counts > 0)  # a constant column: resampling would add only rounding errors
    low, high, errors = (
        np.where(exact, other, each) for other, each in zip((means, means, 0.0), (low, high, errors), strict=True)
    )
    columns = zip(means, errors, low, high, counts, strict=True)
    return [Interval(float(m), float(e), float(a), float(b), int(n)) for m, e, a, b, n in columns]


def _draw_counts(seed: int, rows: int, resamples: int) -> Iterator[np.ndarray]:
    """Yield batches (b, rows) that say how often each row is in each resample."""
    rng = random_stream(seed, "bootstrap")
    for start in range(0, resamples, RESAMPLE_BATCH_SIZE):
        drawn = rng.integers(rows, size=(min(RESAMPLE_BATCH_SIZE, resamples - start), rows))
        yield np.stack([count_labels(row, minlength=rows) for row in drawn]).astype(np.uint32)


@lru_cache(maxsize=1)
def _draw_counts_once(seed: int, rows: int, resamples: int) -> list[np.ndarray]:
    return list(_draw_counts(seed, rows, resamples))


def _resample_quantiles(
    filled: np.ndarray, known: np.ndarray, seed: int, resamples: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the lower and upper ends (m,): quantiles of the means over resampled rows; NaN for an empty column."""
    rows, start = len(filled), 0
    found = np.full((resamples, filled.shape[1]), np.nan)
    draw = _draw_counts_once if rows * resamples <= MAX_STORED_COUNTS else _draw_counts
    for batch in draw(seed, rows, resamples) if rows else ():
        times = batch.astype(float)
        with np.errstate(invalid="ignore", divide="ignore"):
            found[start : start + len(times)] = (times @ filled) / (rows if known.all() else times @ known)
        start += len(times)
    tail = (1 - CONFIDENCE_LEVEL) / 2
    missing = np.isnan(found).all(axis=0)
    low, high = np.nanquantile(np.where(missing, 0.0, found), (tail, 1 - tail), axis=0)
    return np.where(missing, np.nan, low), np.where(missing, np.nan, high)
