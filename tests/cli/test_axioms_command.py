"""`isegoria axioms` and `isegoria honesty`: names in, names out, and exit codes that scripts can use."""

import json

import pytest
from click.testing import CliRunner

from isegoria.cli import main

TABLE = "agent,tea,juice,cake\nAnn,1,0,0\nBen,0,1,0\nCem,1,0,1\nDia,0,1,1\n"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "cakes.csv"
    path.write_text(TABLE)
    return str(path)


def run_command(*args, code=0):
    answer = CliRunner().invoke(main, list(args))
    assert answer.exit_code == code, answer.output
    return answer.stdout if code < 2 else answer.stderr


def test_honesty_names_names(table):
    said = run_command("honesty", table)
    assert said.startswith("procedural: 2 of 4 could gain in share by a false report; all 7 reports of everyone were")
    assert "Cem says only cake instead of tea or cake: share 0.500 -> 0.625" in said
    data = json.loads(run_command("honesty", table, "--format", "json"))
    assert (data["gainers"], data["agents"], data["exhaustive"]) == (2, 4, True)
    assert data["members"][2]["report"] == ["cake"]


def test_a_lie_that_pays_can_fail_a_script(table):
    run_command("honesty", table, "--check", code=1)
    run_command("honesty", table, "--rule", "cut", "--check", code=0)


def test_axioms_of_a_rule_and_of_a_policy(table):
    said = run_command("axioms", table, "--rule", "NMP")
    assert "strategyproof" in said
    assert "fails" in said
    data = json.loads(run_command("axioms", table, "--policy", "tea=1", "--format", "json"))
    assert data["axioms"]["ifs"]["holds"] is False
    assert data["axioms"]["ifs"]["witness"]["agents"] == ["Ben"]
    run_command("axioms", table, "--policy", "tea=1", "--axioms", "ifs", "--check", code=1)
    assert "exclude each other" in run_command("axioms", table, "--policy", "tea=1", "--rule", "cut", code=2)
