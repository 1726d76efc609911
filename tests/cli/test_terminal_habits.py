"""Habits of the command line: --quiet, shell completion, narrow terminals, encodings, and FILE without its scale."""

import io
import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from isegoria.cli import main, render
from isegoria.cli.explore import command as explore
from isegoria.utils import progress
from isegoria.utils.formatting import display_width
from isegoria.utils.progress import IS_QUIET

LUNCH = str(Path(__file__).parents[2] / "examples" / "lunch.csv")
COMPARE = ["compare", LUNCH, "--scale", "1,5"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("isegoria solve x.csv --rule eg", ["egalitarian"]),
        ("isegoria compare x.csv --rules nash,uti", ["nash,utilitarian"]),
        ("isegoria compare x.csv --rules nash,na", []),
        ("isegoria compare x.csv --rules pap", ["paper"]),
        ("isegoria learn x.csv --learner tho", ["thompson"]),
        ("isegoria learn x.csv --learners elimination,explore", ["elimination,explore-first"]),
        ("isegoria solve x.csv --format j", ["json"]),
        ("isegoria sol", ["solve"]),
    ],
)
def test_shell_completes_names(words, expected):
    count = str(len(words.split()) - 1)
    settings = os.environ | {"_ISEGORIA_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": count}
    done = subprocess.run([sys.executable, "-m", "isegoria"], env=settings, capture_output=True, text=True)
    assert [line.partition(",")[2] for line in done.stdout.splitlines() if line] == expected


@pytest.mark.parametrize("place", [0, 1, 4])
def test_quiet_leaves_out_notes(tmp_path, place):
    words = ["learn", LUNCH, "--scale", "1,5", "--rounds", "10", "--watch"]
    loud = CliRunner().invoke(main, words)
    assert "Note: " in loud.stderr
    quiet = CliRunner().invoke(main, [*words[:place], "--quiet", *words[place:]])
    assert (quiet.exit_code, quiet.stderr) == (0, "")
    assert not IS_QUIET.get()


def test_quiet_behind_two_dashes_is_a_file():
    done = CliRunner().invoke(main, ["compare", "--", "--quiet"])
    assert done.exit_code == 2
    assert "--quiet" in done.stderr


@pytest.mark.parametrize("columns", [30, 50, 80, 200])
def test_table_fits_the_terminal(monkeypatch, columns):
    monkeypatch.setattr(render.sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("NO_COLOR", "1")
    header = ["policy", *(f"arm {k}" for k in range(20))]
    rows = [["PF", *(f"0.{k:03}" for k in range(20))], ["UT", *["·"] * 20]]
    shown = render.format_table(header, rows)
    assert max(map(display_width, shown.splitlines())) <= columns
    for cell in header[1:] + rows[0][1:]:
        assert shown.count(cell) == shown.count(cell.strip()) >= 1
    blocks = shown.split("\n\n")
    assert all(block.startswith("policy") for block in blocks)
    assert (len(blocks) == 1) == (columns == 200)


@pytest.mark.parametrize(("columns", "below"), [(40, True), (70, False), (200, False)])
def test_sentences_fit_the_terminal(monkeypatch, columns, below):
    monkeypatch.setattr(render.sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("NO_COLOR", "1")
    sentence = "Nobody gains by a false report; all 15 reports of everyone were tried."
    shown = render.format_explained_table(["axiom", "proof"], [["strategyproof", "enumeration"]], [sentence])
    lines = shown.splitlines()
    assert max(map(display_width, lines)) <= columns
    assert (lines[0] == "strategyproof  enumeration") == below
    assert " ".join(shown.split()).endswith("all 15 reports of everyone were tried.")


def test_table_in_a_pipe_is_whole():
    assert "\n\n" not in render.format_table(["a" * 90, "b" * 90], [["1", "2"]])


def test_output_has_no_character_that_its_encoding_lacks():
    settings = os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run([sys.executable, "-m", "isegoria", *COMPARE], env=settings, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert b"----" in done.stdout
    assert done.stdout.isascii()


class SlowTerminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_command_without_a_bar_shows_elapsed_time(monkeypatch):
    terminal = SlowTerminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "ELAPSED_DELAY_SECONDS", 0.01)
    with progress.elapsed_line("audit"):
        while "audit" not in terminal.getvalue():
            time.sleep(0.01)
        render.print_note("done")
        shown = terminal.getvalue().replace("\r", "\n").splitlines()
    assert shown[1:3] == ["audit: 0 s", " " * len("audit: 0 s")]
    assert "Note: done" in shown[3]
    assert terminal.getvalue().count("audit") == 1


@pytest.mark.parametrize("words", [["compare", LUNCH, "--scale", "1,5"], ["compare", "/nowhere.csv"]])
def test_quick_command_shows_no_elapsed_time(monkeypatch, words):
    started = []
    monkeypatch.setattr(progress.ElapsedLine, "_update", lambda line: started.append(line.what))
    monkeypatch.setattr("isegoria.utils.progress.sys", SimpleNamespace(stderr=SlowTerminal()))
    CliRunner().invoke(main, words)
    CliRunner().invoke(main, ["--quiet", *words])
    assert started == ["compare"]


def test_explore_opens_a_file_whose_scale_is_missing(monkeypatch):
    opened = []
    pending = []

    def serve_explorer(*given, **settings):
        opened.append(given)
        pending.append(settings["pending"])

    monkeypatch.setattr("isegoria.service.server.serve_explorer", serve_explorer)
    done = CliRunner().invoke(explore, [LUNCH, "--no-browser", "--missing", "drop", "--input-format", "csv"])
    assert done.exit_code == 0, done.output
    assert opened[0][:2] == ("lunch.csv", None)
    assert pending == [("lunch.csv", Path(LUNCH).read_bytes(), {"missing": "drop", "format": "csv"})]
    assert "say --scale 1,5 (scale= in Python). Or choose on the page." in done.stderr
    assert CliRunner().invoke(explore, [LUNCH, "--scale", "1,5"]).exit_code == 0
    assert len(opened[1][1].agents) == 10
    assert pending[1] is None
    assert CliRunner().invoke(main, ["explore", "-"], input=Path(LUNCH).read_text()).exit_code == 2
    assert CliRunner().invoke(main, ["explore", "/nowhere.csv"]).exit_code == 2
