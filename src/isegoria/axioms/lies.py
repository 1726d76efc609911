"""Lies: what one agent, or a small group, can gain by a false report; and `honesty`, everyone's best one.

A lie is told by *one agent*: a row of weight w becomes w − 1 and 1. A gain counts above `LIE`, does not below
`tolerances.FAIR`, and between the two nothing is decided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from time import monotonic
from typing import Any

import numpy as np

from isegoria import tolerances
from isegoria.arguments import checked_instance
from isegoria.axioms.pareto import pareto_checked
from isegoria.axioms.reports import People, Reports, Row, reports_of
from isegoria.axioms.verdict import Lie, Proof, Verdict, some
from isegoria.errors import InputError
from isegoria.instance import Instance
from isegoria.rules.registry import RULES
from isegoria.rules.rule import Rule

LIE = 1e-6
"""A gain above this is one."""
LIMIT = 200_000
TIME = 10.0
LARGEST_GROUP = 3
SHOWN = 20
"""With more members than this, sentences name the ten largest gains and count the rest."""

Worth = Callable[[Row], np.ndarray]


@dataclass
class Budget:
    """How many reports may be tried, and until when; `spent` says that something was left out."""

    limit: int
    ends: float
    spent: bool = False

    @classmethod
    def of(cls, limit: int, time_limit: float) -> Budget:
        """A budget that begins now."""
        return cls(limit, monotonic() + time_limit)

    def left(self) -> bool:
        """Whether there is time for one more."""
        if monotonic() > self.ends:
            self.spent = True
        return not self.spent


@dataclass(frozen=True, eq=False)
class Best:
    """The best lie found for one kind of agent: its gain, the report, and the policy after it."""

    gain: float
    report: Row | None
    policy: np.ndarray | None


def best_lie(people: People, kind: int, worth: Worth, budget: Budget, reports: Reports) -> Best:
    """The report that gains a kind most, by `worth` (K,) of the arms (which may depend on the report)."""
    policy = people.liar(kind)
    own = people.rows[kind]
    base = float(worth(own) @ people.honest)
    if reports.count * len(people.rows) <= budget.limit:
        return _among(reports.every(kind), policy, worth, base, budget)
    found, start = Best(0.0, None, None), own
    while True:  # the best change, again and again
        budget.spent = True
        better = _among(reports.near(start), policy, worth, base, budget)
        if better.report is None or better.gain <= found.gain + tolerances.FAIR:
            return found
        found, start = better, better.report


def _among(
    reports: Iterator[Row], policy: Callable[[Row], np.ndarray], worth: Worth, base: float, budget: Budget
) -> Best:
    found = Best(0.0, None, None)
    for place, report in enumerate(reports):
        if place % 256 == 0 and monotonic() > budget.ends:
            budget.spent = True
            break
        given = policy(report)
        gain = float(worth(report) @ given) - base
        if gain > found.gain:
            found = Best(gain, report, given)
    return found


def strategyproof(
    people: People, of: str, limit: int, time_limit: float, search: bool, excludable: bool = False
) -> Verdict:
    """Nobody gains by a false report; with `excludable` the liar enjoys only what she said she likes."""
    axiom = "excludable-strategyproof" if excludable else "strategyproof"
    claim = people.rule.honest
    if claim and (claim == of or claim == "utilities") and not search:
        sentence = f"Nobody can gain in {of}, whoever the others are ({people.rule.citation})."
        return Verdict(axiom, True, "theorem", None, 0.0, 0, sentence)
    budget, reports = Budget.of(limit, time_limit), reports_of(people)
    worst: tuple[int, Best] | None = None
    for kind in range(len(people.rows)):
        found = best_lie(people, kind, _worth(people, kind, of, excludable), budget, reports)
        if worst is None or found.gain > worst[1].gain:
            worst = kind, found
    assert worst is not None
    return _judged(axiom, people, [worst[0]], worst[1], of, reports.exhaustive and not budget.spent)


def _worth(people: People, kind: int, of: str, excludable: bool) -> Worth:
    """What each arm is worth to a liar, who with excludable goods enjoys only what she asked for."""
    values = people.values(kind, of)
    if not excludable:
        return lambda report: values
    return lambda report: values * (np.array(report) >= max(report))


def _judged(axiom: str, people: People, liars: Sequence[int], best: Best, of: str, whole: bool) -> Verdict:
    gain = best.gain
    if gain > LIE and best.report is not None and best.policy is not None:
        lie = lie_of(people, liars, [best.report], best.policy, of)
        unit = "the lottery" if of == "shares" else "utility"
        said, own = _or(lie.reports[0]), _or(lie.favourites[0])
        sentence = f"{lie.agents[0]} gains {gain:.3f} of {unit} by saying {said} instead of {own}."
        return Verdict(axiom, False, "enumeration", lie, gain, people.tried, sentence)
    if gain > tolerances.FAIR:
        return Verdict(
            axiom, None, "found none", None, gain, people.tried, f"Undecided: a gain of {gain:.2g} may be rounding."
        )
    tried = f"{people.tried:,} policies"
    if whole:
        return Verdict(
            axiom,
            True,
            "enumeration",
            None,
            gain,
            people.tried,
            f"Nobody gains by a false report; all were tried, {tried}.",
        )
    sentence = f"Found none among {tried}; there are other reports."
    return Verdict(axiom, None, "found none", None, gain, people.tried, sentence)


def lie_of(people: People, liars: Sequence[int], reports: Sequence[Row], policy: np.ndarray, of: str) -> Lie:
    """The lie as a witness, its values computed again from the policies."""
    before = tuple(float(people.values(kind, of) @ people.honest) for kind in liars)
    after = tuple(float(people.values(kind, of) @ policy) for kind in liars)
    told = tuple(people.told(report) for report in reports)
    names = tuple(people.names[kind] for kind in liars)
    return Lie(names, tuple(map(people.own, liars)), told, before, after, policy, tuple(reports))


def group_lies(
    people: People, size: int, of: str, strict: bool, budget: Budget
) -> tuple[Best, tuple[int, ...], tuple[Row, ...]]:
    """(the best joint lie, who tells it, what they say) of groups of one size in which nobody loses and one gains.

    Who tells which of the reports does not matter to an anonymous rule, so joint reports are taken without order.
    """
    reports = list(reports_of(people).every(0))
    groups = [
        group for group in combinations_with_replacement(range(len(people.rows)), size) if _possible(people, group)
    ]
    joint = len(reports) ** size * len(groups)
    if joint > budget.limit * 50:
        budget.spent = True
        reports = reports[: max(2, int((budget.limit * 50 / max(len(groups), 1)) ** (1 / size)))]
    base = [float(people.values(kind, of) @ people.honest) for kind in range(len(people.rows))]
    found: tuple[Best, tuple[int, ...], tuple[Row, ...]] = (Best(0.0, None, None), (), ())
    for group in groups:
        values = np.array([people.values(kind, of) for kind in group])
        had = np.array([base[kind] for kind in group])
        for told in combinations_with_replacement(reports, size):
            if not budget.left():
                return found
            policy = people.with_reports(group, told)
            gains = values @ policy - had
            enough = gains.min() > LIE if strict else gains.min() >= -tolerances.FAIR and gains.max() > LIE
            if enough and gains.max() > found[0].gain:
                found = Best(float(gains.max()), told[0], policy), group, told
    return found


def _possible(people: People, group: tuple[int, ...]) -> bool:
    return all(group.count(kind) <= people.counts[kind] for kind in set(group))


def group_strategyproof(people: People, of: str, limit: int, time_limit: float, largest: int, strict: bool) -> Verdict:
    """No group of up to so many agents gains by a joint report in which nobody of it loses."""
    budget = Budget.of(limit, time_limit)
    for size in range(1, largest + 1):
        best, group, told = group_lies(people, size, of, strict, budget)
        if best.policy is not None:
            lie = lie_of(people, group, told, best.policy, of)
            said = "; ".join(f"{name} says {_or(report)}" for name, report in zip(lie.agents, lie.reports, strict=True))
            sentence = f"{some(lie.agents)} gain up to {best.gain:.3f} together: {said}."
            return Verdict("group-strategyproof", False, "enumeration", lie, best.gain, people.tried, sentence)
    whole = not budget.spent and reports_of(people).exhaustive
    proof: Proof = "enumeration" if whole else "found none"
    tried = f"groups of up to {largest}, {people.tried:,} policies"
    sentence = (
        f"No group gains: all {tried}, were tried." if whole else f"Found none: {tried}; there are other reports."
    )
    return Verdict("group-strategyproof", True if whole else None, proof, None, 0.0, people.tried, sentence)


# -- everyone's best lie -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Member:
    """One row's best lies: what one agent of it gains in share and in utility, by which report.

    `share`, `utility` are (before, after); `report` is that of the larger gain of the two asked for first, `policy` the
    lottery after it; `agents` is how many such agents there are.
    """

    agent: str
    agents: int
    favourites: tuple[str, ...]
    report: tuple[str, ...] | None
    share: tuple[float, float]
    utility: tuple[float, float]
    policy: np.ndarray | None = field(repr=False)

    @property
    def share_gain(self) -> float:
        """What a lie gains in the chance of a favourite."""
        return self.share[1] - self.share[0]

    @property
    def utility_gain(self) -> float:
        """What a lie gains in utility."""
        return self.utility[1] - self.utility[0]


@dataclass(frozen=True, eq=False)
class Honesty:
    """What lies gain under a rule in one group: `members` by row, `groups` by size, and how it was looked for."""

    rule: str
    of: str
    members: tuple[Member, ...]
    groups: tuple[Lie, ...]
    exhaustive: bool
    tried: int
    theorem: str = ""

    def gain(self, member: Member) -> float:
        """A member's gain in what was asked."""
        return member.share_gain if self.of == "shares" else member.utility_gain

    @property
    def worst(self) -> Member | None:
        """Who gains most; None if nobody does."""
        found = max(self.members, key=self.gain, default=None)
        return found if found is not None and self.gain(found) > LIE else None

    @property
    def gainers(self) -> int:
        """How many agents could gain."""
        return sum(member.agents for member in self.members if self.gain(member) > LIE)

    def rows(self) -> list[dict[str, Any]]:
        """A row for each kind of member, as plain data."""
        return [
            {"agent": one.agent, "agents": one.agents, "favourites": list(one.favourites),
             "report": None if one.report is None else list(one.report), "share": list(one.share),
             "utility": list(one.utility), "policy": None if one.policy is None else one.policy.tolist()}
            for one in self.members
        ]  # fmt: skip

    @property
    def sentences(self) -> list[str]:
        """The finding in words: how many could gain, and by what."""
        total = sum(member.agents for member in self.members)
        how = (
            f"all reports of everyone were tried, {self.tried:,} policies"
            if self.exhaustive
            else f"found among {self.tried:,} policies; there are other reports"
        )
        what = "share" if self.of == "shares" else "utility"
        if self.theorem:
            said = [f"{self.rule}: nobody can gain in {what}, whoever the others are ({self.theorem})."]
        elif self.gainers == 0:
            none = "nobody can gain" if self.exhaustive else "nobody was found to gain"
            said = [f"{self.rule}: {none} in {what} by a false report; {how}."]
        else:
            said = [f"{self.rule}: {self.gainers} of {total} could gain in {what} by a false report; {how}."]
        liars = sorted((one for one in self.members if self.gain(one) > LIE), key=lambda one: -self.gain(one))
        shown = liars if total <= SHOWN else liars[:10]
        said += [self._of(one, what) for one in shown]
        if len(shown) < len(liars):
            said.append(f"  … and {len(liars) - len(shown)} more kinds of members.")
        return said + [self._together(lie) for lie in self.groups]

    def _of(self, one: Member, what: str) -> str:
        before, after = one.share if self.of == "shares" else one.utility
        said = f"  {one.agent} says {_or(one.report or ())} instead of {_or(one.favourites)}"
        return f"{said}: {what} {before:.3f} -> {after:.3f}"

    def _together(self, lie: Lie) -> str:
        said = ", ".join(f"{name} says {_or(report)}" for name, report in zip(lie.agents, lie.reports, strict=True))
        return f"  {len(lie.agents)} together: {said}: up to +{lie.gain:.3f}"


