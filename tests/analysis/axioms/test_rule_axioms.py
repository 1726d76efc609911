"""Axioms of rules: every counterexample of the table, every ✓ on small groups, and lies by an independent search."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import isegoria as iso
from isegoria.analysis.axioms.counterexamples import count_small_profiles, instance_from_sets, iter_small_profiles
from isegoria.analysis.axioms.known_results import EXHAUSTIVE_SIZE, SAMPLED_SIZE, load_known_results, render_page
from isegoria.analysis.axioms.registry import AXIOMS
from oracles.fair_mixing import EXACT_RULES

PF, SUT, MP, LEX = "procedural", "sequential-utilitarian", "maximum-payment", "leximin"
DIGITS = {
    (1, PF): 0.125,
    (2, PF): 0.0029,
    (3, PF): -0.0088,
    (12, SUT): 0.1,
    (13, SUT): 0.0833,
    (14, MP): 0.125,
    (15, MP): 0.0833,
    (19, LEX): 0.1667,
    (19, "egalitarian"): 0.1667,
    (20, LEX): -0.1,
    (27, "gini"): 0.25,
}
"""What a lie or a fall is worth in the counterexamples."""
MEASURED = ("strategyproof", "excludable-strategyproof", "monotone")
FAILS = [cell for cell in load_known_results() if cell.verdict == "fails"]
HOLDS = [cell for cell in load_known_results() if cell.verdict != "fails"]


SHOWN = {
    (4, "conditional-utilitarian"): {"has": 23 / 36, "due": 2 / 3},
    (9, "random-priority"): {"has": 13 / 18, "due": 3 / 4},
    (14, "maximum-payment"): {"probability": 1 / 8},
    (16, "maximum-payment"): {"there": 5 / 8, "away": 9 / 14},
    (7, "conditional-utilitarian"): {"before": 1 / 2, "after": 5 / 9},
}
"""Numbers of their witnesses."""


@pytest.mark.parametrize("cell", FAILS, ids=lambda cell: f"{cell.rule}-{cell.axiom}")
def test_every_counterexample_shows_its_failure(cell):
    verdict = iso.axioms.check(cell.instance, cell.rule, cell.axiom, search=True)
    assert verdict.holds is False
    assert verdict.witness is not None
    assert all(map(any, getattr(verdict.witness, "rows", ())))  # a row of zeros is no approval ballot
    if cell.axiom in MEASURED and (cell.number, cell.rule) in DIGITS:
        assert verdict.bound == pytest.approx(DIGITS[cell.number, cell.rule], abs=6e-5)
    told = verdict.witness.data()
    for name, value in SHOWN.get((cell.number, cell.rule), {}).items():
        assert name not in told or told[name] == pytest.approx(value, abs=1e-9)


SMALL = [instance_from_sets(*group) for group in iter_small_profiles(4, 3)]


@pytest.mark.slow
@pytest.mark.parametrize("cell", HOLDS, ids=lambda cell: f"{cell.rule}-{cell.axiom}")
def test_what_holds_or_is_open_fails_on_no_group_of_four_agents_and_three_arms(cell):
    assert len(SMALL) == 107
    for group in SMALL:
        assert iso.axioms.check(group, cell.rule, cell.axiom, search=True).holds is not False, group.means


def test_procedural_is_not_called_monotone_though_small_groups_are():
    cell = next(cell for cell in load_known_results() if (cell.rule, cell.axiom) == ("procedural", "monotone"))
    assert cell.verdict == "fails"
    assert not cell.least


def test_every_cell_is_about_a_rule_and_an_axiom_that_exist():
    assert {cell.rule for cell in load_known_results()} <= set(iso.RULES)
    assert {cell.axiom for cell in load_known_results()} <= set(AXIOMS)
    assert "✗3" in render_page()


@pytest.mark.parametrize(("agents", "arms", "least"), [(1, 2, 2), (4, 3, 2), (3, 4, 2), (2, 5, 5)])
def test_groups_up_to_names_are_counted_without_a_look_at_them(agents, arms, least):
    assert count_small_profiles(agents, arms, least) == sum(1 for _ in iter_small_profiles(agents, arms, least))


def test_the_page_says_how_far_open_cells_were_searched():
    agents, arms = EXHAUSTIVE_SIZE
    count = count_small_profiles(agents, arms)
    assert f"all {count:,} groups of at most {agents} by {arms} agents and arms" in render_page()
    told = [line for line in render_page().splitlines() if "Open: " in line]
    assert all(f"random groups of up to {SAMPLED_SIZE[0]} agents and {SAMPLED_SIZE[1]} arms" in line for line in told)
    assert told


def best_share_gains(sets, policy_of):
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


def exact_rule(rule):
    """A rule in fractions, of sets as rows of 0 and 1."""
    id = iso.RULES[rule].id

    def policy(sets):
        everything = frozenset(range(len(sets[0])))
        agents = [(own, everything - own) for own in (frozenset(np.flatnonzero(row).tolist()) for row in sets)]
        return EXACT_RULES[id](agents, len(everything))

    return policy


@pytest.mark.parametrize("rule", ["ues", "cut", "mp", "sut", "rp"])
def test_everyones_best_lie_is_that_of_a_search_in_fractions(rule):
    rng = np.random.default_rng(5)
    for _ in range(6):
        wants = rng.random((5, 3)) < 0.5
        wants[np.arange(5), rng.integers(3, size=5)] = True
        sets = [tuple(map(int, row)) for row in wants]
        found = iso.honesty(iso.Instance(wants.astype(float)), rule)
        by_set = {
            frozenset(map("Arm {}".format, np.flatnonzero(row) + 1)): gain
            for row, gain in zip(wants, best_share_gains(sets, exact_rule(rule)), strict=True)
        }
        for member in found.agents:
            assert member.share_gain == pytest.approx(float(by_set[frozenset(member.favourites)]), abs=1e-9)


@pytest.fixture
def rows_and_agents():
    """The same group twice: in rows of several agents, and agent by agent."""
    whole = iso.Instance([[1, 0, 0], [0, 1, 0], [1, 0, 1], [0, 1, 1]], weights=[3, 1, 2, 1])
    return whole, iso.Instance(np.repeat(whole.means, whole.weights, axis=0))


def test_a_lie_is_told_by_one_agent_of_a_row(rows_and_agents):
    """By hand: in the table with a row for each agent one row says something else, each set in turn."""
    whole, single = rows_and_agents
    honest = single.decision_shares(iso.solve(single).policy)
    gains = []
    for agent in range(len(single.agents)):
        told = np.repeat(single.means[None], 7, axis=0)
        told[:, agent] = list(product([0.0, 1.0], repeat=3))[1:]
        shares = [single.favourites[agent] @ iso.solve(iso.Instance(table)).policy for table in told]
        gains.append(max(shares) - honest[agent])
    found = iso.honesty(whole)
    expected = [gains[first] for first in (0, 3, 4, 6)]
    assert [member.share_gain for member in found.agents] == pytest.approx(expected, abs=1e-9)
    assert [member.agents for member in found.agents] == [3, 1, 2, 1]
    assert found.gainers == sum(gain > 1e-6 for gain in gains) > 0
    assert any("(one of 2 equal agents) says" in line for line in found.sentences)


@pytest.mark.parametrize("axiom", ["participation", "strict-participation", "monotone"])
def test_one_agent_stays_away_and_one_makes_a_friend(rows_and_agents, axiom):
    """By hand: the group without its first agent, or in which its first agent likes one more."""
    whole, single = rows_and_agents
    honest = iso.solve(single, "ues").policy
    if axiom == "monotone":
        raised = single.means.copy()
        raised[0, 1] = 1.0
        expected = iso.solve(iso.Instance(raised), "ues").policy[1] - honest[1]
        found = iso.axioms.check(whole, "ues", axiom).bound
        assert found <= expected + 1e-12
        return
    margins = []
    for agent in range(len(single.agents)):
        away = iso.solve(iso.Instance(np.delete(single.means, agent, 0)), "ues").policy
        margins.append(single.favourites[agent] @ (honest - away))
    assert iso.axioms.check(whole, "ues", axiom).bound == pytest.approx(min(margins), abs=1e-12)


def test_excludable_counts_only_what_was_asked_for():
    group = iso.Instance.from_approvals(["a", "b", "ac"])
    plain = iso.axioms.check(group, "leximin", "strategyproof")
    excluded = iso.axioms.check(group, "leximin", "excludable-strategyproof")
    assert plain.bound == pytest.approx(1 / 6, abs=1e-6)
    assert excluded.holds is not False  # leximin reads ratings, of which never all are tried
    assert excluded.bound < 1e-9
    for rule, expected in (("cut", True), ("nmp", False)):  # who says less enjoys less
        told = iso.axioms.check(
            iso.Instance.from_approvals(["a", "bc", "bd", "acd", "bcd"]), rule, "excludable-strategyproof", search=True
        )
        assert told.holds is expected


def test_ratings_are_never_searched_whole():
    group = iso.Instance([[1, 0.9, 0], [0, 1, 1]])
    found = iso.honesty(group, "cut", payoff="utilities")
    assert found.gain(found.agents[0]) == pytest.approx(0.9 - 0.725)
    assert iso.axioms.check(group, "inequality", "strategyproof", payoff="utilities").holds is not True


def test_pairs_can_gain_where_nobody_alone_does():
    group = iso.Instance.from_approvals(["a", "b", "ac", "bc"])
    found = iso.honesty(group, "cut", max_group_size=2)
    assert found.gainers == 0
    assert found.groups[0].gain > 1e-6
    lie = found.groups[0]
    assert min(b - a for a, b in zip(lie.before, lie.after, strict=True)) >= -1e-9


def test_a_violation_is_shrunk_until_nothing_can_be_taken_away():
    found = iso.find_counterexample("nmp", "strategyproof", agents=7, arms=4, seed=3, exhaustive=None, tries=20)
    assert found is not None
    assert not found.is_minimal
    assert (len(found.instance.agents), len(found.instance.arms)) == (4, 3)
    scope: dict = {}
    exec(found.to_code().replace("print(", "said = ("), scope)
    assert "gains" in scope["said"]


def test_a_rule_of_ones_own_is_searched_too():
    class Lowest(iso.Rule):
        """The lowest arm that anybody likes: neither neutral nor fair."""

        id, input_kind = "lowest", "favourites"

        def policy(self, instance):
            return np.eye(len(instance.arms))[int(np.argmax(instance.favourites.any(axis=0)))]

    group = iso.Instance.from_approvals(["b", "c"], arms=["a", "b", "c"])
    assert iso.axioms.check(group, Lowest(), "neutral").holds is False
    assert iso.axioms.check(group, Lowest(), "ifs").holds is False
    assert iso.axioms.check(group, Lowest(), "anonymous").holds


def test_report_of_zeros_asks_for_nothing():
    group = iso.Instance.from_approvals(["a", "a", "a", "b"])
    assert iso.axioms.check(group, "egalitarian", "strategyproof", search=True).holds is False
    assert iso.axioms.check(group, "egalitarian", "excludable-strategyproof", search=True).holds is not False
