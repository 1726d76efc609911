"""`check` and `check_rule`: is an axiom met by a policy, or by a rule, on an instance?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from isegoria.arguments import checked_instance
from isegoria.axioms import changes, fair_share, lies, pareto
from isegoria.axioms.people import People
from isegoria.axioms.registry import AXIOMS
from isegoria.axioms.verdict import Verdict
from isegoria.errors import InputError
from isegoria.instance import Instance
from isegoria.instance.policies import PolicyLike
from isegoria.rules.registry import RULES
from isegoria.rules.rule import Rule
from isegoria.rules.solving import solve


def check(instance: Instance, policy: PolicyLike, axiom: str, of: str = "shares", time_limit: float = 10) -> Verdict:
    """The `Verdict` on whether `policy` meets an axiom of policies on `instance`.

    `of` matters to "efficient" and "ex-post": in decision "shares" or in "utilities".

    >>> import isegoria as iso
    >>> group = iso.Instance.from_approvals(["a", "ab"])
    >>> iso.axioms.check(group, [0.5, 0.5], "afs").sentence
    'Agent 1 and Agent 2 all want a, with favourites that have 0.750 on average; the part due is 1.000.'
    >>> iso.axioms.check(group, [1, 0], "efficient").holds
    True
    """
    checked_instance(instance, "check")
    row = AXIOMS[axiom]
    if row.of == "rule":
        raise InputError(f"a policy cannot be {row.id}, a rule can: check_rule(instance, rule, {row.id!r}).")
    given: np.ndarray = instance.check_policy(policy)
    of = pareto.pareto_checked(of)
    if row.id == "cfs":
        return fair_share.core_share(instance, given, time_limit)
    if row.id in ("efficient", "ex-post"):
        return (pareto.efficient if row.id == "efficient" else pareto.ex_post)(instance, given, of)
    asked = {
        "ifs": fair_share.individual,
        "ufs": fair_share.unanimous,
        "gfs": fair_share.group,
        "afs": fair_share.average,
    }
    return asked[row.id](instance, given)


def check_rule(
    instance: Instance, rule: str | Rule, axiom: str, of: str = "shares", limit: int = lies.LIMIT,
    time_limit: float = lies.TIME, *, search: bool = False, groups: int = lies.LARGEST_GROUP, strict: bool = False,
) -> Verdict:  # fmt: skip
    """The `Verdict` on whether `rule` meets an axiom on `instance`; an axiom of policies is asked of its policy.

    Rule axioms are decided by search: every report where that is at most `limit` in all, the best changes otherwise,
    within `time_limit` seconds; a verdict says which it was. A rule that is proved honest answers by its theorem,
    unless `search`. `groups` and `strict` are for "group-strategyproof".

    >>> import isegoria as iso
    >>> group = iso.Instance.from_approvals(["a", "b", "ac", "bc"])
    >>> iso.axioms.check_rule(group, "nmp", "strategyproof").sentence
    'Agent 3 says only c instead of a or c, and gains 0.125 of the lottery.'
    >>> iso.axioms.check_rule(group, "cut", "strategyproof").proof
    'theorem'
    """
    checked_instance(instance, "check_rule")
    row, rule = AXIOMS[axiom], rule if isinstance(rule, Rule) else RULES[rule]
    of = pareto.pareto_checked(of)
    if row.of == "policy":
        found = solve(instance, rule)
        if found.proof == "sampled":
            raise InputError(f"the policy of {rule.id} is an estimate for this group; axioms need the exact one.")
        return check(instance, found.policy, row.id, of, time_limit)
    people = People.of(instance, rule)
    if row.id in ("strategyproof", "excludable-strategyproof"):
        return lies.strategyproof(people, of, limit, time_limit, search, row.id.startswith("excl"))
    if row.id == "group-strategyproof":
        return lies.group_strategyproof(people, of, limit, time_limit, groups, strict)
    if row.id in ("participation", "strict-participation"):
        return changes.participation(people, of, row.id.startswith("strict"))
    if row.id == "clone-proof":
        return changes.clone_proof(people, of)
    asked = {"monotone": changes.monotone, "anonymous": changes.anonymous, "neutral": changes.neutral}
    return asked[row.id](people)


def check_all(
    instance: Instance, *, policy: PolicyLike | None = None, rule: str | Rule | None = None,
    axioms: Iterable[str] | None = None, of: str = "shares", **options: Any,
) -> Mapping[str, Verdict]:  # fmt: skip
    """{id: `Verdict`} of every axiom that can be asked of a policy, or of a rule; or of those in `axioms`."""
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
