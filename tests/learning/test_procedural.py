"""Algorithm 1 line by line, also for groups that change, against a slow and plain version of it."""

import numpy as np
import pytest

import isegoria as iso
from isegoria.errors import InputError, StateError
from isegoria.learning.confidence_sets.candidate_sets import radius
from oracles.algorithm1_oracle import Algorithm1Oracle


@pytest.mark.parametrize("seed", range(6))
def test_algorithm1_matches_oracle_while_group_changes(seed):
    rng = np.random.default_rng(seed)
    agents, arms = [f"a{i}" for i in range(4)], ["x", "y", "z"]
    learner = iso.ProceduralLearner(4, 3, gamma=0.6, alpha=1.2, seed=seed, agents=agents, arms=arms)
    slow = Algorithm1Oracle(agents, arms, 0.6, 1.2)
    taste = {}
    waiting = []
    for round_ in range(1, 260):
        apply_roster_change(rng, round_, learner, slow)
        available = list(learner.arms) if rng.random() < 0.6 else list(rng.choice(learner.arms, 2, replace=False))
        sets, policy, propensities, forced = slow.ask(available)
        ticket = learner.ask(available)
        assert_matches_oracle(learner, slow, ticket, sets, policy, propensities, forced)
        slow.asked.add(ticket.arm_name)
        waiting.append((ticket, draw_answers(rng, learner.agents, ticket.arm_name, taste)))
        while waiting and rng.random() < 0.7:
            late, rewards = waiting.pop(rng.integers(len(waiting)))
            learner.tell(late, rewards)
            slow.tell(late.arm_name, rewards)
    assert learner.counts.sum() == sum(map(len, slow.told.values()))


def list_candidates(total, count, t, alpha, factor=1.0):
    """Return the sets of Algorithm 1, lines 8 to 12, from sums and counts (N, K); `factor` weighs the upper bound."""
    radii = np.sqrt(2 * np.log(total.size * t) / count)
    means = total / count
    best = means.argmax(axis=1)[:, None]
    lowest = np.take_along_axis(means - alpha * radii, best, axis=1)
    return means + factor * alpha * radii >= lowest


@pytest.mark.parametrize("alpha", [1.0, 2.0])
def test_candidate_sets_match_formula_when_a_third_of_answers_is_missing(alpha):
    rng = np.random.default_rng(3)
    truth = np.array([[0.95, 0.05, 0.05], [0.05, 0.95, 0.05], [0.9, 0.9, 0.05], [0.05, 0.4, 0.95]])
    learner = iso.ProceduralLearner(4, 3, alpha=alpha, seed=3)
    total, count = np.zeros((4, 3)), np.zeros((4, 3))
    told_apart = 0
    for t in range(1, 5001):
        ticket = learner.ask()
        if t > 100 and t % 50 == 0:
            expected = list_candidates(total, count, t, alpha)
            assert learner.sets.tolist() == expected.tolist(), t
            told_apart += bool((expected != list_candidates(total, count, t, alpha, factor=0.5)).any())
        answered = rng.random(4) > 1 / 3
        rewards = (rng.random(4) < truth[:, ticket.arm]).astype(float)
        learner.tell(ticket, {learner.agents[i]: rewards[i] for i in np.flatnonzero(answered)})
        total[answered, ticket.arm] += rewards[answered]
        count[answered, ticket.arm] += 1
    assert learner.sets.sum() < 12
    assert told_apart > 5


def apply_roster_change(rng, round_, learner, slow):
    """Someone joins, leaves or comes back, or an arm is added, now and then."""
    if round_ % 40 == 0:
        slow.ever_agents.append(f"late{round_}")
        slow.present.add(f"late{round_}")
        learner.join(f"late{round_}")
    if round_ % 55 == 0:
        gone = rng.choice(sorted(slow.present))
        slow.present.discard(gone)
        learner.leave(gone)
    if round_ == 150:
        back = sorted(set(slow.ever_agents) - slow.present)[0]
        slow.present.add(back)
        learner.join(back)
    if round_ == 90:
        slow.ever_arms.append("w")
        learner.add_arm("w")


def draw_answers(rng, agents, arm, taste):
    """Rewards on a coarse grid, which tie often; some agents say nothing."""
    centre = {agent: taste.setdefault((agent, arm), rng.integers(0, 3)) for agent in agents}
    return {agent: (centre[agent] + rng.integers(0, 3)) / 4 for agent in agents if rng.random() < 0.8}


def assert_matches_oracle(learner, slow, ticket, sets, policy, propensities, forced):
    assert (ticket.arm_name if ticket.forced else None) == forced
    assert ticket.policy == pytest.approx([policy.get(arm, 0.0) for arm in slow.ever_arms], abs=1e-9)
    assert ticket.propensities == pytest.approx([propensities.get(arm, 0.0) for arm in slow.ever_arms], abs=1e-9)
    if forced is None:
        found = [{arm for arm, inside in zip(slow.ever_arms, row, strict=True) if inside} for row in learner.sets]
        assert found == [sets[agent] for agent in learner.agents]


def test_forced_rounds_do_not_wait_for_answers():
    learner = iso.ProceduralLearner(3, 4, seed=1)
    tickets = [learner.ask() for _ in range(5)]
    assert [ticket.arm for ticket in tickets[:4]] == [0, 1, 2, 3]
    assert all(ticket.forced and not ticket.exploring and ticket.policy == (0.25,) * 4 for ticket in tickets[:4])
    assert not tickets[4].forced
    assert tickets[4].policy == (0.25,) * 4  # nobody has said anything: all arms are candidates of all


