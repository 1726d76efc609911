"""Faults in rules, axioms and lies."""

from __future__ import annotations

from dataclasses import replace as changed

import numpy as np

import isegoria as iso
from mutants.faults.solvers import with_policy
from mutants.planting import change_result, fault, replace_name

MIXING = "tests/rules/test_fair_mixing.py"
LEXIMIN = "tests/rules/test_leximin.py"
POLICIES = "tests/analysis/axioms/test_policy_axioms.py"
LIES = "tests/analysis/axioms/test_rule_axioms.py"


def change_rule(id: str, change) -> None:
    """Let the solution of one rule be `change(solution, instance)`, whoever asks for it."""
    row = iso.RULES[id]
    honest = row.policy
    row.__dict__["policy"] = lambda instance, *rest, **more: change(honest(instance, *rest, **more), instance)


def spend_voices(instance, worth):
    """Each voice on its favourites of largest `worth`, even among those that are equal."""
    held = np.where(instance.favourites, worth, -np.inf)
    best = held >= held.max(axis=1, keepdims=True)
    return instance.weights @ (best / best.sum(axis=1, keepdims=True)) / instance.total_weight


@fault(MIXING)
def cut_gives_ties_to_the_lowest_index():
    """A voice with several most supported favourites goes to the first of them."""

    def first(solution, instance):
        supporters = instance.weights @ instance.favourites
        return with_policy(solution, spend_voices(instance, supporters - 1e-9 * np.arange(len(supporters))))

    change_rule("conditional-utilitarian", first)


@fault(MIXING)
def cut_goes_by_ratings():
    """A voice goes to its favourites of largest total rating, where supporters are meant."""
    change_rule(
        "conditional-utilitarian",
        lambda solution, instance: with_policy(solution, spend_voices(instance, instance.arm_means)),
    )


@fault(LEXIMIN, MIXING)
def leximin_is_egalitarian():
    """Leximin stops after its first stage."""
    change_rule("leximin", lambda solution, instance: with_policy(solution, iso.solve(instance, "egalitarian").policy))


@fault(LIES)
def a_whole_row_lies_and_stays_away():
    """All agents of a row tell a lie together, and stay away together."""

    def without(people, kinds):
        return [
            (people.number(row), count)
            for kind, (row, count) in enumerate(zip(people.rows, people.counts, strict=True))
            if kind not in kinds
        ]

    replace_name("analysis.axioms.rule_evaluator:RuleEvaluator.without", lambda old: without)


@fault(LIES)
def excludable_goods_are_enjoyed_by_whoever_asked():
    """What a liar asked for counts for her, liked or not."""
    replace_name(
        "analysis.axioms.manipulation:PayoffMeasure.gains",
        lambda old: (
            lambda self, reports, policies, base: (
                (policies * (reports >= reports.max(axis=1, keepdims=True))).sum(axis=1) - base
                if self.excludable
                else policies @ self.values - base
            )
        ),
    )


@fault(POLICIES, LEXIMIN)
def efficiency_asks_only_whether_all_could_gain():
    """A policy counts as efficient unless another one is better for everybody."""

    def judged(found, *rest):
        return changed(found, holds=True) if found.holds is False and not found.for_all else found

    for place in (
        "analysis.efficiency:decide_efficiency",
        "analysis.efficiency:check_efficiency",
        "analysis.axioms.pareto:check_efficiency",
    ):
        change_result(place, judged)


@fault(POLICIES)
def average_fair_share_asks_all_supporters_at_once():
    """Of the supporters of an arm only all together are asked, not those with the smallest shares."""

    def average(instance, policy):
        from isegoria.analysis.axioms.verdict import Coalition, Verdict

        rows, weights, _ = instance.favourite_types
        held = weights @ rows
        ratios = instance.total_weight * ((weights * (rows @ policy)) @ rows) / np.maximum(held, 1) ** 2
        bound = float(ratios[held > 0].min())
        return Verdict("afs", bound >= 1 - 1e-9, "closed form", Coalition((), (), 0.0, 0.0), bound, 1, "planted")

    replace_name("analysis.axioms.fair_share:check_average", lambda old: average)


@fault(LIES)
def reports_are_single_favourites():
    """A liar is thought to name one favourite, never several."""
    change_result(
        "analysis.axioms.report_space:approval_reports", lambda found, arms, most: found[found.sum(axis=1) == 1]
    )
