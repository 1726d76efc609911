"""`check` and `check_rule`: decide whether a policy, or a rule, meets an axiom on an instance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

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
from isegoria.utils.arguments import require_profile

if TYPE_CHECKING:
    from isegoria.rules.literals import RuleName
    from isegoria.rules.solution import Solution


def check(
    instance: Profile,
    policy: PolicyLike | RuleName | Rule | Solution,
    axiom: str,
    of: str = "shares",
    time_limit: float = 10,
) -> Verdict:
    """Decide whether `policy` meets an axiom of policies on `instance`.

    Parameters
    ----------
    instance : Instance
        The profile.
    policy : PolicyLike, str, Rule or Solution
        The policy (K,), or a rule or its name.
    axiom : str
        The id, label or alias of an axiom in `AXIOMS`.
    of : {"shares", "utilities"}
        What "efficient" and "ex-post" measure: decision shares or utilities. Other axioms ignore it.
    time_limit : float
        Seconds for the core ("cfs").

    Returns
    -------
    Verdict

    Raises
    ------
    InputError
        If `axiom` is an axiom of rules, or `of` or `policy` is not valid.

    Examples
    --------
    >>> import isegoria as iso
    >>> group = iso.Instance.from_approvals(["a", "ab"])
    >>> iso.axioms.check(group, [0.5, 0.5], "afs").sentence
    'Of those who want a, the favourites of Agent 1 and Agent 2 have 0.750 on average; the part due is 1.000.'
    >>> iso.axioms.check(group, [1, 0], "efficient").holds
    True
    """
    require_profile(instance, "check")
    row = AXIOMS[axiom]
    if row.of == "rule":
        raise InputError(f"a policy cannot be {row.id}, a rule can: check_rule(instance, rule, {row.id!r}).")
    given: np.ndarray = instance.check_policy(policy)
    of = pareto.validate_payoff(of)
    if row.id == "cfs":
        return fair_share.check_core(instance, given, time_limit)
    if row.id in ("efficient", "ex-post"):
        return (pareto.check_ex_ante if row.id == "efficient" else pareto.check_ex_post)(instance, given, of)
    asked = {
        "ifs": fair_share.check_individual,
        "ufs": fair_share.check_unanimous,
        "gfs": fair_share.check_group,
        "afs": fair_share.check_average,
    }
    return asked[row.id](instance, given)


def check_rule(
    instance: Profile,
    rule: str | Rule,
    axiom: str,
    of: str = "shares",
    limit: int = manipulation.DEFAULT_MAX_REPORTS,
    time_limit: float = manipulation.DEFAULT_TIME_LIMIT_SECONDS,
    *,
    search: bool = False,
    groups: int = manipulation.MAX_GROUP_SIZE,
    strict: bool = False,
) -> Verdict:
    """Decide whether `rule` meets an axiom on `instance`; an axiom of policies is checked for the rule's policy.

    Axioms of rules are decided by search on this instance. The verdict says how far the search went.

    Parameters
    ----------
    instance : Instance
        The profile.
    rule : str or Rule
        The rule, or its name in `RULES`.
    axiom : str
        The id, label or alias of an axiom in `AXIOMS`.
    of : {"shares", "utilities"}
        Whether values are decision shares or utilities.
    limit : int
        Try every report if there are at most this many in all; otherwise follow the best single changes.
    time_limit : float
        Seconds for the search.
    search : bool
        Search even if the rule is proved to be strategyproof; otherwise its theorem decides.
    groups : int
        The largest group for "group-strategyproof".
    strict : bool
        For "group-strategyproof": count a joint report only if every member of the group gains.

    Returns
    -------
    Verdict

    Raises
    ------
    InputError
        If `of` is not valid, or the policy of the rule is an estimate, since axioms need the exact one.

    Examples
    --------
    >>> import isegoria as iso
    >>> group = iso.Instance.from_approvals(["a", "b", "ac", "bc"])
    >>> iso.axioms.check_rule(group, "nmp", "strategyproof").sentence
    'Agent 3 says only c instead of a or c, and gains 0.125 of the lottery.'
    >>> iso.axioms.check_rule(group, "cut", "strategyproof").proof
    'theorem'
    """
    require_profile(instance, "check_rule")
    row, rule = AXIOMS[axiom], rule if isinstance(rule, Rule) else RULES[rule]
    of = pareto.validate_payoff(of)
    if row.of == "policy":
        found = solve(instance, rule)
        if found.proof == "sampled":
            raise InputError(f"the policy of {rule.id} is an estimate for this group; axioms need the exact one.")
        return check(instance, found.policy, row.id, of, time_limit)
    people = RuleEvaluator.of(instance, rule)
    if row.id in ("strategyproof", "excludable-strategyproof"):
        return manipulation.check_strategyproofness(people, of, limit, time_limit, search, row.id.startswith("excl"))
    if row.id == "group-strategyproof":
        return manipulation.check_group_strategyproofness(people, of, limit, time_limit, groups, strict)
    if row.id in ("participation", "strict-participation"):
        return relational.check_participation(people, of, row.id.startswith("strict"))
    if row.id == "clone-proof":
        return relational.check_clone_proofness(people, of)
    asked = {
        "monotone": relational.check_monotonicity,
        "anonymous": relational.check_anonymity,
        "neutral": relational.check_neutrality,
    }
    return asked[row.id](people)


def check_all(
    instance: Profile,
    *,
    policy: PolicyLike | None = None,
    rule: str | Rule | None = None,
    axioms: Iterable[str] | None = None,
    of: str = "shares",
    **options: Any,
) -> Mapping[str, Verdict]:
    """Check every axiom that applies to a policy, or to a rule.

    Parameters
    ----------
    instance : Instance
        The profile.
    policy : PolicyLike, optional
        The policy to check.
    rule : str or Rule, optional
        The rule to check, with its policy. Give either `policy` or `rule`.
    axioms : iterable of str, optional
        Check only these axioms.
    of : {"shares", "utilities"}
        Whether values are decision shares or utilities.
    **options
        Passed to `check` for a policy, or to `check_rule` for a rule.

    Returns
    -------
    dict of str to Verdict
        The verdicts by axiom id.

    Raises
    ------
    InputError
        If both or neither of `policy` and `rule` are given.
    """
    if (policy is None) == (rule is None):
        raise InputError("check_all needs a policy or a rule, one of the two.")
    kinds = ("policy",) if rule is None else ("policy", "rule")
    asked = (
        [AXIOMS[name].id for name in axioms]
        if axioms is not None
        else [row.id for row in AXIOMS.values() if row.of in kinds]
    )
    if rule is None:
        assert policy is not None
        return {id: check(instance, policy, id, of, **options) for id in asked}
    return {id: check_rule(instance, rule, id, of, **options) for id in asked}
