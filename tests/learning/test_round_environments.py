"""Worlds that know the round, and rewards that are told late."""

import numpy as np
import pytest

import isegoria as iso
from isegoria.errors import InputError
from isegoria.learning.simulation.player import Player
from isegoria.learning.simulation.simulation import Simulation

MEANS = np.array([[0.9, 0.2, 0.1], [0.1, 0.8, 0.3], [0.2, 0.3, 0.7]])


class DriftingEnvironment(iso.Environment):
    """Agent 0 moves from its first arm to its second, a little each round; 0/1 rewards."""

    id, summary, by_round = "drift", "a taste that moves", True

    def __init__(self, means, rounds=400):
        super().__init__(means)
        self.rounds = rounds

    def means_at(self, t):
        moved = self.means.copy()
        share = min(1.0, (t - 1) / self.rounds)
        moved[0, :2] = [0.9 - 0.7 * share, 0.2 + 0.7 * share]
        return moved

    def draw_round(self, rng, arm, t):
        return (rng.random(self.n_agents) < self.means_at(t)[:, arm]).astype(float)


class TellRecorder(iso.UniformLearner):
    """Keeps what it was told: (round, agent, reward, the round that was about to be asked)."""

    id = "recorder"

    def tell(self, ticket, rewards, close=True, replace=False):
        self.told = [*getattr(self, "told", []), (ticket.round, ticket.arm, np.array(rewards), self.rounds + 1)]
        super().tell(ticket, rewards, close, replace)


def run_simulation(learner, world, rounds, **options):
    simulation = Simulation(learner, world, rounds, seed=4, **options)
    while simulation.advance():
        pass
    return simulation


# -- rounds ------------------------------------------------------------------------------------------------------------


def test_all_learners_meet_the_same_world_at_the_same_round():
    world = DriftingEnvironment(MEANS)
    told = [run_simulation(TellRecorder(3, 3, seed=seed), world, 300).learner.told for seed in (1, 2)]
    by_round = [{(t, arm): rewards.tolist() for t, arm, rewards, _ in run} for run in told]
    both = by_round[0].keys() & by_round[1].keys()
    assert 50 < len(both) < 200  # they pull different arms, so that pulls are numbered differently
    assert all(by_round[0][key] == by_round[1][key] for key in both)


def test_rewards_of_a_round_have_the_means_of_that_round():
    world = DriftingEnvironment(np.tile(MEANS[:1], (4000, 1)))
    world.means_at = lambda t: np.full((4000, 3), t / 10)
    stream = world.stream(3)
    assert [stream.pull(1, t).mean() for t in (2, 5, 8)] == pytest.approx([0.2, 0.5, 0.8], abs=0.03)
    assert not np.array_equal(stream.pull(0, 5), stream.pull(1, 5))
    assert np.array_equal(stream.pull(0, 5), world.stream(3).pull(0, 5))


def test_the_truth_is_that_of_each_round():
    world = DriftingEnvironment(MEANS)
    trace = iso.simulate(iso.UniformLearner(3, 3, seed=1), world, 600, seed=1, records=600)
    for t in (1, 100, 199, 201, 300, 600):
        truth = iso.Instance(world.means_at(t))
        assert trace.scores[t - 1, 2] == pytest.approx(iso.score(truth, trace.policies[t - 1]).utilitarian, abs=1e-12)


@pytest.mark.parametrize("every", [1, 7, 100])
def test_truth_interval_limits_solves(every, monkeypatch):
    solved = []
    from isegoria.learning.simulation import recorder

    honest = recorder.PolicyEvaluator
    monkeypatch.setattr(recorder, "PolicyEvaluator", lambda truth, own: solved.append(truth) or honest(truth, own))
    world = DriftingEnvironment(MEANS, rounds=100)
    world.truth_every = every
    trace = iso.simulate(iso.UniformLearner(3, 3, seed=1), world, 250, seed=1, records=250)
    looks = range(1, 251, every)
    changes = {world.means_at(t).tobytes() for t in looks}
    assert len(solved) == len(changes | {world.means.tobytes()})
    t = 43 - (43 - 1) % every
    expected = iso.score(iso.Instance(world.means_at(t)), trace.policies[42]).utilitarian
    assert trace.scores[42, 2] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("kind", [iso.ProceduralLearner, iso.EliminationLearner])
def test_the_compiled_loop_plays_by_rounds_too(kind, monkeypatch):
    before, after = iso.BernoulliRewards(MEANS), iso.BetaRewards(MEANS[:, ::-1])
    world = iso.ChangingRewards(before, (700, after), (900, DriftingEnvironment(MEANS)))
    learner = kind(3, 3, seed=2)
    compiled = iso.simulate(learner, world, 1500, seed=5, records=150, keep_arms=True)
    monkeypatch.setattr(Player, "play", lambda self, n: _play_by_ask_tell(self, n))
    asked = iso.simulate(learner, world, 1500, seed=5, records=150, keep_arms=True)
    assert np.array_equal(compiled.arms, asked.arms)
    assert np.array_equal(compiled.policies, asked.policies)
    assert compiled.regret == asked.regret


