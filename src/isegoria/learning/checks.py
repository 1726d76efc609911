"""Arguments that several learners and simulations check alike."""

from __future__ import annotations

import numpy as np

from isegoria.errors import InputError


def whole(value, what: str, least: int = 1) -> int:
    """`value` as a whole number, at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InputError(f"{what} is {value!r}; expected a whole number from {least} up.")
    return int(value)


def checked_seed(seed: int | None) -> int:
    """`seed` as a whole number; None is replaced by a fresh one."""
    return int(np.random.SeedSequence().entropy) if seed is None else whole(seed, "seed", least=0)
