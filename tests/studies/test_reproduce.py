"""`reproduce` from the outside: the files of the contract, the page, and what happens without matplotlib."""

import csv
import json
import re
import shutil
import subprocess
import sys
from dataclasses import asdict
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from isegoria.cli.reproduce import _format_findings, command
from isegoria.cli.study import command as study_command
from isegoria.errors import InputError
from isegoria.figures.registry import FIGURES, write_figure
from isegoria.studies import dots_learning, regret_rate
from isegoria.studies.provenance import hash_sources, read_commit
from isegoria.studies.registry import STUDIES, StudyFinding
from isegoria.studies.reproduction import reproduce

SMALL = ["--agents", "2,3", "--arms", "2:3", "--models", "mallows:0.3,mallows:0.9"]


def run(*words):
    return CliRunner().invoke(command, [*map(str, words)], catch_exceptions=False)


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    """One folder that two studies share."""
    folder = tmp_path_factory.mktemp("out")
    assert run("synthetic", *SMALL, "--out", folder).exit_code == 0
    assert run("dots", "--out", folder).exit_code == 0
    return folder


def rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.slow
def test_the_tables_have_the_columns_of_the_contract(out):
    first, second = rows(out / "synthetic" / "table1.csv"), rows(out / "dots" / "table2.csv")
    scores = ["procedural", "equality", "utilitarian"]
    assert list(first[0]) == ["policy", *scores, *(f"{name}_sd" for name in scores)]
    assert list(second[0]) == ["policy", *scores]
    for table in (first, second):
        assert [row["policy"] for row in table] == ["PF", "IM", "UT", "EG", "NSW", "GGI"]


