"""Weights: a row of weight w stands for w identical agents, so weights are integers from 1 up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from isegoria.errors import InputError
from isegoria.utils.formatting import pluralise

MAX_TOTAL_WEIGHT = 2**53
"""Maximum total weight: above it, doubles cannot represent every integer."""


def validate_weights(weights: Any, agents: Sequence[str]) -> np.ndarray | None:
    """Return (N,) read-only int64 weights, or None if every agent counts once."""
    if weights is None:
        return None
    given = np.asarray(weights)
    if given.shape != (len(agents),):
        size = pluralise(given.size, "number") if given.ndim == 1 else f"of shape {given.shape}"
        everyone = pluralise(len(agents), "agent")
        raise InputError(f"weights is {size} for {everyone}; expected one whole number for each agent.")
    if given.dtype.kind not in "biuf":
        given = _as_floats(np.array(weights, dtype=object), agents)
    with np.errstate(invalid="ignore"):
        good = (given >= 1) & (given <= MAX_TOTAL_WEIGHT)
        if given.dtype.kind == "f":
            good &= given == np.floor(given)
    if not good.all():
        _raise_bad_weight(given, int(np.argmin(good)), agents)
    counts = given.astype(np.int64)
    if counts.sum(dtype=float) > MAX_TOTAL_WEIGHT:
        raise InputError(
            f"the weights add up to more than {MAX_TOTAL_WEIGHT:.3g} agents; divide them by a common factor."
        )
    counts.setflags(write=False)
    return counts


def _as_floats(given: np.ndarray, agents: Sequence[str]) -> np.ndarray:
    """Convert weights given as objects (fractions, decimals) to floats; raise `InputError` for anything else."""
    floats = np.empty(given.shape)
    for i, weight in enumerate(given.tolist()):
        try:
            floats[i] = float("nan") if isinstance(weight, str | bytes) else float(weight)
        except (TypeError, ValueError, OverflowError):
            floats[i] = float("nan")
        if np.isnan(floats[i]):
            _raise_bad_weight(given, i, agents)
    return floats


def _raise_bad_weight(given: np.ndarray, i: int, agents: Sequence[str]) -> None:
    value = given[i].item() if hasattr(given[i], "item") else given[i]
    way_out = (
        "Leave an agent that does not count out of the table."
        if isinstance(value, int | float) and value == 0
        else "Multiply the weights by a common factor to make them whole."
        if isinstance(value, float) and 0 < value < MAX_TOTAL_WEIGHT
        else "Divide all of them by a common factor: they may add up to 2^53 at most."
        if isinstance(value, int | float) and value > MAX_TOTAL_WEIGHT
        else "Give the number of identical agents that the row stands for."
    )
    raise InputError(
        f"weights[{i}] (agent {agents[i]!r}) is {value!r}; weights must be whole numbers from 1 up. {way_out}"
    )
