"""`isegoria learn`: what it prints, what it writes, and that a killed run goes on as if nothing had happened."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from click.testing import CliRunner

import isegoria as iso
from isegoria.cli import main


@pytest.fixture
def ratings(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text("agent,tea,coffee,weight\nAnn,0.9,0.2,1\nBob,0.3,0.8,2\n")
    return str(path)


def learn(*args):
    return CliRunner().invoke(main, ["learn", *map(str, args)])


def test_the_page_says_what_was_learned_beside_what_theory_says(ratings):
    run = learn(ratings, "--rounds", 5000, "--seed", 3)
    assert run.exit_code == 0
    for words in ("3 agents, 2 arms, 5,000 rounds", "seed 3", "equal voice", "PF regret", "(τ0)", "0.667", "expected"):
        assert words in run.stdout
    assert "seed 3" in run.stderr


def test_one_round_and_one_seed_are_not_many(ratings):
    assert "1 round of Algorithm 1" in learn(ratings, "--rounds", 1).stdout
    alone = learn(ratings, "--rounds", 50, "--learners", "procedural", "--seed", 42, "--workers", 1)
    assert "Note: seed 42." in alone.stderr


def test_json_holds_everything_and_equals_the_library(ratings):
    data = json.loads(learn(ratings, "--rounds", 3000, "--seed", 3, "--format", "json").stdout)
    world = iso.BetaRewards(iso.read(ratings))
    learner = iso.ProceduralLearner(2, 2, seed=3, weights=world.weights)
    trace = iso.simulate(learner, world, 3000, seed=3)
    assert data["agents"] == 3
    assert (data["seed"], data["rounds"], data["gamma"], data["alpha"]) == (3, 3000, 0.7, 1.0)
    assert data["policy"] == trace.policy.tolist()
    assert data["regret"] == trace.regret
    assert data["bounds"]["recovery_round"] == iso.regret_bounds(world.instance, 3000).recovery_round
    assert data["realised_voice"] == trace.realised_voice.tolist()
    assert len(data["realised_voice"]) == 2


def test_csv_has_one_quantity_a_line(ratings):
    rows = dict(csv.reader(io.StringIO(learn(ratings, "--rounds", 500, "--format", "csv").stdout)))
    assert {"policy.tea", "scores.procedural", "regret", "bounds.radius", "regrets.nash"} <= set(rows)


@pytest.mark.parametrize("noise", ["bernoulli", "normal", "point"])
def test_other_noises_run(ratings, noise):
    assert learn(ratings, "--rounds", 300, "--noise", noise).exit_code == 0


@pytest.mark.slow
@pytest.mark.parametrize("noise", ["beta", "bernoulli", "normal", "point"])
@pytest.mark.parametrize(
    "means", [[[0.0]], [[0.0, 0.0]] * 2, [[0.5, 0.2]], [[0.5], [0.2]], [[1.0, 1.0]] * 2, [[0, 0.5]]]
)
def test_the_smallest_groups_run_with_every_learner_and_nothing_but_the_seed_is_noted(
    tmp_path, monkeypatch, means, noise
):
    monkeypatch.setattr(
        "isegoria.learning.simulation.learner_comparison.TIMED_ROUNDS", 5
    )  # what a round costs is not the question
    path = iso.write(iso.Instance(means), tmp_path / "small.csv")
    alone = learn(path, "--rounds", 20, "--noise", noise)
    assert (alone.exit_code, alone.stderr) == (0, "Note: seed 42.\n")
    together = learn(path, "--rounds", 20, "--noise", noise, "--learners", "all", "--workers", 1)
    assert (together.exit_code, together.stderr) == (0, "Note: seed 42.\n")


def test_no_policy_falls_short_where_nobody_can_have_anything(tmp_path):
    path = iso.write(iso.Instance([[0.0, 0.0]]), tmp_path / "nothing.csv")
    data = json.loads(learn(path, "--rounds", 20, "--format", "json").stdout)
    assert set(data["regrets"].values()) == {0.0}


@pytest.mark.slow
def test_out_has_the_trace_and_two_figures(ratings, tmp_path):
    run = learn(ratings, "--rounds", 400, "--out", tmp_path / "out", "--records", 50)
    assert run.exit_code == 0
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"trace.csv", "trace.npz", "learning-scores.png", "learning-scores.svg", "learning-policy.png"} <= names
    trace = iso.Trace.from_npz((tmp_path / "out" / "trace.npz").read_bytes())
    assert len(trace.rounds) == 50
    assert len((tmp_path / "out" / "trace.csv").read_text().splitlines()) == 51


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--gamma", "1"], "gamma"),
        (["--alpha", "0"], "alpha"),
        (["--rounds", "0"], "rounds"),
        (["--sd", "0.5"], "agent 'Ann' for arm 'tea' is 0.9 and sd is 0.5; a Beta needs mean * (1 - mean)"),
        (["--sd", "0.5"], "Lower sd (--sd), or use BernoulliRewards (--noise bernoulli) or"),
        (["--sd", "0"], "(--noise point)"),
        (["--noise", "bernoulli", "--sd", "0.3"], "--sd changes nothing in bernoulli rewards; leave it out"),
        (["--workers", "3"], "--workers changes nothing in a single run; leave it out"),
        (["--learners", "elimination", "--records", "7"], "--records changes nothing in a comparison; leave it out"),
        (
            ["--learners", "elimination,uniform", "--alpha", "3"],
            "--alpha changes nothing in elimination, uniform; leave it out",
        ),
        (["--sd", "1e9", "--noise", "normal"], "agent 'Ann' for arm 'tea' is 0.9"),
        (["--learners", ""], "--learners names none; give"),
        (["--learners", " , "], "--learners names none; give"),
        (["--learners", "elimination, elimination"], "--learners names elimination twice; name each learner once"),
        (["--learners", "elimination,"], "''"),
        (["--seed", "-1"], "seed"),
        (["--noise", "gauss"], "noise"),
    ],
)
def test_bad_options_are_one_sentence_and_exit_2(ratings, args, says):
    run = learn(ratings, *args)
    assert run.exit_code == 2
    assert says in run.stderr
    assert "Traceback" not in run.stderr


def test_a_finished_run_is_told_again_from_its_state_and_another_is_refused(ratings, tmp_path):
    state = tmp_path / "run.json"
    first = learn(ratings, "--rounds", 3000, "--state", state)
    again = learn(ratings, "--rounds", 3000, "--state", state)
    assert again.stdout == first.stdout
    assert "going on from round 2,048 of 3,000" in again.stderr
    for change, says in [
        (["--rounds", "4000"], "one of 3,000 rounds, 2,048 of them done, and cannot become one of 4,000"),
        (["--gamma", "0.6", "--rounds", "3000"], "another instance, learner, settings or noise;"),
        (["--sd", "0.05", "--rounds", "3000"], "another instance, learner, settings or noise;"),
        (["--seed", "8", "--rounds", "3000"], "another seed (42 saved, 8 asked);"),
    ]:
        other = learn(ratings, *change, "--state", state)
        assert other.exit_code == 2
        assert says in other.stderr
        assert other.stderr.startswith(f"Error: {state}: the saved run ")
    state.write_text(state.read_text()[:-20])
    torn = learn(ratings, "--rounds", 3000, "--state", state)
    assert torn.exit_code == 2
    assert "complete" in torn.stderr


@pytest.mark.parametrize(("short", "long"), [(100, 200), (3000, 6000), (4096, 8192)])
def test_a_finished_run_may_be_extended_and_is_what_one_long_run_is(ratings, tmp_path, short, long):
    state = tmp_path / "run.json"
    assert learn(ratings, "--rounds", short, "--state", state).exit_code == 0
    extended = learn(ratings, "--rounds", long, "--state", state, "--format", "json")
    assert "going on from round" in extended.stderr
    assert extended.stdout == learn(ratings, "--rounds", long, "--format", "json").stdout


def test_a_file_that_is_no_saved_run_is_named(ratings, tmp_path):
    for text in ("agent,tea\nAnn,1\n", "{}"):
        (tmp_path / "other.json").write_text(text)
        run = learn(ratings, "--rounds", 100, "--state", tmp_path / "other.json")
        assert run.exit_code == 2
        assert run.stderr.startswith(f"Error: {tmp_path / 'other.json'}: ")


@pytest.mark.slow
def test_a_killed_run_resumes_from_its_last_complete_state(tmp_path):
    ratings, state = tmp_path / "big.csv", tmp_path / "run.json"
    iso.write(iso.Instance(np.random.default_rng(1).uniform(0.1, 0.9, (60, 6))), ratings)
    call = [
        sys.executable,
        "-m",
        "isegoria",
        "learn",
        str(ratings),
        "--rounds",
        "60000",
        "--sd",
        "0.05",
        "--format",
        "json",
    ]
    eager = (
        "import isegoria.learning.simulation.checkpoint as s, isegoria.cli as c, sys; s.SAVE_INTERVAL_SECONDS = 0; "
        "c.main(sys.argv[1:])"
    )
    whole = subprocess.run(call, capture_output=True, text=True, check=True).stdout
    for _ in range(3):
        process = subprocess.Popen(
            [sys.executable, "-c", eager, *call[3:], "--state", str(state)], stdout=subprocess.DEVNULL
        )
        saved = state.read_bytes() if state.exists() else b""
        deadline = time.monotonic() + 30
        while process.poll() is None and time.monotonic() < deadline:
            if state.exists() and state.read_bytes() != saved:
                break
            time.sleep(0.005)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        json.loads(state.read_text())
    resumed = subprocess.run([*call, "--state", str(state)], capture_output=True, text=True, check=True)
    assert "going on from round" in resumed.stderr
    assert resumed.stdout == whole


def test_watching_without_a_terminal_says_so_and_runs(ratings):
    run = learn(ratings, "--rounds", 300, "--watch")
    assert run.exit_code == 0
    assert "no terminal" in run.stderr


def test_on_a_terminal_the_run_is_shown_and_then_its_result(ratings):
    parent, child = os.openpty()
    call = [sys.executable, "-m", "isegoria", "learn", ratings, "--rounds", "20000", "--watch"]
    run = subprocess.run(call, stdout=subprocess.PIPE, stderr=child, env={**os.environ, "TERM": "xterm"}, check=True)
    os.close(child)
    shown = os.read(parent, 1 << 20).decode()
    os.close(parent)
    assert "wrong favourite set" in shown
    assert b"equal voice" in run.stdout


def test_the_view_shows_policy_scores_and_regret(ratings):
    from rich.console import Console

    from isegoria.cli.learn_live import _render_view
    from isegoria.learning.simulation.simulation import Simulation

    world = iso.BetaRewards(iso.read(ratings))
    learner = iso.ProceduralLearner(2, 2, seed=1, arms=world.arms, weights=world.weights)
    run = Simulation(learner, world, 5000, seed=1)
    run.advance(), run.advance()
    console = Console(width=90, record=True, file=io.StringIO())
    console.print(_render_view(run))
    shown = console.export_text()
    for words in ("round 2,048 of 5,000", "tea", "procedural", "wrong favourite set"):
        assert words in shown


def test_alpha_below_1_runs_and_says_that_no_theorem_covers_it(ratings):
    run = learn(ratings, "--alpha", "0.5", "--rounds", "200")
    assert run.exit_code == 0
    assert "Theorem 2 does not cover alpha 0.5" in run.stderr
    assert "Theorem 2 is for an alpha from 1 up" in run.stdout
    assert json.loads(learn(ratings, "--alpha", "0.5", "--rounds", "200", "--format", "json").stdout)["bounds"] is None


def test_settings_of_the_one_learner_follow_a_colon_too(ratings):
    shown = learn(ratings, "--rounds", 300, "--learner", "elimination:explore=.1;lend=0.5").stdout
    assert "the learner elimination (explore 0.1, lend 0.5, " in shown
    data = json.loads(learn(ratings, "--rounds", 400, "--learner", "procedural:gamma=0.6", "--format", "json").stdout)
    assert data["gamma"] == 0.6
    assert data["bounds"]["recovery_round"] == iso.regret_bounds(iso.read(ratings), 400, gamma=0.6).recovery_round
    assert "Known: error, resolution" in learn(ratings, "--learner", "elimination:colour=1").stderr
