"""Approval ballots as a table of 0 and 1: the arms that each agent approves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from isegoria.errors import InputError, unknown_name_error


def parse_approvals(approvals: Iterable[Any], arms: Sequence[str] | None) -> tuple[np.ndarray, list[str] | None]:
    """Convert the arms that each agent approves to ((N, K) zeros and ones, names of the arms or None if numbered).

    >>> parse_approvals(["ac", "b"], None)[0].tolist()
    [[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    """
    named = None if arms is None else [str(arm) for arm in arms]
    approved = [_approved_arms(each, named) for each in approvals]
    for i, each in enumerate(approved):
        if not each:
            raise InputError(
                f"approvals[{i}] is empty: an agent that approves nothing; leave it out, or give it all arms."
            )
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
                raise unknown_name_error(f"arm in approvals[{i}]", arm, map(str, place))
            table[i, place[key]] = 1.0
    return table, named


def _approved_arms(each: Any, arms: list[str] | None) -> list[Any]:
    """Return the arms in one set; a string is one arm if it is an arm's name, else each letter is an arm."""
    if isinstance(each, str):
        return [each] if arms is not None and each in arms else list(each)
    try:
        return list(each)
    except TypeError:
        raise InputError(
            f"{each!r} is no set of arms; give each agent a list of names, such as ['tea', 'milk']."
        ) from None
