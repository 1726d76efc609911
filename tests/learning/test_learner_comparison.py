"""Learners side by side: the same rewards for all, honest medians, and a command that shows them."""

import csv
import json

import numpy as np
import pytest
from click.testing import CliRunner

import isegoria as iso
from isegoria.cli.learn import command
from isegoria.figures.comparison_files import write_comparison
from isegoria.learning.simulation.learner_comparison import COMPARISON_METRICS, compare_learners, make_learner

WORLD = iso.BetaRewards([[0.9, 0.3, 0.1], [0.2, 0.8, 0.1], [0.6, 0.7, 0.2]], sd=0.1)
RATINGS = "agent,tea,coffee,milk\nAnn,0.9,0.3,0.1\nBob,0.2,0.8,0.1\nCem,0.6,0.7,0.2\n"


@pytest.fixture(scope="module")
def found():
    return compare_learners(
        WORLD, ["procedural", "elimination", "random-dictatorship"], rounds=600, seeds=[3, 4], workers=1
    )


def test_every_learner_meets_the_same_rewards(found):
    alone = compare_learners(WORLD, ["elimination"], rounds=600, seeds=[3, 4], workers=2)
    for one, other in zip(found.entries[1].traces, alone.entries[0].traces, strict=True):
        assert np.array_equal(one.pulls, other.pulls)
        assert np.array_equal(one.rewards, other.rewards)


def test_the_answers_are_those_of_the_traces(found):
    columns = found.summary()
    assert columns["learner"] == ["procedural", "elimination", "random-dictatorship"]
    for row, entry in enumerate(found.entries):
        assert columns["regret"][row] == np.median([trace.regret for trace in entry.traces])
        assert columns["sets_high"][row] == max(trace.last_mismatch for trace in entry.traces)
        least = [trace.realised_voice.min() for trace in entry.traces]
        assert columns["voice_low"][row] == pytest.approx(min(least))
        realised = [iso.score(WORLD.instance, trace.frequencies).procedural for trace in entry.traces]
        assert columns["realised"][row] == pytest.approx(np.median(realised))
        for question in COMPARISON_METRICS:
            assert columns[f"{question}_low"][row] <= columns[question][row] <= columns[f"{question}_high"][row]


def test_settings_reach_the_learners_that_have_them():
    assert make_learner("procedural", WORLD, 500, gamma=0.6, alpha=2).alpha == 2
    assert make_learner("elimination", WORLD, 500, gamma=0.6, explore=0.5).explore == 0.5
    assert make_learner("nash-ucb", WORLD, 500, gamma=0.6, alpha=2).horizon == 500


@pytest.mark.slow
def test_each_question_has_a_figure_and_its_data(found, tmp_path):
    pytest.importorskip("matplotlib")
    files = {path.name for path in write_comparison(found, tmp_path)}
    for name in ("sets", "regret", "scores", "realised", "voice", "cost"):
        assert {f"contest-{name}.{suffix}" for suffix in ("csv", "png", "svg")} <= files


def invoke_learn(tmp_path, *arguments):
    file = tmp_path / "ratings.csv"
    file.write_text(RATINGS)
    return CliRunner().invoke(command, [str(file), "--rounds", "200", "--workers", "1", *arguments])


def test_the_command_compares(tmp_path, monkeypatch):
    monkeypatch.setattr("isegoria.figures.theme.can_draw", lambda note: False)  # drawing is tested above
    shown = invoke_learn(tmp_path, "--learners", "procedural,elimination", "--seeds", "2", "--format", "json")
    assert shown.exit_code == 0
    data = json.loads(shown.stdout)
    assert data["seeds"] == [42, 43]
    assert list(data["learners"]) == ["procedural", "elimination"]
    assert set(data["learners"]["elimination"]) == set(COMPARISON_METRICS)
    text = invoke_learn(tmp_path, "--learners", "elimination", "--out", str(tmp_path / "out"))
    assert "Elimination" in text.stdout
    assert (tmp_path / "out" / "contest.csv").exists()


def test_unfinished_sets_show_as_never(tmp_path):
    late = ("--learners", "procedural", "--rounds", "50")
    assert " never " in invoke_learn(tmp_path, *late).stdout
    rows = list(csv.DictReader(invoke_learn(tmp_path, *late, "--format", "csv").stdout.splitlines()))
    assert [rows[0][end] for end in ("sets", "sets_low", "sets_high")] == ["", "", ""]
    data = json.loads(invoke_learn(tmp_path, *late, "--format", "json").stdout)
    assert data["learners"]["procedural"]["sets"] == {"median": None, "low": None, "high": None}
    early = json.loads(invoke_learn(tmp_path, "--learners", "uniform", "--noise", "point", "--format", "json").stdout)
    assert early["learners"]["uniform"]["sets"]["median"] == 3


