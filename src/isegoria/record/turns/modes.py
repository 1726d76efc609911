"""The two ways in which turns remember, and how many worlds run beside each other."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from isegoria.errors import InputError
from isegoria.record.format.units import LONGEST_BLOCK

Mode = Literal["drawn", "settled"]
MODES: tuple[Mode, ...] = ("drawn", "settled")
WORLDS = 8
MOST_WORLDS = LONGEST_BLOCK


def checked_mode(mode: Any, worlds: Any) -> tuple[Mode, int]:
    """Mode and number of worlds, where both make sense together; None worlds is the usual number.

    >>> checked_mode("drawn", None), checked_mode("settled", None)
    (('drawn', 8), ('settled', 1))
    """
    if mode not in MODES:
        raise InputError(f"mode is {mode!r}; drawn or settled.")
    if mode == "settled":
        if worlds not in (None, 1):
            raise InputError("settled has one world; leave worlds out.")
        return mode, 1
    worlds = WORLDS if worlds is None else worlds
    if not isinstance(worlds, (int, np.integer)) or isinstance(worlds, bool) or not 1 <= worlds <= MOST_WORLDS:
        raise InputError(f"worlds is {worlds}; choose 1 to {MOST_WORLDS}.")
    return mode, int(worlds)


def turns_term(mode: Any, worlds: Any = None, used_up: bool = False) -> dict[str, Any]:
    """What a charter says of turns.

    >>> turns_term("settled")
    {'mode': 'settled', 'worlds': 1, 'used_up': 0}
    """
    mode, worlds = checked_mode(mode, worlds)
    return {"mode": mode, "worlds": worlds, "used_up": int(used_up)}
