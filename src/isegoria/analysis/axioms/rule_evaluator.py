"""A group as agent types, and a rule's policy for it when agents abstain or report something else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from isegoria.errors import CertificationError, InputError
from isegoria.profiles import Instance, Profile, is_streamed, require_instance
from isegoria.profiles.row_variants import LastRowVariants
from isegoria.rules.registry import RULES
from isegoria.rules.rule import Rule
from isegoria.rules.solving import solve
from isegoria.solvers.nash.decision_shares import policy_of_codes
from isegoria.solvers.rows.codes import pack
from isegoria.solvers.rows.merge import merge_codes
from isegoria.solvers.rows.scan_means import CODE_ARMS
from isegoria.utils.arrays import to_dense
from isegoria.utils.formatting import join_names
from isegoria.utils.tolerances import FAVOURITE_TIE

RatingRow = tuple[float, ...]


class SampledPolicyError(InputError):
    """Raised when a rule's policy is an estimate, since axioms need the exact policy."""


@dataclass
class RuleEvaluator:
    """A group as agent types: `rows` of means, the number of agents of each type, and the name of its first agent.

    `favourites` (m, K) are the true favourite sets. The policies of built-in rules are cached by the multiset of rows,
    since these rules are anonymous.
    """

    rule: Rule
    rows: list[RatingRow]
    counts: list[int]
    names: list[str]
    arms: Sequence[str]
    favourites: np.ndarray
    tolerance: float = FAVOURITE_TIE
    tried: int = 0
    kept: dict[Any, np.ndarray] = field(default_factory=dict, repr=False)
    known: dict[RatingRow, int] = field(default_factory=dict, repr=False)  # rows seen so far, with their numbers
    codes: list[int] = field(default_factory=list, repr=False)  # their favourite sets as bit codes, in that order

    @classmethod
    def of(cls, instance: Profile, rule: Rule) -> RuleEvaluator:
        """Create the agent types of an instance; equal rows are one type."""
        if is_streamed(instance):
            raise InputError(
                "axioms of rules change the table, and a scanned one is not at hand; read it as an Instance."
            )
        rows, weights, member = require_instance(instance).types
        table = to_dense(rows)
        first = np.unique(member, return_index=True)[1]
        order = np.argsort(first)  # agent types in the order of their first agents
        table, weights = table[order], weights[order]
        names = [instance.agents[agent] for agent in first[order].tolist()]
        favourites = table >= table.max(axis=1, keepdims=True) - instance.tie_tolerance
        kinds = [tuple(row) for row in table.tolist()]
        return cls(rule, kinds, weights.tolist(), names, instance.arms, favourites, instance.tie_tolerance)

    @cached_property
    def shipped(self) -> bool:
        """Whether the rule is built in; built-in rules are anonymous."""
        return RULES.builtin.get(self.rule.id) is self.rule

    @cached_property
    def counted(self) -> bool:
        """Whether favourite sets as bit codes are all that the rule needs, which is faster than building an instance.

        This holds for equal voice, which is checked most often; the other rules that read only favourites take longer.
        """
        return self.rule is RULES.builtin["procedural"] and len(self.arms) <= CODE_ARMS

    def number(self, row: RatingRow) -> int:
        """Return the number that identifies a row here; assign one to a new row."""
        found = self.known.setdefault(row, len(self.known))
        if found == len(self.codes):
            best = max(row) - self.tolerance
            self.codes.append(sum(1 << arm for arm, value in enumerate(row) if value >= best))
        return found

    def policy(self, rows: Sequence[RatingRow], counts: Sequence[int]) -> np.ndarray:
        """Return the rule's policy (K,) for a group with these rows."""
        return self._of_numbers(list(zip(map(self.number, rows), counts, strict=True)))

    def _of_numbers(self, group: Sequence[tuple[int, int]]) -> np.ndarray:
        """Return the rule's policy (K,), cached, for a group of (row number, number of agents) pairs."""
        key = tuple(sorted(_merge_counts(group).items())) if self.shipped else tuple(group)
        found = self.kept.get(key)
        if found is None:
            found = self.kept[key] = self._anew(*zip(*key, strict=True))
        return found

    def _anew(self, numbers: Sequence[int], counts: Sequence[int]) -> np.ndarray:
        if self.counted:
            codes = np.array([self.codes[place] for place in numbers], dtype=np.uint64)
            found = _policy_from_sets(codes, np.array(counts, dtype=np.int64), len(self.arms))
            if found is not None:
                self.tried += 1
                return found
        rows = list(self.known)
        return self.computed([rows[place] for place in numbers], counts)

    def computed(self, rows: Sequence[RatingRow], counts: Sequence[int]) -> np.ndarray:
        """Compute the rule's policy (K,) for these rows in exactly this order, without the cache."""
        self.tried += 1
        return self._exact(self._instance(rows, counts))

    def _instance(self, rows: Sequence[RatingRow], counts: Sequence[int]) -> Instance:
        weights = None if max(counts) == 1 else np.array(counts, dtype=np.int64)
        return Instance(np.array(rows), weights=weights, tie_tolerance=self.tolerance)

    @cached_property
    def honest(self) -> np.ndarray:
        """The rule's policy (K,) for the true reports."""
        return self.policy(self.rows, self.counts)

    def without(self, liars: Sequence[int]) -> list[tuple[int, int]]:
        """Return the (row number, count) pairs left without one agent of each of these types; types may repeat."""
        counts = list(self.counts)
        for kind in liars:
            counts[kind] -= 1
        pairs = zip(self.rows, counts, strict=True)
        return [(self.number(row), count) for row, count in pairs if count > 0]

    def together(self, others: Sequence[tuple[int, int]], reports: Sequence[int]) -> np.ndarray:
        """Return the policy (K,) of `others` plus one agent for each of these reports, all rows by number."""
        return self._of_numbers([*others, *((report, 1) for report in reports)])

    def true_for(self, kind: int, report: RatingRow) -> bool:
        """Return whether a report is true for an agent of this type, as far as the rule reads it."""
        if self.rule.input_kind == "favourites":
            return self.codes[self.number(report)] == self.codes[self.number(self.rows[kind])]
        return report == self.rows[kind]

    def with_report(self, kind: int, report: RatingRow) -> np.ndarray:
        """Return the policy (K,) when one agent of type `kind` makes this report."""
        return self.together(self.without([kind]), [self.number(report)])

    def after(self, kind: int, reports: np.ndarray) -> Iterator[np.ndarray]:
        """Yield the policy (K,) after each of `reports` (m, K) by one agent of type `kind`, without the cache."""
        there = self.without([kind])
        rows = list(self.known)
        others = self._instance(
            [*(rows[number] for number, _ in there), self.rows[kind]], [*(count for _, count in there), 1]
        )
        told = LastRowVariants(others)
        codes = others.favourite_codes.copy() if self.counted and others.favourite_codes is not None else None
        sets = [] if codes is None else pack(reports >= reports.max(axis=1, keepdims=True))
        for place in range(len(reports)):
            found = None
            if codes is not None:
                codes[-1] = sets[place]
                found = _policy_from_sets(codes, others.given_weights, len(self.arms))
            self.tried += 1
            yield self._exact(told(reports[place : place + 1])) if found is None else found

    def _exact(self, instance: Profile) -> np.ndarray:
        found = solve(instance, self.rule)
        if found.proof == "sampled":
            raise SampledPolicyError(f"the policy of {self.rule.id} is an estimate here; axioms need the exact one.")
        return found.policy

    def values(self, kind: int, payoff: str) -> np.ndarray:
        """Return the value (K,) of each arm to an agent type: 1 for a favourite, or the mean."""
        return self.favourites[kind].astype(float) if payoff == "shares" else np.array(self.rows[kind])

    def told(self, report: RatingRow) -> tuple[str, ...]:
        """Return the names of the favourites in a report."""
        best = max(report)
        return tuple(name for name, value in zip(self.arms, report, strict=True) if value >= best)

    def own(self, kind: int) -> tuple[str, ...]:
        """Return the names of the true favourites of an agent type."""
        return tuple(name for name, liked in zip(self.arms, self.favourites[kind].tolist(), strict=True) if liked)

    def said(self, kind: int, report: RatingRow) -> str:
        """Describe a false report in words: other favourites, or the same favourites with other ratings."""
        told, own = self.told(report), self.own(kind)
        if max(report) == 0 and self.rule.input_kind != "favourites":
            return "rates everything 0"
        if told != own or self.rule.input_kind == "favourites":
            return f"says {format_arm_set(told)} instead of {format_arm_set(own)}"
        moved = [place for place, value in enumerate(self.rows[kind]) if report[place] != value]
        if len(moved) > 2 and len(set(report)) == 2 and min(report) == 0:
            return f"rates all but {join_names(own)} 0"
        each = (f"{self.arms[place]} {report[place]:.3g} instead of {self.rows[kind][place]:.3g}" for place in moved)
        return f"rates {join_names(list(each))}"


def _policy_from_sets(codes: np.ndarray, weights: np.ndarray | None, arms: int) -> np.ndarray | None:
    """Compute the policy (K,) of equal voice for favourite sets as bit codes; return None if it cannot be certified."""
    sets, counts, _ = merge_codes(codes, weights)
    try:
        return np.asarray(policy_of_codes(sets, counts, arms).policy)
    except CertificationError:
        return None


def _merge_counts(group: Sequence[tuple[int, int]]) -> dict[int, int]:
    merged: dict[int, int] = {}
    for row, count in group:
        merged[row] = merged.get(row, 0) + count
    return merged


def format_arm_set(names: Sequence[str]) -> str:
    """Format a set of arms for a sentence: "only tea", "tea or cake"."""
    if len(names) == 1:
        return f"only {names[0]}"
    few = [*names[:4], f"{len(names) - 4} more"] if len(names) > 5 else names
    return f"{', '.join(few[:-1])} or {few[-1]}"
