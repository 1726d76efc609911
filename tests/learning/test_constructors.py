"""In a notebook: constructors show their parameters, and what is printed is one line."""

import inspect

import pytest

import isegoria as iso

every_learner = pytest.mark.parametrize("kind", iso.LEARNERS.values(), ids=iso.LEARNERS)


@every_learner
def test_a_signature_names_the_settings(kind):
    parameters = inspect.signature(kind).parameters
    assert {"n_agents", "n_arms", "seed", "agents", "arms", "weights", *kind.settings} <= set(parameters)
    assert not any(one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) for one in parameters.values())


@every_learner
def test_completion_shows_the_settings(kind):
    jedi = pytest.importorskip("jedi")
    name = kind.__name__
    shown = jedi.Interpreter(f"{name}(", [{name: kind}]).get_signatures(1, len(name) + 1)
    assert {"n_agents", "n_arms", *kind.settings} <= {one.name for signature in shown for one in signature.params}


def test_learners_worlds_and_traces_are_said_in_a_line():
    world = iso.BernoulliRewards([[0.9, 0.1], [0.2, 0.8]])
    learner = iso.ProceduralLearner(2, 2, gamma=0.6, seed=1)
    learner.ask()
    assert repr(world) == "BernoulliRewards(2 agents, 2 arms)"
    assert repr(learner).startswith("ProceduralLearner(2 agents, 2 arms, gamma=0.6, alpha=1.0")
    assert repr(learner).endswith("; 1 round)")
    assert repr(iso.UniformLearner(1, 3)) == "UniformLearner(1 agent, 3 arms; 0 rounds)"
    trace = iso.simulate(iso.UniformLearner(2, 2, seed=1), world, 50, seed=1)
    assert repr(trace).startswith("Trace(50 rounds of uniform; 2 agents, 2 arms; PF score ")
    assert "\n" not in repr(trace)
    assert len(repr(trace)) < 120


def test_a_subclass_may_call_the_base_first_or_last_and_is_resized_once():
    class Late(iso.UniformLearner):
        id, settings = "late", ("depth",)

        def __init__(self, n_agents, n_arms, depth=1, **rest):
            super().__init__(n_agents, n_arms, **rest)
            self.depth, self.times = depth, 0

        def on_roster_change(self):
            self.times += 1

    class Later(Late):
        def __init__(self, *args, **keywords):
            super().__init__(*args, **keywords)
            self.more = True

    assert Late(2, 2, depth=3).times == 1
    assert Later(2, 2).times == 1
    assert Later.from_json(Later(2, 2, depth=4).to_json()).depth == 4