def test_each_figure_has_its_data_and_both_pictures_beside_it(out):
    for name in ("scores", "distribution", "disagreement"):
        for suffix in ("csv", "png", "svg", "pdf"):
            assert (out / "synthetic" / f"{name}.{suffix}").stat().st_size > 0
    for name in ("dots", "price"):
        assert (out / "dots" / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_the_page_needs_nothing_but_itself(out):
    page = (out / "report.html").read_text(encoding="utf-8")
    assert not re.search(r'src="(?!data:)', page)
    links = [link for link in re.findall(r'href="([^"]*)"', page) if not link.startswith("#")]
    assert links  # to its own files, which lie beside it
    assert all((out / link).is_file() for link in links)
    assert "http" not in re.sub(r'src="data:[^"]*"', "", page)
    assert page.count("data:image/svg+xml;base64,") == 5
    assert "18 of 18 cells agree" in page
    assert "The paper's table is for another grid" in page
    assert "isegoria reproduce dots --seed 42" in page
    for heading in ("What was run", "Synthetic groups", "Real voters"):
        assert heading in page


def test_the_page_shows_every_tie_break_and_marks_the_one_used(out):
    page, table = (out / "report.html").read_text(encoding="utf-8"), rows(out / "synthetic" / "ties.csv")
    used = {(row["policy"], row["tie_break"]) for row in table if row["used"] == "1"}
    assert used == {("EG", "vertex"), *((label, "centre") for label in ("PF", "IM", "UT", "NSW", "GGI"))}
    assert page.count("<b>used above</b>") == 6
    assert "The paper does not say which it took" in page
    assert "It does not say which 50" in page


@pytest.mark.slow
def test_running_again_changes_no_byte(out):
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    assert run("synthetic", *SMALL, "--workers", "2", "--out", out).exit_code == 0
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before


@pytest.mark.slow
def test_the_commands_that_are_recorded_give_the_same_tables_again(tmp_path, monkeypatch):
    """What `all` runs short, its command runs short too."""
    monkeypatch.setattr(regret_rate, "SHORT_SIZE", regret_rate.RateSize("short", 1_000, 1))
    monkeypatch.setattr(regret_rate, "FULL_SIZE", regret_rate.RateSize("full", 2_000, 1))
    monkeypatch.setattr("isegoria.studies.reproduction.STUDIES", {"rate": STUDIES["rate"]})
    assert run("all", "--out", tmp_path / "one").exit_code == 0
    said = json.loads((tmp_path / "one" / "rate" / "run.json").read_text())["command"].split()
    assert "--short" in said
    assert run(*said[2:-1], tmp_path / "two").exit_code == 0
    for name in ("rate.csv", "slopes.csv"):
        assert (tmp_path / "one" / "rate" / name).read_bytes() == (tmp_path / "two" / "rate" / name).read_bytes()
    assert "--short" not in json.loads((tmp_path / "two" / "rate" / "run.json").read_text())["settings"]


def test_the_record_says_which_sources_ran(out, tmp_path):
    record = json.loads((out / "dots" / "run.json").read_text())
    assert re.fullmatch(r"[0-9a-f]{64}", record["sources"]["sha256"])
    (tmp_path / "a.py").write_text("x = 1\n")
    first = hash_sources(tmp_path)
    (tmp_path / "a.py").write_text("x = 2\n")
    assert hash_sources(tmp_path) != first
    (tmp_path / ".git" / "refs").mkdir(parents=True)
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/main\n")
    assert read_commit(tmp_path) == "unknown"
    (tmp_path / ".git" / "refs" / "main").write_text("1234abcd\n")
    assert read_commit(tmp_path) == "1234abcd"
    assert read_commit(tmp_path / "elsewhere") == "unknown"


def test_no_line_on_the_terminal_is_longer_than_a_hundred(out):
    long = StudyFinding(
        "claims",
        "Abstract, §8.3",
        "",
        "what fair policies give up of equality and total is minimal " * 2,
        "holds after rounding, to the two decimals printed",
        None,
        True,
    )
    text = _format_findings([asdict(long), asdict(StudyFinding("dots", "PF", "procedural", "value", 1.0, 1.0, True))])
    assert max(map(len, text.splitlines())) <= 100
    assert "total is minimal" in " ".join(text.split())


def test_latex_has_the_papers_digits_and_labels(out):
    first = (out / "synthetic" / "table1.tex").read_text(encoding="utf-8")
    second = (out / "dots" / "table2.tex").read_text(encoding="utf-8")
    assert r"\label{tab:performance_metrics}" in first
    assert first.splitlines()[4:8:3] == [r" & PF Score & IM Score & UT Score \\", r"\midrule"]
    beside = (out / "dots" / "table2-beside.tex").read_text(encoding="utf-8")
    assert r"NSW Policy & $0.76$ & $0.76$ & $0.95$ & $0.95$ & $0.99$ & $0.99$ \\" in beside
    assert r"PF Policy & $1.00$ & $0.99$ & $0.90$ \\" in second
    for path in out.rglob("*.tex"):
        text = path.read_text(encoding="utf-8")
        assert text.count(r"\label{tab:") == 1
        assert not re.search(r"(?<!\\)[%#_](?![\w]*})", text.split(r"\label")[0].replace("{,}", ""))


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs LaTeX: apt install texlive-latex-recommended")
def test_latex_tables_compile(out, tmp_path):
    names = sorted(path.relative_to(out).as_posix() for path in out.rglob("*.tex"))
    body = "\n".join(rf"\input{{{out.as_posix()}/{name}}}\clearpage" for name in names)
    packages = r"\documentclass{article}\usepackage[a4paper,total={6in,8in}]{geometry}\usepackage{booktabs}"
    (tmp_path / "all.tex").write_text(f"{packages}\n\\begin{{document}}\n{body}\n\\end{{document}}\n", encoding="utf-8")
    words = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert len(names) >= 8
    for name in ("table1", "table1-beside", "table2", "table2-beside"):
        assert any(f"{name}.tex" in one for one in names)


def test_optima_can_be_rechecked_without_the_package(out, tmp_path):
    data = np.load(out / "synthetic" / "optima.npz")
    assert len(data["agents"]) == len(rows(out / "synthetic" / "instances.csv")) == 40
    script = out / "synthetic" / "recheck_optima.py"
    assert "isegoria" not in script.read_text(encoding="utf-8")
    code = [line for line in script.read_text(encoding="utf-8").splitlines() if line and '"""' not in line]
    assert len(code) <= 30
    words = [sys.executable, "-I", str(script)]
    good = subprocess.run([*words, str(script.with_name("optima.npz"))], capture_output=True, text=True, check=False)
    assert good.returncode == 0, good.stderr
    moved = dict(data)
    moved["policies"] = moved["policies"][::-1].copy()
    np.savez(tmp_path / "moved.npz", **moved)
    np.savez(tmp_path / "scaled.npz", **(dict(data) | {"policies": 1.001 * data["policies"]}))
    for name in ("moved.npz", "scaled.npz"):
        bad = subprocess.run([*words, str(tmp_path / name), "3"], capture_output=True, text=True, check=False)
        assert bad.returncode == 1


@pytest.mark.slow
@pytest.mark.parametrize("study", ["synthetic", "dots", "learning"])
def test_study_file_gives_the_same_bytes(out, study, tmp_path, monkeypatch):
    monkeypatch.setattr(dots_learning, "run", partial(dots_learning.run, rounds=3_000, seeds=2))
    if study == "learning":
        assert run(study, "--seed", "3", "--out", out).exit_code == 0
    before = {path.name: path.read_bytes() for path in (out / study).rglob("*") if path.is_file()}
    result = CliRunner().invoke(study_command, [str(out / study / "study.toml"), "--out", str(tmp_path / "again")])
    assert result.exit_code == 0, result.stderr
    after = {path.name: path.read_bytes() for path in (tmp_path / "again" / study).rglob("*") if path.is_file()}
    told = after["run.json"].replace(str(tmp_path / "again").encode(), str(out).encode())
    assert after | {"run.json": told} == before


def test_study_file_names_a_study_and_its_options_alone(tmp_path):
    path = tmp_path / "study.toml"
    for text, advice in [
        ('[reproduce]\nstudy = "dot"', "names a study"),
        ('[reproduce]\nstudy = "dots"\nagents = "2:3"', "key of"),
        ('[reproduce]\nstudy = "dots"\n[study]\nseeds = 3', "stands alone"),
    ]:
        path.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=advice):
            CliRunner().invoke(study_command, [str(path), "--out", str(tmp_path / "o")], catch_exceptions=False)
    path.write_text('[reproduce]\nstudy = "dots"', encoding="utf-8")
    assert "give --out" in CliRunner().invoke(study_command, [str(path)]).stderr


