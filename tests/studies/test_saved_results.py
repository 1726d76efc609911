"""`iso.save` and `iso.load`: every result comes back as it was."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

import isegoria as iso
from isegoria.errors import FileError, InputError

INSTANCE = iso.Instance([[1, 0.5, 0], [0, 1, 1], [0.2, 0, 1]], arms=["tea", "mate", "milk"], weights=[1, 2, 1])


def reload(result, tmp_path):
    iso.save(result, tmp_path / "result")
    found = iso.load(tmp_path / "result")
    assert type(found) is type(result)
    return found


def test_solutions_and_frontiers_come_back(tmp_path):
    solution = iso.solve(INSTANCE, "nash")
    found = reload(solution, tmp_path)
    assert found.policy.tolist() == solution.policy.tolist()
    assert (found.rule, found.value, found.gap, found.tie_break) == ("nash", solution.value, solution.gap, "centre")
    curve = iso.frontier(INSTANCE)
    assert np.array_equal(reload(curve, tmp_path).policies, curve.policies)


def test_comparisons_and_audits_come_back(tmp_path):
    compared = iso.compare(INSTANCE, policies={"current": [1, 0, 0]})
    assert str(reload(compared, tmp_path)) == str(compared)
    judged = iso.audit(INSTANCE, [1, 0, 0])
    assert str(reload(judged, tmp_path)) == str(judged)
    assert reload(iso.score(INSTANCE, [1, 0, 0]), tmp_path).procedural == judged.scores.procedural


def test_sparse_instances_stay_sparse(tmp_path):
    found = reload(iso.Instance(csr_array([[1, 0, 0], [0, 0.5, 0]])), tmp_path)
    assert found.is_sparse
    assert found.means.toarray().tolist() == [[1, 0, 0], [0, 0.5, 0]]
    assert reload(INSTANCE, tmp_path).weights.tolist() == [1, 2, 1]


def test_traces_and_learners_come_back(tmp_path):
    trace = iso.simulate(iso.EliminationLearner(3, 3, seed=1), iso.BetaRewards(INSTANCE.means), 50, seed=1)
    assert reload(trace, tmp_path).scores.tolist() == trace.scores.tolist()
    learner = reload(trace.learner, tmp_path)
    assert learner.rounds == 50
    assert learner.ask() == trace.learner.copy().ask()


def test_studies_come_back(tmp_path):
    found = iso.study(rules=["nash"], groups={"model": "impartial", "agents": 3, "arms": 3}, seeds=2)
    again = reload(found, tmp_path)
    assert repr(again.table()) == repr(found.table())


def test_anything_else_is_refused(tmp_path):
    with pytest.raises(InputError, match="a dict cannot be saved"):
        iso.save({}, tmp_path / "file")
    (tmp_path / "file").write_bytes(b"PK nothing")
    with pytest.raises(FileError, match="holds no result"):
        iso.load(tmp_path / "file")
    with pytest.raises(FileError, match="cannot read"):
        iso.load(tmp_path / "none")
    np.savez(tmp_path / "other.npz", a=np.ones(2))
    with pytest.raises(FileError):
        iso.load(tmp_path / "other.npz")


def test_public_modules_are_attributes():
    assert {"axioms", "datasets", "preferences", "testing"} <= set(dir(iso))
    assert iso.preferences.sample("impartial", 2, 3, seed=1).shape == (2, 3)


def list_results():
    lottery = iso.voices(iso.Instance([[1, 0], [0, 1], [0, 1]]))
    learner = iso.EliminationLearner(3, 3, seed=1)
    log = iso.ReplayRewards.from_log([0, 1, 2] * 9, np.full((27, 3), 0.5), [1 / 3] * 27)
    return [
        iso.honesty(INSTANCE, "nash"),
        iso.core(INSTANCE, [1, 0, 0]),
        iso.find_counterexample("leximin", "ufs"),
        iso.axioms.check(INSTANCE, [1, 0, 0], "gfs"),
        lottery,
        lottery.draw("3 6 1", draws=2),
        iso.regret_bounds(INSTANCE, 1000),
        iso.FairSet(INSTANCE),
        log.evaluate([0.5, 0.5, 0]),
        iso.study(rules=["nash"], groups=INSTANCE, seeds=1).table(),
        iso.Turns(),
        learner.propose(),
        learner.ask(),
        iso.audit(INSTANCE, [1, 0, 0]).participation,
    ]


@pytest.mark.parametrize("result", list_results(), ids=lambda result: type(result).__name__)
def test_every_result_comes_back_and_is_shown_as_html(result, tmp_path):
    found = reload(result, tmp_path)
    assert repr(found) == repr(result)
    if hasattr(result, "_repr_html_"):
        assert found._repr_html_() == result._repr_html_()


def test_abstentions_and_notes_are_saved_too(tmp_path):
    frame = pd.DataFrame({"agent": ["Ann", "Ben", "Cem"], "tea": [5, 1, None], "mate": [1, None, None]})
    with pytest.warns(iso.ReadingWarning):
        crowd = iso.Instance.from_frame(frame, scale=(1, 5), missing="abstain")
    judged = reload(iso.audit(crowd, {"mate": 1}), tmp_path)
    assert judged.instance.abstentions == ("Cem",)
    assert judged.participation == iso.audit(crowd, {"mate": 1}).participation
    assert judged.instance.import_notes == crowd.import_notes


@pytest.mark.parametrize("environment", [iso.BetaRewards(INSTANCE, sd=0.05), iso.BernoulliRewards(INSTANCE)])
def test_a_simulation_goes_on_after_a_reload(environment, tmp_path):
    learner = iso.EliminationLearner.from_instance(INSTANCE, seed=2)
    run = iso.Simulation(learner, environment, 20_000, seed=3, extra_rules=["nash"])
    run.advance()
    found = reload(run, tmp_path)
    assert found.done == run.done
    for each in (run, found):
        while each.advance():
            pass
    assert found.trace().policies.tolist() == run.trace().policies.tolist()
    assert found.trace().regrets["nash"].tolist() == run.trace().regrets["nash"].tolist()


def test_a_simulation_in_ones_own_world_says_how_to_keep_it(tmp_path):
    class Own(iso.BernoulliRewards):
        """An environment of the user's own."""

    run = iso.Simulation(iso.UniformLearner(3, 3, seed=1, weights=[1, 2, 1]), Own(INSTANCE), 50, seed=1)
    with pytest.raises(InputError, match=r"Simulation\.from_state"):
        iso.save(run, tmp_path / "run")
    again = iso.Simulation.from_state(run.state(), Own(INSTANCE))
    assert (again.rounds, again.seed, again.done) == (run.rounds, run.seed, run.done)
