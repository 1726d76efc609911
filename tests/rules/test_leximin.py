"""Leximin against one agent at a time by another solver, and efficiency against a linear program of its own."""

import numpy as np
import pytest
from scipy.optimize import linprog

import isegoria as iso
from isegoria.analysis.efficiency import check_efficiency, decide_efficiency


def groups(count, seed):
    rng = np.random.default_rng(seed)
    for i in range(count):
        agents, arms = int(rng.integers(1, 9)), int(rng.integers(1, 7))
        kinds = (rng.random, lambda s: rng.integers(0, 3, s) / 2, lambda s: (rng.random(s) < 0.5).astype(float))
        yield iso.Instance(kinds[i % 3]((agents, arms)), weights=rng.integers(1, 4, agents))


def leximin_by_lp(means):
    """(N,) the leximin utilities: raise all that can still rise, and settle each agent that cannot rise alone."""
    agents, arms = means.shape
    least, free = np.zeros(agents), np.ones(agents, dtype=bool)

    def largest(goal, rows, bounds):
        found = linprog(
            np.append(np.zeros(arms), -1.0) if goal is None else np.append(-means[goal], 0.0),
            A_ub=np.hstack([-means, rows[:, None]]),
            b_ub=-bounds,
            A_eq=[np.append(np.ones(arms), 0.0)],
            b_eq=[1.0],
            bounds=[(0, None)] * arms + [(None, None)],
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        )
        return -found.fun, found.x[:arms]

    while free.any():
        level, policy = largest(None, free.astype(float), np.where(free, 0.0, least))
        floor = np.where(free, level, least) - 1e-10
        near = np.flatnonzero(free & (means @ policy <= level + 1e-6))  # the others can rise
        reached = {i: largest(i, np.zeros(agents), floor)[0] for i in near}
        stuck = [i for i, most in reached.items() if most <= max(level + 1e-8, min(reached.values()))]
        least[stuck], free[stuck] = level, False
    return least


@pytest.mark.slow
def test_leximin_is_what_raising_one_agent_at_a_time_gives():
    for group in groups(300, seed=1):
        found = iso.solve(group, "leximin")
        assert (found.proof, found.tie_break) == ("stages", "centre")
        assert found.gap <= 1e-12
        np.testing.assert_allclose(group.utilities(found.policy), leximin_by_lp(group.means), rtol=0, atol=1e-8)


def test_leximin_is_the_least_norm_of_its_kind_and_never_below_egalitarian():
    for group in groups(60, seed=2):
        found = iso.solve(group, "leximin").policy
        assert group.utilities(found).min() == pytest.approx(iso.solve(group, "egalitarian").value, abs=1e-9)
        for step in np.linalg.svd(np.vstack([group.means, np.ones(len(group.arms))]))[2]:
            if np.abs(group.means @ step).max() < 1e-9 and abs(step.sum()) < 1e-9:  # changes nobody's utility
                moved = found + 1e-4 * step
                assert moved.min() < 0 or moved @ moved >= found @ found - 1e-9
                moved = found - 1e-4 * step
                assert moved.min() < 0 or moved @ moved >= found @ found - 1e-9


def test_among_the_fair_leximin_is_fair_and_lexicographically_above_every_fair_policy():
    rng = np.random.default_rng(3)
    for group in groups(45, seed=3):
        found = iso.solve(group, "leximin", within="fair")
        assert found.within == "fair"
        assert iso.score(group, found.policy).procedural >= 1 - 1e-9
        mine = np.sort(group.utilities(found.policy))
        rivals = [iso.solve(group, id).policy for id, row in iso.RULES.items() if row.fair]
        rivals += [0.5 * (rivals[0] + each) for each in rivals] + [rng.dirichlet(np.ones(len(rivals))) @ rivals]
        for rival in rivals:
            differ = np.flatnonzero(np.abs(np.sort(group.utilities(rival)) - mine) > 1e-7)
            assert not len(differ) or np.sort(group.utilities(rival))[differ[0]] < mine[differ[0]]


def max_total_gain(means, policy):
    """The largest total gain, in parts of each agent's best, that harms nobody."""
    best = means.max(axis=1)
    rows = means[best > 0] / best[best > 0, None]
    if not len(rows):
        return 0.0
    arms = len(policy)
    found = linprog(-rows.sum(0), A_ub=-rows, b_ub=-(rows @ policy) + 1e-13, A_eq=np.ones((1, arms)), b_eq=[1.0])
    return float(-found.fun - (rows @ policy).sum())


