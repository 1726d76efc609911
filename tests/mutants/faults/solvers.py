"""Faults in objectives and their solvers."""

from __future__ import annotations

import numpy as np

import isegoria as iso
from mutants.planting import fault, replace_name

CONTRACT = "tests/rules/test_objective_contract.py"


def change_solution(id: str, change) -> None:
    """Let the solution of one objective be `change(solution, instance)`, whoever asks for it."""
    row = iso.RULES[id]
    honest = row.optimise
    row.__dict__["optimise"] = lambda instance, *rest, **more: change(honest(instance, *rest, **more), instance)


def with_policy(solution, policy):
    policy = np.array(policy, dtype=float)
    policy.setflags(write=False)
    return copy_solution(solution, policy=policy)


def copy_solution(solution, **what):
    fields = {name: getattr(solution, name) for name in iso.Solution.__dataclass_fields__}
    return iso.Solution(**(fields | what))


def mix_with_uniform(solution, share):
    return with_policy(solution, (1 - share) * solution.policy + share / len(solution.policy))


@fault(CONTRACT)
def nash_is_a_little_too_even():
    """The Nash policy is mixed with one part in a million of the uniform one."""
    change_solution("nash", lambda solution, instance: mix_with_uniform(solution, 1e-6))


@fault("theorem_1_nash_of_shares_is_procedurally_fair")
def procedural_is_a_little_too_even():
    """The procedural policy is mixed with one part in a million of the uniform one."""
    change_solution("procedural", lambda solution, instance: mix_with_uniform(solution, 1e-6))


@fault("theorem_1_nash_of_shares_is_procedurally_fair", "theorem_4_nash_of_shares_is_in_the_procedural_core")
def procedural_is_random_dictatorship():
    """The procedural policy is a fair one, but not the one of the largest product."""
    change_solution(
        "procedural",
        lambda solution, group: with_policy(solution, iso.solve(group, "random-dictatorship").policy),
    )


@fault(CONTRACT)
def inequality_is_uniform():
    """The inequality policy is the uniform one, with the honest value."""
    change_solution("inequality", lambda solution, instance: mix_with_uniform(solution, 1.0))


@fault("proposition_3_equal_voice_against_utility", CONTRACT)
def utilitarian_takes_the_first_arm():
    """The utilitarian policy plays the first arm."""
    change_solution("utilitarian", lambda solution, instance: with_policy(solution, np.eye(len(solution.policy))[0]))


@fault(CONTRACT)
def egalitarian_forgets_the_tie_break():
    """The egalitarian policy is always a vertex."""
    honest = iso.RULES["egalitarian"].optimise
    iso.RULES["egalitarian"].__dict__["optimise"] = lambda i, tie_break="centre", within=None: copy_solution(
        honest(i, "vertex", within), tie_break=tie_break
    )


@fault("tests/rules/test_gini.py", "table_1_synthetic")
def gini_weights_fall_harmonically():
    """Without weights of one's own, the Gini weights are 1, 1/2, 1/3, …."""
    replace_name(
        "rules.builtin.gini:_welfare",
        lambda old: lambda instance, weights: old(instance, (lambda r: 1 / r) if weights is None else weights),
    )


@fault("tests/rules/test_gini.py", "table_1_synthetic")
def gini_weights_fall_slowly():
    """Without weights of one's own, the Gini weights are 1, 0.8, 0.64, …."""
    replace_name(
        "rules.builtin.gini:_welfare",
        lambda old: lambda instance, weights: old(instance, (lambda r: 0.8 ** (r - 1)) if weights is None else weights),
    )


@fault(CONTRACT)
def every_gap_is_nothing():
    """Every solution claims a gap of 0, and is a little off."""
    change_solution("nash", lambda s, i: copy_solution(mix_with_uniform(s, 1e-3), gap=0.0, value=0.9 * s.value))


@fault("tests/rules/test_within_fair.py")
def within_is_ignored():
    """`within="fair"` is not handed on."""
    honest = iso.RULES["utilitarian"].optimise
    iso.RULES["utilitarian"].__dict__["optimise"] = lambda i, t="centre", within=None: copy_solution(
        honest(i, t, None), within=within
    )


@fault(CONTRACT)
def weights_are_ignored_by_nash():
    """The Nash policy counts every row once."""
    honest = iso.RULES["nash"].optimise
    iso.RULES["nash"].__dict__["optimise"] = lambda i, *rest: honest(iso.Instance(i.means), *rest)


@fault("tests/rules/test_inequality_egalitarian.py")
def inequality_is_divided_by_n():
    """D is taken with N instead of N − 1."""
    replace_name("rules.builtin.inequality:evaluate", lambda old: lambda i, p: old(i, p) * (1 - 1 / i.total_weight))
    iso.RULES["inequality"].__dict__.pop("evaluate", None)


@fault("tests/profiles/test_instance.py")
def nobody_is_left_out_of_the_product():
    """The Nash welfare of utilities keeps agents whose means are all 0."""
    replace_name(
        "profiles.instance:Instance.nash_welfare",
        lambda old: lambda self, policy, payoff="utilities": _naive(self, policy, payoff),
    )


def _naive(instance, policy, payoff):
    from isegoria.profiles.instance import NashWelfare

    product = instance.nash_product(policy, payoff)
    return NashWelfare(product.log, float(np.exp(product.log / instance.total_weight)))


@fault("tests/profiles/test_instance.py")
def ties_are_taken_generously():
    """Arms within a thousandth of the best count as favourites."""
    replace_name(
        "profiles.instance:Instance.__init__",
        lambda old: lambda self, *a, **k: old(self, *a, **({"tie_tolerance": 1e-3} | k)),
    )
