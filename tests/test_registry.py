"""One table for every family: what it answers, and that a package of another author is found in every list.

The other package is `tests/toys/toy_rules`: one file for each new member, one line for each in its entry points.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import isegoria as iso
from isegoria.cli.commands import COMMANDS
from isegoria.figures.registry import FIGURES
from isegoria.io import FORMATS
from isegoria.learning.registry import LEARNERS, NOISES
from isegoria.objectives import OBJECTIVES
from isegoria.preferences import MODELS
from isegoria.record.sources import SOURCES
from isegoria.registry import Table
from isegoria.studies.registry import STUDIES

ROOT = Path(__file__).parents[1]
TOYS = ROOT / "tests" / "toys"
FAMILIES = [OBJECTIVES, LEARNERS, NOISES, FORMATS, MODELS, FIGURES, STUDIES, COMMANDS, SOURCES]


@pytest.mark.parametrize("table", FAMILIES, ids=lambda table: table.kind)
def test_every_family_is_one_table_of_rows_that_know_their_id(table):
    assert type(table) is Table
    assert [row.id for row in table.values()] == list(table)
    first = next(iter(table))
    with pytest.raises(iso.UnknownNameError, match=f"^{table.kind} '{first}x' is not known; did you mean '{first}'"):
        table[f"{first}x"]
    assert f"{first}x" not in table
    assert table.get(f"{first}x") is None
    assert [] not in table
    with pytest.raises(TypeError):
        table[first] = None


def test_a_row_of_ones_own_joins_at_the_end_and_takes_nobodys_place():
    table = Table("metal", {"iron": "decimal:Decimal"})

    @table.add
    class Gold:
        id = "gold"

    assert list(table) == ["iron", "gold"]
    assert table["gold"] is Gold
    with pytest.raises(iso.InputError, match="there is a metal 'iron' already"):
        table.add(Gold, id="iron")


def test_a_package_that_cannot_be_loaded_is_named(monkeypatch, tmp_path):
    folder = tmp_path / "broken-2.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 2.0\n")
    lines = "[isegoria.metals]\nlead = no_such_module:Lead\niron = math:pi\n"
    (folder / "entry_points.txt").write_text(lines)
    monkeypatch.syspath_prepend(tmp_path)
    from isegoria import registry

    monkeypatch.setattr(registry, "_somebody_offers", lambda: True)
    table = Table("metal", {"iron": "decimal:Decimal"}, group="isegoria.metals")
    with pytest.warns(iso.IsegoriaWarning, match="the metal 'iron' of the package broken is left out"):
        assert list(table) == ["iron", "lead"]
    with pytest.raises(iso.InputError, match="the metal 'lead' of the package broken cannot be used: ModuleNotFound"):
        table["lead"]


@pytest.fixture(scope="module")
def toys(tmp_path_factory):
    """Run Python code where the other package is installed too; its metadata are nowhere else on any path."""
    site = tmp_path_factory.mktemp("site")
    metadata = site / "toy_rules-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-rules\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text((TOYS / "entry_points.txt").read_text())
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(site), str(TOYS)]), "NO_COLOR": "1"}

    def run(code: str, *words: str) -> str:
        done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


COMMANDS_IN_TURN = """
import json, sys
from click.testing import CliRunner
from isegoria.cli import main
votes, out = sys.argv[1:]
sweep = ["--agents", "2:3", "--arms", "2:3", "--models", "turns", "--out", out]
print(json.dumps([CliRunner().invoke(main, words).stdout for words in (
    ["solve", "--help"],
    ["solve", votes, "--objective", "approval", "--format", "json"],
    ["compare", votes, "--format", "json"],
    ["learn", votes, "--rounds", "50", "--learners", "turns", "--noise", "coins", "--format", "csv"],
    ["reproduce", "synthetic", *sweep],
    ["reproduce", "weather", "--out", out],
)]))
"""


def test_a_package_of_another_author_is_found_in_every_list(toys, tmp_path):
    votes = tmp_path / "votes.pairs"
    votes.write_text("Ann: tea\nBen: tea\nCy: milk\n")
    shown = json.loads(toys(COMMANDS_IN_TURN, str(votes), str(tmp_path)))
    offered, solved, compared, learned, swept, watched = shown
    assert "approval: the arm that most agents rate" in " ".join(offered.split())
    answer = json.loads(solved)
    assert (answer["label"], answer["arms"], answer["policy"], answer["gap"]) == ("AV", ["milk", "tea"], [0, 1], 0)
    assert list(json.loads(compared)["objectives"]) == [*OBJECTIVES, "approval"]
    assert "\nturns," in learned
    assert "AV" in swept
    assert "clouds" in watched
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Clouds came and went." in page
    assert "the arm that most agents rate at least 1/2" in page
    assert (tmp_path / "weather" / "clouds.png").exists()


def test_the_documents_list_it_too(toys):
    code = "import sys; sys.path.insert(0, sys.argv[1]); import generate as g; print(g.tables(), g.learners())"
    pages = toys(code, str(ROOT / "docs"))
    for id in ("approval", "turns", "pairs", "coins", "clouds", "weather"):
        assert f"| `{id}`" in pages, id
    assert "## `turns` (Turns)" in pages
