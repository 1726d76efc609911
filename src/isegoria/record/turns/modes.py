"""The two modes of turns, and the number of parallel worlds."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from isegoria.errors import InputError
from isegoria.record.format.voice_units import MAX_BLOCK_DRAWS

Mode = Literal["lottery", "deterministic"]
TURN_MODES: tuple[Mode, ...] = ("lottery", "deterministic")
DEFAULT_WORLDS = 8
MAX_WORLDS = MAX_BLOCK_DRAWS


def validate_mode(mode: Any, worlds: Any) -> tuple[Mode, int]:
    """Return mode and number of worlds, validated together. None for `worlds` means the default.

    >>> validate_mode("lottery", None), validate_mode("deterministic", None)
    (('lottery', 8), ('deterministic', 1))
    """
    if mode not in TURN_MODES:
        raise InputError(f"mode is {mode!r}; lottery or deterministic.")
    if mode == "deterministic":
        if worlds not in (None, 1):
            raise InputError("deterministic has one world; leave worlds out.")
        return mode, 1
    worlds = DEFAULT_WORLDS if worlds is None else worlds
    if not isinstance(worlds, (int, np.integer)) or isinstance(worlds, bool) or not 1 <= worlds <= MAX_WORLDS:
        raise InputError(f"worlds is {worlds}; choose 1 to {MAX_WORLDS}.")
    return mode, int(worlds)


def build_turn_terms(mode: Any, worlds: Any = None, single_use: bool = False) -> dict[str, Any]:
    """Return the charter's term on turns.

    >>> build_turn_terms("deterministic")
    {'mode': 'deterministic', 'worlds': 1, 'single_use': 0}
    """
    mode, worlds = validate_mode(mode, worlds)
    return {"mode": mode, "worlds": worlds, "single_use": int(single_use)}
