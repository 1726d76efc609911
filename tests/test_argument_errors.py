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
