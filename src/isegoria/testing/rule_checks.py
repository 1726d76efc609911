"""Checks that every rule must pass: on dense, sparse and scanned tables, and in every small group."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from isegoria.analysis.scores import score
from isegoria.errors import CertificationError, InputError
from isegoria.out_of_core.scan import scan
from isegoria.profiles import Instance
from isegoria.rules import TIE_BREAKS, WITHIN_CHOICES, Objective, Rule, Solution, solve
from isegoria.rules.rule import INPUT_KINDS
from isegoria.testing.check_suite import demand, fail, named, refuses, run
from isegoria.utils import tolerances

POLICY_TOLERANCE = 1e-9
"""Maximum difference between two policies that should be equal: a certificate's tolerance and rounding."""


def instances() -> Iterator[Instance]:
    """Yield a dozen small weighted groups: random means, and means on few levels, where ties are common."""
    rng = np.random.default_rng(20)
    for agents, arms in [(3, 2), (4, 6), (9, 5), (1, 4), (5, 1), (20, 7)]:
        yield Instance(rng.random((agents, arms)), weights=rng.integers(1, 6, agents))
        yield Instance(rng.integers(0, 3, (agents, arms)) / 2, weights=rng.integers(1, 6, agents))


def check_rule(rule: Rule) -> list[str]:
    """Run all checks on `rule`; return the names of the checks.

    Raise an `AssertionError` that says which requirement is broken.

    >>> import isegoria as iso
    >>> len(check_rule(iso.RULES["conditional-utilitarian"]))
    11
    """
    return run(RULE_CHECKS, rule)


def it_says_what_it_is(rule: Rule) -> None:
    demand(isinstance(rule, Rule), f"expected an iso.Rule, not {rule!r}")
    for name in ("id", "label", "summary"):
        demand(isinstance(getattr(rule, name), str) and getattr(rule, name), f"it has no {name}")
    for word in (rule.id, *rule.aliases):
        demand("," not in word and word == word.strip(), f"the name {word!r} is no plain word")
    demand(rule.input_kind in INPUT_KINDS, f"it reads {rule.input_kind!r}, which is none of {', '.join(INPUT_KINDS)}")


def every_answer_is_a_policy(rule: Rule) -> None:
    for instance in instances():
        found = solve(instance, rule)
        demand(isinstance(found, Solution), "solve gave no Solution")
        demand(
            (found.policy >= 0).all() and abs(found.policy.sum() - 1) <= POLICY_TOLERANCE,
            f"{found.policy} is no policy",
        )
        demand(not found.policy.flags.writeable, "its policy can be changed afterwards")
        demand(0 <= score(instance, found.policy).procedural <= 1 + POLICY_TOLERANCE, "its policy cannot be scored")


def a_sparse_table_is_the_same_table(rule: Rule) -> None:
    try:
        from scipy.sparse import csr_array
    except ModuleNotFoundError:
        return  # without SciPy nobody has one

    for instance in instances():
        twin = Instance(csr_array(instance.means), weights=instance.weights)
        _require_same_policy(rule, instance, twin, "of a sparse table")


def a_scanned_table_is_the_same_table(rule: Rule) -> None:
    for instance in instances():
        _require_same_policy(rule, instance, scan(instance), "of a scanned table")


def renamed_arms_rename_the_policy(rule: Rule) -> None:
    rng = np.random.default_rng(4)
    for instance in instances():
        columns = rng.permutation(len(instance.arms))
        other = Instance(instance.means[:, columns], weights=instance.weights)
        one, two = solve(instance, rule).policy[columns], solve(other, rule).policy
        demand(_is_close(one, two), f"with the arms in another order the policy is {two}, not {one}")


def reordered_merged_and_split_rows_leave_it(rule: Rule) -> None:
    rng = np.random.default_rng(5)
    for instance in instances():
        policy = solve(instance, rule).policy
        order = rng.permutation(len(instance.agents))
        spread = np.repeat(instance.means, instance.weights.astype(np.intp), axis=0)
        for other, how in (
            (Instance(instance.means[order], weights=instance.weights[order]), "agents in another order"),
            (Instance(spread[rng.permutation(len(spread))]), "weights spelled out"),
        ):
            found = solve(other, rule).policy
            demand(_is_close(policy, found), f"with {how} the policy is {found}, not {policy}")


def equal_calls_give_equal_bytes(rule: Rule) -> None:
    for instance in instances():
        again = Instance(instance.means.copy(), weights=instance.weights)
        one, two, three = (solve(each, rule).policy.tobytes() for each in (instance, instance, again))
        demand(one == two == three, "asked again, it gives another policy")


def the_instance_is_not_changed(rule: Rule) -> None:
    for instance in instances():
        before = instance.means.copy(), instance.weights.copy()
        solve(instance, rule)
        after = instance.means, instance.weights
        demand(all(np.array_equal(one, two) for one, two in zip(before, after, strict=True)), "it changed the instance")


