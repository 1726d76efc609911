"""The log-log slope of regret with its interval, and the slope of the bound."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

SLOPE_CONFIDENCE = 0.95


@dataclass(frozen=True)
class Slope:
    """The least-squares slope of ln regret on ln x of one panel with its 95 % interval, and that of the bound.

    Runs whose regret equals their number of rounds have not converged; they are counted in `unfinished` and left out.
    Against rounds, the slope is that of the last decade and within runs: each run has its own intercept.
    """

    panel: str
    slope: float
    low: float
    high: float
    theory: float
    points: int
    unfinished: int


def fit_slope(panel: str, points: dict[str, list[Any]], rounds: int) -> Slope:
    """Fit the `Slope` of one panel of the study's points, for runs of `rounds` rounds.

    >>> rows = {"panel": ["gap"] * 4, "x": [0.1, 0.1, 0.2, 0.2], "regret": [400, 402, 100, 101], "bound": [8, 8, 1, 1]}
    >>> found = fit_slope("gap", rows, 1000)
    >>> round(found.slope, 1), round(found.theory, 1), found.unfinished
    (-2.0, -3.0, 0)
    """
    mine = np.array([name == panel for name in points["panel"]])
    x, regret, bound = (np.array(points[name], dtype=float)[mine] for name in ("x", "regret", "bound"))
    seed = np.array(points["seed"])[mine] if panel == "rounds" else np.zeros(len(x))
    done = x > rounds / 10 if panel == "rounds" else regret < rounds
    finished = done & (regret > 0)
    measured, low, high = _fit_parallel_lines(np.log(x[finished]), np.log(regret[finished]), seed[finished])
    theory = _fit_parallel_lines(np.log(x[done]), np.log(bound[done]), seed[done])[0]
    ends = x == x.max() if panel == "rounds" else np.full(len(x), True)  # the last record of each run
    unfinished = int((ends & (regret >= (x if panel == "rounds" else rounds))).sum())
    return Slope(panel, measured, low, high, theory, int(finished.sum()), unfinished)


def _fit_parallel_lines(x: np.ndarray, y: np.ndarray, run: np.ndarray) -> tuple[float, float, float]:
    """Fit parallel lines, one for each `run`; return the slope and its confidence limits, NaN if undetermined."""
    from scipy.stats import t

    if len(np.unique(x)) < 2:
        return math.nan, math.nan, math.nan
    runs = [run == each for each in np.unique(run)]
    off, level = x.copy(), y.copy()
    for each in runs:
        off[each] -= x[each].mean()
        level[each] -= y[each].mean()
    found = float(off @ level / (off @ off))
    rest = level - found * off
    free = len(x) - 1 - len(runs)
    if free < 1:
        return found, math.nan, math.nan
    error = math.sqrt(float(rest @ rest) / free / float(off @ off))
    reach = float(t.ppf((1 + SLOPE_CONFIDENCE) / 2, free)) * error
    return found, found - reach, found + reach