@pytest.mark.parametrize("rule", ["procedural", "egalitarian", "leximin", "nash", "rp", "uniform", "inequality"])
def test_efficiency_is_what_another_solver_says_and_both_proofs_hold_in_plain_arithmetic(rule):
    for group in groups(60, seed=4):
        policy = iso.solve(group, rule).policy
        found = check_efficiency(group, policy)
        assert found.holds == (max_total_gain(group.means, policy) <= 1e-8)
        best = group.means.max(axis=1, keepdims=True)
        rows = np.divide(group.means, best, out=np.zeros_like(group.means), where=best > 0)
        if found.holds:
            assert (found.weights[best[:, 0] > 0] >= 1).all()
            assert (found.weights @ rows).max() - found.weights @ (rows @ policy) <= found.gap + 1e-13 <= 1e-9
        else:
            gains = group.utilities(found.better) - group.utilities(policy)
            np.testing.assert_allclose(gains, found.gains, atol=1e-15)
            assert gains.min() >= -1e-12
            assert gains.max() >= 1e-9 * best.max()
            assert found.for_all == bool((gains[best[:, 0] > 0] > 1e-9 * best[best[:, 0] > 0, 0]).all())


def test_egalitarian_and_leximin_are_efficient_where_the_most_even_optimum_need_not_be():
    even_fails = 0
    for group in groups(1_000, seed=5):
        for rule in ("egalitarian", "leximin"):
            assert check_efficiency(group, iso.solve(group, rule).policy).gap <= 1e-9
        even_fails += check_efficiency(group, iso.solve(group, "egalitarian", "centre").policy).holds is False
    assert even_fails > 10


def test_who_has_everything_already_does_not_hide_that_another_could_have_more():
    group = iso.Instance.from_approvals(["a", "ab"])
    found = check_efficiency(group, np.array([0.75, 0.25]))
    assert (found.holds, found.for_all) == (False, False)
    assert found.better == pytest.approx([1, 0], abs=1e-12)
    assert check_efficiency(group, np.array([0.75, 0.25]), payoff="shares").holds is False


def test_agents_who_can_get_nothing_neither_gain_nor_lose():
    found = decide_efficiency(np.array([[0.0, 0.0], [1.0, 0.5]]), np.array([1.0, 0.0]))
    assert (found.holds, found.weights[0]) == (True, 0)
    assert decide_efficiency(np.zeros((2, 2)), np.array([1.0, 0.0])).holds is True
    assert decide_efficiency(np.array([[0.0, 0.0], [1.0, 0.5]]), np.array([0.0, 1.0])).for_all is True


@pytest.mark.parametrize("kind", ["ratings", "approvals"])
def test_egalitarian_chooses_by_total_and_then_by_norm_whichever_way_it_is_found(kind):
    from isegoria.rules.builtin.egalitarian import MINIMUM_WELFARE
    from isegoria.solvers.maximin.dispatch import solve_maximin
    from isegoria.solvers.result import Selection

    rng = np.random.default_rng(6)
    for _ in range(80):
        shape = (int(rng.integers(1, 9)), int(rng.integers(1, 9)))
        group = iso.Instance(rng.random(shape) if kind == "ratings" else (rng.random(shape) < 0.5).astype(float))
        patient = solve_maximin(MINIMUM_WELFARE, group.means, Selection("utilitarian", group.arm_means))
        np.testing.assert_allclose(iso.solve(group, "egalitarian").policy, patient.policy, rtol=0, atol=1e-9)


@pytest.mark.parametrize("copies", [1, 3, 20, 60])
def test_egalitarian_shares_ties_out_over_clones_as_over_other_arms(copies):
    """x on the clones together, x on their rival, the rest on the arm between: x²/copies + x² + (1 − 2x)² is least."""
    group = iso.Instance(np.hstack([np.tile([[1.0], [0.0]], copies), [[0, 0.5], [1, 0.5]]]))
    x = 2 / (1 / copies + 5)
    expected = [*[x / copies] * copies, x, 1 - 2 * x]
    for tie_break in (None, "centre"):
        assert iso.solve(group, "egalitarian", tie_break).policy == pytest.approx(expected, abs=1e-9)
