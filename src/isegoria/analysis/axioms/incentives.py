"""`honesty`: the best false report of each agent under a rule in one group, and of small groups of agents."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from isegoria.analysis.axioms.manipulation import (
    DEFAULT_MAX_REPORTS,
    DEFAULT_TIME_LIMIT_SECONDS,
    MANIPULATION_GAIN,
    MAX_GROUP_SIZE,
    BestManipulation,
    PayoffMeasure,
    SearchBudget,
    build_witness,
    claims_strategyproof,
    describe_joint_report,
    find_best_manipulations,
    find_joint_manipulation,
)
from isegoria.analysis.axioms.pareto import validate_payoff
from isegoria.analysis.axioms.report_space import ReportSpace, build_report_space
from isegoria.analysis.axioms.rule_evaluator import RatingRow, RuleEvaluator
from isegoria.analysis.axioms.verdict import Manipulation
from isegoria.errors import InputError
from isegoria.profiles import Profile
from isegoria.rules.literals import PayoffName, RuleName
from isegoria.rules.registry import RULES
from isegoria.rules.rule import Rule
from isegoria.utils import tolerances
from isegoria.utils.arguments import explain_keywords, require_profile
from isegoria.utils.notebook import NotebookView
from isegoria.utils.tabular import TabularResult

MAX_LISTED_AGENTS = 20
"""With more members than this, the sentences name the ten largest gains and count the rest."""


@dataclass(frozen=True, eq=False)
class AgentManipulation:
    """The best false reports of one agent type, by decision share and by utility.

    `agent` is the first agent of the type and `agents` their number, all with equal means. `share` and `utility` are
    (before, after), each by the report that is best for it. For the measure asked for, `report` has the reported
    favourites, `ratings` (K,) the reported row, `policy` the policy after it, and `said` the report in words. These are
    None, and `said` is empty, if no report pays.
    """

    agent: str
    agents: int
    favourites: tuple[str, ...]
    report: tuple[str, ...] | None
    ratings: RatingRow | None
    share: tuple[float, float]
    utility: tuple[float, float]
    policy: np.ndarray | None = field(repr=False)
    said: str = ""

    @property
    def share_gain(self) -> float:
        """The gain in decision share, the chance of a favourite."""
        return self.share[1] - self.share[0]

    @property
    def utility_gain(self) -> float:
        """The gain in utility."""
        return self.utility[1] - self.utility[0]


@dataclass(frozen=True, eq=False, repr=False)
class Honesty(TabularResult, NotebookView):
    """The gains from false reports under a rule in one group: the result of `honesty`.

    Attributes
    ----------
    rule : str
        The id of the rule.
    payoff : {"shares", "utilities"}
        How a gain is measured.
    members : tuple of Member
        The best false reports, one entry per agent type.
    groups : tuple of Lie
        The best joint false reports found, by group size.
    exhaustive : bool
        Whether every report of one agent, and of groups of the sizes asked for, was tried.
    tried : int
        The number of policies computed.
    theorem : str
        The citation of the proof that no single agent ever gains, if the rule claims that; empty otherwise.
    reports : int
        The number of reports of one agent.
    cut : str
        Why some reports of one agent were not tried, in words; empty if all were.
    together : tuple of str
        The finding for each group size, in words.
    """

    rule: str
    payoff: str
    agents: tuple[AgentManipulation, ...]
    groups: tuple[Manipulation, ...]
    exhaustive: bool
    tried: int
    theorem: str = ""
    reports: int = 0
    cut: str = ""
    together: tuple[str, ...] = field(default=(), repr=False)
    _alone: bool = field(default=True, repr=False)

    def __repr__(self) -> str:
        return f"<Honesty: {self.sentences[0]}>"

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    def gain(self, member: AgentManipulation) -> float:
        """Return the gain of a member in the measure asked for."""
        return member.share_gain if self.payoff == "shares" else member.utility_gain

    @property
    def worst(self) -> AgentManipulation | None:
        """The member with the largest gain; None if nobody gains."""
        found = max(self.agents, key=self.gain, default=None)
        return found if found is not None and self.gain(found) > MANIPULATION_GAIN else None

    @property
    def gainers(self) -> int:
        """The number of agents who could gain."""
        return sum(member.agents for member in self.agents if self.gain(member) > MANIPULATION_GAIN)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data: gains alone by agent type, then the best joint reports by group size."""
        joint = [
            {
                "size": len(lie.agents),
                "agents": list(lie.agents),
                "reports": [list(one) for one in lie.reports],
                "gains": [after - before for before, after in zip(lie.before, lie.after, strict=True)],
                "strict": all(after > before for before, after in zip(lie.before, lie.after, strict=True)),
            }
            for lie in self.groups
        ]
        return {
            **{name: getattr(self, name) for name in ("rule", "payoff", "exhaustive", "tried")},
            "agents": sum(member.agents for member in self.agents),
            "gainers": self.gainers,
            "members": self.to_rows(),
            "groups": joint,
        }

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one row of plain data for each agent type."""
        return [
            {
                "agent": one.agent,
                "agents": one.agents,
                "favourites": list(one.favourites),
                "report": None if one.report is None else list(one.report),
                "ratings": None if one.ratings is None else list(one.ratings),
                "share": list(one.share),
                "utility": list(one.utility),
                "policy": None if one.policy is None else one.policy.tolist(),
            }
            for one in self.agents
        ]

    @property
    def sentences(self) -> list[str]:
        """The finding in words: how many agents could gain, and by which report."""
        total = sum(member.agents for member in self.agents)
        what = "share" if self.payoff == "shares" else "utility"
        liars = sorted(
            (one for one in self.agents if self.gain(one) > MANIPULATION_GAIN), key=lambda one: -self.gain(one)
        )
        shown = liars if total <= MAX_LISTED_AGENTS else liars[:10]
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
            little = max(map(self.gain, self.agents), default=0.0) > tolerances.FAIRNESS_GAP
            more = f" more than {MANIPULATION_GAIN:.0e}" if little else ""
            return f"{self.rule}: {none}{more} in {what} by a false report; {self._how()}."
        least = "" if self._alone or self.gainers == total else "at least "
        return (
            f"{self.rule}: {least}{self.gainers:,} of {total:,} could gain in {what} by a false report; {self._how()}."
        )

    def _how(self) -> str:
        if self._alone:
            return f"all {self.reports:,} reports of everyone were tried" if self.reports > 1 else "there is one report"
        return f"{self.tried:,} policies were tried; {self.cut or 'there are other reports'}"

    def _of(self, one: AgentManipulation, what: str) -> str:
        before, after = one.share if self.payoff == "shares" else one.utility
        alike = "" if one.agents == 1 else f" (one of {one.agents:,} equal agents)"
        return f"  {one.agent}{alike} {one.said}: {what} {before:.3f} -> {after:.3f}"


@explain_keywords
def honesty(
    instance: Profile,
    rule: RuleName | Rule = "procedural",
    *,
    payoff: PayoffName = "shares",
    max_group_size: int = 1,
    search: bool = True,
    max_reports: int = DEFAULT_MAX_REPORTS,
    time_limit: float = DEFAULT_TIME_LIMIT_SECONDS,
) -> Honesty:
    """Find the false report that gains each agent the most under `rule` in this group.

    This measures strategyproofness of a rule in one profile.

    Parameters
    ----------
    instance : Instance
        The profile, with the true preferences.
    rule : str or Rule
        The rule, or its name in `RULES`.
    payoff : {"shares", "utilities"}
        How a gain is measured: in decision shares, the chance of a true favourite, or in utilities.
    max_group_size : int
        Also look for joint false reports of groups of up to this size, at most 3.
    search : bool
        If False, a rule that is proved to be strategyproof is answered by its theorem.
    max_reports : int
        The maximum number of reports to try one by one; with more, only the best single changes are followed.
    time_limit : float
        Seconds for the search.

    Returns
    -------
    Honesty
        `exhaustive` is False where not every report was tried, and the sentences say why.

    Raises
    ------
    InputError
        If an argument is out of range, or the policy of the rule is an estimate for this group.

    Examples
    --------
    >>> import isegoria as iso
    >>> found = iso.honesty(iso.Instance.from_approvals(["a", "b", "ac", "bc"]))
    >>> found.gainers, round(found.gain(found.worst), 3)
    (2, 0.125)
    >>> print("\\n".join(found.sentences))
    procedural: 2 of 4 could gain in share by a false report; all 7 reports of everyone were tried.
      Agent 3 says only c instead of a or c: share 0.500 -> 0.625
      Agent 4 says only c instead of b or c: share 0.500 -> 0.625
    """
    require_profile(instance, "honesty")
    validate_payoff(payoff)
    _validate_arguments(max_group_size, max_reports, time_limit)
    people = RuleEvaluator.of(instance, rule if isinstance(rule, Rule) else RULES[rule])
    theorem = people.rule.citation if claims_strategyproof(people, payoff) else ""
    if theorem and not search:
        return Honesty(people.rule.id, payoff, (), (), True, 0, theorem)
    budget, reports = SearchBudget.of(max_reports, time_limit), build_report_space(people)
    members = tuple(_best_manipulation(people, kind, payoff, budget, reports) for kind in range(len(people.rows)))
    alone, cut = reports.exhaustive and not budget.cut, budget.cut
    joint = [_search_group(people, size, payoff, budget) for size in range(2, max_group_size + 1)]
    lies = tuple(lie for lie, _, _ in joint if lie is not None)
    exhaustive = alone and all(whole for _, whole, _ in joint)
    said = tuple(words for _, _, words in joint)
    return Honesty(
        people.rule.id, payoff, members, lies, exhaustive, people.tried, theorem, reports.count, cut, said, alone
    )


def _search_group(
    people: RuleEvaluator, size: int, payoff: str, budget: SearchBudget
) -> tuple[Manipulation | None, bool, str]:
    """Find the best joint false report of one group size: (report, whether all were tried, the finding in words)."""
    budget.cut = ""
    found = find_joint_manipulation(people, size, payoff, False, budget)
    whole = build_report_space(people).exhaustive and not budget.cut
    how = "all joint reports were tried" if whole else budget.cut or "there are other reports"
    who = {2: "two", 3: "three"}[size]
    if found.policy is None:
        return None, whole, f"{who} together: no group {'gains' if whole else 'was found to gain'}; {how}"
    lie = build_witness(people, found.group, found.reports, found.policy, payoff)
    return lie, whole, f"{who} together: {describe_joint_report(people, found)}: up to +{found.gain:.3f}; {how}"


def _validate_arguments(groups: Any, limit: Any, time_limit: Any) -> None:
    if not isinstance(groups, int) or isinstance(groups, bool) or not 1 <= groups <= MAX_GROUP_SIZE:
        raise InputError(f"groups is {groups!r}; groups of 1 to {MAX_GROUP_SIZE} are looked at.")
    for name, value in {"limit": limit, "time_limit": time_limit}.items():
        if not isinstance(value, int | float) or isinstance(value, bool) or not value > 0:
            raise InputError(f"{name} is {value!r}; expected a number above 0.")


def _best_manipulation(
    people: RuleEvaluator, kind: int, payoff: str, budget: SearchBudget, reports: ReportSpace
) -> AgentManipulation:
    """Find the best false reports of one agent type; one report serves both measures where their values are equal."""
    values = {what: people.values(kind, what) for what in ("shares", "utilities")}
    alike = bool((values["shares"] == values["utilities"]).all())
    measures = [PayoffMeasure(values["shares"]), *([] if alike else [PayoffMeasure(values["utilities"])])]
    best = find_best_manipulations(people, kind, measures, budget, reports)
    found = {"shares": best[0], "utilities": best[-1]}
    before = {what: float(values[what] @ people.honest) for what in values}
    spans = {what: (before[what], before[what] + found[what].gain) for what in values}
    asked = found[payoff] if found[payoff].gain > MANIPULATION_GAIN else BestManipulation()
    return AgentManipulation(
        people.names[kind],
        people.counts[kind],
        people.own(kind),
        people.told(asked.report) if asked.report is not None else None,
        asked.report,
        spans["shares"],
        spans["utilities"],
        asked.policy,
        people.said(kind, asked.report) if asked.report is not None else "",
    )
