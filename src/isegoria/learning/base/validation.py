"""Validation of arguments that several learners and simulations share."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from isegoria.errors import InputError


def require_integer(value: Any, what: str, least: int = 1) -> int:
    """Return `value` as an int of at least `least`; raise `InputError`, which names it `what`, otherwise."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InputError(f"{what} is {value!r}; expected a whole number from {least} up.")
    return int(value)


def require_fraction(name: str, value: float, meaning: str, zero: bool = False, one: bool = False) -> float:
    """Return `value` as a float between 0 and 1.

    Parameters
    ----------
    name, meaning : str
        The name of the argument and what it means, for the error message.
    value : float
        The value to validate.
    zero, one : bool
        Whether 0 and 1 themselves are allowed.

    Raises
    ------
    InputError
        If `value` is not a number in that range.

    Examples
    --------
    >>> require_fraction("rate", 1, "a probability", one=True)
    1.0
    """
    if not _is_number(value) or not (0 < value < 1 or (zero and value == 0) or (one and value == 1)):
        low, high = ("from 0" if zero else "above 0"), ("up to 1" if one else "below 1")
        raise InputError(f"{name} is {value!r}; expected {meaning}, {low} and {high}.")
    return float(value)


def require_bool(name: str, value: object) -> bool:
    """Return `value` as a bool; accept True, False, 1 and 0, and raise `InputError` otherwise.

    >>> require_bool("watch", 1)
    True
    """
    if not isinstance(value, bool | np.bool_) and value not in (0, 1):
        raise InputError(f"{name} is {value!r}; expected True or False.")
    return bool(value)


def require_scale(scale: float) -> float:
    """Return `scale` as a positive finite float; raise `InputError` otherwise.

    >>> require_scale(2)
    2.0
    """
    if not _is_number(scale) or not 0 < scale < math.inf:
        raise InputError(f"scale is {scale!r}; expected a positive number, the constant of the published rate.")
    return float(scale)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)
