"""Instances that differ only in their last row; what they share is validated once."""

from __future__ import annotations

import numpy as np

from isegoria.profiles.instance import Instance
from isegoria.profiles.means import raise_bad_entry
from isegoria.solvers.rows.scan_means import scan

SHARED_ATTRIBUTES = ("agents", "arms", "tie_tolerance", "given_weights", "weights", "total_weight")


class LastRowVariants:
    """Factory of instances that differ from a dense `instance` in their last row, for searches that try thousands.

    Each has its own table, so a rule may keep what it was given.

    >>> others = LastRowVariants(Instance([[1, 0], [1, 0], [0, 1]], weights=[2, 1, 1]))
    >>> others(np.array([[0.5, 0.5]])).favourites.tolist()
    [[True, False], [True, False], [True, True]]
    """

    def __init__(self, instance: Instance) -> None:
        self._shared = {name: getattr(instance, name) for name in SHARED_ATTRIBUTES}
        self._tolerance = instance.tie_tolerance
        self._above = instance.means[:-1]
        self._codes = instance.favourite_codes
        self._gap = scan(self._above, self._tolerance)[1] if len(self._above) else np.inf

    def __call__(self, row: np.ndarray) -> Instance:
        """Return the instance with this last row (1, K) of means."""
        bad, gap, code = scan(row, self._tolerance)
        if bad >= 0:
            at = self._above.size + bad
            raise_bad_entry(np.concatenate((self._above, row)), at, self._shared["agents"], self._shared["arms"])
        means = np.concatenate((self._above, row))
        means.setflags(write=False)
        codes = self._codes
        if codes is not None:
            codes = codes.copy()
            codes[-1] = code[0]
        made = object.__new__(Instance)
        smallest = gap if gap < self._gap else self._gap
        made.__dict__.update(self._shared, means=means, favourite_codes=codes, smallest_gap=smallest)
        return made
