"""What is not an instance, a path, a learner or an environment is refused in the name of the function it was given."""

import subprocess
import sys

import pytest

import isegoria as iso

MEANS = [[1.0, 0.0], [0.0, 1.0]]
CALLS_BY_NAME = {
    "solve": lambda given: iso.solve(given),
    "compare": lambda given: iso.compare(given),
    "score": lambda given: iso.score(given, [1, 0]),
    "audit": lambda given: iso.audit(given, [1, 0]),
    "core": lambda given: iso.core(given, [1, 0]),
    "frontier": lambda given: iso.frontier(given),
    "bounds": lambda given: iso.regret_bounds(given, 100),
    "write": lambda given: iso.write(given, "w.csv"),
}


@pytest.mark.parametrize("who", CALLS_BY_NAME)
@pytest.mark.parametrize("given", [MEANS, None, "ratings.csv", iso.PointRewards(MEANS)], ids=lambda g: type(g).__name__)
def test_only_an_instance_is_taken_for_one(who, given):
    with pytest.raises(
        iso.InputError, match=rf"^{who} needs an Instance as its first argument, not a {type(given).__name__};"
    ):
        CALLS_BY_NAME[who](given)


def test_arguments_of_write_that_were_swapped_are_told_apart():
    with pytest.raises(iso.InputError, match="write needs an Instance as its first argument, not a str"):
        iso.write("w.csv", iso.Instance(MEANS))


@pytest.mark.parametrize("path", [None, 3, iso.Instance(MEANS)], ids=lambda path: type(path).__name__)
def test_only_a_path_is_taken_for_one(path):
    with pytest.raises(iso.InputError, match="read needs the path of a file"):
        iso.read(path)
    with pytest.raises(iso.InputError, match="write needs the path of a file"):
        iso.write(iso.Instance(MEANS), path)


@pytest.mark.parametrize("run", [iso.simulate, iso.simulate_many])
def test_a_simulation_needs_a_learner_and_an_environment(run):
    learner = iso.ProceduralLearner(2, 2)
    with pytest.raises(iso.InputError, match=r"the environment is of type Instance.*iso\.BetaRewards\(instance\)"):
        run(learner, iso.Instance(MEANS), 10)
    with pytest.raises(iso.InputError, match=r"the learner is of type PointRewards.*iso\.ProceduralLearner"):
        run(iso.PointRewards(MEANS), learner, 10)


def test_the_table_of_objectives_loads_no_numpy():
    code = "import sys, isegoria.rules; print('numpy' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "False"


INSTANCE = iso.Instance(MEANS)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: iso.Instance(MEANS, scale=(1, 5)), "Instance takes no scale; use Instance.from_frame"),
        (lambda: iso.Instance.from_frame(None, scal=1), "keyword of Instance.from_frame 'scal'.* mean 'scale'"),
        (lambda: iso.audit(INSTANCE, rule="nash"), "give the rule, or its name, in place of the policy"),
        (lambda: iso.solve(INSTANCE, tie_brake="vertex"), "did you mean 'tie_break'"),
        (lambda: iso.study(ruls=["nash"]), "did you mean 'rules'"),
        (lambda: iso.EliminationLearner(INSTANCE), "EliminationLearner: missing .*'n_arms'"),
        (lambda: iso.EliminationLearner(2, 2, explor=1), "did you mean 'explore'"),
        (lambda: iso.BetaRewards(MEANS, std=0.1), "keyword of BetaRewards 'std'"),
        (lambda: iso.axioms.check_all(INSTANCE, "nash", strickt=True), "did you mean 'strict'"),
        (lambda: iso.draw(iso.voices(INSTANCE), "1", block=2), "keyword of draw 'block'"),
        (lambda: iso.score(INSTANCE), "score: missing .*'policy'; it takes instance, policy"),
    ],
)
def test_wrong_keywords_get_a_sentence(call, sentence):
    with pytest.raises(iso.InputError, match=sentence):
        call()


def test_type_errors_inside_a_function_stay_as_they_are():
    def broken(v, w):
        raise TypeError("unexpected keyword argument of mine")

    with pytest.raises(TypeError, match="of mine"):
        iso.solve(INSTANCE, iso.Welfare("broken", value=broken, gradient=broken))
