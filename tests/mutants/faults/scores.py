"""Faults in scores, voices, audits and cores."""

from __future__ import annotations

from dataclasses import replace as changed

import numpy as np

import isegoria as iso
from mutants.planting import change_result, fault, replace_name


@fault("lemma_5_coalitional_proportionality")
def procedural_score_is_a_little_high():
    """The procedural score is a millionth too high."""
    change_result("analysis.scores:procedural_score", lambda found, *rest: min(1.0, found + 1e-6))


@fault("tests/analysis/test_scores.py")
def equality_forgets_what_is_possible():
    """The equality score is 1 − D, whatever the least D."""
    replace_name("analysis.scores:_equality_scores", lambda old: lambda inequality, least: 1.0 - inequality)


@fault("tests/analysis/test_scores.py", "section_5_1_illustrative_comparison")
def utilitarian_score_is_the_utility():
    """The utilitarian score is not measured by the best."""
    replace_name("analysis.scores:_utilitarian_scores", lambda old: lambda utility, most: np.minimum(1.0, utility))


@fault("table_2_dots", "tests/analysis/test_scores.py")
def scores_are_swapped_in_tables():
    """Tables of scores have two columns in the other order."""
    change_result("studies.policy_scores:score_batch", lambda found, *rest: found[:, :, [0, 2, 1]])
    change_result("analysis.scores:score_batch", lambda found, *rest: found[:, :, [0, 2, 1]])


@fault("tests/analysis/test_scores.py")
def the_cut_is_always_one():
    """The upper bound of the procedural score is 1."""
    change_result("analysis.scores:max_flow", lambda found, *rest: (found[0], 1.0, *found[2:]))


@fault("tests/analysis/test_voice_attribution.py")
def attribution_favours_the_first():
    """A little of the last type's voice is given to nobody."""
    change_result(
        "analysis.attribution:fair_flow",
        lambda found, *rest: (found[0], found[1] * np.linspace(1, 0.99, len(found[1]))[:, None], *found[2:]),
    )


@fault("tests/analysis/test_voice_attribution.py", "tests/analysis/test_audit.py")
def nobody_is_ever_neglected():
    """No coalition is found neglected."""
    replace_name("analysis.attribution:neglected_in", lambda old: lambda *args: None)
    replace_name("analysis.audit:neglected_in", lambda old: lambda *args: None)


@fault("proposition_1_proportionality")
def everything_is_proportional():
    """Every policy is said to be proportional."""
    replace_name("analysis.attribution:Proportionality.proportional", lambda old: property(lambda self: True))


@fault("tests/analysis/test_voice_attribution.py")
def shares_count_one_agent_too_few():
    """The proportional parts are counted in (N − 1)-ths."""
    change_result(
        "analysis.audit:proportionality_of_valid", lambda found, i, p: changed(found, shares=found.shares * 0.9)
    )
    change_result(
        "analysis.attribution:proportionality_of_valid", lambda found, i, p: changed(found, shares=found.shares * 0.9)
    )


@fault("tests/analysis/test_audit.py")
def every_audit_is_fair():
    """Every audit says that the policy is fair."""
    replace_name("analysis.audit:Audit.is_fair", lambda old: property(lambda self: True))


@fault(
    "theorem_4_nash_of_shares_is_in_the_procedural_core",
    "theorem_3_nash_of_utilities_need_not_be_in_the_procedural_core",
)
def the_core_is_always_stable():
    """Every policy is in the core."""
    _change_core(lambda found: changed(found, stable=True, coalition=None, agents=None, deviation=None, gains=None))


@fault("theorem_5_core_implies_procedural_fairness", "theorem_4_nash_of_shares_is_in_the_procedural_core")
def the_core_is_always_blocked():
    """No policy is in the core."""
    _change_core(lambda found: changed(found, stable=False, gains=np.array([0.5])))


@fault("theorem_3_nash_of_utilities_need_not_be_in_the_procedural_core")
def the_core_is_always_blocked_by_the_first_agent():
    """Every verdict is that of Theorem 3: agent 1 blocks with arm 1 and gains 1/2."""
    answer = {
        "coalition": np.array([0]),
        "agents": ("Agent 1",),
        "deviation": np.array([1, 0]),
        "gains": np.array([0.5]),
    }
    _change_core(lambda found: changed(found, stable=False, **answer))


@fault("tests/analysis/test_core.py")
def the_outcome_core_asks_about_voice():
    """Asked for the outcome core, it answers for the procedural one."""
    _change_verdict(lambda honest, i, p, kind, seconds: changed(honest(i, p, "procedural", seconds), kind=kind))


@fault("tests/analysis/test_core.py", "theorem_3_nash_of_utilities_need_not_be_in_the_procedural_core")
def gains_are_doubled():
    """What a coalition gains is told twice as large."""
    _change_core(lambda found: changed(found, gains=None if found.gains is None else 2 * found.gains))


def _change_core(change) -> None:
    _change_verdict(lambda honest, *args: change(honest(*args)))


def _change_verdict(change) -> None:
    """Let `core`, alone and in an audit, say `change(what was said before it, *its arguments)`."""
    for place in ("analysis.core:decide_core", "analysis.audit:decide_core"):
        replace_name(place, lambda old: lambda *args: change(old, *args))


@fault("tests/analysis/test_frontier.py", "proposition_3_equal_voice_against_utility")
def equal_voice_is_cheaper_than_it_is():
    """The frontier ends a thousandth too high."""
    honest = iso.frontier
    iso.frontier = lambda *a, **k: (lambda found: changed(found, values=np.minimum(1, found.values + 1e-3)))(
        honest(*a, **k)
    )


@fault("theorem_6_nash_and_procedural_are_pareto_incomparable", "tests/analysis/test_comparison.py")
def being_as_good_is_dominating():
    """A policy dominates whatever it equals."""
    replace_name(
        "analysis.dominance:find_outscored",
        lambda old: (
            lambda points: {
                name: tuple(
                    other for other, theirs in points.items() if all(b >= w for b, w in zip(theirs, own, strict=True))
                )
                for name, own in points.items()
            }
        ),
    )


@fault("tests/analysis/test_comparison.py")
def nothing_is_ever_dominated():
    """No policy is marked as dominated."""
    replace_name("analysis.dominance:find_outscored", lambda old: lambda points: dict.fromkeys(points, ()))


@fault("tests/rules/test_random_dictatorship.py")
def dictators_have_no_weight():
    """Random dictatorship draws rows, not agents."""
    honest = iso.RULES["random-dictatorship"].policy
    iso.RULES["random-dictatorship"].__dict__["policy"] = lambda instance: honest(iso.Instance(instance.means))


@fault("tests/rules/test_random_dictatorship.py")
def products_leave_somebody_out():
    """The plain product of utilities leaves out agents who can get nothing."""
    replace_name(
        "profiles.nash_product:compute_nash_product",
        lambda old: lambda instance, policy, of: old(iso.Instance(instance.means[instance.best_means > 0]), policy, of),
    )
