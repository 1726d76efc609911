"""Lies: what one agent, or a small group, can gain by a false report.

A lie is told by *one agent*: a row of weight w becomes w − 1 and 1. A gain counts above `LIE`, does not below
`tolerances.FAIR`, and between the two nothing is decided.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, islice
from time import monotonic
from typing import NamedTuple

import numpy as np

from isegoria import tolerances
from isegoria.axioms.people import People, Row
from isegoria.axioms.reports import Reports, reports_of
from isegoria.axioms.verdict import Lie, Proof, Verdict

LIE = 1e-6
"""A gain above this is one."""
LIMIT = 200_000
TIME = 10.0
LARGEST_GROUP = 3
JOINT = 50
"""So many times as many joint reports are tried as single ones: most of them are met again, and kept."""
WATCHED = 64
TOGETHER = 512
"""The clock is looked at once in so many reports, or joint reports."""


@dataclass
class Budget:
    """How many reports may be tried, and until when; `cut` says in words why some were not, "" if all were."""

    limit: int
    seconds: float
    ends: float
    cut: str = ""

    @classmethod
    def of(cls, limit: int, time_limit: float) -> Budget:
        """A budget that begins now."""
        return cls(limit, time_limit, monotonic() + time_limit)

    def left(self) -> bool:
        """Whether there is time for more."""
        if monotonic() <= self.ends:
            return True
        self.cut = f"stopped after {self.seconds:g} s"
        return False

    def too_many(self, what: str) -> None:
        """Not every report is tried: there are more than `limit`, and `what` was tried in place of them."""
        self.cut = self.cut or f"{what}, as all are more than {self.limit:,}"


class Measure(NamedTuple):
    """What each arm is worth (K,) to a liar, who with `excludable` goods enjoys only what she asked for."""

    values: np.ndarray
    excludable: bool = False

    def gains(self, reports: np.ndarray, policies: np.ndarray, base: float) -> np.ndarray:
        """(m,) what each report gains, by the policy that follows it."""
        if not self.excludable:
            return policies @ self.values - base
        asked = reports >= reports.max(axis=1, keepdims=True)
        return np.asarray((policies * asked) @ self.values - base)


class BestLie(NamedTuple):
    """The best lie found for one kind of agent: its gain, the report, and the policy after it."""

    gain: float = 0.0
    report: Row | None = None
    policy: np.ndarray | None = None


def best_lies(
    people: People, kind: int, measures: Sequence[Measure], budget: Budget, reports: Reports
) -> list[BestLie]:  # fmt: skip
    """For each measure the report that gains an agent of a kind most, of all of them or by single changes."""
    if reports.count * len(people.rows) > budget.limit:
        budget.too_many("single changes were tried, the best of them again")
        return [_climbed(people, kind, measure, budget, reports) for measure in measures]
    told = reports.every([kind], reports.count)
    policies = _after(people, kind, told, budget)
    return [_largest(told, policies, measure, _base(people, measure)) for measure in measures]


def _base(people: People, measure: Measure) -> float:
    return float(measure.values @ people.honest)


def _after(people: People, kind: int, reports: np.ndarray, budget: Budget) -> np.ndarray:
    """(m, K) the policies after these reports of one agent, as many as there is time for."""
    found = np.empty(reports.shape)
    for place, policy in enumerate(people.after(kind, reports)):
        if place % WATCHED == 0 and not budget.left():
            return found[:place]
        found[place] = policy
    return found


def _largest(reports: np.ndarray, policies: np.ndarray, measure: Measure, base: float) -> BestLie:
    """The first of the reports that gain most, up to rounding; nothing if none gains."""
    if not len(policies):
        return BestLie()
    gains = measure.gains(reports[: len(policies)], policies, base)
    most = float(gains.max())
    if most <= 0:
        return BestLie()
    place = int(np.argmax(gains >= most - tolerances.FAIR / 2))
    return BestLie(float(gains[place]), tuple(reports[place].tolist()), policies[place])


def _climbed(people: People, kind: int, measure: Measure, budget: Budget, reports: Reports) -> BestLie:
    """The best change, again and again until none gains."""
    found, start = BestLie(), people.rows[kind]
    while True:
        near = reports.near(start)
        better = _largest(near, _after(people, kind, near, budget), measure, _base(people, measure))
        if better.report is None or better.gain <= found.gain + tolerances.FAIR:
            return found
        found, start = better, better.report


def strategyproof(
    people: People, of: str, limit: int, time_limit: float, search: bool, excludable: bool = False
) -> Verdict:
    """Nobody gains by a false report; with `excludable` the liar enjoys only what she said she likes."""
    axiom = "excludable-strategyproof" if excludable else "strategyproof"
    if claims(people, of) and not search:
        sentence = f"Nobody can gain in {of}, whoever the others are ({people.rule.citation})."
        return Verdict(axiom, True, "theorem", None, 0.0, 0, sentence)
    budget, reports = Budget.of(limit, time_limit), reports_of(people)
    liar, worst = 0, BestLie()
    for kind in range(len(people.rows)):
        found = best_lies(people, kind, [Measure(people.values(kind, of), excludable)], budget, reports)[0]
        if found.gain > worst.gain:
            liar, worst = kind, found
    return _judged(axiom, people, liar, worst, of, reports, budget)


def claims(people: People, of: str) -> bool:
    """Whether the rule claims that nobody gains in `of`; in utilities is more than in shares."""
    return people.rule.honest in (of, "utilities")


def _judged(axiom: str, people: People, kind: int, best: BestLie, of: str, reports: Reports, budget: Budget) -> Verdict:
    tried = people.tried
    if best.gain > LIE and best.report is not None and best.policy is not None:
        lie = lie_of(people, [kind], [best.report], best.policy, of)
        unit = "the lottery" if of == "shares" else "utility"
        sentence = f"{lie.agents[0]} {people.said(kind, best.report)}, and gains {best.gain:.3f} of {unit}."
        return Verdict(axiom, False, "enumeration", lie, best.gain, tried, sentence)
    if best.gain > tolerances.FAIR:
        said = f"Undecided: a gain of {best.gain:.2g} may be rounding."
        return Verdict(axiom, None, "found none", None, best.gain, tried, said)
    if reports.exhaustive and not budget.cut:
        said = f"Nobody gains by a false report; all {reports.count:,} of everyone were tried."
        return Verdict(axiom, True, "enumeration", None, best.gain, tried, said)
    said = f"Found none among {tried:,} policies; {budget.cut or 'there are other reports'}."
    return Verdict(axiom, None, "found none", None, best.gain, tried, said)


def lie_of(people: People, liars: Sequence[int], reports: Sequence[Row], policy: np.ndarray, of: str) -> Lie:
    """The lie as a witness, its values computed again from the policies."""
    before = tuple(float(people.values(kind, of) @ people.honest) for kind in liars)
    after = tuple(float(people.values(kind, of) @ policy) for kind in liars)
    told = tuple(people.told(report) for report in reports)
    names = tuple(people.names[kind] for kind in liars)
    return Lie(names, tuple(map(people.own, liars)), told, before, after, policy, tuple(reports))


class Joint(NamedTuple):
    """The best joint lie found: what the one gains who gains most, who tells it, what they say, the policy after it."""

    gain: float = 0.0
    group: tuple[int, ...] = ()
    reports: tuple[Row, ...] = ()
    policy: np.ndarray | None = None


def joint_lie(people: People, size: int, of: str, strict: bool, budget: Budget) -> Joint:
    """The best joint lie of groups of one size in which nobody loses and one gains; with `strict`, all gain.

    Who tells which of the reports does not matter to an anonymous rule, so joint reports are taken without order; and
    where one of them is true for a member, it is the lie of a smaller group.
    """
    known = reports_of(people)
    kinds = range(len(people.rows))
    groups = [group for group in combinations_with_replacement(kinds, size) if _possible(people, group)]
    count = known.count if known.exhaustive else known.count + 2 * (size - 1) * len(people.arms)
    most = min(count, int((budget.limit * JOINT / max(len(groups), 1)) ** (1 / size)) + 1)
    if most < count:
        budget.too_many(f"groups of {size} tried the {most:,} smallest reports")
    found = Joint()
    for group in groups:
        rows = [tuple(row) for row in known.every(group, most).tolist()]
        rows = [row for row in rows if not any(people.true_for(kind, row) for kind in group)]
        for better in _best_joint(people, group, rows, of, strict, budget):
            if better.gain > found.gain + tolerances.FAIR:
                found = better
    return found


def _best_joint(
    people: People, group: tuple[int, ...], rows: list[Row], of: str, strict: bool, budget: Budget
) -> Iterator[Joint]:
    """The best joint lies of one group whose members have these reports, some hundreds at a time."""
    others, numbers = people.without(group), [people.number(row) for row in rows]
    values = np.array([people.values(kind, of) for kind in group])
    joint = combinations_with_replacement(range(len(rows)), len(group))
    while budget.left():
        told = list(islice(joint, TOGETHER))
        if not told:
            return
        policies = [people.together(others, [numbers[place] for place in places]) for places in told]
        gains = np.array(policies) @ values.T - values @ people.honest
        least, most = gains.min(axis=1), gains.max(axis=1)
        most[(least <= LIE) if strict else (least < -tolerances.FAIR) | (most <= LIE)] = 0.0
        place = int(np.argmax(most >= most.max() - tolerances.FAIR / 2))
        if most[place] > 0:
            yield Joint(float(most[place]), group, tuple(rows[each] for each in told[place]), policies[place])


def _possible(people: People, group: tuple[int, ...]) -> bool:
    return all(group.count(kind) <= people.counts[kind] for kind in set(group))


def group_strategyproof(people: People, of: str, limit: int, time_limit: float, largest: int, strict: bool) -> Verdict:
    """No group of up to so many agents gains by a joint report in which nobody of it loses."""
    axiom, budget = "group-strategyproof", Budget.of(limit, time_limit)
    for size in range(1, largest + 1):
        best = joint_lie(people, size, of, strict, budget)
        if best.policy is not None:
            lie = lie_of(people, best.group, best.reports, best.policy, of)
            gain = "gains" if size == 1 else "together they gain up to"
            sentence = f"{said_by_all(people, best)}, and {gain} {best.gain:.3f}."
            return Verdict(axiom, False, "enumeration", lie, best.gain, people.tried, sentence)
    whole = not budget.cut and reports_of(people).exhaustive
    proof: Proof = "enumeration" if whole else "found none"
    tried = f"groups of up to {largest}, {people.tried:,} policies"
    why = budget.cut or "there are other reports"
    sentence = f"No group gains: all {tried}, were tried." if whole else f"Found none: {tried}; {why}."
    return Verdict(axiom, True if whole else None, proof, None, 0.0, people.tried, sentence)


def said_by_all(people: People, lie: Joint) -> str:
    """A joint lie in words."""
    pairs = zip(lie.group, lie.reports, strict=True)
    return ", ".join(f"{people.names[kind]} {people.said(kind, report)}" for kind, report in pairs)