def _play_by_ask_tell(player, rounds):
    from isegoria.learning.simulation.player import _make_chunk

    return _make_chunk(player.learner.rounds + 1, *player.ask_and_tell(rounds))


def test_a_run_by_rounds_is_saved_and_goes_on():
    world = iso.ChangingRewards(iso.BernoulliRewards(MEANS), (2500, iso.BernoulliRewards(MEANS[:, ::-1])))
    learner = iso.ProceduralLearner(3, 3, seed=2)
    whole = iso.simulate(learner, world, 5000, seed=5, records=50)
    half = Simulation(learner, world, 5000, 5, 50)
    half.advance(), half.advance(), half.advance()
    again = Simulation(learner, world, 5000, 5, 50)
    again.resume(half.state())
    while again.advance():
        pass
    assert np.array_equal(again.trace().scores, whole.scores)
    assert again.trace().regret == whole.regret


# -- delays ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("delay", [1, 5, 40])
def test_rewards_are_told_so_many_rounds_later(delay):
    world = iso.BernoulliRewards(MEANS)
    run = run_simulation(TellRecorder(3, 3, seed=1), world, 100, delay=delay)
    told = run.learner.told
    assert [t for t, *_ in told] == list(range(1, 100 - delay))
    assert all(before == t + 1 + delay for t, _, _, before in told)


def test_no_delay_is_the_run_without_one():
    world = iso.BernoulliRewards(MEANS)
    learner = iso.ThompsonLearner(3, 3, seed=1)
    plain = iso.simulate(learner, world, 300, seed=2, keep_arms=True)
    late = iso.simulate(learner, world, 300, seed=2, keep_arms=True, delay=lambda rng, arm, t: np.zeros(3, dtype=int))
    assert np.array_equal(plain.arms, late.arms)
    assert np.array_equal(plain.policies, late.policies)
    assert plain.rewards.tolist() == late.rewards.tolist()


def test_each_agent_answers_in_its_own_time_and_once():
    world = iso.BernoulliRewards(MEANS)

    def delay(rng, arm, t):
        return rng.integers(0, 20, 3)

    run = run_simulation(TellRecorder(3, 3, seed=1), world, 200, delay=delay)
    heard = {}
    for t, _, rewards, before in run.learner.told:
        for agent in np.flatnonzero(~np.isnan(rewards)):
            assert (t, agent) not in heard
            heard[t, agent] = before - t - 1
    assert all((t, agent) in heard for t in range(1, 180) for agent in range(3))
    assert set(heard.values()) == set(range(20))
    counted = run.learner.counts.sum()
    assert counted == len(heard)
    plain = run_simulation(TellRecorder(3, 3, seed=1), world, 200)
    assert run.trace().rewards.tolist() == plain.trace().rewards.tolist()  # untold ones are received all the same


def test_delays_do_not_depend_on_what_was_pulled_before_nor_on_rewards():
    drawn = []

    def delay(rng, arm, t):
        drawn.append((arm, t, rng.integers(0, 1000, 3).tolist()))
        return np.zeros(3, dtype=int)

    for seed, world in ((1, iso.BernoulliRewards(MEANS)), (2, iso.BernoulliRewards(1 - MEANS))):
        iso.simulate(iso.UniformLearner(3, 3, seed=seed), world, 200, seed=9, delay=delay)
    runs = [{entry[:2]: entry[2] for entry in part} for part in (drawn[:200], drawn[200:])]
    both = runs[0].keys() & runs[1].keys()
    assert len(both) > 30
    assert all(runs[0][key] == runs[1][key] for key in both)


@pytest.mark.parametrize("kind", list(iso.LEARNERS.values()), ids=list(iso.LEARNERS))
def test_every_learner_learns_from_late_answers(kind):
    world = iso.BernoulliRewards(MEANS)
    learner = kind(3, 3, seed=3)
    trace = iso.simulate(learner, world, 120, seed=4, delay=lambda rng, arm, t: rng.integers(0, 30, 3))
    assert trace.pulls[-1].sum() == 120


NO_DELAYS = [
    *(-1, 1.5, "soon"),
    lambda rng, arm, t: np.array([1, 2]),
    lambda rng, arm, t: np.array([0.5, 1, 2]),
    lambda rng, arm, t: np.array([0, 0, 5000]),
]


@pytest.mark.parametrize("delay", NO_DELAYS)
def test_what_is_no_delay_is_refused(delay):
    with pytest.raises(InputError, match="whole number"):
        iso.simulate(iso.UniformLearner(3, 3), iso.BernoulliRewards(MEANS), 10, delay=delay)
