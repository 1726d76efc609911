"""`compare` and `solve` at the command line: the contract of their JSON, CSV and tables."""

import csv
import io
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner

import isegoria as iso
from isegoria.cli import main
from isegoria.rules import RULE_GROUPS

ENTRY = ["label", "policy", "value", "gap", "tie_break", "proof", "score_dominated_by", "efficient", "scores"]
SCORES = ["procedural", "equality", "utilitarian"]


def run(*args: str, stdin: str | None = None):
    return CliRunner().invoke(main, [str(arg) for arg in args], input=stdin)


@pytest.fixture
def drinks(tmp_path):
    path = tmp_path / "drinks.csv"
    path.write_text("agent,tea,coffee,weight\nAnn,1,0,2\nCleo,0,1,1\n")
    return path


def test_compare_json_is_the_contract(drinks):
    shown = run("compare", drinks, "--format", "json")
    assert (shown.exit_code, shown.stderr) == (0, "")
    data = json.loads(shown.stdout)
    assert list(data) == ["agents", "arms", "rules", "skipped_rules"]
    assert (data["agents"], data["arms"]) == (3, ["tea", "coffee"])
    assert list(data["rules"]) == list(RULE_GROUPS["paper"])
    for name, entry in data["rules"].items():
        assert list(entry) == ENTRY
        assert list(entry["scores"]) == SCORES
        assert entry["label"] == iso.RULES[name].label
        assert sum(entry["policy"]) == pytest.approx(1, abs=1e-15)
    assert data["rules"]["procedural"]["policy"] == pytest.approx([2 / 3, 1 / 3], abs=1e-12)
    assert data["rules"]["procedural"]["scores"]["procedural"] == 1


def test_json_is_what_python_says_bit_for_bit(drinks):
    data = json.loads(run("compare", drinks, "--format", "json", "--tie-break", "vertex").stdout)
    table = iso.compare(iso.read(drinks), tie_break="vertex")
    for name, entry in data["rules"].items():
        assert np.array_equal(entry["policy"], table[name].solution.policy)
        assert entry["value"] == table[name].solution.value
        assert entry["tie_break"] == "vertex"
        assert entry["score_dominated_by"] == list(table[name].score_dominated_by)


@pytest.mark.parametrize("rule", list(iso.RULES))
def test_solve_is_the_entry_of_compare(drinks, rule):
    data = json.loads(run("solve", drinks, "--rule", rule, "--format", "json").stdout)
    assert list(data) == ["agents", "arms", "rule", *ENTRY]
    assert data["rule"] == rule
    entry = json.loads(run("compare", drinks, "--rules", rule, "--format", "json").stdout)["rules"][rule]
    assert {key: data[key] for key in ENTRY} == entry


@pytest.mark.parametrize("name", ["CUT", "cut", "Conditional-Utilitarian", "NSW", "mnw", "rsd"])
def test_a_rule_is_known_by_any_of_its_names_and_printed_by_its_id(drinks, name):
    shown = json.loads(run("solve", drinks, "--rule", name, "--format", "json").stdout)
    assert shown["rule"] == iso.RULES[name].id
    assert shown["policy"] == iso.solve(iso.read(drinks), name).policy.tolist()


@pytest.mark.parametrize("form", ["table", "json", "csv"])
def test_solve_solves_what_it_is_asked_and_nothing_else(drinks, form, monkeypatch):
    unasked = vars(iso.RULES["gini"])
    monkeypatch.setitem(unasked, "optimise", lambda *args, **options: pytest.fail("nobody asked for gini"))
    assert run("solve", drinks, "--rule", "nash", "--format", form).exit_code == 0
    refused = run("solve", drinks, "--rule", "nash", "--gini-weights", "1,1", "--format", form)
    assert refused.exit_code == 2
    assert "takes no gini_weights" in refused.stderr


def test_csv_keeps_every_digit(drinks):
    lines = list(csv.DictReader(io.StringIO(run("compare", drinks, "--format", "csv").stdout)))
    assert [line["rule"] for line in lines] == list(RULE_GROUPS["paper"])
    exact = iso.solve(iso.read(drinks), "nash").policy
    assert [float(lines[4]["tea"]), float(lines[4]["coffee"])] == exact.tolist()


