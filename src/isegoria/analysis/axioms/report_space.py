"""The false reports to try, by the kind of input that a rule reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, combinations, islice

import numpy as np

from isegoria.analysis.axioms.rule_evaluator import RatingRow, RuleEvaluator
from isegoria.utils.arrays import freeze

MAX_WEAK_ORDER_ARMS = 5
"""Up to this many arms, every weak order is tried: 5 arms have 541."""


@dataclass(frozen=True)
class ReportSpace:
    """The reports to try.

    `every(kinds, most)` returns the first `most` reports (m, K) of agents of these types. `count` is the number of
    reports of one type, and `exhaustive` says that there are no others. `near(report)` returns the reports one change
    away, for when there are too many to try all.
    """

    every: Callable[[Sequence[int], int], np.ndarray]
    near: Callable[[RatingRow], np.ndarray]
    count: int
    exhaustive: bool


def build_report_space(people: RuleEvaluator) -> ReportSpace:
    """Return the `ReportSpace` that matter to the kind of input that the rule reads."""
    arms = len(people.arms)
    sets = 2**arms - 1
    if people.rule.input_kind == "favourites":
        return ReportSpace(lambda kinds, most: approval_reports(arms, min(sets, most)), _neighbouring_sets, sets, True)
    if people.rule.input_kind == "order" and arms <= MAX_WEAK_ORDER_ARMS:
        orders = np.array(list(iter_weak_orders(arms)))
        return ReportSpace(lambda kinds, most: orders[:most], _neighbouring_sets, len(orders), True)

    def every(kinds: Sequence[int], most: int) -> np.ndarray:
        moved = [row for kind in dict.fromkeys(kinds) for row in _iter_extreme_changes(people.rows[kind])]
        return np.array([*moved, *approval_reports(arms, min(sets, max(1, most - len(moved)))).tolist()])

    return ReportSpace(every, _neighbouring_sets, sets + 2 * arms, False)


@lru_cache(maxsize=2)
def approval_reports(arms: int, most: int) -> np.ndarray:
    """Return the first `most` nonempty approval sets as reports of 0 and 1 (m, K), smallest sets first.

    >>> approval_reports(2, 3).tolist()
    [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    """
    sets = chain.from_iterable(combinations(range(arms), size) for size in range(1, arms + 1))
    found = np.zeros((most, arms))
    for place, chosen in enumerate(islice(sets, most)):
        found[place, chosen] = 1.0
    return freeze(found)


def iter_weak_orders(arms: int) -> Iterator[RatingRow]:
    """Yield every weak order of the arms as ratings from 1 down to 0.

    >>> [len(list(iter_weak_orders(arms))) for arms in (1, 2, 3, 4, 5)]
    [1, 3, 13, 75, 541]
    """
    for ranks in _iter_ranks(arms):
        most = max(ranks)
        yield tuple(1 - rank / most if most else 1.0 for rank in ranks)


def _iter_ranks(arms: int) -> Iterator[tuple[int, ...]]:
    """Yield every assignment of ranks 0, 1, … to the arms that leaves no gap."""
    if arms == 0:
        yield ()
        return
    for rest in _iter_ranks(arms - 1):
        top = max(rest, default=-1)
        yield from ((*rest, rank) for rank in range(top + 1))
        for new in range(top + 2):
            yield (*(rank + (rank >= new) for rank in rest), new)


def _iter_extreme_changes(row: RatingRow) -> Iterator[RatingRow]:
    """Yield the row with one entry moved to an end of the scale, for each entry and end."""
    for arm in range(len(row)):
        for value in (0.0, 1.0):
            if row[arm] != value:
                yield (*row[:arm], value, *row[arm + 1 :])


def _neighbouring_sets(report: RatingRow) -> np.ndarray:
    """Return reports of 0 and 1 that drop a favourite, add one, or keep only one arm."""
    liked = np.array(report) >= max(report)
    others = liked ^ np.eye(len(liked), dtype=bool)
    alone = np.eye(len(liked), dtype=bool)[: len(liked) if liked.sum() > 1 else 0]
    return np.concatenate((others[others.any(axis=1)], alone)).astype(float)
