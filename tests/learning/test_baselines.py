"""The baselines of the two nearest papers: their programs, against other ways of solving them, and their examples."""

import numpy as np
import pytest
from scipy.optimize import linprog

import isegoria as iso
from isegoria.errors import InputError
from isegoria.learning.learners.baselines.nash_ucb_additive import best_local_optimum
from isegoria.learning.learners.baselines.reward_fair import solve_minimum_rewards

TWO_ARMS = np.array([[0.7, 0.3], [0.1, 0.5], [1.0, 0.6]])
THREE_ARMS = np.array([[0.10, 0.20, 0.0], [0.30, 0.0, 0.33], [0.15, 0.10, 0.10], [0.0, 0.20, 0.10]]) / 0.33


def run_on_means(learner, means, rounds):
    for _ in range(rounds):
        ticket = learner.ask()
        learner.tell(ticket, means[:, ticket.arm])
    return learner


# -- the bonus on the Nash product -------------------------------------------------------------------------------------


def simplex_grid(arms, steps=40):
    points = np.array(np.meshgrid(*[np.arange(steps + 1)] * (arms - 1))).reshape(arms - 1, -1).T / steps
    points = points[points.sum(axis=1) <= 1 + 1e-12]
    return np.column_stack([points, 1 - points.sum(axis=1)])


@pytest.mark.parametrize("seed", range(12))
def test_best_local_optimum_beats_grid(seed):
    rng = np.random.default_rng(seed)
    agents, arms = int(rng.integers(1, 5)), int(rng.integers(2, 4))
    means, weights = rng.random((agents, arms)), rng.integers(1, 3, agents).astype(float)
    bonus = rng.random(arms) * rng.choice([0.0, 0.05, 0.5, 5.0])

    def value(policy):
        return np.prod((means @ policy) ** weights) + bonus @ policy

    found = best_local_optimum(means, weights, bonus, np.full(arms, 1 / arms))
    assert found.sum() == pytest.approx(1)
    assert value(found) >= max(map(value, simplex_grid(arms))) - 1e-4


def test_the_weight_of_the_bonus_is_that_of_the_paper():
    learner = run_on_means(iso.NashUCBAdditiveLearner(3, 2, seed=1), TWO_ARMS, 10)
    assert learner.alpha == 3
    covering = run_on_means(iso.NashUCBAdditiveLearner(3, 2, bonus="covering", scale=0.5, seed=1), TWO_ARMS, 10)
    assert covering.alpha == pytest.approx(0.5 * np.sqrt(12 * 6 * np.log(6 * 10)))
    with pytest.raises(InputError, match="agents"):
        iso.NashUCBAdditiveLearner(3, 2, bonus="none")


@pytest.mark.slow
def test_large_bonus_pulls_rarest_arm():
    learner = run_on_means(iso.NashUCBAdditiveLearner(3, 2, seed=1), TWO_ARMS, 400)
    assert abs(learner.pulls[0] - learner.pulls[1]) <= 1 + 400 * 0.05


@pytest.mark.slow
def test_with_a_small_bonus_it_comes_to_the_nash_policy():
    learner = run_on_means(iso.NashUCBAdditiveLearner(3, 2, scale=1e-4, seed=1), TWO_ARMS, 300)
    assert learner.policy == pytest.approx(iso.solve(iso.Instance(TWO_ARMS), "nash").policy, abs=0.01)


def test_policy_maximises_product_plus_published_bonus():
    learner = run_on_means(iso.NashUCBAdditiveLearner(3, 2, scale=0.02, seed=1), TWO_ARMS, 9)
    bonus = 0.02 * 3 * np.sqrt(np.log(3 * 2 * 10) / learner.pulls)
    grid = simplex_grid(2, 10_000)
    values = np.prod(grid @ TWO_ARMS.T, axis=1) + grid @ bonus
    assert 0.1 < grid[values.argmax(), 0] < 0.9
    assert learner.propose().policy[0] == pytest.approx(grid[values.argmax(), 0], abs=2e-4)


@pytest.mark.parametrize(
    ("learner", "rate"),
    [
        (
            iso.EpsilonGreedyLearner(3, 2, scale=0.1, seed=1),
            0.1 * 3 ** (2 / 3) * (2 / 10 * np.log(3 * 2 * 10)) ** (1 / 3),
        ),
        (iso.InequalityGreedyLearner(3, 2, gamma=0.6, seed=1), 10**-0.4),
    ],
)
def test_rate_of_exploration_is_the_published_one(learner, rate):
    assert run_on_means(learner, TWO_ARMS, 9).propose().exploration_rate == pytest.approx(rate, abs=1e-12)


