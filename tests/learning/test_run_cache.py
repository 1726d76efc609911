"""Finished runs are kept: what was interrupted goes on where it was, to the same traces."""

import csv
import json

import numpy as np
import pytest
from click.testing import CliRunner

import isegoria as iso
from isegoria.cli.learn import command
from isegoria.learning.simulation.learner_comparison import COMPARISON_METRICS, compare_learners

WORLD = iso.BernoulliRewards([[0.9, 0.2], [0.3, 0.7]])


class Interrupted(Exception):
    pass


def interrupt_after(runs):
    def report(done, of):
        if done == runs:
            raise Interrupted

    return report


def is_same_trace(one, two):
    return one.to_csv() == two.to_csv() and one.rewards.tolist() == two.rewards.tolist()


def test_an_interrupted_series_goes_on_with_the_runs_that_are_there(tmp_path, monkeypatch):
    learner = iso.ProceduralLearner(2, 2, seed=1)
    whole = iso.simulate_many(learner, WORLD, 200, seeds=6, workers=1, records=5)
    with pytest.raises(Interrupted):
        iso.simulate_many(
            learner, WORLD, 200, seeds=6, workers=1, on_progress=interrupt_after(3), keep=tmp_path, records=5
        )
    assert len(list(tmp_path.iterdir())) == 3
    made = []
    from isegoria.learning.simulation import parallel

    honest = parallel.simulate
    monkeypatch.setattr(parallel, "simulate", lambda *a, **k: made.append(k["seed"]) or honest(*a, **k))
    again = iso.simulate_many(learner, WORLD, 200, seeds=6, workers=1, keep=tmp_path, records=5)
    assert made == [3, 4, 5]
    assert all(is_same_trace(*pair) for pair in zip(whole, again, strict=True))


@pytest.mark.parametrize("change", ["learner", "world", "rounds", "records"])
def test_a_run_of_something_else_is_not_taken_for_this_one(tmp_path, change):
    learner, world, rounds, records = iso.ProceduralLearner(2, 2, seed=1), WORLD, 100, 5
    iso.simulate_many(learner, world, rounds, seeds=1, workers=1, keep=tmp_path, records=records)
    learner = iso.ProceduralLearner(2, 2, gamma=0.6) if change == "learner" else learner
    world = iso.BernoulliRewards([[0.9, 0.2], [0.3, 0.8]]) if change == "world" else world
    rounds, records = rounds + (change == "rounds"), records + (change == "records")
    iso.simulate_many(learner, world, rounds, seeds=1, workers=1, keep=tmp_path, records=records)
    assert len(list(tmp_path.iterdir())) == 2


def test_broken_cache_file_is_recomputed(tmp_path):
    learner = iso.UniformLearner(2, 2, seed=1)
    first = iso.simulate_many(learner, WORLD, 50, seeds=1, workers=1, keep=tmp_path)
    next(tmp_path.iterdir()).write_bytes(b"half a f")
    assert is_same_trace(first[0], iso.simulate_many(learner, WORLD, 50, seeds=1, workers=1, keep=tmp_path)[0])
    with pytest.raises(iso.InputError, match="cannot be kept"):
        iso.simulate_many(learner, WORLD, 50, seeds=1, keep=tmp_path, available=lambda t: None)


def test_a_contest_tells_the_answer_of_every_run(tmp_path):
    found = compare_learners(
        WORLD, ["procedural", "uniform"], rounds=60, seeds=[5, 6, 7], workers=1, timed=False, keep=tmp_path
    )
    rows = found.runs()
    assert rows["learner"] == ["procedural"] * 3 + ["uniform"] * 3
    assert rows["seed"] == [5, 6, 7] * 2
    assert len(list(tmp_path.iterdir())) == 6
    for question in set(COMPARISON_METRICS) - {"cost"}:
        assert np.median(rows[question][:3]) == found.summary()[question][0]


@pytest.mark.slow
def test_the_command_keeps_runs_and_writes_their_answers(tmp_path):
    ratings, out = tmp_path / "r.csv", tmp_path / "out"
    ratings.write_text("agent,tea,coffee\nAnn,0.9,0.3\nBob,0.2,0.8\n")
    words = [str(ratings), "--rounds", "40", "--seeds", "2", "--learners", "uniform,thompson", "--workers", "1"]
    run = CliRunner().invoke(command, [*words, "--out", str(out), "--format", "json"])
    assert run.exit_code == 0
    assert len(list((out / "runs").iterdir())) == 4
    with open(out / "contest-runs.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["learner"], row["seed"]) for row in rows] == [
        (name, str(seed)) for name in ("uniform", "thompson") for seed in (42, 43)
    ]
    assert json.loads(run.stdout)["runs"]["voice"] == [float(row["voice"]) for row in rows]
