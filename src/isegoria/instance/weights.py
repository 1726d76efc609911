"""Weights: a row of weight w stands for w identical agents, so weights are whole numbers from 1 up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from isegoria.errors import InputError
from isegoria.wording import counted

MOST_AGENTS = 2**53
"""The largest total weight: beyond it doubles no longer count by ones."""


def checked_weights(weights: Any, agents: Sequence[str]) -> np.ndarray | None:
    """(N,) read-only int64 weights, or None when every agent counts once."""
    if weights is None:
        return None
    given = np.asarray(weights)
    if given.shape != (len(agents),):
        size = counted(given.size, "number") if given.ndim == 1 else f"of shape {given.shape}"
        everyone = counted(len(agents), "agent")
        raise InputError(f"weights is {size} for {everyone}; expected one whole number for each agent.")
    if given.dtype.kind not in "biuf":
        given = _as_floats(np.array(weights, dtype=object), agents)
    with np.errstate(invalid="ignore"):
        good = (given >= 1) & (given <= MOST_AGENTS)
        if given.dtype.kind == "f":
            good &= given == np.floor(given)
    if not good.all():
        _refuse(given, int(np.argmin(good)), agents)
    counts = given.astype(np.int64)
    if counts.sum(dtype=float) > MOST_AGENTS:
        raise InputError(f"the weights add up to more than {MOST_AGENTS:.3g} agents; divide them by a common factor.")
    counts.setflags(write=False)
    return counts


def _as_floats(given: np.ndarray, agents: Sequence[str]) -> np.ndarray:
    """Numbers that came as objects (fractions, decimals, None) as floats; text is refused."""
    floats = np.empty(given.shape)
    for i, weight in enumerate(given.tolist()):
        try:
            floats[i] = float("nan") if isinstance(weight, str | bytes) else float(weight)
        except (TypeError, ValueError, OverflowError):
            floats[i] = float("nan")
        if np.isnan(floats[i]):
            _refuse(given, i, agents)
    return floats


def _refuse(given: np.ndarray, i: int, agents: Sequence[str]) -> None:
    value = given[i].item() if hasattr(given[i], "item") else given[i]
    way_out = (
        "Leave an agent that does not count out of the table."
        if isinstance(value, int | float) and value == 0
        else "Multiply the weights by a common factor to make them whole."
        if isinstance(value, float) and 0 < value < MOST_AGENTS
        else "Divide all of them by a common factor: they may add up to 2^53 at most."
        if isinstance(value, int | float) and value > MOST_AGENTS
        else "Give the number of identical agents that the row stands for."
    )
    raise InputError(
        f"weights[{i}] (agent {agents[i]!r}) is {value!r}; weights must be whole numbers from 1 up. {way_out}"
    )