# -- least rewards -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("dual", [False, True])
def test_the_example_of_two_arms_comes_to_its_fair_optimum(dual):
    optimum = solve_minimum_rewards(TWO_ARMS, TWO_ARMS.max(axis=1) / 2, np.ones(3))[0]
    assert optimum == pytest.approx([0.625, 0.375])
    assert (TWO_ARMS @ optimum).sum() == pytest.approx(1.65)
    learner = run_on_means(iso.RewardFairLearner(3, 2, 0.5, horizon=100, dual=dual, seed=1), TWO_ARMS, 200)
    if dual:
        assert learner.policy == pytest.approx(optimum)
    else:  # optimistic bounds ask for less than the means do, and so give the total more, until they shrink
        early, late = (abs(run_on_means(learner, TWO_ARMS, rounds).policy - optimum).max() for rounds in (0, 3000))
        assert late < early


def test_the_example_of_three_arms_keeps_its_guarantees():
    policy, _ = solve_minimum_rewards(THREE_ARMS, 0.3 * THREE_ARMS.max(axis=1), np.ones(4))
    assert (THREE_ARMS @ policy >= 0.3 * THREE_ARMS.max(axis=1) - 1e-9).all()
    assert policy == pytest.approx(best_on_grid(THREE_ARMS, 0.3), abs=0.02)


def best_on_grid(means, share):
    kept = [p for p in simplex_grid(means.shape[1], 100) if (means @ p >= share * means.max(axis=1) - 1e-9).all()]
    return max(kept, key=lambda p: (means @ p).sum())


@pytest.mark.parametrize("seed", range(8))
def test_multipliers_prove_the_optimum(seed):
    rng = np.random.default_rng(seed)
    rewards, weights = rng.random((5, 4)), rng.integers(1, 4, 5).astype(float)
    least = rewards.max(axis=1) / 6
    policy, multipliers = solve_minimum_rewards(rewards, least, weights)
    dual = ((weights + multipliers) @ rewards).max() - multipliers @ least
    assert weights @ rewards @ policy == pytest.approx(dual, abs=1e-9)
    other = linprog(-weights @ rewards, -rewards, -least, np.ones((1, 4)), [1.0], method="highs-ipm")
    assert weights @ rewards @ policy == pytest.approx(-other.fun, abs=1e-7)


def test_infeasible_guarantees_minimise_shortfall():
    rewards = np.eye(2)
    policy, _ = solve_minimum_rewards(rewards, np.array([0.8, 0.8]), np.ones(2))
    assert np.maximum(0.8 - rewards @ policy, 0).sum() == pytest.approx(0.6)


def test_every_arm_is_tried_for_the_root_of_the_horizon_first():
    learner = iso.RewardFairLearner(3, 2, horizon=100, seed=1)
    assert learner.length == 10
    run_on_means(learner, TWO_ARMS, 20)
    assert learner.pulls.tolist() == [10, 10]
    assert not learner.ask().exploring


@pytest.mark.parametrize("wrong", [2.0, -0.1, [0.5, 0.5], [0.1, 0.2, 1.2]])
def test_invalid_guarantees_raise(wrong):
    with pytest.raises(InputError, match="guarantees"):
        iso.RewardFairLearner(3, 2, guarantees=wrong)


@pytest.mark.parametrize("seed", range(4))
def test_nash_ucb_bounds_match_published_formula(seed):
    rng = np.random.default_rng(seed)
    learner = iso.NashUCBLearner(3, 2, horizon=500, seed=seed)
    total, count = np.zeros((3, 2)), np.zeros((3, 2))
    for _ in range(1500):
        ticket = learner.ask()
        rewards = rng.random(3) * [0.9, 0.1, 0.3]
        learner.tell(ticket, rewards)
        total[:, ticket.arm] += rewards
        count[:, ticket.arm] += 1
    means = total / count
    confidence = np.log(3 * 2 * 500) / count
    expected = np.minimum(1, means + np.sqrt(12 * (1 - means) * confidence) + 12 * confidence)
    assert (expected < 1).any()
    assert pytest.approx(expected, abs=1e-12) == learner._upper((0, 1)).T