def test_tables_name_arms_scores_and_who_dominates(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text("agent,tea,coffee\nAnn,1,0.9\nBob,0.1,1\nCleo,1,0.9\nDan,0,0.1\n")
    shown = run("compare", path).stdout
    header = next(line for line in shown.splitlines() if line.startswith("policy"))
    assert header.split()[:6] == ["policy", *SCORES, "efficient", "tea"]
    dominated = iso.compare(iso.read(path))
    assert ("outscored by" in shown) == any(entry.score_dominated_by for entry in dominated.values())
    solved = run("solve", path, "--rule", "procedural", "--within", "fair").stdout
    assert "within fair" in solved
    assert "\x1b" not in shown + solved  # a pipe gets no colours


def test_many_arms_still_fit_a_terminal(tmp_path):
    means = np.random.default_rng(3).random((9, 30))
    path = iso.write(
        iso.Instance(means, arms=[f"a rather long name of arm {k}" for k in range(30)]), tmp_path / "m.csv"
    )
    assert max(map(len, run("compare", path).stdout.splitlines())) <= 100
    assert max(map(len, run("solve", path).stdout.splitlines())) <= 80


def test_gini_weights_are_for_gini(drinks):
    plain = json.loads(run("solve", drinks, "--rule", "gini", "--format", "json").stdout)
    sharp = json.loads(run("solve", drinks, "--rule", "gini", "--gini-weights", "1,0,0", "--format", "json").stdout)
    assert sharp["value"] != plain["value"]
    refused = run("solve", drinks, "--rule", "nash", "--gini-weights", "1,0,0")
    assert refused.exit_code == 2
    assert "gini" in refused.stderr


def test_standard_input_scales_and_notes():
    shown = run("compare", "-", "--scale", "1,5", "--format", "json", stdin="agent,tea,coffee\nAnn,5,1\nBob,1,5\n")
    assert json.loads(shown.stdout)["rules"]["procedural"]["policy"] == pytest.approx([0.5, 0.5])
    near = run("solve", "-", stdin="agent,tea,coffee\nAnn,1,0.9999999999\n")
    assert near.exit_code == 0
    assert near.stderr.startswith("Note: ")
    assert near.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["compare"], "Missing argument 'FILE'"),
        (["compare", "missing.csv"], "there is no file missing.csv"),
        (["compare", "{file}", "--format", "yaml"], "'yaml' is not one of"),
        (["solve", "{file}", "--rule", "nahs"], "rule 'nahs' is not known; did you mean 'nash'?"),
        (["compare", "{file}", "--scale", "one,five"], "--scale has 'one'"),
        (["compare", "{file}", "--rewards", "1,0"], "rewards and unranked are for rankings"),
        (["compare", "{file}", "--formt", "json"], "No such option"),
        (["compare", "{file}", "--gini-weights", "0,1,1"], "gini"),
        (["compare", "{file}", "--gini-weights", ""], "--gini-weights has '', not a number; write numbers with commas"),
        (["compare", "{file}", "--gini-weights", "1"], "have 1 number; expected 3, one weight for each agent"),
        (["compare", "-"], "standard input is empty"),
    ],
)
def test_usage_and_input_errors_exit_with_2(drinks, args, said):
    shown = run(*[arg.format(file=drinks) for arg in args])
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert said in shown.stderr
    assert shown.stderr.startswith("Error: ")
    assert shown.stderr.count("\n") == 1


def test_compare_needs_neither_scipy_nor_matplotlib_nor_rich(drinks):
    code = (
        "import sys, isegoria.cli as c\ntry: c.main(sys.argv[1:])\nexcept SystemExit: pass\n"
        "print([m for m in ('scipy', 'matplotlib', 'rich') if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code, "compare", str(drinks)], capture_output=True, text=True)
    assert done.stderr.strip() == "[]"


def test_a_terminal_without_unicode_gets_plain_rules(drinks):
    done = subprocess.run(
        [sys.executable, "-m", "isegoria", "solve", str(drinks)],
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert b"------" in done.stdout
    assert b"\\u" not in done.stdout


@pytest.mark.parametrize("command", [["compare"], ["solve", "--format", "json"]])
def test_a_full_disk_and_a_closed_pipe_are_said_calmly(drinks, command):
    run_it = [sys.executable, "-m", "isegoria", *command, str(drinks)]
    with open("/dev/full", "w") as full:
        done = subprocess.run(run_it, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (2, "Error: cannot write the output: no space left on device.\n")
    with subprocess.Popen(run_it, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_relative_scores_and_axioms_stand_beside_the_others(drinks):
    data = json.loads(run("compare", drinks, "--relative", "--axioms", "--format", "json").stdout)["rules"]
    group = iso.read(drinks)
    for name, entry in data.items():
        audit = iso.audit(group, entry["policy"])
        assert list(entry["relative"].values()) == pytest.approx(audit.scores.relative.tolist())
        assert entry["axioms"] == {id: audit.axioms[id].holds for id in ("ifs", "gfs", "afs", "cfs")}
        assert entry["axioms"]["gfs"] == (entry["scores"]["procedural"] >= 1 - 1e-9), name
    shown = run("compare", drinks, "--relative", "--axioms").stdout
    assert "IFS  GFS  AFS  CFS" in shown
    assert "1.000 (1.000)" in shown
    assert "hiding a favourite" not in shown  # nobody has two


def test_rules_that_can_be_manipulated_are_named(tmp_path):
    ties, none = tmp_path / "ties.csv", tmp_path / "none.csv"
    ties.write_text("agent,tea,coffee,mate\nAnn,1,1,0\nBob,0,1,1\n")
    none.write_text("agent,tea,coffee,mate\nAnn,1,0,0\nBob,0,0.5,1\n")
    assert "PF, IM, EG, NSW and GGI can be manipulated in some groups; isegoria honesty" in run("compare", ties).stdout
    assert "\nIM, EG, NSW and GGI can be manipulated" in run("compare", none).stdout  # nobody has a favourite to hide
    assert "manipulated" not in run("compare", ties, "--rules", "cut,ues").stdout


def test_fair_shares_stand_in_every_format(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("agent,tea,coffee\nAnn,1,0\nBob,1,0\nCy,0,1\n")
    rows = list(csv.DictReader(run("compare", path, "--axioms", "--format", "csv").stdout.splitlines()))
    data = json.loads(run("compare", path, "--axioms", "--format", "json").stdout)
    for row in rows:
        told = data["rules"][row["rule"]]["axioms"]
        assert {id: row[id] for id in told} == {id: str(held) for id, held in told.items()}
    assert [row["gfs"] for row in rows if row["label"] in ("PF", "UT")] == ["True", "False"]
