"""Every learner with a compiled step plays exactly what it plays when asked and told; and none looks at the truth."""

import numpy as np
import pytest

import isegoria as iso
from isegoria.learning.simulation.player import Player, _make_chunk
from isegoria.learning.simulation.simulation import Simulation

TEST_ENVIRONMENTS = {
    "clear": lambda: iso.BetaRewards(np.random.default_rng(0).uniform(0.1, 0.9, (4, 3)), sd=0.05),
    "ties": lambda: iso.BetaRewards([[0.7, 0.7, 0.2], [0.5, 0.5, 0.5], [0.1, 0.8, 0.3]], sd=0.1),
    "coarse": lambda: iso.BernoulliRewards(np.full((4, 3), 0.5)),
    "many arms": lambda: iso.BetaRewards(np.random.default_rng(1).uniform(0.1, 0.9, (3, 70)), sd=0.05),
    "missing answers": lambda: iso.ReplayRewards(_make_log_with_gaps(), cycle=True),
    "tastes that change": lambda: iso.ChangingRewards(
        iso.BetaRewards([[0.9, 0.1], [0.2, 0.8]]), (600, iso.BetaRewards([[0.1, 0.9], [0.8, 0.2]]))
    ),
}
SETTINGS = {
    "elimination": [
        {},
        {"error": 0.3, "trickle": 0.1, "lend": 0.2},
        {"explore": 0.5, "resolution": 0.2, "floor": 0.1},
        {"error": 0.3, "watch": False},
    ],
    "procedural": [{}, {"catch_up": True}, {"tie_break": "vertex"}],
}
cases = pytest.mark.parametrize(
    ("kind", "settings"),
    [
        pytest.param(kind, chosen, id=f"{kind.id} {chosen}")
        for kind in map(iso.LEARNERS.get, SETTINGS)
        for chosen in SETTINGS[kind.id]
    ],
)


def _make_log_with_gaps():
    rng = np.random.default_rng(2)
    log = rng.random((3, 40, 6))
    log[rng.random(log.shape) < 0.3] = np.nan
    return list(log)


def run_to_trace(kind, settings, environment, seed, rounds=1100):
    learner = kind(environment.n_agents, environment.n_arms, seed=seed, **settings)
    run = Simulation(learner, environment, rounds, seed=seed + 50, records=37, keep_arms=True)
    while run.advance():
        pass
    return run.trace(), run.learner.to_json()


@pytest.mark.slow
@cases
@pytest.mark.parametrize("shape", TEST_ENVIRONMENTS)
def test_compiled_loop_equals_ask_tell(monkeypatch, kind, settings, shape):
    for seed in range(4):
        compiled, learner = run_to_trace(kind, settings, TEST_ENVIRONMENTS[shape](), seed)
        with monkeypatch.context() as patch:
            patch.setattr(Player, "play", lambda self, n: _make_chunk(self.learner.rounds + 1, *self.ask_and_tell(n)))
            asked, twin = run_to_trace(kind, settings, TEST_ENVIRONMENTS[shape](), seed)
        assert np.array_equal(compiled.arms, asked.arms)
        assert np.array_equal(compiled.policies, asked.policies)
        assert np.array_equal(compiled.regret_curve, asked.regret_curve)
        assert (compiled.patterns, compiled.changes) == (asked.patterns, asked.changes)
        assert learner == twin


@pytest.mark.slow
@pytest.mark.parametrize("kind", iso.LEARNERS.values(), ids=iso.LEARNERS)
def test_truth_does_not_reach_learner(kind):
    """The same rewards under two different truths give the same play: nothing but the rewards reaches a learner."""
    log = list(np.random.default_rng(3).random((3, 300, 5)))
    truths = np.random.default_rng(4).random((2, 5, 3))
    runs = [
        iso.simulate(kind(5, 3, seed=1), iso.ReplayRewards(log, means=truth), 300, seed=1, keep_arms=True)
        for truth in truths
    ]
    assert np.array_equal(runs[0].arms, runs[1].arms)
    assert np.array_equal(runs[0].policies, runs[1].policies)


@pytest.mark.parametrize("kind", [iso.LEARNERS[name] for name in SETTINGS], ids=list(SETTINGS))
def test_subclass_override_bypasses_compiled_loop(kind):
    """The compiled loop knows nothing of a method that somebody else wrote, so such a learner is asked and told."""

    class Careful(kind):
        id = "careful"

        def compute_policy(self, state, arms):
            return np.full(len(self.arms), 1 / len(self.arms))

    class Renamed(kind):
        id = "renamed"

    world = TEST_ENVIRONMENTS["clear"]()
    found = {
        made.id: iso.simulate(made(world.n_agents, world.n_arms, seed=3), world, 400, seed=4, records=2)
        for made in (kind, Careful, Renamed)
    }
    assert (found["careful"].policies == found["careful"].policies[0]).all()
    assert not np.array_equal(found["careful"].policies, found[kind.id].policies)
    assert found["renamed"].regret == found[kind.id].regret
