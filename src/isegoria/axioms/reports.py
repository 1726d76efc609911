"""Which false reports there are, for what a rule reads; and what a rule says of a group in which one is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from isegoria.errors import InputError
from isegoria.instance import Instance
from isegoria.rows.views import dense
from isegoria.rules.registry import RULES
from isegoria.rules.rule import Rule
from isegoria.rules.solving import solve

MOST_ORDERED = 5
"""Up to so many arms every weak order is tried: 541 of them."""

Row = tuple[float, ...]


class Sampled(InputError):
    """A rule whose policy is an estimate is never asked about axioms."""


@dataclass
class People:
    """A group as kinds of agents: `rows` of means, how many agents have each, and the first one's name.

    `favourites` (m, K) are the true favourite sets; `names` belong to each kind's first agent. What the rule says of a
    group is kept by the multiset of its rows where the rule is one of ours, since ours are anonymous.
    """

    rule: Rule
    rows: list[Row]
    counts: list[int]
    names: list[str]
    arms: Sequence[str]
    favourites: np.ndarray
    tried: int = 0
    kept: dict[Any, np.ndarray] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, instance: Instance, rule: Rule) -> People:
        """The kinds of agents of an instance; equal rows are one kind."""
        if instance.utility_types() is None:
            raise InputError(
                "axioms of rules change the table, and a scanned one is not at hand; read it as an Instance."
            )
        rows, weights, member = instance.types
        table = dense(rows)
        first = [int(np.argmax(member == kind)) for kind in range(len(table))]
        order = np.argsort(first)  # kinds in the order of their first agents
        table, weights, first = table[order], weights[order], [first[kind] for kind in order.tolist()]
        favourites = table >= table.max(axis=1, keepdims=True) - instance.tie_tolerance
        names = [instance.agents[agent] for agent in first]
        return cls(rule, [tuple(row) for row in table.tolist()], weights.tolist(), names, instance.arms, favourites)

    def policy(self, rows: Sequence[Row], counts: Sequence[int]) -> np.ndarray:
        """(K,) what the rule gives a group with these rows."""
        shipped = self.rule.id in RULES.shipped and RULES.shipped[self.rule.id] is self.rule
        pairs = list(zip(rows, counts, strict=True))
        key = tuple(sorted(_merged(pairs).items())) if shipped else tuple(pairs)
        if key not in self.kept:
            self.tried += 1
            given = key if shipped else pairs
            table = np.array([row for row, _ in given])
            weights = np.array([count for _, count in given], dtype=np.int64)
            self.kept[key] = self._exact(Instance(table, weights=weights))
        return self.kept[key]

    def computed(self, rows: Sequence[Row], counts: Sequence[int]) -> np.ndarray:
        """(K,) the same, in exactly this order and computed anew."""
        self.tried += 1
        return self._exact(Instance(np.array(rows), weights=np.array(counts, dtype=np.int64)))

    @cached_property
    def honest(self) -> np.ndarray:
        """(K,) what the rule gives the group as it is."""
        return self.policy(self.rows, self.counts)

    def with_reports(self, liars: Sequence[int], reports: Sequence[Row]) -> np.ndarray:
        """(K,) the policy when one agent of each of these kinds (a kind may stand there twice) says something else."""
        counts = list(self.counts)
        for kind in liars:
            counts[kind] -= 1
        rows = [row for row, count in zip(self.rows, counts, strict=True) if count > 0]
        left = [count for count in counts if count > 0]
        return self.policy([*rows, *reports], [*left, *[1] * len(reports)])

    def liar(self, kind: int) -> Callable[[Row], np.ndarray]:
        """The policy as a function of what one agent of a kind reports; each is computed anew, in one table."""
        counts = [count - (place == kind) for place, count in enumerate(self.counts)]
        there = [place for place, count in enumerate(counts) if count > 0]
        table = np.array([*(self.rows[place] for place in there), self.rows[kind]])
        weights = np.array([*(counts[place] for place in there), 1], dtype=np.int64)
        given = None if (weights == 1).all() else weights

        def policy(report: Row) -> np.ndarray:
            table[-1] = report
            self.tried += 1
            return self._exact(Instance(table, weights=given))

        return policy

    def _exact(self, instance: Instance) -> np.ndarray:
        found = solve(instance, self.rule)
        if found.proof == "sampled":
            raise Sampled(f"the policy of {self.rule.id} is an estimate here; axioms need the exact one.")
        return found.policy

    def values(self, kind: int, of: str) -> np.ndarray:
        """(K,) what each arm is worth to an agent of a kind: 1 for a favourite, or its mean."""
        return self.favourites[kind].astype(float) if of == "shares" else np.array(self.rows[kind])

    def told(self, report: Row) -> tuple[str, ...]:
        """The favourites that a report names."""
        best = max(report)
        return tuple(name for name, value in zip(self.arms, report, strict=True) if value >= best)

    def own(self, kind: int) -> tuple[str, ...]:
        """The true favourites of a kind, by name."""
        return tuple(name for name, liked in zip(self.arms, self.favourites[kind].tolist(), strict=True) if liked)


def _merged(pairs: Sequence[tuple[Row, int]]) -> dict[Row, int]:
    merged: dict[Row, int] = {}
    for row, count in pairs:
        merged[row] = merged.get(row, 0) + count
    return merged


@dataclass(frozen=True)
class Reports:
    """All reports that are tried for a kind: `every(kind)`; `exhaustive` says whether there are no others.

    `count` is how many there are; `near(kind, report)` are those one change away, for where all are too many.
    """

    every: Callable[[int], Iterator[Row]]
    near: Callable[[Row], Iterator[Row]]
    count: int
    exhaustive: bool


def reports_of(people: People) -> Reports:
    """The reports that matter to what the rule reads."""
    arms = len(people.arms)
    sets = 2**arms - 1
    if people.rule.reads == "favourites":
        return Reports(lambda kind: approvals(arms), _changed_sets, sets, True)
    if people.rule.reads == "order" and arms <= MOST_ORDERED:
        orders = list(weak_orders(arms))
        return Reports(lambda kind: iter(orders), _changed_sets, len(orders), True)

    def every(kind: int) -> Iterator[Row]:
        yield from approvals(arms)
        yield from _moved(people.rows[kind])

    return Reports(every, _changed_sets, sets + 2 * arms, False)


def approvals(arms: int) -> Iterator[Row]:
    """Every report of 0 and 1 that approves something."""
    for size in range(1, arms + 1):
        for chosen in combinations(range(arms), size):
            yield tuple(1.0 if arm in chosen else 0.0 for arm in range(arms))


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


def _changed_sets(report: Row) -> Iterator[Row]:
    """A favourite dropped, one added, and only one of them, as reports of 0 and 1."""
    best = max(report)
    liked = [value >= best for value in report]
    for arm in range(len(report)):
        other = [not value if place == arm else value for place, value in enumerate(liked)]
        if any(other):
            yield tuple(map(float, other))
        if sum(liked) > 1:
            yield tuple(1.0 if place == arm else 0.0 for place in range(len(report)))