def test_sets_are_about_estimates_and_scores_about_the_policy(tmp_path):
    """Where means are 0 or 1, Uniform's estimates are right after a pull of each arm, and its policy is unfair."""
    plain = compare_learners(
        iso.BetaRewards([[1, 0, 0], [1, 0, 0], [0, 1, 0]]), ["uniform"], rounds=50, seeds=1, workers=1
    )
    columns = plain.summary()
    assert (columns["sets"], columns["regret"]) == ([3.0], [3.0])
    assert columns["procedural"][0] < 0.9
    assert "the learner's own estimates imply" in invoke_learn(tmp_path, "--learners", "uniform").stdout


def test_a_comparison_cannot_be_saved_midway(tmp_path):
    refused = invoke_learn(tmp_path, "--learners", "elimination", "--state", str(tmp_path / "state.json"))
    assert refused.exit_code == 2
    assert "single run" in refused.stderr


def test_names_with_settings_get_distinct_labels():
    names = ["procedural", "procedural:gamma=0.6", "procedural:gamma=0.6;tie_break=vertex", "uniform", "uniform"]
    found = compare_learners(WORLD, names, rounds=60, seeds=1, workers=1, timed=False)
    assert [entry.label for entry in found.entries] == [
        "Algorithm 1",
        "Algorithm 1 gamma=0.6",
        "Algorithm 1 gamma=0.6 tie_break=vertex",
        "Uniform",
        "Uniform (2)",
    ]
    assert found.summary()["learner"] == [*names[:4], "uniform (2)"]
    assert [entry.traces[0].about["settings"].get("gamma") for entry in found.entries] == [0.7, 0.6, 0.6, None, None]
    assert len(found.courses("regret")) == 1 + 3 * 5


def test_a_contest_takes_learners_that_were_made_before():
    mine = [iso.ProceduralLearner(3, 3, gamma=0.5), iso.ProceduralLearner(3, 3), "procedural:gamma=0.7", "uniform"]
    found = compare_learners(WORLD, mine, rounds=80, seeds=2, workers=1, timed=False)
    assert [entry.label for entry in found.entries] == [
        "Algorithm 1 gamma=0.5",
        "Algorithm 1",
        "Algorithm 1 (2)",
        "Uniform",
    ]
    one, two = found.entries[1], found.entries[2]
    assert all(np.array_equal(a.pulls, b.pulls) for a, b in zip(one.traces, two.traces, strict=True))


def test_settings_for_all_give_way_to_those_in_a_name():
    assert make_learner("procedural:gamma=0.5", WORLD, 100, gamma=0.9, alpha=2).gamma == 0.5
    assert make_learner("procedural:gamma=0.5", WORLD, 100, gamma=0.9, alpha=2).alpha == 2
    assert make_learner("nash-ucb:horizon=7", WORLD, 100).horizon == 7


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("procedural:rate=1", r"rate.*gamma, alpha, tie_break"),
        ("procedural:gamma", "the id, a colon"),
        ("procedural:", "the id, a colon"),
        ("thompson:gamma=0.5", "gamma"),
        ("proceduarl:gamma=0.5", "procedural"),
        ("procedural:gamma=2", "gamma is 2"),
        ("procedural:gamma=high", "gamma is 'high'"),
    ],
)
def test_unknown_setting_lists_known_ones(name, said, tmp_path):
    with pytest.raises(iso.InputError, match=said):
        make_learner(name, WORLD, 100)


def test_the_command_compares_variants(tmp_path):
    names = "procedural:gamma=0.6,procedural,uniform"
    result = invoke_learn(
        tmp_path, "--learners", names, "--rounds", "60", "--seeds", "2", "--workers", "1", "--format", "json"
    )
    assert list(json.loads(result.stdout)["learners"]) == ["procedural:gamma=0.6", "procedural", "uniform"]
    refused = invoke_learn(tmp_path, "--learners", "procedural:rate=1", "--rounds", "60")
    assert refused.exit_code != 0
    assert "gamma" in refused.output + str(refused.exception)


def test_variants_have_looks_of_their_own():
    from isegoria.figures.learner_figures import _assign_styles

    names = [*list(iso.LEARNERS)[:6], *(f"procedural:gamma=0.{n}" for n in range(1, 9)), "uniform (2)"]
    looks = [tuple(map(str, look.values())) for look in _assign_styles(names).values()]
    assert len(set(looks)) == len(names)
