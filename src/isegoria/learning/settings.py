"""Settings of learners, checked once: each returns the value it accepts, or says what was expected."""

from __future__ import annotations

import math

import numpy as np

from isegoria.errors import InputError


def checked_share(name: str, value: float, meaning: str, zero: bool = False, one: bool = False) -> float:
    """`value` as a float between 0 and 1; the ends only where `zero` or `one` allows them.

    >>> checked_share("rate", 1, "a probability", one=True)
    1.0
    """
    if not _number(value) or not (0 < value < 1 or (zero and value == 0) or (one and value == 1)):
        low, high = ("from 0" if zero else "above 0"), ("up to 1" if one else "below 1")
        raise InputError(f"{name} is {value!r}; expected {meaning}, {low} and {high}.")
    return float(value)


def checked_horizon(horizon: int) -> int:
    """`horizon` as a whole number from 1 up.

    >>> checked_horizon(1000)
    1000
    """
    if not _number(horizon) or not 1 <= horizon < math.inf or int(horizon) != horizon:
        raise InputError(f"horizon is {horizon!r}; expected the number of rounds to come, a whole number from 1 up.")
    return int(horizon)


def checked_scale(scale: float) -> float:
    """`scale` as a positive finite float.

    >>> checked_scale(2)
    2.0
    """
    if not _number(scale) or not 0 < scale < math.inf:
        raise InputError(f"scale is {scale!r}; expected a positive number, the constant of the published rate.")
    return float(scale)


def _number(value) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)
