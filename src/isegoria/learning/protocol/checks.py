"""Arguments that several learners and simulations check alike."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from isegoria.errors import InputError


def whole(value: Any, what: str, least: int = 1) -> int:
    """`value` as a whole number, at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InputError(f"{what} is {value!r}; expected a whole number from {least} up.")
    return int(value)


def checked_share(name: str, value: float, meaning: str, zero: bool = False, one: bool = False) -> float:
    """`value` as a float between 0 and 1; the ends only where `zero` or `one` allows them.

    >>> checked_share("rate", 1, "a probability", one=True)
    1.0
    """
    if not _number(value) or not (0 < value < 1 or (zero and value == 0) or (one and value == 1)):
        low, high = ("from 0" if zero else "above 0"), ("up to 1" if one else "below 1")
        raise InputError(f"{name} is {value!r}; expected {meaning}, {low} and {high}.")
    return float(value)


def checked_flag(name: str, value: object) -> bool:
    """`value`, which is True or False, or 1 or 0.

    >>> checked_flag("watch", 1)
    True
    """
    if not isinstance(value, bool | np.bool_) and value not in (0, 1):
        raise InputError(f"{name} is {value!r}; expected True or False.")
    return bool(value)


def checked_scale(scale: float) -> float:
    """`scale` as a positive finite float.

    >>> checked_scale(2)
    2.0
    """
    if not _number(scale) or not 0 < scale < math.inf:
        raise InputError(f"scale is {scale!r}; expected a positive number, the constant of the published rate.")
    return float(scale)


def _number(value: object) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)
