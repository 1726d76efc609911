"""`check` and `check_all`: decide whether a policy, or a rule, meets an axiom on an instance."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypedDict, Unpack

import numpy as np

from isegoria.analysis.axioms import fair_share, manipulation, pareto, relational
from isegoria.analysis.axioms.registry import AXIOMS
from isegoria.analysis.axioms.rule_evaluator import RuleEvaluator
from isegoria.analysis.axioms.verdict import Verdict
from isegoria.errors import InputError
from isegoria.profiles import Profile
from isegoria.profiles.policies import PolicyLike
from isegoria.rules.registry import RULES
from isegoria.rules.rule import Rule
from isegoria.rules.solving import solve
from isegoria.utils.arguments import explain_keywords, require_profile
from isegoria.utils.notebook import NotebookView

if TYPE_CHECKING:
    from isegoria.rules.literals import PayoffName, RuleName
    from isegoria.rules.solution import Solution


class VerdictTable(dict[str, Verdict], NotebookView):
    """The verdicts by the id of the axiom."""

    def view_lines(self) -> list[str]:
        """Return how many axioms hold."""
        return [f"{sum(one.holds is True for one in self.values())} of {len(self)} axioms hold"]

    def view_rows(self) -> list[dict[str, str]]:
        """Return one row for each axiom."""
        words = {True: "yes", False: "no", None: "undecided"}
        return [{"axiom": id, "holds": words[one.holds], "sentence": one.sentence} for id, one in self.items()]


class CheckOptions(TypedDict, total=False):
    """The options of `check` that `check_all` passes on."""

    time_limit: float
    max_reports: int
    search: bool
    max_group_size: int
    strict: bool


@explain_keywords
def check(
    instance: Profile,
    policy: PolicyLike | RuleName | Rule | Solution,
    axiom: str,
    payoff: PayoffName = "shares",
    *,
    time_limit: float = manipulation.DEFAULT_TIME_LIMIT_SECONDS,
    max_reports: int = manipulation.DEFAULT_MAX_REPORTS,
    search: bool = False,
    max_group_size: int = manipulation.MAX_GROUP_SIZE,
    strict: bool = False,
) -> Verdict:
    """Decide whether a policy, or a rule, meets an axiom on `instance`.

    Axioms of policies are checked for a policy, or for the policy of a rule. Axioms of rules are decided by search on
    this instance; the verdict says how far the search went.

    Parameters
    ----------
    instance : Instance
        The profile.
    policy : PolicyLike, str, Rule or Solution
        The policy (K,), or a rule or its name.
    axiom : str
        The id, label or alias of an axiom in `AXIOMS`.
    payoff : {"shares", "utilities"}
        Whether values are decision shares or utilities; axioms that define it themselves ignore it.
    time_limit : float
        Seconds for the core ("cfs") or the search.
    max_reports : int
        Try every report if there are at most this many in all; otherwise follow the best single changes.
    search : bool
        Search even if the rule is proved to be strategyproof; otherwise its theorem decides.
    max_group_size : int
        The largest group for "group-strategyproof".
    strict : bool
        For "group-strategyproof": count a joint report only if every member of the group gains.

    Returns
    -------
    Verdict

    Raises
    ------
    InputError
        If `axiom` is an axiom of rules and `policy` is none, if an argument is not valid, or if the policy of the rule
        is an estimate, since axioms need the exact one.

    Examples
    --------
    >>> import isegoria as iso
    >>> group = iso.Instance.from_approvals(["a", "ab"])
    >>> iso.axioms.check(group, [0.5, 0.5], "afs").sentence
    'Of those who want a, the favourites of Agent 1 and Agent 2 have 0.750 on average; the part due is 1.000.'
    >>> group = iso.Instance.from_approvals(["a", "b", "ac", "bc"])
    >>> iso.axioms.check(group, "nmp", "strategyproof").sentence
    'Agent 3 says only c instead of a or c, and gains 0.125 of the lottery.'
    >>> iso.axioms.check(group, "cut", "strategyproof").proof
    'theorem'
    """
    require_profile(instance, "check")
    row, measured = AXIOMS[axiom], pareto.validate_payoff(payoff)
    rule = RULES[policy] if isinstance(policy, str) else policy
    if row.of == "policy":
        return _check_policy(instance, _solve_exactly(instance, rule), row.id, measured, time_limit)
    if not isinstance(rule, Rule):
        raise InputError(f"a policy cannot be {row.id}, a rule can: check(instance, 'procedural', {row.id!r}).")
    people = RuleEvaluator.of(instance, rule)
    if row.id in ("strategyproof", "excludable-strategyproof"):
        excludable = row.id.startswith("excl")
        return manipulation.check_strategyproofness(people, measured, max_reports, time_limit, search, excludable)
    if row.id == "group-strategyproof":
        return manipulation.check_group_strategyproofness(
            people, measured, max_reports, time_limit, max_group_size, strict
        )
    if row.id in ("participation", "strict-participation"):
        return relational.check_participation(people, measured, row.id.startswith("strict"))
    if row.id == "clone-proof":
        return relational.check_clone_proofness(people, measured)
    asked = {
        "monotone": relational.check_monotonicity,
        "anonymous": relational.check_anonymity,
        "neutral": relational.check_neutrality,
    }
    return asked[row.id](people)


def _check_policy(instance: Profile, policy: np.ndarray, axiom: str, payoff: str, time_limit: float) -> Verdict:
    if axiom == "cfs":
        return fair_share.check_core(instance, policy, time_limit)
    if axiom in ("efficient", "ex-post"):
        return (pareto.check_ex_ante if axiom == "efficient" else pareto.check_ex_post)(instance, policy, payoff)
    asked = {
        "ifs": fair_share.check_individual,
        "ufs": fair_share.check_unanimous,
        "gfs": fair_share.check_group,
        "afs": fair_share.check_average,
    }
    return asked[axiom](instance, policy)


def _solve_exactly(instance: Profile, policy: PolicyLike | Rule | Solution) -> np.ndarray:
    """Return a policy as an array (K,): as given, or the exact one of a rule."""
    if isinstance(policy, Rule):
        found = solve(instance, policy)
        if found.proof == "sampled":
            raise InputError(f"the policy of {policy.id} is an estimate for this group; axioms need the exact one.")
        return found.policy
    given: np.ndarray = instance.validate_policy(policy)
    return given


@explain_keywords
def check_all(
    instance: Profile,
    policy: PolicyLike | RuleName | Rule | Solution,
    axioms: Iterable[str] | None = None,
    payoff: PayoffName = "shares",
    **options: Unpack[CheckOptions],
) -> VerdictTable:
    """Check every axiom that applies to a policy, or to a rule.

    Parameters
    ----------
    instance : Instance
        The profile.
    policy : PolicyLike, str, Rule or Solution
        The policy (K,), or a rule or its name; a rule is checked with its policy.
    axioms : iterable of str, optional
        Check only these axioms.
    payoff : {"shares", "utilities"}
        Whether values are decision shares or utilities.
    **options
        Further options of `check`.

    Returns
    -------
    VerdictTable
        The verdicts by axiom id.

    Raises
    ------
    InputError
        If a policy is not valid, or an axiom of rules is asked of it.

    Examples
    --------
    >>> import isegoria as iso
    >>> found = iso.axioms.check_all(iso.Instance.from_approvals(["a", "ab"]), [1, 0])
    >>> found["gfs"].holds, "strategyproof" in found
    (True, False)
    """
    require_profile(instance, "check_all")
    rule = RULES[policy] if isinstance(policy, str) else policy
    kinds = ("policy", "rule") if isinstance(rule, Rule) else ("policy",)
    named = AXIOMS if axioms is None else axioms
    asked = [AXIOMS[name].id for name in named if axioms is not None or AXIOMS[name].of in kinds]
    return VerdictTable({id: check(instance, rule, id, payoff, **options) for id in asked})
