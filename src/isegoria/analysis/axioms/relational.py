"""Axioms about changes of a group: an agent abstains, an arm gains a supporter, names move, or an arm is copied."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np

from isegoria.analysis.axioms.manipulation import MANIPULATION_GAIN
from isegoria.analysis.axioms.rule_evaluator import RatingRow, RuleEvaluator
from isegoria.analysis.axioms.verdict import (
    CloneViolation,
    MonotonicityViolation,
    ParticipationViolation,
    SymmetryViolation,
    Verdict,
    Witness,
)
from isegoria.utils import tolerances

MAX_PERMUTED_ARMS = 5
SAMPLED_ORDERS = 60


def check_participation(people: RuleEvaluator, payoff: str, strict: bool = False) -> Verdict:
    """Decide whether no agent does better by abstaining.

    With `strict`, every agent must do better by taking part, unless it has its best even when it abstains.
    """
    axiom = "strict-participation" if strict else "participation"
    if sum(people.counts) == 1:
        return Verdict(axiom, True, "closed form", None, np.inf, 0, "One agent alone cannot stay away from itself.")
    worst, least = None, np.inf
    for kind in range(len(people.rows)):
        values = people.values(kind, payoff)
        there = float(values @ people.honest)
        away = float(values @ people.together(people.without([kind]), []))
        margin = there - away
        if strict and away >= values.max() - tolerances.FAIRNESS_GAP:
            margin = np.inf
        if margin < least:
            least, worst = margin, ParticipationViolation(people.names[kind], there, away)
    if strict:
        return _judge(
            axiom,
            least > MANIPULATION_GAIN,
            least <= tolerances.FAIRNESS_GAP,
            worst,
            least,
            people.tried,
            "Everyone gains by taking part.",
            _describe_absence(worst, "nothing is gained by coming"),
        )
    return _judge(
        axiom,
        least >= -tolerances.FAIRNESS_GAP,
        least < -MANIPULATION_GAIN,
        worst,
        least,
        people.tried,
        "Nobody does better by staying away.",
        _describe_absence(worst, "staying away is better"),
    )


def _describe_absence(worst: ParticipationViolation | None, why: str) -> str:
    return (
        ""
        if worst is None
        else f"{worst.agent} has {worst.there:.3f} by taking part and {worst.away:.3f} without: {why}."
    )


def check_monotonicity(people: RuleEvaluator) -> Verdict:
    """Decide whether no arm becomes less likely when one more agent makes it a favourite."""
    worst, least = None, np.inf
    for kind, row in enumerate(people.rows):
        for arm in np.flatnonzero(~people.favourites[kind]).tolist():
            raised: RatingRow = (*row[:arm], max(row), *row[arm + 1 :])
            before, after = float(people.honest[arm]), float(people.with_report(kind, raised)[arm])
            if after - before < least:
                least, worst = (
                    after - before,
                    MonotonicityViolation(people.names[kind], people.arms[arm], before, after),
                )
    said = (
        ""
        if worst is None
        else f"{worst.arm} falls from {worst.before:.4f} to {worst.after:.4f} when {worst.agent} likes it too."
    )
    return _judge(
        "monotone",
        least >= -tolerances.FAIRNESS_GAP,
        least < -MANIPULATION_GAIN,
        worst,
        least,
        people.tried,
        "No arm loses by a new friend.",
        said,
    )


def check_anonymity(people: RuleEvaluator) -> Verdict:
    """Decide whether the policy stays the same when agents are reordered or rows are split into single agents."""
    expected, worst, most = people.honest, None, 0.0
    reordered = list(range(len(people.rows)))[::-1]
    tries = [("reversed", [people.rows[place] for place in reordered], [people.counts[place] for place in reordered])]
    if sum(people.counts) <= 1000:
        single = [row for row, count in zip(people.rows, people.counts, strict=True) for _ in range(count)]
        tries.append(("split into single agents", single, [1] * len(single)))
    for what, rows, counts in tries:
        found = people.computed(rows, counts)
        off = float(np.abs(found - expected).max())
        if off > most:
            most, worst = (
                off,
                SymmetryViolation(what, tuple(people.names[place] for place in reordered), found, expected),
            )
    said = "" if worst is None else f"With its rows {worst.what} the group gets another policy, by up to {most:.3g}."
    return _judge(
        "anonymous",
        most <= tolerances.FAIRNESS_GAP,
        most > MANIPULATION_GAIN,
        worst,
        most,
        people.tried,
        "The order of agents and splitting rows change nothing.",
        said,
    )


def check_neutrality(people: RuleEvaluator) -> Verdict:
    """Decide whether renaming the arms renames the policy: every order of up to five arms, else sixty random ones."""
    arms = len(people.arms)
    expected, worst, most = people.honest, None, 0.0
    for order in _iter_arm_orders(arms):
        rows = [tuple(row[arm] for arm in order) for row in people.rows]
        found = people.computed(rows, people.counts)
        off = float(np.abs(found - expected[list(order)]).max())
        if off > most:
            names = tuple(people.arms[arm] for arm in order)
            most, worst = off, SymmetryViolation("arms", names, found, expected[list(order)])
    whole = arms <= MAX_PERMUTED_ARMS
    said = (
        ""
        if worst is None
        else f"In the order {', '.join(worst.order)} the arms get another policy, by up to {most:.3g}."
    )
    verdict = _judge(
        "neutral",
        most <= tolerances.FAIRNESS_GAP,
        most > MANIPULATION_GAIN,
        worst,
        most,
        people.tried,
        "The names and the order of arms change nothing.",
        said,
    )
    if verdict.holds and not whole:
        sentence = f"None of {SAMPLED_ORDERS} orders of the arms changes anything; there are others."
        return Verdict("neutral", None, "sampled", None, most, people.tried, sentence)
    return verdict


def _iter_arm_orders(arms: int) -> Iterator[tuple[int, ...]]:
    if arms <= MAX_PERMUTED_ARMS:
        yield from permutations(range(arms))
        return
    rng = np.random.default_rng(0)
    for _ in range(SAMPLED_ORDERS):
        yield tuple(rng.permutation(arms).tolist())


def check_clone_proofness(people: RuleEvaluator, payoff: str) -> Verdict:
    """Decide whether a copy of an arm changes nobody's value."""
    worst, most = None, 0.0
    before = [float(people.values(kind, payoff) @ people.honest) for kind in range(len(people.rows))]
    for arm in range(len(people.arms)):
        rows = [(*row, row[arm]) for row in people.rows]
        found = people.computed(rows, people.counts)
        for kind in range(len(rows)):
            values = people.values(kind, payoff)
            after = float(np.append(values, values[arm]) @ found)
            if abs(after - before[kind]) > most:
                most, worst = (
                    abs(after - before[kind]),
                    CloneViolation(people.arms[arm], people.names[kind], before[kind], after),
                )
    said = (
        ""
        if worst is None
        else f"A copy of {worst.arm} moves {worst.agent} from {worst.before:.3f} to {worst.after:.3f}."
    )
    return _judge(
        "clone-proof",
        most <= tolerances.FAIRNESS_GAP,
        most > MANIPULATION_GAIN,
        worst,
        most,
        people.tried,
        "Copies of arms change nobody's value.",
        said,
    )


def _judge(
    axiom: str, holds: bool, fails: bool, witness: Witness | None, bound: float, tried: int, good: str, bad: str
) -> Verdict:
    if fails:
        return Verdict(axiom, False, "enumeration", witness, float(bound), tried, bad)
    if holds:
        return Verdict(axiom, True, "enumeration", None, float(bound), tried, good)
    return Verdict(
        axiom,
        None,
        "enumeration",
        None,
        float(bound),
        tried,
        f"Undecided: a difference of {abs(bound):.2g} may be rounding.",
    )
