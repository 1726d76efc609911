"""One instance after another in which the last row alone differs: whatever they share is checked once."""

from __future__ import annotations

import numpy as np

from isegoria.instance.instance import Instance
from isegoria.instance.means import refuse_entry
from isegoria.rows.scan import scan

SHARED = ("agents", "arms", "tie_tolerance", "given_weights", "weights", "total_weight")


class LastRow:
    """The instances that differ from a dense `instance` in their last row alone, for a search that tries thousands.

    Each has a table of its own, so a rule may keep what it was given.

    >>> others = LastRow(Instance([[1, 0], [1, 0], [0, 1]], weights=[2, 1, 1]))
    >>> others(np.array([[0.5, 0.5]])).favourites.tolist()
    [[True, False], [True, False], [True, True]]
    """

    def __init__(self, instance: Instance) -> None:
        self._shared = {name: getattr(instance, name) for name in SHARED}
        self._tolerance = instance.tie_tolerance
        self._above = instance.means[:-1]
        self._codes = instance.favourite_codes
        self._gap = scan(self._above, self._tolerance)[1] if len(self._above) else np.inf

    def __call__(self, row: np.ndarray) -> Instance:
        """The instance with this last row (1, K) of means."""
        bad, gap, code = scan(row, self._tolerance)
        if bad >= 0:
            at = self._above.size + bad
            refuse_entry(np.concatenate((self._above, row)), at, self._shared["agents"], self._shared["arms"])
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
