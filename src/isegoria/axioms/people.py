"""A group as kinds of agents, and what a rule says of it when somebody stays away or reports something else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from isegoria.errors import CertificationError, InputError
from isegoria.instance import Instance
from isegoria.instance.last_row import LastRow
from isegoria.rows.codes import pack
from isegoria.rows.merge import merge_codes
from isegoria.rows.scan import CODE_ARMS
from isegoria.rows.views import dense
from isegoria.rules.registry import RULES
from isegoria.rules.rule import Rule
from isegoria.rules.solving import solve
from isegoria.solvers.nash.decision_shares import policy_of_codes
from isegoria.tolerances import TIE
from isegoria.wording import listing

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
    tolerance: float = TIE
    tried: int = 0
    kept: dict[Any, np.ndarray] = field(default_factory=dict, repr=False)
    known: dict[Row, int] = field(default_factory=dict, repr=False)  # rows met so far, numbered
    codes: list[int] = field(default_factory=list, repr=False)  # their favourite sets as bits, in that order

    @classmethod
    def of(cls, instance: Instance, rule: Rule) -> People:
        """The kinds of agents of an instance; equal rows are one kind."""
        if instance.agent_names() is None:
            raise InputError(
                "axioms of rules change the table, and a scanned one is not at hand; read it as an Instance."
            )
        rows, weights, member = instance.types
        table = dense(rows)
        first = np.unique(member, return_index=True)[1]
        order = np.argsort(first)  # kinds in the order of their first agents
        table, weights = table[order], weights[order]
        names = [instance.agents[agent] for agent in first[order].tolist()]
        favourites = table >= table.max(axis=1, keepdims=True) - instance.tie_tolerance
        kinds = [tuple(row) for row in table.tolist()]
        return cls(rule, kinds, weights.tolist(), names, instance.arms, favourites, instance.tie_tolerance)

    @cached_property
    def shipped(self) -> bool:
        """Whether the rule is one of ours, which are anonymous."""
        return RULES.shipped.get(self.rule.id) is self.rule

    @cached_property
    def counted(self) -> bool:
        """Whether favourite sets, as bits, are all that the rule needs: they are counted faster than a table is made.

        So it is for equal voice, which most is asked about; the other rules that read favourites alone take longer.
        """
        return self.rule is RULES.shipped["procedural"] and len(self.arms) <= CODE_ARMS

    def number(self, row: Row) -> int:
        """The number by which a row is known here."""
        found = self.known.setdefault(row, len(self.known))
        if found == len(self.codes):
            best = max(row) - self.tolerance
            self.codes.append(sum(1 << arm for arm, value in enumerate(row) if value >= best))
        return found

    def policy(self, rows: Sequence[Row], counts: Sequence[int]) -> np.ndarray:
        """(K,) what the rule gives a group with these rows."""
        return self._of_numbers(list(zip(map(self.number, rows), counts, strict=True)))

    def _of_numbers(self, group: Sequence[tuple[int, int]]) -> np.ndarray:
        """(K,) what the rule gives a group of (number of a row, how many agents have it)."""
        key = tuple(sorted(_merged(group).items())) if self.shipped else tuple(group)
        found = self.kept.get(key)
        if found is None:
            found = self.kept[key] = self._anew(*zip(*key, strict=True))
        return found

    def _anew(self, numbers: Sequence[int], counts: Sequence[int]) -> np.ndarray:
        if self.counted:
            codes = np.array([self.codes[place] for place in numbers], dtype=np.uint64)
            found = _of_sets(codes, np.array(counts, dtype=np.int64), len(self.arms))
            if found is not None:
                self.tried += 1
                return found
        rows = list(self.known)
        return self.computed([rows[place] for place in numbers], counts)

    def computed(self, rows: Sequence[Row], counts: Sequence[int]) -> np.ndarray:
        """(K,) the same, in exactly this order and computed anew."""
        self.tried += 1
        return self._exact(self._instance(rows, counts))

    def _instance(self, rows: Sequence[Row], counts: Sequence[int]) -> Instance:
        weights = None if max(counts) == 1 else np.array(counts, dtype=np.int64)
        return Instance(np.array(rows), weights=weights, tie_tolerance=self.tolerance)

    @cached_property
    def honest(self) -> np.ndarray:
        """(K,) what the rule gives the group as it is."""
        return self.policy(self.rows, self.counts)

    def without(self, liars: Sequence[int]) -> list[tuple[int, int]]:
        """The others, (number of a row, how many), without one agent of each of these kinds; a kind may stand twice."""
        counts = list(self.counts)
        for kind in liars:
            counts[kind] -= 1
        pairs = zip(self.rows, counts, strict=True)
        return [(self.number(row), count) for row, count in pairs if count > 0]

    def together(self, others: Sequence[tuple[int, int]], reports: Sequence[int]) -> np.ndarray:
        """(K,) the policy of `others` and one agent for each of these reports, all rows by number."""
        return self._of_numbers([*others, *((report, 1) for report in reports)])

    def true_for(self, kind: int, report: Row) -> bool:
        """Whether a report of an agent of this kind is no lie, for all that the rule reads."""
        if self.rule.reads == "favourites":
            return self.codes[self.number(report)] == self.codes[self.number(self.rows[kind])]
        return report == self.rows[kind]

    def with_report(self, kind: int, report: Row) -> np.ndarray:
        """(K,) the policy when one agent of a kind says something else."""
        return self.together(self.without([kind]), [self.number(report)])

    def after(self, kind: int, reports: np.ndarray) -> Iterator[np.ndarray]:
        """The policies (K,) after each of these reports (m, K) of one agent of a kind, each computed anew."""
        there = self.without([kind])
        rows = list(self.known)
        others = self._instance(
            [*(rows[number] for number, _ in there), self.rows[kind]], [*(count for _, count in there), 1]
        )
        told = LastRow(others)
        codes = others.favourite_codes.copy() if self.counted and others.favourite_codes is not None else None
        sets = [] if codes is None else pack(reports >= reports.max(axis=1, keepdims=True))
        for place in range(len(reports)):
            found = None
            if codes is not None:
                codes[-1] = sets[place]
                found = _of_sets(codes, others.given_weights, len(self.arms))
            self.tried += 1
            yield self._exact(told(reports[place : place + 1])) if found is None else found

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

    def said(self, kind: int, report: Row) -> str:
        """A false report in words: other favourites, or the same ones and other ratings."""
        told, own = self.told(report), self.own(kind)
        if max(report) == 0 and self.rule.reads != "favourites":
            return "rates everything 0"
        if told != own or self.rule.reads == "favourites":
            return f"says {one_of(told)} instead of {one_of(own)}"
        moved = [place for place, value in enumerate(self.rows[kind]) if report[place] != value]
        if len(moved) > 2 and len(set(report)) == 2 and min(report) == 0:
            return f"rates all but {listing(own)} 0"
        each = (f"{self.arms[place]} {report[place]:.3g} instead of {self.rows[kind][place]:.3g}" for place in moved)
        return f"rates {listing(list(each))}"


def _of_sets(codes: np.ndarray, weights: np.ndarray | None, arms: int) -> np.ndarray | None:
    """(K,) the policy of equal voice for favourite sets as bits; None where the rule must find another way."""
    sets, counts, _ = merge_codes(codes, weights)
    try:
        return np.asarray(policy_of_codes(sets, counts, arms).policy)
    except CertificationError:
        return None


def _merged(group: Sequence[tuple[int, int]]) -> dict[int, int]:
    merged: dict[int, int] = {}
    for row, count in group:
        merged[row] = merged.get(row, 0) + count
    return merged


def one_of(names: Sequence[str]) -> str:
    """A set of arms in a sentence: "only tea", "tea or cake"."""
    if len(names) == 1:
        return f"only {names[0]}"
    few = [*names[:4], f"{len(names) - 4} more"] if len(names) > 5 else names
    return f"{', '.join(few[:-1])} or {few[-1]}"
