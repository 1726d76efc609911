"""Weights: an agent of weight w answers once and has w voices; error and radii go by agents, not by weight."""

import numpy as np
import pytest

import isegoria as iso
from isegoria.errors import InputError
from isegoria.learning.regret_bounds import regret_bounds
from isegoria.learning.simulation.learner_comparison import make_learner

N, K = 4, 3
WEIGHTS = np.array([3, 1, 2, 1])
COPIES = np.repeat(np.arange(N), WEIGHTS)
RNG = np.random.default_rng(8)
MEANS = np.array([[0.9, 0.1, 0.2], [0.2, 0.8, 0.8], [0.1, 0.2, 0.9], [0.1, 0.9, 0.3]])
TABLE = np.clip(MEANS.T + RNG.normal(0, 0.1, (60, K, N)), 0, 1)


class FixedBonusNashLearner(iso.NashUCBLearner):
    """Nash welfare of upper bounds that do not depend on how many agents there are."""

    def _bonus(self, means, counts):
        return np.sqrt(2.0 / counts)


def make_fixed_radius_learner(agents, arms, **keywords):
    with pytest.warns(iso.TheoremWarning):
        return iso.ProceduralLearner(agents, arms, radius=lambda n, k, t, counts: 0.8 / np.sqrt(counts), **keywords)


SIZE_INDEPENDENT_LEARNERS = {
    "random-dictatorship": iso.RandomDictatorshipLearner,
    "inequality": iso.InequalityGreedyLearner,
    "gini-gradient": iso.GiniGradientLearner,
    "uniform": iso.UniformLearner,
    "nash": FixedBonusNashLearner,
    "procedural": make_fixed_radius_learner,
}


@pytest.mark.parametrize("name", SIZE_INDEPENDENT_LEARNERS)
def test_an_agent_of_weight_w_is_w_agents_who_say_the_same(name):
    make = SIZE_INDEPENDENT_LEARNERS[name]
    weighted, spelled_out = make(N, K, seed=3, weights=WEIGHTS), make(len(COPIES), K, seed=3)
    differ = False
    for t in range(60):
        one, two = weighted.ask(), spelled_out.ask()
        assert one.policy == pytest.approx(two.policy, abs=1e-9)
        assert one.arm == two.arm
        weighted.tell(one, TABLE[t, one.arm])
        spelled_out.tell(two, TABLE[t, two.arm][COPIES])
        differ |= one.policy != pytest.approx(np.full(K, 1 / K), abs=1e-3)
    assert differ or name == "uniform"


def test_votes_of_the_posterior_come_in_units_of_the_weights():
    learner = iso.ThompsonLearner(2, 2, seed=1, weights=[3, 1])
    for _ in range(60):
        ticket = learner.ask()
        learner.tell(ticket, [[0.95, 0.05], [0.05, 0.95]][ticket.arm])
    assert learner.policy.tolist() == [0.75, 0.25]


def test_the_guided_learner_gives_the_policy_of_the_weights():
    learner = iso.EliminationLearner(2, 2, seed=1, weights=[3, 1])
    for _ in range(300):
        ticket = learner.ask()
        learner.tell(ticket, [[0.95, 0.05], [0.05, 0.95]][ticket.arm])
    assert learner.policy == pytest.approx([0.75, 0.25], abs=1e-9)


def test_another_weight_is_in_the_next_policy_and_in_no_ticket_before():
    learner = iso.ProceduralLearner(2, 2, seed=1, agents=["Ann", "Bob"], alpha=1.0)
    for _ in range(3000):
        ticket = learner.ask()
        learner.tell(ticket, [[1.0, 0.0], [0.0, 1.0]][ticket.arm])
    assert learner.policy.tolist() == [0.5, 0.5]
    learner.set_weight("Bob", 3)
    assert learner.policy.tolist() == [0.5, 0.5]
    assert learner.ask().policy == pytest.approx([0.25, 0.75], abs=1e-12)
    assert learner.weights.tolist() == [1, 3]


def test_who_joins_has_weight_one_and_who_comes_back_its_own():
    learner = iso.RandomDictatorshipLearner(2, 2, agents=["Ann", "Bob"], weights=[5, 2])
    learner.leave("Ann")
    assert learner.weights.tolist() == [2]
    learner.join("Cem")
    learner.set_weight("Ann", 7)  # she is away, and has it when she is back
    learner.join("Ann")
    assert learner.weights.tolist() == [7, 2, 1]
    assert iso.Learner.from_json(learner.to_json()).weights.tolist() == [7, 2, 1]


def test_radii_and_error_count_agents_and_not_their_weights():
    heavy = iso.Instance([[0.9, 0.1], [0.2, 0.8]], weights=[1000, 1])
    plain = iso.Instance([[0.9, 0.1], [0.2, 0.8]])
    assert regret_bounds(heavy, 1000) == regret_bounds(plain, 1000)
    learners = [make_learner("elimination", iso.BernoulliRewards(world), 100) for world in (heavy, plain)]
    assert learners[0].error == learners[1].error


def test_a_learner_meets_a_world_of_its_own_weights():
    world = iso.BernoulliRewards(iso.Instance([[0.9, 0.1], [0.2, 0.8]], weights=[2, 1]))
    with pytest.raises(InputError, match=r"weights=environment\.weights"):
        iso.simulate(iso.UniformLearner(2, 2), world, 10)
    trace = iso.simulate(iso.ProceduralLearner(2, 2, weights=world.weights, seed=1), world, 20_000, seed=1)
    assert trace.policy == pytest.approx([2 / 3, 1 / 3], abs=1e-9)
    assert trace.scores[-1, 0] == pytest.approx(1.0, abs=1e-9)
    assert trace.realised_voice.shape == trace.rewards.shape == (2,)