def it_reads_no_more_than_it_says(rule: Rule) -> None:
    for instance in instances():
        best = instance.means.max(axis=1, keepdims=True)
        changed = {
            "favourites": np.where(instance.favourites, 0.9, 0.3 * instance.means / np.maximum(best, 1)),
            "order": 0.05 + 0.9 * instance.means**2,
        }.get(rule.input_kind)
        if changed is not None:
            one, two = solve(instance, rule).policy, solve(Instance(changed, weights=instance.weights), rule).policy
            demand(
                _is_close(one, two),
                f"it says that it reads the {rule.input_kind} alone, but other means change its policy",
            )


def its_claims_hold_in_every_small_group(rule: Rule) -> None:
    """Check the claims `fair` and `honest` in all groups of up to 4 agents and 3 arms.

    The size matters: for example, no group of 3 agents shows that the Nash product of shares can be manipulated.
    """
    known: dict[tuple[int, ...], np.ndarray] = {}
    for arms in (1, 2, 3):
        sets = range(1, 2**arms)
        for agents in (1, 2, 3, 4) if rule.fair or rule.strategyproof else ():
            for group in combinations_with_replacement(sets, agents):
                _check_claims(rule, group, arms, known)


def _check_claims(rule: Rule, group: tuple[int, ...], arms: int, known: dict[tuple[int, ...], np.ndarray]) -> None:
    """Check the rule's claims in a group of favourite sets, each a number whose bit k is arm k."""
    table = _table(group, arms)
    policy = _policy(rule, group, arms, known)
    if rule.fair:
        reached = score(Instance(table), policy).procedural
        demand(
            reached >= 1 - tolerances.FAIRNESS_GAP,
            f"it claims to be fair, but scores {reached:.6f} for {table.tolist()}",
        )
    for i, mine in enumerate(dict.fromkeys(group)) if rule.strategyproof else ():
        others = list(group)
        others.remove(mine)
        for report in range(1, 2**arms):
            told = _policy(rule, tuple(sorted([*others, report])), arms, known)
            gain = float(_table((mine,), arms)[0] @ (told - policy))
            said = f"it claims to be honest, but agent {i + 1} of {table.tolist()} gains {gain:.3g} by a false report"
            demand(gain <= POLICY_TOLERANCE, said)


def _table(group: tuple[int, ...], arms: int) -> np.ndarray:
    return np.array([[each >> k & 1 for k in range(arms)] for each in group], dtype=float)


def _policy(rule: Rule, group: tuple[int, ...], arms: int, known: dict[tuple[int, ...], np.ndarray]) -> np.ndarray:
    key = (arms, *group)
    if key not in known:
        known[key] = solve(Instance(_table(group, arms)), rule).policy
    return known[key]


def what_it_has_no_answer_for_it_refuses_in_a_sentence(rule: Rule) -> None:
    for instance in instances():
        asked = [lambda t=t, i=instance: solve(i, rule, t) for t in TIE_BREAKS]
        asked += [lambda w=w, i=instance: solve(i, rule, within=w) for w in WITHIN_CHOICES]
        for call in asked:
            _require_answer_or_error(call)
    few = next(instances())
    refuses(InputError, "it takes a tie_break that there is none of", lambda: solve(few, rule, "middle"))  # type: ignore[arg-type]
    refuses(InputError, "it takes a within that there is none of", lambda: solve(few, rule, within="all"))  # type: ignore[arg-type]
    refuses(InputError, "it takes an option that it does not list", lambda: solve(few, rule, no_such_option=1))  # type: ignore[call-arg]
    if not isinstance(rule, Objective) and rule.fair:
        one, two = solve(few, rule).policy, solve(few, rule, within="fair").policy
        demand(_is_close(one, two), "it is always fair, but within='fair' changes its policy")


def _require_answer_or_error(call: Callable[[], Solution]) -> None:
    try:
        call()
    except (InputError, CertificationError) as refused:
        demand(str(refused).strip(), "it refuses without a word")


def _require_same_policy(rule: Rule, instance: Instance, twin: Any, where: str) -> None:
    """Require the policy of `instance` or an `InputError`; no other error and no other policy."""
    policy = solve(instance, rule).policy
    try:
        found = solve(twin, rule).policy
    except InputError:
        return
    except Exception as error:
        fail(f"{where} it raises {type(error).__name__} ({error}); answer, or raise an InputError that says what to do")
    demand(_is_close(policy, found), f"{where} its policy is {found}, not {policy}")


def _is_close(one: np.ndarray, two: np.ndarray) -> bool:
    return one.shape == two.shape and bool(np.abs(one - two).max() <= POLICY_TOLERANCE)


RULE_CHECKS = named(
    it_says_what_it_is,
    every_answer_is_a_policy,
    a_sparse_table_is_the_same_table,
    a_scanned_table_is_the_same_table,
    renamed_arms_rename_the_policy,
    reordered_merged_and_split_rows_leave_it,
    equal_calls_give_equal_bytes,
    the_instance_is_not_changed,
    it_reads_no_more_than_it_says,
    its_claims_hold_in_every_small_group,
    what_it_has_no_answer_for_it_refuses_in_a_sentence,
)
"""The checks of `check_rule` by name; each takes the rule."""
