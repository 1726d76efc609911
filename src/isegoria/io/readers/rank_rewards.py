"""The values of the ranks of a ranking."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from isegoria.errors import FileError, InputError


class RankRewards:
    """The mean reward of each class of a ballot: a list of values, best first, or "linear".

    >>> RankRewards("linear").means(np.array([[0, 1, 2], [0, 0, 1]]), np.array([3, 2])).tolist()
    [[1.0, 0.5, 0.0], [1.0, 1.0, 0.0]]
    """

    def __init__(self, rewards: str | Sequence[float], where: str = "ballots") -> None:
        self.where = where
        self.values = None if isinstance(rewards, str) and rewards == "linear" else _validate_rewards(rewards)

    def means(self, ranks: np.ndarray, classes: np.ndarray, lines: Sequence[int] | None = None) -> np.ndarray:
        """Return (N, K) means for `ranks` (N, K), each less than its ballot's number of `classes` (N,)."""
        if self.values is None:
            steps = np.maximum(classes - 1, 1)[:, None]
            return (steps - ranks) / steps
        longest = int(ranks.max(axis=1).argmax())
        needed = int(ranks[longest].max()) + 1
        if needed > len(self.values):
            line = f", line {lines[longest]}" if lines is not None else ""
            raise FileError(
                f"{self.where}{line} has {needed} ranks, and rewards has {len(self.values)} values; "
                "give one for each rank, or say linear."
            )
        return self.values[ranks]


def _validate_rewards(rewards: str | Sequence[float]) -> np.ndarray:
    try:
        values = np.array([float(value) for value in rewards])
    except (TypeError, ValueError):
        raise InputError(f"rewards is {rewards!r}; give numbers from best to worst, or 'linear'.") from None
    if not values.size or not ((values >= 0) & (values <= 1)).all():
        raise InputError(f"rewards are {values.tolist()}; give numbers from 0 to 1, one for each rank.")
    if (np.diff(values) > 0).any():
        raise InputError(f"rewards are {values.tolist()}; give them from best to worst, none above the one before it.")
    return values
