"""The frontier: every point is feasible, none can be beaten, and the ends are the policies that `solve` finds."""

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.optimize import linprog

import isegoria as iso
from isegoria.cli import main
from isegoria.solvers.fair_set.polytope import MinimumScorePolytope
from oracles.hostile_instances import make_hostile

AXES = ("utilitarian", "equality")


def random_instance(rng, agents=10, arms=6):
    shape = int(rng.integers(2, agents)), int(rng.integers(2, arms))
    means = rng.choice([0, 0.3, 0.6, 1], shape) if rng.random() < 0.5 else rng.random(shape)
    return iso.Instance(means, weights=rng.integers(1, 5, shape[0]))


def heard_program(instance, level):
    """A_ub, b_ub, A_eq, b_eq over (p, y): a flow y of total ℓ from agents through favourites into p."""
    n, k = instance.means.shape
    share = instance.weights / instance.total_weight
    rows = np.hstack([np.zeros((n, k)), np.kron(np.eye(n), np.ones(k))])
    columns = np.hstack([-np.eye(k), np.kron(np.ones(n), np.eye(k))])
    total = np.concatenate([np.zeros(k), -np.ones(n * k)])
    equal = np.vstack([np.r_[np.ones(k), np.zeros(n * k)], np.r_[np.zeros(k), ~instance.favourites.ravel()]])
    return np.vstack([rows, columns, total]), np.r_[share, np.zeros(k), -level], equal, np.array([1.0, 0.0])


@pytest.mark.parametrize("axis", AXES)
def test_every_point_has_the_voice_and_the_score_it_claims(axis):
    rng = np.random.default_rng(1)
    for _ in range(40):
        instance = random_instance(rng)
        curve = iso.frontier(instance, axis, points=7)
        for level, value, policy in zip(curve.levels, curve.values, curve.policies, strict=True):
            scores = iso.score(instance, policy)
            assert scores.procedural >= level - 1e-12
            assert getattr(scores, axis) == pytest.approx(value, abs=1e-12)
        assert curve.gaps.max() <= 1e-12


@pytest.mark.parametrize("axis", AXES)
def test_the_curve_falls_and_is_concave(axis):
    rng = np.random.default_rng(2)
    for _ in range(40):
        values = iso.frontier(random_instance(rng), axis, points=11).values
        assert np.diff(values).max() <= 1e-12
        assert np.diff(values, 2).max() <= 1e-10


def test_no_policy_of_that_voice_has_more_utility():
    rng = np.random.default_rng(3)
    for _ in range(25):
        instance = random_instance(rng)
        curve = iso.frontier(instance, points=6)
        worth = instance.weights @ instance.means / instance.total_weight
        for level, value in zip(curve.levels, curve.values, strict=True):
            a_ub, b_ub, a_eq, b_eq = heard_program(instance, level)
            cost = np.r_[-worth, np.zeros(a_ub.shape[1] - len(worth))]
            best = -linprog(cost, A_ub=a_ub, b_ub=b_ub, A_eq=a_eq, b_eq=b_eq).fun
            assert value == pytest.approx(best / worth.max() if worth.max() else 1, abs=1e-7)


def test_no_policy_of_that_voice_is_more_equal():
    cvxpy = pytest.importorskip("cvxpy")
    rng = np.random.default_rng(4)
    for _ in range(6):
        instance = random_instance(rng)
        curve = iso.frontier(instance, "equality", points=4)
        rows = np.repeat(instance.means, instance.weights, axis=0)
        centred = (rows - rows.mean(axis=0)) * np.sqrt(2 / (len(rows) - 1))
        found = []
        for level in curve.levels:
            a_ub, b_ub, a_eq, b_eq = heard_program(instance, level)
            x = cvxpy.Variable(a_ub.shape[1], nonneg=True)
            least = cvxpy.Problem(
                cvxpy.Minimize(cvxpy.sum_squares(centred @ x[: rows.shape[1]])), [a_ub @ x <= b_ub, a_eq @ x == b_eq]
            ).solve(solver="CLARABEL", tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11)
            found.append(least)
        assert curve.values == pytest.approx(1 - (np.array(found) - found[0]), abs=1e-7)


