"""An instance is checked once, keeps what it was given, computes the rest when asked, and never changes."""

import copy
import pickle

import numpy as np
import pytest

import isegoria as iso


def random_instance(seed, n=30, k=5):
    rng = np.random.default_rng(seed)
    return iso.Instance(rng.integers(0, 5, (n, k)) / 4, weights=rng.integers(1, 9, n))


def test_a_contiguous_float_array_is_kept_as_a_read_only_view():
    means = np.random.default_rng(0).random((4, 3))
    instance = iso.Instance(means)
    assert np.shares_memory(instance.means, means)
    assert means.flags.writeable
    assert not instance.means.flags.writeable


@pytest.mark.parametrize("means", [np.eye(3, order="F")[:, ::-1], np.eye(3, dtype=np.float32), np.eye(3, dtype=int)])
def test_other_arrays_are_copied(means):
    instance = iso.Instance(means)
    assert not np.shares_memory(instance.means, means)
    assert instance.means.tolist() == means.tolist()


def test_favourites_are_within_the_tie_tolerance_and_the_smallest_gap_is_not():
    instance = iso.Instance([[0.5, 0.5 - 1e-13, 0.4], [0.2, 0.2, 0.2]])
    assert instance.favourites.tolist() == [[True, True, False], [True, True, True]]
    assert instance.smallest_gap == pytest.approx(0.1)
    assert iso.Instance([[0.3, 0.3]]).smallest_gap == float("inf")
    assert iso.Instance([[0.5, 0.4]], tie_tolerance=0.2).favourites.all()


def test_a_near_tie_is_said_once_where_the_instance_is_built():
    with pytest.warns(iso.NearTieWarning, match="tie_tolerance") as caught:
        instance = iso.Instance([[1, 1 - 1e-10]])
    assert len(caught) == 1
    assert caught[0].filename == __file__
    iso.solve(instance)
    iso.solve(instance, "nash")


@pytest.mark.parametrize("arms", [3, 64, 65, 200])
def test_codes_and_favourites_tell_the_same_sets(arms):
    rng = np.random.default_rng(arms)
    instance = iso.Instance(rng.integers(0, 3, (50, arms)) / 2, weights=rng.integers(1, 5, 50))
    rows, weights, member = instance.favourite_types
    assert (rows[member] == instance.favourites).all()
    assert len(np.unique(rows, axis=0)) == len(rows)
    assert weights.tolist() == np.bincount(member, weights=instance.weights).tolist()


@pytest.mark.parametrize("seed", range(5))
def test_types_are_sorted_so_the_order_of_agents_cannot_be_seen(seed):
    instance = random_instance(seed, n=200, k=3)
    rows, weights, member = instance.types
    assert (rows[member] == instance.means).all()
    assert rows.tolist() == sorted(rows.tolist())
    order = np.random.default_rng(seed).permutation(200)
    shuffled = iso.Instance(instance.means[order], weights=instance.weights[order])
    for kind in ("types", "favourite_types"):
        assert getattr(shuffled, kind).rows.tolist() == getattr(instance, kind).rows.tolist()
        assert getattr(shuffled, kind).weights.tolist() == getattr(instance, kind).weights.tolist()
    assert weights.sum() == instance.total_weight


def test_minus_zero_is_zero():
    instance = iso.Instance([[-0.0, 1.0], [0.0, 1.0]])
    assert len(instance.types.rows) == 1


def test_utilities_and_shares_of_the_paper():
    instance = iso.Instance([[1, 0], [1, 0], [0, 1]])
    assert instance.utilities([2 / 3, 1 / 3]).tolist() == pytest.approx([2 / 3, 2 / 3, 1 / 3])
    assert instance.decision_shares([2 / 3, 1 / 3]).tolist() == pytest.approx([2 / 3, 2 / 3, 1 / 3])


@pytest.mark.parametrize("payoff", ["utilities", "shares"])
def test_a_weight_is_that_many_agents_in_both_nash_welfares(payoff):
    instance = random_instance(3)
    split = iso.Instance(np.repeat(instance.means, instance.weights, axis=0))
    policy = np.random.default_rng(1).dirichlet(np.ones(5))
    assert instance.nash_welfare(policy, payoff).log == pytest.approx(split.nash_welfare(policy, payoff).log, rel=1e-12)
    assert instance.nash_welfare(policy, payoff).geometric_mean == pytest.approx(
        split.nash_welfare(policy, payoff).geometric_mean, rel=1e-12
    )


def test_nash_welfare_does_not_underflow_and_leaves_out_agents_without_any_value():
    many = iso.Instance(np.tile([[0.1, 0.0], [0.0, 0.1]], (5000, 1)))
    assert many.nash_welfare([0.5, 0.5]).log == pytest.approx(10_000 * np.log(0.05))
    assert many.nash_welfare([0.5, 0.5], payoff="shares").geometric_mean == pytest.approx(0.5)
    assert iso.Instance([[1, 0], [0, 0]]).nash_welfare([0.5, 0.5]).geometric_mean == 0.5
    assert iso.Instance([[1, 0], [0, 1]]).nash_welfare([1, 0]) == (-np.inf, 0.0)
    assert iso.Instance([[0, 0]]).nash_welfare([1, 0]) == (0.0, 0.0)
    with pytest.raises(iso.UnknownNameError, match="utilities, shares"):
        many.nash_welfare([0.5, 0.5], payoff="share")


def test_an_instance_does_not_change():
    instance = random_instance(0)
    with pytest.raises(AttributeError, match="does not change"):
        instance.means = 1
    with pytest.raises(AttributeError, match="does not change"):
        del instance.arms
    for array in (instance.means, instance.weights, instance.favourites, *instance.types, *instance.favourite_types):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_equal_after_pickling_and_copying_and_only_then():
    with pytest.warns(iso.NearTieWarning):
        instance = iso.Instance([[1, 1 - 1e-10], [0, 1]], agents=["Ana", "Bo"], weights=[3, 1])
    assert pickle.loads(pickle.dumps(instance)) == instance == copy.deepcopy(instance)
    assert not pickle.loads(pickle.dumps(instance)).means.flags.writeable
    assert copy.copy(instance) is instance
    assert hash(instance) == hash(copy.deepcopy(instance))
    assert random_instance(0) == random_instance(0) != random_instance(1)
    assert iso.Instance([[1, 0]]) == iso.Instance([[1, 0]], agents=["Agent 1"], arms=("Arm 1", "Arm 2"), weights=[1])
    assert iso.Instance([[1, 0]]) != iso.Instance([[1, 0]], arms=["tea", "milk"])
    assert iso.Instance([[1, 0]]) != "Instance"


def test_repr_says_who_and_what():
    assert repr(iso.Instance([[1, 0]], arms=["tea", "milk"])) == "Instance(1 agent, 2 arms: tea, milk)"
    weighted = repr(iso.Instance(np.eye(8), weights=[2] * 8))
    assert weighted.startswith("Instance(16 agents in 8 rows, 8 arms: Arm 1,")
    assert weighted.endswith("Arm 6, …)")


def test_that_kinds_are_too_many_is_seen_from_the_first_agents():
    table = iso.Instance(np.random.default_rng(1).random((6000, 2)))
    assert table.utility_types(most=2000) is None
    assert "types" not in vars(table)
    late = iso.Instance(np.vstack([np.ones((5000, 2)), table.means[:20]]))  # nothing is seen there
    assert late.utility_types(most=20) is None
    assert len(late.utility_types(most=21).weights) == 21