def honesty(
    instance: Instance, rule: str | Rule = "procedural", *, of: str = "shares", groups: int = 1, search: bool = True,
    limit: int = LIMIT, time_limit: float = TIME,
) -> Honesty:  # fmt: skip
    """Everyone's best lie under `rule` in this group: `.members`, `.worst`, `.gainers`, `.groups` up to that size.

    `of` says in what a gain is counted: "shares", the chance of a true favourite, or "utilities". Where not every
    report could be tried within `limit` and `time_limit` seconds, `.exhaustive` is False and the sentences say so. With
    `search=False` a rule that is proved honest answers by its theorem.

    >>> import isegoria as iso
    >>> found = iso.honesty(iso.Instance.from_approvals(["a", "b", "ac", "bc"]))
    >>> found.gainers, round(found.gain(found.worst), 3)
    (2, 0.125)
    """
    checked_instance(instance, "honesty")
    of = pareto_checked(of)
    if not isinstance(groups, int) or isinstance(groups, bool) or not 1 <= groups <= LARGEST_GROUP:
        raise InputError(f"groups is {groups!r}; groups of 1 to {LARGEST_GROUP} are looked at.")
    row = rule if isinstance(rule, Rule) else RULES[rule]
    people = People.of(instance, row)
    claimed = row.honest == of or row.honest == "utilities"
    if claimed and not search:
        return Honesty(row.id, of, (), (), True, 0, row.citation)
    budget, reports = Budget.of(limit, time_limit), reports_of(people)
    members = tuple(_member(people, kind, of, budget, reports) for kind in range(len(people.rows)))
    joint = []
    for size in range(2, groups + 1):
        best, group, told = group_lies(people, size, of, False, budget)
        if best.policy is not None:
            joint.append(lie_of(people, group, told, best.policy, of))
    return Honesty(row.id, of, members, tuple(joint), reports.exhaustive and not budget.spent, people.tried)


