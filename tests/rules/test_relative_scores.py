"""Relative scores, what equal voice costs, the fair policies as a set, and welfare functions of one's own."""

import itertools

import numpy as np
import pytest
from scipy.sparse import csr_array

import isegoria as iso
from isegoria import preferences
from isegoria.analysis.frontier import price_of_equal_voice, worst_case_retention
from isegoria.testing import check_objective


def groups(count, seed, agents=7, arms=6):
    rng = np.random.default_rng(seed)
    for i in range(count):
        shape = (int(rng.integers(1, agents)), int(rng.integers(1, arms)))
        yield iso.Instance(
            rng.random(shape) if i % 2 else rng.integers(0, 3, shape) / 2, weights=rng.integers(1, 4, shape[0])
        )


def test_the_floor_is_the_least_score_of_any_policy():
    rng = np.random.default_rng(1)
    for group in groups(40, seed=1):
        arms = len(group.arms)
        scores = iso.score(group, np.full(arms, 1 / arms))
        alone = np.array([iso.score(group, arm).values for arm in np.eye(arms)]).min(axis=0)
        assert scores.lower_bounds == pytest.approx(alone, abs=1e-12)
        for policy in rng.dirichlet(np.full(arms, 0.3), 10):
            one = iso.score(group, policy)
            assert (np.array(one.values) >= scores.lower_bounds - 1e-12).all()
            assert ((one.relative >= 0) & (one.relative <= 1)).all()
            assert one.min_relative == one.relative.min()
        sparse = iso.Instance(csr_array(group.means), weights=group.weights)
        for twin in (sparse, iso.scan(group)):
            assert iso.score(twin, np.full(arms, 1 / arms)).lower_bounds == pytest.approx(
                scores.lower_bounds, abs=1e-12
            )


def test_where_nothing_can_be_lost_everything_is_kept():
    assert iso.score(iso.Instance([[0.5, 0.5]]), [1, 0]).relative.tolist() == [1, 1, 1]


def test_the_price_in_closed_form_is_that_of_the_best_fair_policy():
    for group in groups(60, seed=2):
        held = iso.solve(group, "utilitarian", within="fair").policy
        assert price_of_equal_voice(group) == pytest.approx(1 - iso.score(group, held).utilitarian, abs=1e-11)
        assert price_of_equal_voice(group) == pytest.approx(iso.frontier(group).price, abs=1e-12)


def test_no_group_pays_more_than_the_worst_price():
    for group in groups(80, seed=3):
        agents, arms = group.total_weight, len(group.arms)
        worst = worst_case_retention(agents, arms)
        assert 1 - price_of_equal_voice(group) >= worst.utilities - 1e-12
        shares = iso.Instance(group.favourites.astype(float), weights=group.weights)
        best = shares.arm_means.max()
        assert shares.arm_means @ iso.solve(shares, "cut").policy >= worst.shares * best - 1e-12


def test_corners_of_the_fair_set_hold_whatever_is_fair_and_nothing_else():
    rng = np.random.default_rng(4)
    for group in groups(25, seed=4, arms=5):
        fair, arms = iso.FairSet(group), len(group.arms)
        corners = fair.vertices()
        assert all(fair.contains(corner) for corner in corners)
        for slope in rng.normal(size=(6, arms)):
            policy, value = fair.maximise(slope)
            assert fair.contains(policy)
            assert value == pytest.approx(slope @ policy, abs=1e-12)
            assert value == pytest.approx((corners @ slope).max(), abs=1e-12)
        ends = fair.bounds()
        assert ends[:, 0] == pytest.approx(corners.min(axis=0), abs=1e-12)
        assert ends[:, 1] == pytest.approx(corners.max(axis=0), abs=1e-12)


def test_a_projection_is_the_nearest_fair_policy():
    rng = np.random.default_rng(5)
    for group in groups(30, seed=5, arms=5):
        fair, arms = iso.FairSet(group), len(group.arms)
        for point in (rng.dirichlet(np.ones(arms)), rng.normal(size=arms)):
            found = fair.project(point)
            assert fair.contains(found)
            for corner in fair.vertices():
                assert (point - found) @ (corner - found) <= 1e-11
        inside = iso.solve(group, "cut").policy
        assert fair.project(inside) == pytest.approx(inside, abs=1e-9)


