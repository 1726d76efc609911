"""What the explorer says is what the command line says, and what it refuses it refuses in the same words."""

import json
import warnings

import numpy as np
import pytest
from click.testing import CliRunner

import isegoria as iso
from explorer.conftest import LUNCH
from isegoria.cli import main
from isegoria.errors import InputError
from isegoria.io.format_table import FORMATS
from isegoria.service.explorer import analysis, live_learning
from isegoria.service.explorer.uploads import UploadCache

PABULIB = """META
key;value
description;lunch
country;X
unit;X
instance;1
num_projects;2
num_votes;2
budget;2
vote_type;approval
rule;greedy
PROJECTS
project_id;cost;name
1;1;tea
2;1;coffee
VOTES
voter_id;vote
1;1
2;2
"""


def run_cli_json(*words: str) -> dict:
    told = CliRunner().invoke(main, [*words, "--format", "json"])
    return json.loads(told.stdout)


def assert_close(found, expected) -> None:
    """Equal to 1e-12 in every number, and the same in everything else."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for key in expected:
            assert_close(found[key], expected[key])
    elif isinstance(expected, list):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert_close(one, other)
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, abs=1e-12)
    else:
        assert found == expected


def test_the_six_policies_are_the_command_lines():
    assert_close(
        analysis.compare_rules(iso.read(LUNCH, scale=(1, 5))), run_cli_json("compare", str(LUNCH), "--scale", "1,5")
    )


@pytest.mark.parametrize("axis", ["utilitarian", "equality"])
def test_the_price_is_the_command_lines(axis):
    told = run_cli_json("frontier", str(LUNCH), "--scale", "1,5", "--axis", axis)
    assert_close(analysis.compute_price_curve(iso.read(LUNCH, scale=(1, 5)), axis), told)


def test_a_lottery_is_judged_as_by_audit():
    told = run_cli_json("audit", str(LUNCH), "--scale", "1,5", "--policy", "0.7,0.1,0.1,0.1")
    found = analysis.audit_policy(iso.read(LUNCH, scale=(1, 5)), [7, 1, 1, 1])
    assert_close(found["scores"], told["scores"])
    assert_close(found["neglected"], told["neglected"])
    assert not found["fair"]
    assert found["voices"] == told["sentences"][-10:]
    carried = {strip["label"]: sum(strip["carried"]) for strip in found["flow"]["strips"]}
    agents = iso.read(LUNCH, scale=(1, 5)).agents
    assert_close([carried[name] for name in agents], [sum(row) for row in told["attribution"]])


def test_stability_is_told_with_its_proof():
    instance = iso.Instance([[1, 0], [1, 0], [0, 1]])
    assert analysis.check_core(instance, [2 / 3, 1 / 3])["procedural"]["stable"] is True
    blocked = analysis.check_core(instance, [1, 0])["procedural"]
    assert blocked["stable"] is False
    assert blocked["coalition"] == ["Agent 3"]


@pytest.mark.parametrize("policy", [None, [], [1], [1, -1], [0, 0], ["a", 1], [float("nan"), 1], [True, False]])
def test_what_is_no_lottery_is_refused(policy):
    with pytest.raises(InputError, match="a lottery is a list of 2 chances"):
        analysis.audit_policy(iso.Instance([[1, 0], [0, 1]]), policy)


def test_a_dropped_file_is_read_as_the_command_line_reads_it(tmp_path):
    uploads = UploadCache()
    table = uploads.put("lunch.csv", LUNCH.read_bytes(), {"scale": "1,5"})
    assert (table.instance.means == iso.read(LUNCH, scale=(1, 5)).means).all()
    assert uploads.put("lunch.csv", LUNCH.read_bytes(), {"scale": "1,5"}) is table
    assert uploads[table.id] is table
    bad = tmp_path / "ratings.csv"
    bad.write_text("agent,a,b\nAnn,1,7\n")
    with pytest.raises(InputError) as said:
        uploads.put("ratings.csv", bad.read_bytes(), {})
    with pytest.raises(iso.IsegoriaError) as expected:
        iso.read(bad)
    assert str(said.value) == str(expected.value).replace(str(bad), "ratings.csv")


def test_what_was_decided_in_reading_is_noted():
    table = UploadCache().put("r.csv", b"agent;a;b\nAnn;0,5;1\nBob;1;0\n", {})
    assert table.notes
    assert analysis.describe_table(table)["notes"] == list(table.notes)


def test_an_old_table_gives_way():
    uploads = UploadCache()
    first = uploads.put("0.csv", b"agent,a,b\nAnn,1,0\n", {})
    for number in range(1, 20):
        uploads.put(f"{number}.csv", b"agent,a,b\nAnn,1,0\n", {})
    with pytest.raises(InputError, match="drop the file again"):
        uploads[first.id]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"learners": ""}, "choose from 1 to 6 learners"),
        ({"learners": "elimination,elimination"}, "each once"),
        ({"learners": "eliminaton"}, "did you mean 'elimination'"),
        ({"rounds": "many"}, "rounds is 'many'"),
        ({"rounds": "9" * 5000}, "whole number from 1"),
        ({"noise": "loud"}, "loud"),
    ],
)
def test_a_lesson_that_cannot_be_given_is_refused(options, sentence):
    with pytest.raises(iso.IsegoriaError, match=sentence):
        live_learning.make_simulations(iso.Instance([[1, 0], [0, 1]]), options)


def test_a_live_run_is_the_simulation(monkeypatch):
    monkeypatch.setattr(live_learning, "FRAME_INTERVAL_SECONDS", 0)
    instance = iso.Instance([[0.9, 0.2, 0.4], [0.1, 0.8, 0.3]])
    runs = live_learning.make_simulations(instance, {"learners": "procedural,uniform", "rounds": "5000", "seed": "3"})
    told: dict[str, list] = {}
    for frame in live_learning.iterate_frames(runs):
        told.setdefault(frame["learner"], []).append(frame)
    world = iso.BetaRewards(instance, sd=0.1)
    learner = iso.ProceduralLearner(2, 3, seed=3, agents=world.agents, arms=world.arms)
    trace = iso.simulate(learner, world, 5000, seed=3, records=live_learning.MAX_TRACE_POINTS)
    assert np.concatenate([frame["regret"] for frame in told["procedural"]]).tolist() == trace.regret_curve.tolist()
    assert np.concatenate([frame["rounds"] for frame in told["uniform"]]).tolist() == trace.rounds.tolist()
    assert told["procedural"][-1]["last_mismatch"] == trace.last_mismatch


def test_every_learner_can_be_shown():
    instance = iso.Instance([[0.9, 0.2], [0.1, 0.8]])
    for name in iso.LEARNERS:
        (run,) = live_learning.make_simulations(instance, {"learners": name, "rounds": "50"})
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert run.advance()


@pytest.mark.parametrize("kind", [row.id for row in FORMATS.values() if row.written and row.id not in ("csv", "tsv")])
def test_a_file_of_every_kind_that_is_written_is_opened(kind, tmp_path):
    """In the same cage and with the same numbers as the command line reads."""
    instance = iso.read(LUNCH, scale=(1, 5))
    path = tmp_path / f"lunch.{kind}"
    iso.write(instance, path)
    found = UploadCache().put(path.name, path.read_bytes(), {}).instance
    expected = iso.read(path)
    assert found.arms == expected.arms
    np.testing.assert_array_equal(np.asarray(found.means), np.asarray(expected.means))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.tsv", "name\ttea\tcoffee\nAnn\t1\t0\nBob\t0\t1\n"),
        ("a.pb", PABULIB),
        ("a.soi", "# ALTERNATIVE NAME 1: tea\n# ALTERNATIVE NAME 2: coffee\n2: 1,2\n1: 2,1\n"),
        ("a.toc", "# ALTERNATIVE NAME 1: tea\n# ALTERNATIVE NAME 2: coffee\n2: {1,2}\n1: 2,1\n"),
        ("a.txt", "name,tea,coffee\nAnn,1,0\nBob,0,1\n"),
    ],
)
def test_and_so_are_those_that_are_only_read(name, text, tmp_path):
    path = tmp_path / name
    path.write_text(text)
    options = {"format": "csv"} if name.endswith(".txt") else {}
    found = UploadCache().put(name, text.encode(), options).instance
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Pabulib: that a policy is no funded set
        expected = iso.read(path, **options)
    assert (found.arms, found.agents) == (expected.arms, expected.agents)
