"""`isegoria audit`: its keys, its exit codes, and one sentence for what it cannot use."""

import csv
import json

import numpy as np
import pytest
from click.testing import CliRunner

import isegoria as iso
from isegoria.cli import main

TEA = "agent,tea,coffee\nAna,1,0\nBen,1,0\nCy,0,1\n"


@pytest.fixture
def audit(tmp_path):
    """Run `isegoria audit` on a small file."""
    path = tmp_path / "tea.csv"
    path.write_text(TEA, encoding="utf-8")
    return lambda *args: CliRunner().invoke(main, ["audit", str(path), *args])


def test_json_has_the_keys_of_the_contract(audit):
    shown = audit("--policy", "0.8,0.2", "--format", "json")
    data = json.loads(shown.stdout)
    assert shown.exit_code == 1
    assert list(data) == [
        "policy",
        "scores",
        "procedural_interval",
        "shares",
        "attribution",
        "neglected",
        "proportional",
        "core",
        "efficient",
        "sentences",
    ]
    assert list(data["scores"]) == ["procedural", "equality", "utilitarian"]
    assert np.shape(data["attribution"]) == (3, 2)
    assert data["neglected"] == {
        "agents": ["Cy"],
        "arms": ["coffee"],
        "deserves": pytest.approx(1 / 3),
        "receives": pytest.approx(0.2),
    }
    assert data["proportional"] is False
    assert set(data["core"]) == {"shares", "utilities"}
    assert list(data["core"]["shares"]) == ["stable", "proof", "coalition", "deviation", "bound"]
    assert data["core"]["shares"]["coalition"] == ["Cy"]
    assert "Cy's favourite gets 0.20; 0.33 was due." in data["sentences"]


def test_a_fair_policy_exits_with_0_and_neglects_nobody(audit):
    shown = audit("--policy", "tea=2/3,coffee=1/3", "--format", "json")
    assert shown.exit_code == 0
    assert json.loads(shown.stdout)["neglected"] is None


def test_without_a_policy_the_procedural_one_is_audited(audit):
    shown = audit()
    assert shown.exit_code == 0
    assert "The policy is fair" in shown.stdout
    assert "Ana's third went to tea." in shown.stdout


def test_an_objective_can_be_audited(audit):
    assert audit("--rule", "utilitarian").exit_code == 1
    assert audit("--rule", "utilitarian", "--within", "fair").exit_code == 0


def test_csv_has_a_line_for_each_agent(audit):
    lines = list(csv.DictReader(audit("--policy", "0.5,0.5", "--format", "csv").stdout.splitlines()))
    assert [line["agent"] for line in lines] == ["Ana", "Ben", "Cy"]
    assert [float(line["ratio"]) for line in lines] == [0.75, 0.75, 1]
    assert float(lines[2]["coffee"]) == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--policy", "0.5,0.5", "--rule", "nash"], "give one of them"),
        (["--policy", "0.5,0.5", "--within", "fair"], "--policy and --within both say which policy is meant"),
        (["--policy", "0.5,0.5", "--tie-break", "vertex"], "--policy and --tie-break both say which policy is meant"),
        (["--policy", "1,0,0"], "3 entries"),
        (["--policy", "milk=1"], "'milk' is not known"),
        (["--policy", "0.5,half"], "not a number"),
        (["--time-limit", "0"], "above 0 seconds"),
        (["--policy", "0.5,0.5", "--plot", "x.gif"], ".png, .svg or .pdf"),
    ],
)
def test_what_cannot_be_used_gets_one_sentence(audit, args, said):
    shown = audit(*args)
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert said in shown.stderr
    assert shown.stderr.count("\n") == 1


def test_a_picture_is_drawn_by_suffix(audit, tmp_path):
    for name, start in (("voices.png", b"\x89PNG"), ("voices.svg", b"<?xml")):
        shown = audit("--policy", "0.8,0.2", "--plot", str(tmp_path / name))
        assert shown.exit_code == 1
        assert (tmp_path / name).read_bytes().startswith(start)
        assert name in shown.stderr


@pytest.mark.parametrize("policy", [["--policy", "0.8,0.2"], ["--rule", "nash"]])
def test_score_and_core_say_what_python_says(audit, tmp_path, policy):
    instance = iso.read(tmp_path / "tea.csv")
    python = "nash" if policy[1] == "nash" else [0.8, 0.2]
    shown = [
        CliRunner().invoke(main, [*words, str(tmp_path / "tea.csv"), *policy, "--format", "json"])
        for words in (["score"], ["core"], ["core", "--payoff", "utilities"])
    ]
    verdicts = [iso.core(instance, python, payoff) for payoff in ("shares", "utilities")]
    assert json.loads(shown[0].stdout) == iso.score(instance, python).to_dict()
    assert [json.loads(each.stdout)["coalition"] for each in shown[1:]] == [
        each.to_dict()["coalition"] for each in verdicts
    ]
    assert [each.exit_code for each in shown] == [0, *(int(each.stable is False) for each in verdicts)]