def test_exploring_is_as_frequent_as_the_rate_says():
    learner = iso.ProceduralLearner(2, 3, gamma=0.5, seed=11)
    tickets = [learner.ask() for _ in range(4000)]
    expected = sum(t**-0.5 for t in range(4, 4001))
    exploring = sum(ticket.exploring for ticket in tickets)
    assert abs(exploring - expected) < 5 * expected**0.5  # a right learner fails this with probability below 1e-6
    for ticket in tickets[3:]:
        rate = ticket.round**-0.5
        assert ticket.propensities == pytest.approx([rate / 3 + (1 - rate) * p for p in ticket.policy])


def test_arms_are_drawn_with_their_propensities():
    learner = iso.ProceduralLearner(3, 2, seed=5)
    for _ in range(3000):
        ticket = learner.ask()
        learner.tell(ticket, [0.9, 0.8, 0.1] if ticket.arm == 0 else [0.1, 0.2, 0.9])
    drawn = expected = variance = 0.0
    for _ in range(4000):
        ticket = learner.ask()
        chance = ticket.propensities[0]
        drawn, expected, variance = drawn + (ticket.arm == 0), expected + chance, variance + chance * (1 - chance)
    assert abs(drawn - expected) < 5 * variance**0.5  # a right learner fails this with probability below 1e-6
    assert learner.policy == pytest.approx([2 / 3, 1 / 3])


@pytest.mark.parametrize("gamma", [0, 1, -0.5, 1.5, float("nan"), "half", None])
def test_gamma_lies_strictly_between_0_and_1(gamma):
    with pytest.raises(InputError, match="gamma"):
        iso.ProceduralLearner(2, 2, gamma=gamma)


@pytest.mark.parametrize("alpha", [0, -1, float("inf"), float("nan"), "one", None, True])
def test_alpha_is_a_positive_number(alpha):
    with pytest.raises(InputError, match="alpha"):
        iso.ProceduralLearner(2, 2, alpha=alpha)


def test_the_radius_is_the_papers():
    assert radius(50, 4, 1000, 7) == pytest.approx((2 * np.log(50 * 4 * 1000) / 7) ** 0.5, rel=1e-15)
    assert radius(50, 4, 1000, 0) == np.inf


def test_ties_of_the_empirical_mean_go_to_the_lowest_index():
    # Agent 0 rates both arms alike, but arm 1 more often: the lower bound must come from arm 0, and is the lower one.
    learner = iso.ProceduralLearner(1, 3, seed=1)
    for arm, reward, times in ((0, 1.0, 1), (1, 1.0, 400), (2, 0.0, 400)):
        for _ in range(times):
            learner.tell(learner.ask(available=[arm]), [reward])
    learner.ask()
    assert learner.sets.tolist() == [[True, True, True]]


@pytest.mark.parametrize(
    "setting", [{"alpha": 0.5}, {"radius": lambda n, k, t, counts: 1 / counts}, {"schedule": lambda t: 0.1}]
)
def test_what_the_theorem_does_not_cover_runs_with_one_warning(setting):
    with pytest.warns(iso.TheoremWarning, match="Theorem 2 does not cover") as told:
        learner = iso.ProceduralLearner(3, 2, seed=1, **setting)
    assert len(told) == 1
    trace = iso.simulate(learner.copy(), iso.PointRewards([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]), 300, seed=1)
    np.testing.assert_allclose(trace.policy, [0.5, 0.5])
    if "alpha" not in setting:
        with pytest.raises(StateError, match="cannot be saved"):
            learner.to_json()


def test_a_radius_and_schedule_like_those_of_the_paper_give_its_trajectory():
    own = {
        "radius": lambda n, k, t, counts: np.sqrt(2 * np.log(n * k * t) / counts),
        "schedule": lambda t: t ** (0.7 - 1.0),
    }
    world = iso.BernoulliRewards([[0.9, 0.1, 0.5], [0.2, 0.8, 0.5]])
    with pytest.warns(iso.TheoremWarning):
        mine = iso.ProceduralLearner(2, 3, seed=1, **own)
    papers = iso.ProceduralLearner(2, 3, seed=1)
    traces = [iso.simulate(learner, world, 1500, seed=2, keep_arms=True) for learner in (mine, papers)]
    assert traces[0].arms.tolist() == traces[1].arms.tolist()


@pytest.mark.parametrize("wrong", [{"radius": 0.5}, {"schedule": 0.5}, {"tie_break": "center"}])
def test_functions_and_tie_breaks_are_checked(wrong):
    with pytest.raises(InputError, match=r"radius|schedule|centre"):
        iso.ProceduralLearner(2, 2, **wrong)


def test_a_schedule_outside_0_to_1_is_refused():
    with pytest.warns(iso.TheoremWarning):
        learner = iso.ProceduralLearner(1, 1, schedule=lambda t: 2.0)
    learner.ask()
    with pytest.raises(InputError, match="schedule"):
        learner.ask()
    assert learner.rounds == 1


def test_tie_break_selects_policy():
    """Everyone may like every arm as yet: the middle, a corner, or the arm with the largest total reward so far."""
    rewards = {0: [0.9, 0.3], 1: [0.3, 0.9], 2: [0.9, 0.9]}
    found = {}
    for tie_break in ("centre", "vertex", "utilitarian"):
        learner = iso.ProceduralLearner(2, 3, seed=1, tie_break=tie_break)
        for _ in range(30):
            ticket = learner.ask()
            learner.tell(ticket, rewards[ticket.arm])
        found[tie_break] = learner.policy
        assert iso.Learner.from_json(learner.to_json()).tie_break == tie_break
    np.testing.assert_allclose(found["centre"], np.full(3, 1 / 3))
    assert sorted(found["vertex"].tolist()) == [0, 0, 1]
    assert found["utilitarian"].tolist() == [0, 0, 1]
