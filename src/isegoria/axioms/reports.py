"""Which false reports there are, for what a rule reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, combinations, islice

import numpy as np

from isegoria.axioms.people import People, Row
from isegoria.rows.views import frozen

MOST_ORDERED = 5
"""Up to so many arms every weak order is tried: 541 of them."""


@dataclass(frozen=True)
class Reports:
    """The reports that are tried: `every(kinds, most)` (m, K) of agents of these kinds, the first `most` of them.

    `count` is how many a kind has, `exhaustive` says that there are no others; `near(report)` are those one change
    away, for where all are too many.
    """

    every: Callable[[Sequence[int], int], np.ndarray]
    near: Callable[[Row], np.ndarray]
    count: int
    exhaustive: bool


def reports_of(people: People) -> Reports:
    """The reports that matter to what the rule reads."""
    arms = len(people.arms)
    sets = 2**arms - 1
    if people.rule.reads == "favourites":
        return Reports(lambda kinds, most: approvals(arms, min(sets, most)), _changed_sets, sets, True)
    if people.rule.reads == "order" and arms <= MOST_ORDERED:
        orders = np.array(list(weak_orders(arms)))
        return Reports(lambda kinds, most: orders[:most], _changed_sets, len(orders), True)

    def every(kinds: Sequence[int], most: int) -> np.ndarray:
        moved = [row for kind in dict.fromkeys(kinds) for row in _moved(people.rows[kind])]
        return np.array([*moved, *approvals(arms, min(sets, max(1, most - len(moved)))).tolist()])

    return Reports(every, _changed_sets, sets + 2 * arms, False)


@lru_cache(maxsize=2)
def approvals(arms: int, most: int) -> np.ndarray:
    """(m, K) the first `most` reports of 0 and 1 that approve something, the smallest sets first.

    >>> approvals(2, 3).tolist()
    [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    """
    sets = chain.from_iterable(combinations(range(arms), size) for size in range(1, arms + 1))
    found = np.zeros((most, arms))
    for place, chosen in enumerate(islice(sets, most)):
        found[place, chosen] = 1.0
    return frozen(found)


def weak_orders(arms: int) -> Iterator[Row]:
    """Every order of the arms, ties allowed, as ratings from 1 down to 0.

    >>> [len(list(weak_orders(arms))) for arms in (1, 2, 3, 4, 5)]
    [1, 3, 13, 75, 541]
    """
    for ranks in _ranks(arms):
        most = max(ranks)
        yield tuple(1 - rank / most if most else 1.0 for rank in ranks)


def _ranks(arms: int) -> Iterator[tuple[int, ...]]:
    """All ways to give arms ranks 0, 1, … without a gap."""
    if arms == 0:
        yield ()
        return
    for rest in _ranks(arms - 1):
        top = max(rest, default=-1)
        yield from ((*rest, rank) for rank in range(top + 1))
        for new in range(top + 2):
            yield (*(rank + (rank >= new) for rank in rest), new)


def _moved(row: Row) -> Iterator[Row]:
    """A row with one entry moved to an end of the scale."""
    for arm in range(len(row)):
        for value in (0.0, 1.0):
            if row[arm] != value:
                yield (*row[:arm], value, *row[arm + 1 :])


def _changed_sets(report: Row) -> np.ndarray:
    """A favourite dropped, one added, and only one of them, as reports of 0 and 1."""
    liked = np.array(report) >= max(report)
    others = liked ^ np.eye(len(liked), dtype=bool)
    alone = np.eye(len(liked), dtype=bool)[: len(liked) if liked.sum() > 1 else 0]
    return np.concatenate((others[others.any(axis=1)], alone)).astype(float)
