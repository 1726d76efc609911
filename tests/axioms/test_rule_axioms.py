"""Axioms of rules: every counterexample of the table, every ✓ on small groups, and lies by an independent search."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import isegoria as iso
from isegoria.axioms.literature import literature, page
from isegoria.axioms.registry import AXIOMS
from isegoria.axioms.violations import approvals_of, small_groups

DIGITS = {1: 0.125, 2: 0.0029, 3: -0.0088, 12: 0.1, 13: 0.0833, 15: 0.0833, 19: 0.1667, 20: -0.1}
"""What a lie or a fall is worth in the counterexamples, by number."""
MEASURED = ("strategyproof", "excludable-strategyproof", "monotone")
FAILS = [cell for cell in literature() if cell.verdict == "fails"]
HOLDS = [cell for cell in literature() if cell.verdict != "fails"]


@pytest.mark.parametrize("cell", FAILS, ids=lambda cell: f"{cell.rule}-{cell.axiom}")
def test_every_counterexample_shows_its_failure(cell):
    verdict = iso.axioms.check_rule(cell.instance, cell.rule, cell.axiom, search=True)
    assert verdict.holds is False
    assert verdict.witness is not None
    if cell.axiom in MEASURED and cell.number in DIGITS:
        assert verdict.bound == pytest.approx(DIGITS[cell.number], abs=6e-5)


@pytest.mark.parametrize("cell", HOLDS, ids=lambda cell: f"{cell.rule}-{cell.axiom}")
def test_what_holds_is_not_contradicted_by_a_small_group(cell):
    for sets, arms in list(small_groups(3, 3))[:: 1 if cell.axiom in ("ifs", "gfs") else 3]:
        group = approvals_of(sets, arms)
        assert iso.axioms.check_rule(group, cell.rule, cell.axiom, search=True).holds is not False, sets


def test_procedural_is_not_called_monotone_though_small_groups_are():
    cell = next(cell for cell in literature() if (cell.rule, cell.axiom) == ("procedural", "monotone"))
    assert cell.verdict == "fails"
    assert not cell.least


def test_every_cell_is_about_a_rule_and_an_axiom_that_exist():
    assert {cell.rule for cell in literature()} <= set(iso.RULES)
    assert {cell.axiom for cell in literature()} <= set(AXIOMS)
    assert "✗3" in page()


def shares_by_hand(sets, told, policy_of):
    """Each agent's best gain in share over all reports, by trying them one by one with another rule's code."""
    n, k = len(sets), len(sets[0])
    honest = policy_of(sets)
    best = []
    for agent in range(n):
        own = sum(p for p, liked in zip(honest, sets[agent], strict=True) if liked)
        gains = [Fraction(0)]
        for report in product([0, 1], repeat=k):
            if any(report):
                lied = [report if other == agent else row for other, row in enumerate(sets)]
                gains.append(sum(p for p, liked in zip(policy_of(lied), sets[agent], strict=True) if liked) - own)
        best.append(max(gains))
    return best


def even_dictators(sets):
    """Random dictatorship in fractions."""
    policy = [Fraction(0)] * len(sets[0])
    for row in sets:
        for arm, liked in enumerate(row):
            if liked:
                policy[arm] += Fraction(1, len(sets) * sum(row))
    return policy


def conditional(sets):
    """The conditional utilitarian rule in fractions."""
    support = [sum(row[arm] for row in sets) for arm in range(len(sets[0]))]
    policy = [Fraction(0)] * len(support)
    for row in sets:
        most = max(support[arm] for arm, liked in enumerate(row) if liked)
        chosen = [arm for arm, liked in enumerate(row) if liked and support[arm] == most]
        for arm in chosen:
            policy[arm] += Fraction(1, len(sets) * len(chosen))
    return policy


def most_unspent(sets):
    """Maximum payment in fractions."""
    left, policy = list(sets), [Fraction(0)] * len(sets[0])
    while left:
        support = [sum(row[arm] for row in left) for arm in range(len(policy))]
        best = [arm for arm, count in enumerate(support) if count == max(support)]
        paying = [row for row in left if any(row[arm] for arm in best)]
        for row in paying:
            own = [arm for arm in best if row[arm]]
            for arm in own:
                policy[arm] += Fraction(1, len(sets) * len(own))
        left = [row for row in left if row not in paying]
    return policy


@pytest.mark.parametrize(("rule", "oracle"), [("ues", even_dictators), ("cut", conditional), ("mp", most_unspent)])
def test_everyones_best_lie_is_that_of_a_search_in_fractions(rule, oracle):
    rng = np.random.default_rng(5)
    for _ in range(6):
        wants = rng.random((5, 3)) < 0.5
        wants[np.arange(5), rng.integers(3, size=5)] = True
        sets = [tuple(map(int, row)) for row in wants]
        found = iso.honesty(iso.Instance(wants.astype(float)), rule)
        by_set = {
            frozenset(map("Arm {}".format, np.flatnonzero(row) + 1)): gain
            for row, gain in zip(wants, shares_by_hand(sets, None, oracle), strict=True)
        }
        for member in found.members:
            assert member.share_gain == pytest.approx(float(by_set[frozenset(member.favourites)]), abs=1e-9)


def test_a_lie_is_told_by_one_agent_of_a_row():
    whole = iso.Instance([[1, 0, 0], [0, 1, 0], [1, 0, 1], [0, 1, 1]], weights=[3, 1, 2, 1])
    split = iso.Instance(np.repeat(whole.means, whole.weights, axis=0))
    a, b = iso.honesty(whole), iso.honesty(split)
    assert a.gainers == b.gainers
    assert a.gain(a.members[2]) == pytest.approx(b.gain(b.members[2]), abs=1e-12)


def test_excludable_counts_only_what_was_asked_for():
    group = iso.Instance.from_approvals(["a", "b", "ac"])
    plain = iso.axioms.check_rule(group, "leximin", "strategyproof")
    excluded = iso.axioms.check_rule(group, "leximin", "excludable-strategyproof")
    assert plain.bound == pytest.approx(1 / 6, abs=1e-6)
    assert excluded.holds is not False  # leximin reads ratings, of which never all are tried
    assert excluded.bound < 1e-9


def test_ratings_are_never_searched_whole():
    group = iso.Instance([[1, 0.9, 0], [0, 1, 1]])
    found = iso.honesty(group, "cut", of="utilities")
    assert found.gain(found.members[0]) == pytest.approx(0.9 - 0.725)
    assert iso.axioms.check_rule(group, "inequality", "strategyproof", of="utilities").holds is not True


def test_pairs_can_gain_where_nobody_alone_does():
    group = iso.Instance.from_approvals(["a", "b", "ac", "bc"])
    found = iso.honesty(group, "cut", groups=2)
    assert found.gainers == 0
    assert found.groups[0].gain > 1e-6
    lie = found.groups[0]
    assert min(b - a for a, b in zip(lie.before, lie.after, strict=True)) >= -1e-9


def test_a_violation_is_shrunk_until_nothing_can_be_taken_away():
    found = iso.find_violation("nmp", "strategyproof", agents=7, arms=4, seed=3, exhaustive=None, tries=20)
    assert found is not None
    assert not found.least
    assert (len(found.instance.agents), len(found.instance.arms)) == (4, 3)
    scope: dict = {}
    exec(found.code().replace("print(", "said = ("), scope)
    assert "gains" in scope["said"]


def test_a_rule_of_ones_own_is_searched_too():
    class Lowest(iso.Rule):
        """The lowest arm that anybody likes: neither neutral nor fair."""

        id, reads = "lowest", "favourites"

        def policy(self, instance):
            return np.eye(len(instance.arms))[int(np.argmax(instance.favourites.any(axis=0)))]

    group = iso.Instance.from_approvals(["b", "c"], arms=["a", "b", "c"])
    assert iso.axioms.check_rule(group, Lowest(), "neutral").holds is False
    assert iso.axioms.check_rule(group, Lowest(), "ifs").holds is False
    assert iso.axioms.check_rule(group, Lowest(), "anonymous").holds