def test_a_cut_names_those_who_are_owed_and_refusals_say_what_to_do():
    fair = iso.FairSet(iso.Instance([[1, 0], [1, 0], [0, 1]], agents=["Ann", "Ben", "Cy"]))
    assert fair.violated_coalition([1, 0]).agents == ("Cy",)
    assert fair.violated_coalition([2 / 3, 1 / 3]) is None
    with pytest.raises(iso.InputError, match="up to 7 arms, and there are 8"):
        iso.FairSet(iso.Instance(np.eye(8))).vertices()
    with pytest.raises(iso.InputError, match="expected 2 finite numbers"):
        fair.maximise([1, np.nan])


def log_welfare(payoff="utilities"):
    return iso.Welfare("logs", value=lambda v, w: w @ np.log(v), gradient=lambda v, w: w / v, payoff=payoff)


FUNCTIONS = {
    "root": (lambda v, w: w @ np.sqrt(v), lambda v, w: w / (2 * np.sqrt(v))),
    "log": (lambda v, w: w @ np.log(v), lambda v, w: w / v),
    "harmonic": (lambda v, w: -(w @ (1 / v)), lambda v, w: w / v**2),
}


def random_positive_groups(count, seed):
    """Groups in which everybody can get something."""
    return (group for group in groups(count, seed) if group.best_means.min() > 0)


@pytest.mark.parametrize("within", [None, "fair"])
def test_a_sum_of_logarithms_is_the_nash_product(within):
    for group in random_positive_groups(24, seed=6):
        found = iso.solve(group, log_welfare(), within=within)
        assert found.policy == pytest.approx(iso.solve(group, "nash", within=within).policy, abs=1e-7)
        assert found.gap <= 1e-9 * max(1, abs(found.value))
    for group in groups(12, seed=7):
        found = iso.solve(group, log_welfare("shares"))
        shares = group.decision_shares(found.policy)
        assert shares == pytest.approx(group.decision_shares(iso.solve(group).policy), abs=1e-7)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("within", [None, "fair"])
def test_no_policy_beats_a_welfares_optimum_by_more_than_its_gap(name, within):
    value, gradient = FUNCTIONS[name]
    mine = iso.Welfare("mine", value=value, gradient=gradient)
    rng = np.random.default_rng(8)
    for group in random_positive_groups(16, seed=8):
        found = iso.solve(group, mine, within=within)
        corners = np.eye(len(group.arms)) if within is None else iso.FairSet(group).vertices()
        for mixture in rng.dirichlet(np.full(len(corners), 0.5), 12):
            v = group.utilities(mixture @ corners)
            assert v.min() <= 0 or value(v, group.weights) <= found.value + found.gap + 1e-9 * max(1, abs(found.value))


@pytest.mark.slow
def test_a_welfare_keeps_the_contract_of_objectives_and_says_where_it_is_flat():
    mine = iso.Welfare("square", value=lambda v, w: -(w @ (1 - v) ** 2), gradient=lambda v, w: 2 * w * (1 - v))
    assert len(check_objective(mine)) > 15
    flat = iso.Welfare("total", value=lambda v, w: float(w @ v), gradient=lambda v, w: w)
    group = iso.Instance([[1, 0], [0, 1]])
    assert iso.solve(group, flat).tie_margin == 0
    assert iso.solve(group, mine).tie_margin == np.inf
    with pytest.raises(iso.InputError, match="is not finite where every voice is heard; leave out agents"):
        iso.solve(iso.Instance([[1, 0], [0, 0]]), log_welfare())
    with pytest.raises(iso.InputError, match="chooses the policy of least norm; leave tie_break out"):
        iso.solve(group, mine, "vertex")
    with pytest.raises(iso.UnknownNameError, match="payoff in the welfare 'logs'"):
        log_welfare("happiness")


def test_a_function_that_is_not_concave_is_told_so():
    bent = iso.Welfare("bent", value=lambda v, w: float(w @ v**2), gradient=lambda v, w: 2 * w * v)
    with pytest.raises(AssertionError, match="concave"):
        check_objective(bent)


def test_sampled_approvals_are_rows_drawn_again_until_none_is_empty():
    drawn = preferences.sample("approvals:0.3", agents=4, arms=3, seed=1, instances=20_000).reshape(-1, 3)
    assert drawn.sum(axis=1).min() == 1
    for row in itertools.product([0, 1], repeat=3):
        chance = np.prod([0.3 if each else 0.7 for each in row]) / (1 - 0.7**3) * any(row)
        assert (drawn == row).all(axis=1).mean() == pytest.approx(chance, abs=0.006)
    assert (
        iso.Instance(preferences.sample("approvals:0.4", agents=5, arms=4, seed=2)).means.max(axis=1).tolist()
        == [1] * 5
    )
    with pytest.raises(iso.InputError, match="needs p in"):
        preferences.sample("approvals:2", agents=1, arms=1)
