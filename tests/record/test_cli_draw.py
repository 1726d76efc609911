"""`isegoria draw` at the command line: the contract of its JSON, and that a seed is all it needs."""

import csv
import io
import json

import pytest
from click.testing import CliRunner

import isegoria as iso
from isegoria.cli import main


def run(*args: str):
    return CliRunner().invoke(main, [str(arg) for arg in args])


@pytest.fixture
def drinks(tmp_path):
    path = tmp_path / "drinks.csv"
    path.write_text("agent,tea,coffee\nAnn,1,0\nBob,1,0\nCleo,0,1\n")
    return path


def test_json_is_the_contract(drinks):
    data = json.loads(run("draw", drinks, "--draws", "3", "--seed", "dice", "--format", "json").stdout)
    drawn = iso.draw(iso.voices(iso.read(drinks)), "dice", 3)
    assert list(data) == ["policy", "seed", "draws"]
    assert (data["policy"], data["seed"]) == (["2/3", "1/3"], "dice")
    assert [(turn["arm"], turn["agent"]) for turn in data["draws"]] == drawn.names
    assert [turn["ball"] for turn in data["draws"]] == drawn.balls.tolist()


def test_without_a_seed_a_fresh_one_is_told_and_draws_the_same_again(drinks):
    first, second = (json.loads(run("draw", drinks, "--format", "json").stdout) for _ in range(2))
    assert first["seed"] != second["seed"]
    assert len(first["draws"]) == 10
    assert json.loads(run("draw", drinks, "--seed", first["seed"], "--format", "json").stdout) == first


def test_table_and_csv_say_the_same(drinks):
    rows = list(csv.DictReader(io.StringIO(run("draw", drinks, "--seed", "7", "--format", "csv").stdout)))
    table = run("draw", drinks, "--seed", "7").stdout
    assert len(rows) == 10
    assert all(f"{row['arm']} " in table and f"{int(row['ball']):,}" in table for row in rows)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--seed", " "], "--seed is empty, and would always draw the same"),
        (["--draws", "21"], "1<=x<=20"),
        (["--draws", "0"], "1<=x<=20"),
        (["--policy", "1/2,1/2"], "Ann, Bob deserve"),
        (["--policy", "1,1"], "sums to 2"),
    ],
)
def test_bad_input_gets_one_sentence(drinks, options, sentence):
    shown = run("draw", drinks, *options)
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert sentence in shown.stderr
    assert shown.stderr.count("\n") == 1
