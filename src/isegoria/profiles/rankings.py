"""Rankings as a table of rewards: the first rank has the first reward, and so on; ties share the better one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from isegoria.errors import InputError, unknown_name_error


def parse_rankings(
    rankings: Iterable[Any], rewards: Sequence[float] | np.ndarray | None, arms: Sequence[str] | None
) -> tuple[np.ndarray, list[str] | None]:
    """Convert each agent's ranking, best first, to ((N, K) rewards, names of the arms or None if numbered).

    >>> parse_rankings([[1, 0], [0, 1]], [0.8, 0.2], None)[0].tolist()
    [[0.2, 0.8], [0.8, 0.2]]
    """
    placed = [_parse_ranking(order, i) for i, order in enumerate(rankings)]
    if not placed:
        raise InputError("rankings is empty; give each agent's arms, best first.")
    ranked = [[arm for tied in places for arm in tied] for places in placed]
    numbers = all(isinstance(arm, int | np.integer) and not isinstance(arm, bool) for each in ranked for arm in each)
    named = [str(arm) for arm in arms] if arms is not None else None
    if named is None and not numbers:
        named = sorted({str(arm) for each in ranked for arm in each})
    width = len(named) if named is not None else 1 + max(int(arm) for each in ranked for arm in each)
    place: dict[Any, int] = {k: k for k in range(width)} if numbers else {name: k for k, name in enumerate(named or [])}
    worth = _rank_rewards(rewards, width)
    table = np.zeros((len(placed), width))
    for i, places in enumerate(placed):
        _validate_ranking(ranked[i], i, place, numbers)
        first = 0
        for tied in places:
            for arm in tied:
                table[i, place[int(arm) if numbers else str(arm)]] = worth[first]
            first += len(tied)
    return table, named


def _parse_ranking(order: Any, agent: int) -> list[list[Any]]:
    """Return the ranks of one ranking, each with the arms that share it."""
    if isinstance(order, str):
        return [[letter] for letter in order]
    try:
        return [list(each) if isinstance(each, list | tuple | set | frozenset) else [each] for each in order]
    except TypeError:
        raise InputError(f"rankings[{agent}] is {order!r}; give the arms of each agent, best first.") from None


def _validate_ranking(arms: list[Any], agent: int, place: dict[Any, int], numbers: bool) -> None:
    """Raise `InputError` if a ranking does not rank all the arms, each once."""
    keys = [int(arm) if numbers else str(arm) for arm in arms]
    for key in keys:
        if key not in place:
            raise unknown_name_error(f"arm in rankings[{agent}]", str(key), map(str, place))
    if len(keys) != len(place) or len(set(keys)) != len(keys):
        raise InputError(
            f"rankings[{agent}] ranks {len(set(keys))} of {len(place)} arms; name every arm once, and put those that "
            "are equal into one place: ['tea', ['milk', 'mate']]."
        )


def _rank_rewards(rewards: Sequence[float] | np.ndarray | None, width: int) -> np.ndarray:
    """Return the reward of each rank (K,)."""
    if rewards is None:
        return np.linspace(1.0, 0.0, width) if width > 1 else np.ones(1)
    worth = np.asarray(rewards, dtype=float)
    if worth.shape != (width,) or (np.diff(worth) > 0).any():
        raise InputError(
            f"rewards has {worth.size} values; expected one for each of {width} places, none above the last."
        )
    return worth