@pytest.mark.slow
def test_json_echoes_the_seed_and_tells_what_agrees(out):
    answer = json.loads(run("synthetic", *SMALL, "--format", "json", "--out", out).stdout)
    assert answer["seed"] == 42
    assert len(answer["findings"]) == 36
    assert answer["findings"][0]["paper"] is None


def test_without_matplotlib_the_tables_are_written_and_one_note_says_so(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = run("synthetic", *SMALL, "--out", tmp_path)
    assert result.exit_code == 0
    assert result.stderr.count("left out") == 1
    assert "isegoria[plot]" in result.stderr
    assert (tmp_path / "synthetic" / "table1.csv").exists()
    assert (tmp_path / "synthetic" / "scores.csv").exists()
    assert not list(tmp_path.rglob("*.png"))
    assert "the plot extra is not installed" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_shard_alone_writes_no_table_and_says_what_is_missing(tmp_path):
    result = run("synthetic", *SMALL, "--shard", "1/2", "--out", tmp_path)
    assert result.exit_code == 0
    assert "waits for its other shards" in result.stderr
    assert not (tmp_path / "synthetic" / "table1.csv").exists()
    assert (tmp_path / "report.html").exists()


@pytest.mark.parametrize(
    "words",
    [["dots", "--agents", "2:3"], ["learning", "--seeds", "2"], ["dots", "--shard", "1/2"], ["beyond", "--seed", "1"]],
)
def test_an_option_that_a_study_cannot_use_is_refused(words, tmp_path):
    refused = run(*words, "--out", tmp_path / "out")
    assert refused.exit_code == 2
    assert f"{words[1]} changes nothing in the study {words[0]}; leave it out" in refused.stderr
    assert not (tmp_path / "out").exists()


def test_bad_words_are_refused_with_advice(tmp_path):
    for words, advice in [
        (["--models", "malows"], "mallows"),
        (["--agents", "x"], "2:10"),
        (["--shard", "9/2"], "i/n"),
    ]:
        with pytest.raises(InputError, match=advice):
            run("synthetic", *words, "--out", tmp_path)
    with pytest.raises(InputError, match="did you mean 'dots'"):
        reproduce("dot", tmp_path)
    with pytest.raises(InputError, match="did you mean 'scores'"):
        write_figure("score", tmp_path, {})


@pytest.mark.slow
def test_the_learning_study_in_small(tmp_path):
    study = dots_learning.run(seed=3, rounds=3000, seeds=2)
    dots_learning.write(study, tmp_path)
    trace = rows(tmp_path / "trace.csv")
    assert int(trace[-1]["round"]) == 3000
    assert [row["seed"] for row in rows(tmp_path / "seeds.csv")] == ["3", "4"]
    band = rows(tmp_path / "learning-band.csv")
    assert all(
        float(row["procedural_low"]) <= float(row["procedural"]) <= float(row["procedural_high"]) for row in band
    )
    assert (tmp_path / "learning-policy.svg").exists()


def test_arrows_of_arms_that_are_equally_likely_cover_none():
    columns = {"round": [1, 2]}
    for arm, fair in (("tea", 0.38), ("mate", 0.38), ("milk", 0.24)):
        columns |= {f"p_{arm}": [1 / 3, 1 / 3], f"p_{arm}_sd": [0.0, 0.0], f"fair_{arm}": [fair, fair]}
    [axes] = FIGURES["learning-policy"].draw(columns).axes
    arrows = [tuple(map(float, line.get_xydata()[0])) for line in axes.lines if line.get_marker() == "<"]
    assert len(set(arrows)) == 3
    assert arrows[0][1] == arrows[1][1] == 0.38
    assert arrows[0][0] == arrows[2][0]
    assert axes.get_ylim()[1] > 0.38


def test_the_page_on_reproducing_has_every_study():
    page = Path(__file__).parents[2] / "docs" / "how-to" / "reproduce-the-paper.md"
    assert [name for name in STUDIES if f"`isegoria reproduce {name} " not in page.read_text(encoding="utf-8")] == []
    assert "not in the paper" in run("--help").stdout


def test_every_figure_says_what_it_is():
    for figure in FIGURES.values():
        assert figure.title
        assert figure.caption.endswith(".")