def test_the_utilitarian_curve_has_at_most_one_breakpoint_for_each_arm_and_no_other():
    rng = np.random.default_rng(5)
    for _ in range(40):
        instance = random_instance(rng)
        whole, fine = iso.frontier(instance), iso.frontier(instance, points=101)
        assert len(whole.levels) <= len(instance.arms) + 1
        assert (whole.levels[0], whole.levels[-1]) == (0, 1)
        assert np.interp(fine.levels, whole.levels, whole.values) == pytest.approx(fine.values, abs=1e-12)


def test_it_is_flat_up_to_the_most_voice_of_a_utilitarian_optimum():
    rng = np.random.default_rng(6)
    for _ in range(40):
        instance = random_instance(rng)
        worth = instance.weights @ instance.means
        optimal = worth >= worth.max() - 1e-12
        heard = instance.weights @ (instance.favourites & optimal).any(axis=1) / instance.total_weight
        curve = iso.frontier(instance, points=51)
        assert curve.values[curve.levels <= heard + 1e-12] == pytest.approx(1, abs=1e-12)
        if worth.max() > 0:
            assert (curve.values[curve.levels > heard + 1e-9] < 1).all()


@pytest.mark.parametrize(("axis", "objective"), [("utilitarian", "utilitarian"), ("equality", "inequality")])
def test_the_curve_ends_at_the_best_procedurally_fair_policy(axis, objective):
    rng = np.random.default_rng(7)
    for _ in range(25):
        instance = random_instance(rng)
        end = iso.frontier(instance, axis, points=2)
        fair = iso.solve(instance, objective, within="fair")
        assert end.values[-1] == pytest.approx(getattr(iso.score(instance, fair.policy), axis), abs=1e-10)
        assert end.values[0] == pytest.approx(1, abs=1e-12)


def test_the_utilitarian_policies_do_not_depend_on_the_order_of_arms():
    rng = np.random.default_rng(8)
    for _ in range(25):
        instance = random_instance(rng)
        order = rng.permutation(len(instance.arms))
        moved = iso.Instance(instance.means[:, order], weights=instance.weights)
        assert iso.frontier(moved, points=9).policies == pytest.approx(
            iso.frontier(instance, points=9).policies[:, order], abs=1e-9
        )


def test_the_best_policy_for_linear_gains_is_a_policy_of_that_voice():
    rows = np.array([[True, False, True], [False, True, False]])
    heard = MinimumScorePolytope(rows, np.array([0.25, 0.75]), 0.5)
    assert heard.corner(np.array([1.0, 2.0, 3.0])).tolist() == [0, 0.25, 0.75]


@pytest.mark.filterwarnings("ignore::isegoria.NearTieWarning")
@pytest.mark.parametrize("axis", AXES)
def test_hostile_instances_have_certified_curves_too(axis):
    for number in range(30):
        means, weights = make_hostile(number)
        instance = iso.Instance(means, weights=weights)
        curve = iso.frontier(instance, axis, points=4)
        assert curve.gaps.max() <= 1e-12
        assert np.diff(curve.values).max() <= 1e-12
        for level, policy in zip(curve.levels, curve.policies, strict=True):
            assert iso.score(instance, policy).procedural >= level - 1e-12


@pytest.mark.parametrize("points", [0, 1, 2.5, "many", True])
def test_points_must_be_a_whole_number_from_two_up(points):
    with pytest.raises(iso.InputError, match="points is"):
        iso.frontier(iso.Instance([[1, 0], [0, 1]]), points=points)


def test_an_unknown_axis_names_the_known_ones():
    with pytest.raises(iso.UnknownNameError, match="Known: utilitarian, equality"):
        iso.frontier(iso.Instance([[1, 0], [0, 1]]), "procedural")


def test_all_zero_means_cost_nothing():
    instance = iso.Instance(np.zeros((3, 2)))
    for axis in AXES:
        assert (iso.frontier(instance, axis).values == 1).all()


def test_the_command_prints_the_curve_and_draws_it(tmp_path):
    (tmp_path / "x.csv").write_text("agent,tea,coffee\nAnn,1,0\nBen,1,0\nCat,0,1\n")
    shown = CliRunner().invoke(main, ["frontier", str(tmp_path / "x.csv"), "--plot", str(tmp_path / "x.svg")])
    assert shown.exit_code == 0
    assert "0.833" in shown.stdout
    assert (tmp_path / "x.svg").read_text().startswith("<?xml")
