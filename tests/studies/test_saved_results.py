"""`iso.save` and `iso.load`: every result comes back as it was."""

import numpy as np
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
