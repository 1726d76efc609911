"""Dense tables of hundreds of agents and arms: an exact corner from a linear program's basis, with its proof."""

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import csr_array

import isegoria as iso
from isegoria.solvers.maximin.exact_basis import bound_policy, refine_basis
from isegoria.solvers.maximin.linear_program import maximise_minimum
from isegoria.solvers.maximin.welfare_functions import BoundedPolicy


def solve_with_highs(means: np.ndarray):
    """SciPy's answer for the least utility, as a user would ask for it."""
    agents, arms = means.shape
    return linprog(
        np.append(np.zeros(arms), -1.0),
        A_ub=np.hstack([-means, np.ones((agents, 1))]),
        b_ub=np.zeros(agents),
        A_eq=np.append(np.ones(arms), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * arms + [(None, None)],
    )


def square_table(family: str, agents: int, arms: int, seed: int) -> np.ndarray:
    """A table of more than 128 agents and arms, of which many hold the least down."""
    rng = np.random.default_rng(seed)
    if family == "stars":
        return rng.integers(0, 6, (agents, arms)) / 5
    if family == "approvals":
        return (rng.random((agents, arms)) < 0.3).astype(float)
    if family == "clones":
        return np.tile(rng.random((agents, arms // 2)), 2)
    if family == "cyclic":
        return ((np.arange(agents)[:, None] + np.arange(arms)) % arms < 5).astype(float)
    if family == "nearly constant":
        return 0.5 + 1e-9 * rng.random((agents, arms))
    return rng.random((agents, arms))


FAMILIES = ["uniform", "stars", "approvals", "clones", "cyclic", "nearly constant"]


@pytest.mark.filterwarnings("ignore::isegoria.NearTieWarning")
@pytest.mark.parametrize("tie_break", ["centre", "vertex", "utilitarian"])
@pytest.mark.parametrize("family", FAMILIES)
def test_squares_are_proved_and_no_linear_program_knows_better(family, tie_break):
    means = square_table(family, 140, 150, 3)
    found = iso.solve(iso.Instance(means), "egalitarian", tie_break)
    assert found.value == pytest.approx(-solve_with_highs(means).fun, abs=1e-8)
    assert found.value <= (means @ found.policy).min() + 1e-14
    assert 0 <= found.gap <= 1e-12


@pytest.mark.filterwarnings("ignore::isegoria.NearTieWarning")
@pytest.mark.parametrize("family", FAMILIES)
def test_relabelling_a_square_relabels_its_answer(family):
    means, rng = square_table(family, 150, 140, 4), np.random.default_rng(1)
    agents, arms = rng.permutation(150), rng.permutation(140)
    found = iso.solve(iso.Instance(means), "egalitarian")
    again = iso.solve(iso.Instance(np.ascontiguousarray(means[agents][:, arms])), "egalitarian")
    assert again.value == pytest.approx(found.value, abs=1e-12)
    if min(found.tie_margin, again.tie_margin) > 1e-8:
        assert again.policy == pytest.approx(found.policy[arms], abs=1e-9)


@pytest.mark.parametrize("family", ["uniform", "stars", "approvals"])
def test_gini_of_a_square_is_that_of_the_least_where_many_hold_it_down(family):
    means = square_table(family, 150, 150, 5)
    least, gini = (iso.solve(iso.Instance(means), objective) for objective in ("egalitarian", "gini"))
    assert gini.gap <= 2e-12
    assert gini.value == pytest.approx(2 * least.value, abs=1e-11)


@pytest.mark.parametrize("form", [np.asarray, csr_array])
@pytest.mark.parametrize("seed", range(5))
def test_a_corner_that_was_found_roughly_is_made_exact(form, seed):
    rng = np.random.default_rng(seed)
    means = rng.random((9, 7))
    exact = maximise_minimum(means)
    rough = exact.policy + 1e-8 * rng.random(7) * (exact.policy > 0), exact.mixture + 1e-8 * (exact.mixture > 0)
    found = refine_basis(form(means), bound_policy(form(means), *rough))
    assert found.policy == pytest.approx(exact.policy, abs=1e-13)
    assert found.gap <= 1e-15
    assert found.margin > 1e-8


def test_a_degenerate_corner_takes_as_many_agents_as_are_independent():
    """Three agents are tied where two arms are played: one of them is the mean of the others."""
    means = np.array([[1.0, 0.0, 0.2], [0.0, 1.0, 0.2], [0.5, 0.5, 0.2]])
    near = BoundedPolicy(np.array([0.5 + 1e-9, 0.5 - 1e-9, 0.0]), 0.5 - 1e-9, 0.5, np.array([0.25, 0.25, 0.5]))
    found = refine_basis(means, near)
    assert found.policy.tolist() == [0.5, 0.5, 0.0]
    assert found.value == 0.5