def _member(people: People, kind: int, of: str, budget: Budget, reports: Reports) -> Member:
    """Both best lies of a kind; they are one where both are measured alike."""
    found: dict[str, Best] = {}
    for what in ("shares", "utilities"):
        values = people.values(kind, what)
        if what == "utilities" and (values == people.values(kind, "shares")).all():
            found[what] = found["shares"]
            continue
        found[what] = best_lie(people, kind, _worth(people, kind, what, False), budget, reports)
    before = {what: float(people.values(kind, what) @ people.honest) for what in found}
    after = {what: before[what] + max(best.gain, 0.0) for what, best in found.items()}
    asked = found[of]
    return Member(
        people.names[kind], people.counts[kind], people.own(kind),
        None if asked.report is None or asked.gain <= LIE else people.told(asked.report),
        (before["shares"], after["shares"]), (before["utilities"], after["utilities"]), asked.policy,
    )  # fmt: skip


def _or(names: Sequence[str]) -> str:
    """A set of arms in a sentence: "only tea", "tea or cake"."""
    if len(names) == 1:
        return f"only {names[0]}"
    return (
        f"{', '.join(names[:-1])} or {names[-1]}"
        if len(names) <= 5
        else f"{', '.join(names[:4])} or {len(names) - 4} more"
    )
