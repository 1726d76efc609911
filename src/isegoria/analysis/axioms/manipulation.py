"""The gain of one agent, or of a small group, from false reports.

A false report is that of *one agent*: a row of weight w becomes rows of weight w − 1 and 1. A gain above
`MANIPULATION_GAIN` counts
and one below `tolerances.FAIR` does not; between the two the verdict is undecided.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, islice
from time import monotonic
from typing import NamedTuple

import numpy as np

from isegoria.analysis.axioms.report_space import ReportSpace, build_report_space
from isegoria.analysis.axioms.rule_evaluator import RatingRow, RuleEvaluator
from isegoria.analysis.axioms.verdict import Manipulation, Verdict, VerdictProof
from isegoria.utils import tolerances

MANIPULATION_GAIN = 1e-6
"""A gain above this counts as a manipulation."""
DEFAULT_MAX_REPORTS = 200_000
DEFAULT_TIME_LIMIT_SECONDS = 10.0
MAX_GROUP_SIZE = 3
JOINT_REPORTS_FACTOR = 50
"""The limit on joint reports is this multiple of the limit on single ones: most joint reports recur and are cached."""
CLOCK_CHECK_REPORTS = 64
JOINT_BATCH_SIZE = 512
"""The time limit is checked once per `CLOCK_CHECK_REPORTS` reports and once per `JOINT_BATCH_SIZE` joint reports."""


@dataclass
class SearchBudget:
    """The limit on the number of reports and on time; `cut` says in words why some were not tried, "" if all were."""

    limit: int
    seconds: float
    ends: float
    cut: str = ""

    @classmethod
    def of(cls, limit: int, time_limit: float) -> SearchBudget:
        """Create a budget that starts now."""
        return cls(limit, time_limit, monotonic() + time_limit)

    def left(self) -> bool:
        """Return whether there is time left; note the timeout in `cut` otherwise."""
        if monotonic() <= self.ends:
            return True
        self.cut = f"stopped after {self.seconds:g} s"
        return False

    def too_many(self, what: str) -> None:
        """Note in `cut` that there are more than `limit` reports, and that `what` was tried instead."""
        self.cut = self.cut or f"{what}, as all are more than {self.limit:,}"


class PayoffMeasure(NamedTuple):
    """The value (K,) of each arm to an agent who reports falsely.

    With `excludable` goods the agent enjoys only the arms that it reported as favourites.
    """

    values: np.ndarray
    excludable: bool = False

    def gains(self, reports: np.ndarray, policies: np.ndarray, base: float) -> np.ndarray:
        """Return the gain (m,) of each report under the policy that follows it."""
        if not self.excludable:
            return policies @ self.values - base
        most = reports.max(axis=1, keepdims=True)
        asked = (reports >= most) & (most > 0)  # a report of zeros asks for nothing
        return np.asarray((policies * asked) @ self.values - base)


class BestManipulation(NamedTuple):
    """The best false report found for one agent type: the gain, the report, and the policy after it."""

    gain: float = 0.0
    report: RatingRow | None = None
    policy: np.ndarray | None = None


def find_best_manipulations(
    people: RuleEvaluator, kind: int, measures: Sequence[PayoffMeasure], budget: SearchBudget, reports: ReportSpace
) -> list[BestManipulation]:
    """Find, for each measure, the report with the largest gain for an agent of type `kind`.

    Try all reports if they are within the budget's limit; otherwise hill-climb over single changes.
    """
    if reports.count * len(people.rows) > budget.limit:
        budget.too_many("single changes were tried, the best of them again")
        return [_hill_climb(people, kind, measure, budget, reports) for measure in measures]
    told = reports.every([kind], reports.count)
    policies = _policies_after(people, kind, told, budget)
    return [_best_report(told, policies, measure, _truthful_value(people, measure)) for measure in measures]


def _truthful_value(people: RuleEvaluator, measure: PayoffMeasure) -> float:
    return float(measure.values @ people.honest)


def _policies_after(people: RuleEvaluator, kind: int, reports: np.ndarray, budget: SearchBudget) -> np.ndarray:
    """Compute the policies (m, K) after these reports of one agent, as many as time allows."""
    found = np.empty(reports.shape)
    for place, policy in enumerate(people.after(kind, reports)):
        if place % CLOCK_CHECK_REPORTS == 0 and not budget.left():
            return found[:place]
        found[place] = policy
    return found


def _best_report(reports: np.ndarray, policies: np.ndarray, measure: PayoffMeasure, base: float) -> BestManipulation:
    """Return the first report whose gain is the maximum, up to rounding; an empty `BestManipulation` if none gains."""
    if not len(policies):
        return BestManipulation()
    gains = measure.gains(reports[: len(policies)], policies, base)
    most = float(gains.max())
    if most <= 0:
        return BestManipulation()
    place = int(np.argmax(gains >= most - tolerances.FAIRNESS_GAP / 2))
    return BestManipulation(float(gains[place]), tuple(reports[place].tolist()), policies[place])


def _hill_climb(
    people: RuleEvaluator, kind: int, measure: PayoffMeasure, budget: SearchBudget, reports: ReportSpace
) -> BestManipulation:
    """Hill-climb over single changes of the report until none increases the gain."""
    found, start = BestManipulation(), people.rows[kind]
    while True:
        near = reports.near(start)
        better = _best_report(
            near, _policies_after(people, kind, near, budget), measure, _truthful_value(people, measure)
        )
        if better.report is None or better.gain <= found.gain + tolerances.FAIRNESS_GAP:
            return found
        found, start = better, better.report


def check_strategyproofness(
    people: RuleEvaluator, payoff: str, limit: int, time_limit: float, search: bool, excludable: bool = False
) -> Verdict:
    """Decide whether no agent gains by a false report.

    With `excludable`, the agent enjoys only the arms that it reported as favourites.
    """
    axiom = "excludable-strategyproof" if excludable else "strategyproof"
    if claims_strategyproof(people, payoff) and not search:
        sentence = f"Nobody can gain in {payoff}, whatever the others report ({people.rule.citation})."
        return Verdict(axiom, True, "theorem", None, 0.0, 0, sentence)
    budget, reports = SearchBudget.of(limit, time_limit), build_report_space(people)
    liar, worst = 0, BestManipulation()
    for kind in range(len(people.rows)):
        found = find_best_manipulations(
            people, kind, [PayoffMeasure(people.values(kind, payoff), excludable)], budget, reports
        )[0]
        if found.gain > worst.gain:
            liar, worst = kind, found
    return _judge(axiom, people, liar, worst, payoff, reports, budget)


def claims_strategyproof(people: RuleEvaluator, payoff: str) -> bool:
    """Return whether the rule claims that nobody gains in `payoff`; a claim in utilities includes shares."""
    return people.rule.strategyproof in (payoff, "utilities")


def _judge(
    axiom: str,
    people: RuleEvaluator,
    kind: int,
    best: BestManipulation,
    payoff: str,
    reports: ReportSpace,
    budget: SearchBudget,
) -> Verdict:
    tried = people.tried
    if best.gain > MANIPULATION_GAIN and best.report is not None and best.policy is not None:
        lie = build_witness(people, [kind], [best.report], best.policy, payoff)
        unit = "the lottery" if payoff == "shares" else "utility"
        sentence = f"{lie.agents[0]} {people.said(kind, best.report)}, and gains {best.gain:.3f} of {unit}."
        return Verdict(axiom, False, "enumeration", lie, best.gain, tried, sentence)
    if best.gain > tolerances.FAIRNESS_GAP:
        said = f"Undecided: a gain of {best.gain:.2g} may be rounding."
        return Verdict(axiom, None, "found none", None, best.gain, tried, said)
    if reports.exhaustive and not budget.cut:
        said = f"Nobody gains by a false report; all {reports.count:,} of everyone were tried."
        return Verdict(axiom, True, "enumeration", None, best.gain, tried, said)
    said = f"Found none among {tried:,} policies; {budget.cut or 'there are other reports'}."
    return Verdict(axiom, None, "found none", None, best.gain, tried, said)


def build_witness(
    people: RuleEvaluator, liars: Sequence[int], reports: Sequence[RatingRow], policy: np.ndarray, payoff: str
) -> Manipulation:
    """Return the false reports as a witness, with values recomputed from the policies."""
    before = tuple(float(people.values(kind, payoff) @ people.honest) for kind in liars)
    after = tuple(float(people.values(kind, payoff) @ policy) for kind in liars)
    told = tuple(people.told(report) for report in reports)
    names = tuple(people.names[kind] for kind in liars)
    return Manipulation(names, tuple(map(people.own, liars)), told, before, after, policy, tuple(reports))


class JointManipulation(NamedTuple):
    """The best joint false report found: largest gain of a member, the group, its reports, the policy after them."""

    gain: float = 0.0
    group: tuple[int, ...] = ()
    reports: tuple[RatingRow, ...] = ()
    policy: np.ndarray | None = None


def find_joint_manipulation(
    people: RuleEvaluator, size: int, payoff: str, strict: bool, budget: SearchBudget
) -> JointManipulation:
    """Find the best joint false report of groups of one size in which nobody loses and somebody gains.

    With `strict`, every member must gain. Joint reports are enumerated without order, since an anonymous rule ignores
    which member makes which report. Reports that are true for a member are skipped, since they are false reports of a
    smaller group.
    """
    known = build_report_space(people)
    kinds = range(len(people.rows))
    groups = [group for group in combinations_with_replacement(kinds, size) if _is_possible_group(people, group)]
    count = known.count if known.exhaustive else known.count + 2 * (size - 1) * len(people.arms)
    most = min(count, int((budget.limit * JOINT_REPORTS_FACTOR / max(len(groups), 1)) ** (1 / size)) + 1)
    if most < count:
        budget.too_many(f"groups of {size} tried the {most:,} smallest reports")
    found = JointManipulation()
    for group in groups:
        rows = [tuple(row) for row in known.every(group, most).tolist()]
        rows = [row for row in rows if not any(people.true_for(kind, row) for kind in group)]
        for better in _search_joint_reports(people, group, rows, payoff, strict, budget):
            if better.gain > found.gain + tolerances.FAIRNESS_GAP:
                found = better
    return found


def _search_joint_reports(
    people: RuleEvaluator,
    group: tuple[int, ...],
    rows: list[RatingRow],
    payoff: str,
    strict: bool,
    budget: SearchBudget,
) -> Iterator[JointManipulation]:
    """Yield the best joint report of each batch of joint reports that one group can make from `rows`."""
    others, numbers = people.without(group), [people.number(row) for row in rows]
    values = np.array([people.values(kind, payoff) for kind in group])
    joint = combinations_with_replacement(range(len(rows)), len(group))
    while budget.left():
        told = list(islice(joint, JOINT_BATCH_SIZE))
        if not told:
            return
        policies = [people.together(others, [numbers[place] for place in places]) for places in told]
        gains = np.array(policies) @ values.T - values @ people.honest
        least, most = gains.min(axis=1), gains.max(axis=1)
        most[
            (least <= MANIPULATION_GAIN) if strict else (least < -tolerances.FAIRNESS_GAP) | (most <= MANIPULATION_GAIN)
        ] = 0.0
        place = int(np.argmax(most >= most.max() - tolerances.FAIRNESS_GAP / 2))
        if most[place] > 0:
            yield JointManipulation(
                float(most[place]), group, tuple(rows[each] for each in told[place]), policies[place]
            )


def _is_possible_group(people: RuleEvaluator, group: tuple[int, ...]) -> bool:
    return all(group.count(kind) <= people.counts[kind] for kind in set(group))


def check_group_strategyproofness(
    people: RuleEvaluator, payoff: str, limit: int, time_limit: float, largest: int, strict: bool
) -> Verdict:
    """Decide whether no group of up to `largest` agents gains by a joint report in which none of them loses.

    With `strict`, a joint report counts only if all of them gain.
    """
    axiom, budget = "group-strategyproof", SearchBudget.of(limit, time_limit)
    for size in range(1, largest + 1):
        best = find_joint_manipulation(people, size, payoff, strict, budget)
        if best.policy is not None:
            lie = build_witness(people, best.group, best.reports, best.policy, payoff)
            gain = "gains" if size == 1 else "together they gain up to"
            sentence = f"{describe_joint_report(people, best)}, and {gain} {best.gain:.3f}."
            return Verdict(axiom, False, "enumeration", lie, best.gain, people.tried, sentence)
    whole = not budget.cut and build_report_space(people).exhaustive
    proof: VerdictProof = "enumeration" if whole else "found none"
    tried = f"groups of up to {largest}, {people.tried:,} policies"
    why = budget.cut or "there are other reports"
    sentence = f"No group gains: all {tried}, were tried." if whole else f"Found none: {tried}; {why}."
    return Verdict(axiom, True if whole else None, proof, None, 0.0, people.tried, sentence)


def describe_joint_report(people: RuleEvaluator, lie: JointManipulation) -> str:
    """Describe a joint false report in words."""
    pairs = zip(lie.group, lie.reports, strict=True)
    return ", ".join(f"{people.names[kind]} {people.said(kind, report)}" for kind, report in pairs)
