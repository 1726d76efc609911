"""The paper, executable: every file of examples/paper runs, says one line, and is found in the ledger."""

import runpy
import sys
from pathlib import Path

import pytest

from isegoria.studies.claims.paper_items import load_paper_items

PAPER = Path(__file__).parents[1] / "examples" / "paper"
FILES = sorted(path for path in PAPER.glob("[!_]*.py"))


@pytest.fixture
def beside(monkeypatch):
    """Imports look in examples/paper first, as they do when a file there is run as a script."""
    monkeypatch.syspath_prepend(str(PAPER))
    monkeypatch.setattr(sys, "argv", ["example"])


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_example_runs_and_says_what_it_showed(path, beside, capsys):
    if path.name.startswith("figure"):
        pytest.importorskip("matplotlib")
    runpy.run_path(str(path), run_name="__main__")
    said = capsys.readouterr().out.strip()
    assert said
    assert "\n" not in said


def test_the_ledger_lists_every_file():
    assert {item.example for item in load_paper_items().values()} - {""} == {path.name for path in FILES}


@pytest.mark.parametrize(("kind", "count"), [("theorem", 6), ("lemma", 5), ("proposition", 3), ("corollary", 1)])
def test_every_numbered_statement_has_its_file(kind, count):
    numbers = sorted(int(path.stem.split("_")[1]) for path in FILES if path.stem.startswith(kind))
    assert numbers == list(range(1, count + 1))
    for path in FILES:
        if path.stem.startswith(kind):
            place = " ".join(path.stem.split("_")[:2]).capitalize()
            assert path.read_text(encoding="utf-8").startswith(f'"""{place}: ')
