"""Checks that every objective must pass."""

from __future__ import annotations

import contextlib
import math
from typing import Any

import numpy as np

from isegoria.analysis.scores import score
from isegoria.errors import CertificationError, InputError
from isegoria.out_of_core.scan import scan
from isegoria.profiles import Instance
from isegoria.rules import TIE_BREAKS, WITHIN_CHOICES, Objective, Solution, Welfare, solve
from isegoria.testing.check_suite import demand, fail, named, run
from isegoria.testing.rule_checks import RULE_CHECKS, instances

VALUE_TOLERANCE = 1e-9
"""Maximum difference between a value and its reference: a certificate's tolerance and rounding."""

UNPROVED_TOLERANCE = 1e-6
"""Maximum suboptimality of a policy without a proof, measured by trying other policies."""


def check_objective(objective: Objective) -> list[str]:
    """Run all checks on `objective`; return the names of the checks.

    Raise an `AssertionError` that says which requirement is broken.
    """
    return run(OBJECTIVE_CHECKS, objective)


def it_is_an_objective(objective: Objective) -> None:
    demand(isinstance(objective, Objective), f"expected an iso.Objective, not {objective!r}")


def every_answer_is_a_policy_with_its_value(objective: Objective) -> None:
    for instance in instances():
        found = solve(instance, objective)
        demand(isinstance(found, Solution), "solve gave no Solution")
        demand(
            (found.policy >= 0).all() and abs(found.policy.sum() - 1) <= VALUE_TOLERANCE, f"{found.policy} is no policy"
        )
        demand(math.isfinite(found.value), f"its value is {found.value}")
        demand(math.isnan(found.gap) or found.gap >= 0, f"its gap is {found.gap}")
        again = objective.evaluate(instance, found.policy)
        demand(_is_close(again, found.value), f"the value is {found.value}, but evaluate says {again}")
        demand(0 <= score(instance, found.policy).procedural <= 1 + VALUE_TOLERANCE, "its policy cannot be scored")


def no_policy_is_better_than_the_gap_allows(objective: Objective) -> None:
    sign = 1 if objective.sense == "maximise" else -1
    rng = np.random.default_rng(3)
    for instance in instances():
        found, arms = solve(instance, objective), len(instance.arms)
        allowed = (UNPROVED_TOLERANCE if math.isnan(found.gap) else found.gap + VALUE_TOLERANCE) * max(
            1.0, abs(found.value)
        )
        for policy in [*rng.dirichlet(np.full(arms, 0.4), 30), *np.eye(arms), np.full(arms, 1 / arms)]:
            better = sign * (objective.evaluate(instance, policy) - found.value)
            demand(better <= allowed, f"{policy.round(3)} is better by {better:.3g}, which the gap does not allow")


def tie_breaks_agree_on_the_value_or_are_refused(objective: Objective) -> None:
    for instance in instances():
        value = solve(instance, objective).value
        for tie_break in TIE_BREAKS:
            try:
                found = solve(instance, objective, tie_break)
            except InputError:
                continue
            demand(found.tie_break == tie_break, f"asked for {tie_break}, it says {found.tie_break}")
            demand(_is_close(found.value, value), f"by {tie_break} the value is {found.value}, by centre {value}")


def within_the_fair_policies_it_stays_there_or_refuses(objective: Objective) -> None:
    for instance in instances():
        for within in WITHIN_CHOICES:
            try:
                found = solve(instance, objective, within=within)
            except (InputError, CertificationError):
                continue
            reached = score(instance, found.policy).procedural
            demand(reached >= 1 - UNPROVED_TOLERANCE, f"within={within!r} gave a policy of procedural score {reached}")


def relabelling_changes_no_value(objective: Objective) -> None:
    rng = np.random.default_rng(4)
    for instance in instances():
        rows, columns = rng.permutation(len(instance.agents)), rng.permutation(len(instance.arms))
        other = Instance(instance.means[rows][:, columns], weights=instance.weights[rows])
        one, two = solve(instance, objective), solve(other, objective)
        demand(
            _is_close(one.value, two.value), f"with other names and places the value is {two.value}, not {one.value}"
        )
        moved = objective.evaluate(other, one.policy[columns])
        demand(
            _is_close(moved, one.value), f"evaluate says {moved} of the same policy in other places, not {one.value}"
        )


def a_row_of_weight_w_is_w_agents(objective: Objective) -> None:
    for instance in instances():
        spread = Instance(np.repeat(instance.means, instance.weights.astype(np.intp), axis=0))
        one, two = solve(instance, objective), solve(spread, objective)
        demand(_is_close(one.value, two.value), f"weights spelled out give {two.value} instead of {one.value}")
        before = instance.means.copy()
        objective.evaluate(instance, one.policy)
        demand(np.array_equal(before, instance.means), "it changed the instance")


def a_sparse_or_scanned_table_gives_the_same_value(objective: Objective) -> None:
    for instance in instances():
        value = solve(instance, objective).value
        twins: list[Any] = [scan(instance)]
        with contextlib.suppress(ModuleNotFoundError):  # without SciPy nobody has a sparse table
            from scipy.sparse import csr_array

            twins.append(Instance(csr_array(instance.means), weights=instance.weights))
        for twin in twins:
            try:
                found = solve(twin, objective)
                again = objective.evaluate(twin, found.policy)
            except InputError:
                continue
            demand(
                _is_close(found.value, value) and _is_close(again, value),
                f"there the value is {found.value}, not {value}",
            )


def a_welfare_is_concave_and_its_gradient_supports_it(objective: Objective) -> None:
    if not isinstance(objective, Welfare):
        return
    rng = np.random.default_rng(6)
    for _ in range(1_000):
        weights = rng.integers(1, 6, 4).astype(float)
        one, two = rng.uniform(0.01, 1, 4), rng.uniform(0.01, 1, 4)
        first, second, middle = (float(objective.value(v, weights)) for v in (one, two, (one + two) / 2))
        slack = VALUE_TOLERANCE * max(1.0, abs(first), abs(second))
        demand(middle >= (first + second) / 2 - slack, f"it is not concave between {one.round(3)} and {two.round(3)}")
        rise = float(objective.gradient(one, weights) @ (two - one))
        demand(second <= first + rise + slack, f"its gradient at {one.round(3)} does not bound it at {two.round(3)}")


def _is_close(one: float, two: float) -> bool:
    if not (math.isfinite(one) and math.isfinite(two)):
        fail(f"a value is {one if not math.isfinite(one) else two}")
    return abs(one - two) <= VALUE_TOLERANCE * max(1.0, abs(one), abs(two))


OBJECTIVE_CHECKS = (
    named(it_is_an_objective, a_welfare_is_concave_and_its_gradient_supports_it)
    | RULE_CHECKS
    | named(
        every_answer_is_a_policy_with_its_value,
        no_policy_is_better_than_the_gap_allows,
        tie_breaks_agree_on_the_value_or_are_refused,
        within_the_fair_policies_it_stays_there_or_refuses,
        relabelling_changes_no_value,
        a_row_of_weight_w_is_w_agents,
        a_sparse_or_scanned_table_gives_the_same_value,
    )
)
"""The checks of `check_objective` by name: those of every rule, and more. Each takes the objective."""
