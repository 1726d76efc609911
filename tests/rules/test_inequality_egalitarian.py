"""Inequality and the least utility: their definitions, worked answers, and what a vertex is."""

import numpy as np
import pytest

import isegoria as iso
from isegoria.studies.grid import Block, Grid


def test_inequality_is_the_mean_squared_difference_over_pairs():
    instance = iso.Instance(np.random.default_rng(1).random((5, 3)), weights=[1, 2, 1, 3, 1])
    policy = np.array([0.2, 0.5, 0.3])
    u = np.repeat(instance.means @ policy, instance.weights)
    pairs = [(a - b) ** 2 for i, a in enumerate(u) for b in u[:i]]
    assert iso.RULES["inequality"].evaluate(instance, policy) == pytest.approx(np.mean(pairs), abs=1e-15)


def test_a_single_agent_is_equal_to_itself():
    solution = iso.solve(iso.Instance([[0.3, 0.9, 0.1]]), "inequality")
    assert (solution.value, solution.gap) == (0, 0)
    assert solution.policy == pytest.approx([1 / 3] * 3)


def test_two_who_want_opposite_things_meet_in_the_middle():
    instance = iso.Instance([[1, 0], [1, 0], [0, 1]])
    for objective in ("inequality", "egalitarian", "gini"):
        assert iso.solve(instance, objective).policy == pytest.approx([0.5, 0.5], abs=1e-12)


def test_the_least_utility_of_a_game_with_a_known_value():
    cyclic = iso.Instance([[0.5, 0, 1], [1, 0.5, 0], [0, 1, 0.5]])  # rock, paper, scissors
    solution = iso.solve(cyclic, "egalitarian")
    assert solution.value == pytest.approx(0.5, abs=1e-12)
    assert solution.policy == pytest.approx([1 / 3] * 3, abs=1e-12)


def test_a_near_tie_is_chosen_by_rounding_but_proved_either_way():
    near = iso.Instance([[1, 1 - 1e-8], [1, 1 - 1e-8]])
    solution = iso.solve(near, "egalitarian")
    assert solution.value == pytest.approx(1, abs=1e-12)
    assert solution.tie_margin <= 2e-8


@pytest.mark.parametrize("seed", range(20))
def test_a_vertex_is_held_by_as_many_independent_constraints_as_there_are_arms(seed):
    means = np.random.default_rng(seed).integers(0, 4, (5, 7)) / 3
    solution = iso.solve(iso.Instance(means), "egalitarian", "vertex")
    tight = np.abs(means @ solution.policy - solution.value) < 1e-12
    unused = np.eye(7)[solution.policy < 1e-12]
    columns = np.vstack([np.hstack([means[tight], -np.ones((tight.sum(), 1))]), np.hstack([unused, 0 * unused[:, :1]])])
    everything = np.vstack([columns, [*np.ones(7), 0]])
    assert np.linalg.matrix_rank(everything) == 8


def test_groups_of_arms_that_are_alike_do_not_let_rounding_in():
    """Here the rounding of Σp = 1 once made every idle arm look better than the best, and the last step overflow."""
    grid = Grid(agents=(4,), arms=(15,), favourites=(10,), models=("urn:0.5",), replicates=2)
    means = next(iter(grid.means_of(Block(seed=42, replicate=1, agents=4))))
    solution = iso.solve(iso.Instance(means), "inequality")
    assert solution.gap <= 1e-12
    assert solution.value == pytest.approx(0.0040325531754, abs=1e-12)


@pytest.mark.parametrize("arms", [67, 129, 558, 696])
def test_nobody_is_said_to_get_more_than_everything(arms):
    """Arms that please everybody share the policy; what they add up to is 1 and not a rounding more."""
    means = (np.arange(arms) >= np.arange(5)[:, None] * arms // 8).astype(float)
    assert iso.solve(iso.Instance(means), "egalitarian").value == 1.0
