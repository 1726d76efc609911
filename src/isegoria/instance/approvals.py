"""Approvals as a table of 0 and 1: which arms each agent is content with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from isegoria.errors import InputError, unknown


def approval_table(sets: Iterable[Any], arms: Sequence[str] | None) -> tuple[np.ndarray, list[str] | None]:
    """((N, K) 0 and 1, the names of the arms or None for numbered ones), from the arms that each agent approves.

    >>> approval_table(["ac", "b"], None)[0].tolist()
    [[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    """
    named = None if arms is None else [str(arm) for arm in arms]
    approved = [_members(each, named) for each in sets]
    for i, each in enumerate(approved):
        if not each:
            raise InputError(f"sets[{i}] is empty: an agent that approves nothing; leave it out, or give it all arms.")
    numbers = all(isinstance(arm, int | np.integer) and not isinstance(arm, bool) for each in approved for arm in each)
    if named is None and not numbers:
        named = sorted({str(arm) for each in approved for arm in each})
    if named is None:
        width = 1 + max((int(arm) for each in approved for arm in each), default=0)
        place = {k: k for k in range(width)}
    else:
        width = len(named)
        place = {k: k for k in range(width)} if numbers else {name: k for k, name in enumerate(named)}  # type: ignore[misc]
    table = np.zeros((len(approved), width))
    for i, each in enumerate(approved):
        for arm in each:
            key = int(arm) if numbers else str(arm)
            if key not in place:
                raise unknown(f"arm in sets[{i}]", arm, map(str, place))
            table[i, place[key]] = 1.0
    return table, named


def _members(each: Any, arms: list[str] | None) -> list[Any]:
    """The arms in one set; a text is one arm if it is the name of one, else its letters are arms."""
    if isinstance(each, str):
        return [each] if arms is not None and each in arms else list(each)
    try:
        return list(each)
    except TypeError:
        raise InputError(
            f"{each!r} is no set of arms; give each agent a list of names, such as ['tea', 'milk']."
        ) from None
