"""`honesty`: everyone's best lie under a rule in one group, and that of small groups, in numbers and in words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from isegoria import tolerances
from isegoria.arguments import checked_instance
from isegoria.axioms.lies import (
    LARGEST_GROUP,
    LIE,
    LIMIT,
    TIME,
    BestLie,
    Budget,
    Measure,
    best_lies,
    claims,
    joint_lie,
    lie_of,
    said_by_all,
)
from isegoria.axioms.pareto import pareto_checked
from isegoria.axioms.people import People, Row
from isegoria.axioms.reports import Reports, reports_of
from isegoria.axioms.verdict import Lie
from isegoria.errors import InputError
from isegoria.instance import Instance
from isegoria.rules.registry import RULES
from isegoria.rules.rule import Rule

SHOWN = 20
"""With more members than this, sentences name the ten largest gains and count the rest."""


@dataclass(frozen=True, eq=False)
class Member:
    """The best lies of the agents of one kind: what one of them gains in share and in utility, by which report.

    `agent` is the first of them, `agents` how many there are, all with equal means. `share`, `utility` are (before,
    after), each by its own best lie. Of the one in what was asked, `report` names the favourites that it tells,
    `ratings` (K,) is the row itself, `policy` the lottery after it, and `said` the lie in words; None where none pays.
    """

    agent: str
    agents: int
    favourites: tuple[str, ...]
    report: tuple[str, ...] | None
    ratings: Row | None
    share: tuple[float, float]
    utility: tuple[float, float]
    policy: np.ndarray | None = field(repr=False)
    said: str = ""

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
    """What lies gain under a rule in one group: `members` by kind, `groups` by size, and how it was looked for.

    `exhaustive` says that every report there is was tried, of one agent and of the groups that were asked for; `tried`
    how many policies that were, `reports` how many reports one agent has. `cut` says in words why some reports of
    one agent were not tried, and `together` what was found for each size of groups. `theorem` is where it is proved
    that one agent alone never gains, whoever the others are, if the rule claims that.
    """

    rule: str
    of: str
    members: tuple[Member, ...]
    groups: tuple[Lie, ...]
    exhaustive: bool
    tried: int
    theorem: str = ""
    reports: int = 0
    cut: str = ""
    together: tuple[str, ...] = field(default=(), repr=False)
    _alone: bool = field(default=True, repr=False)

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
             "report": None if one.report is None else list(one.report),
             "ratings": None if one.ratings is None else list(one.ratings), "share": list(one.share),
             "utility": list(one.utility), "policy": None if one.policy is None else one.policy.tolist()}
            for one in self.members
        ]  # fmt: skip

    @property
    def sentences(self) -> list[str]:
        """The finding in words: how many could gain, and by what."""
        total = sum(member.agents for member in self.members)
        what = "share" if self.of == "shares" else "utility"
        liars = sorted((one for one in self.members if self.gain(one) > LIE), key=lambda one: -self.gain(one))
        shown = liars if total <= SHOWN else liars[:10]
        said = [self._head(total, what), *(self._of(one, what) for one in shown)]
        if len(shown) < len(liars):
            left = sum(one.agents for one in liars[len(shown) :])
            said.append(f"  … and {left:,} more could gain less.")
        return [*said, *(f"  {one}" for one in self.together)]

    def _head(self, total: int, what: str) -> str:
        if self.theorem and not self.gainers:
            here = f", here ({self._how()})" if self.tried else ", here"
            return f"{self.rule}: nobody alone can gain in {what}{here} or anywhere ({self.theorem})."
        if not self.gainers:
            none = "nobody can gain" if self._alone else "nobody was found to gain"
            little = max(map(self.gain, self.members), default=0.0) > tolerances.FAIR
            more = f" more than {LIE:.0e}" if little else ""
            return f"{self.rule}: {none}{more} in {what} by a false report; {self._how()}."
        least = "" if self._alone or self.gainers == total else "at least "
        return (
            f"{self.rule}: {least}{self.gainers:,} of {total:,} could gain in {what} by a false report; {self._how()}."
        )

    def _how(self) -> str:
        if self._alone:
            return f"all {self.reports:,} reports of everyone were tried" if self.reports > 1 else "there is one report"
        return f"{self.tried:,} policies were tried; {self.cut or 'there are other reports'}"

    def _of(self, one: Member, what: str) -> str:
        before, after = one.share if self.of == "shares" else one.utility
        alike = "" if one.agents == 1 else f" (one of {one.agents:,} alike)"
        return f"  {one.agent}{alike} {one.said}: {what} {before:.3f} -> {after:.3f}"


def honesty(
    instance: Instance, rule: str | Rule = "procedural", *, of: str = "shares", groups: int = 1, search: bool = True,
    limit: int = LIMIT, time_limit: float = TIME,
) -> Honesty:  # fmt: skip
    """Everyone's best lie under `rule` in this group: `.members`, `.worst`, `.gainers`, `.groups` up to that size.

    `of` says in what a gain is counted: "shares", the chance of a true favourite, or "utilities". Where not every
    report could be tried within `limit` and `time_limit` seconds, `.exhaustive` is False and the sentences say why.
    With `search=False` a rule that is proved honest answers by its theorem.

    >>> import isegoria as iso
    >>> found = iso.honesty(iso.Instance.from_approvals(["a", "b", "ac", "bc"]))
    >>> found.gainers, round(found.gain(found.worst), 3)
    (2, 0.125)
    >>> print("\\n".join(found.sentences))
    procedural: 2 of 4 could gain in share by a false report; all 7 reports of everyone were tried.
      Agent 3 says only c instead of a or c: share 0.500 -> 0.625
      Agent 4 says only c instead of b or c: share 0.500 -> 0.625
    """
    checked_instance(instance, "honesty")
    of = pareto_checked(of)
    _checked(groups, limit, time_limit)
    people = People.of(instance, rule if isinstance(rule, Rule) else RULES[rule])
    theorem = people.rule.citation if claims(people, of) else ""
    if theorem and not search:
        return Honesty(people.rule.id, of, (), (), True, 0, theorem)
    budget, reports = Budget.of(limit, time_limit), reports_of(people)
    members = tuple(_member(people, kind, of, budget, reports) for kind in range(len(people.rows)))
    alone, cut = reports.exhaustive and not budget.cut, budget.cut
    joint = [_joint(people, size, of, budget) for size in range(2, groups + 1)]
    lies = tuple(lie for lie, _, _ in joint if lie is not None)
    exhaustive = alone and all(whole for _, whole, _ in joint)
    said = tuple(words for _, _, words in joint)
    return Honesty(
        people.rule.id, of, members, lies, exhaustive, people.tried, theorem, reports.count, cut, said, alone
    )  # fmt: skip


def _joint(people: People, size: int, of: str, budget: Budget) -> tuple[Lie | None, bool, str]:
    """(the best joint lie of groups of one size, whether all of theirs were tried, what was found in words)."""
    budget.cut = ""
    found = joint_lie(people, size, of, False, budget)
    whole = reports_of(people).exhaustive and not budget.cut
    how = "all joint reports were tried" if whole else budget.cut or "there are other reports"
    who = {2: "two", 3: "three"}[size]
    if found.policy is None:
        return None, whole, f"{who} together: no group {'gains' if whole else 'was found to gain'}; {how}"
    lie = lie_of(people, found.group, found.reports, found.policy, of)
    return lie, whole, f"{who} together: {said_by_all(people, found)}: up to +{found.gain:.3f}; {how}"


def _checked(groups: Any, limit: Any, time_limit: Any) -> None:
    if not isinstance(groups, int) or isinstance(groups, bool) or not 1 <= groups <= LARGEST_GROUP:
        raise InputError(f"groups is {groups!r}; groups of 1 to {LARGEST_GROUP} are looked at.")
    for name, value in {"limit": limit, "time_limit": time_limit}.items():
        if not isinstance(value, int | float) or isinstance(value, bool) or not value > 0:
            raise InputError(f"{name} is {value!r}; expected a number above 0.")


def _member(people: People, kind: int, of: str, budget: Budget, reports: Reports) -> Member:
    """Both best lies of a kind; they are one where both are measured alike."""
    values = {what: people.values(kind, what) for what in ("shares", "utilities")}
    alike = bool((values["shares"] == values["utilities"]).all())
    measures = [Measure(values["shares"]), *([] if alike else [Measure(values["utilities"])])]
    best = best_lies(people, kind, measures, budget, reports)
    found = {"shares": best[0], "utilities": best[-1]}
    before = {what: float(values[what] @ people.honest) for what in values}
    spans = {what: (before[what], before[what] + found[what].gain) for what in values}
    asked = found[of] if found[of].gain > LIE else BestLie()
    return Member(
        people.names[kind], people.counts[kind], people.own(kind),
        people.told(asked.report) if asked.report is not None else None, asked.report,
        spans["shares"], spans["utilities"], asked.policy,
        people.said(kind, asked.report) if asked.report is not None else "",
    )  # fmt: skip
