"""One table for every family: what it answers, and that a package of another author is found in every list.

The other package is `tests/example_plugin`: one file for each new member, one line for each in its entry points.
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
from isegoria.learning.registry import LEARNERS, NOISE_MODELS
from isegoria.preferences import MODELS
from isegoria.record.sources import RANDOMNESS_SOURCES
from isegoria.rules import RULE_GROUPS, RULES
from isegoria.studies.registry import STUDIES
from isegoria.utils.registry import Registry

ROOT = Path(__file__).parents[1]
PLUGIN = ROOT / "tests" / "example_plugin"
FAMILIES = [
    RULES,
    LEARNERS,
    NOISE_MODELS,
    FORMATS,
    MODELS,
    FIGURES,
    STUDIES,
    COMMANDS,
    RANDOMNESS_SOURCES,
]


@pytest.mark.parametrize("table", FAMILIES, ids=lambda table: table.kind)
def test_every_family_is_one_table_of_rows_that_know_their_id(table):
    assert type(table) is Registry
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
    table = Registry("metal", {"iron": "decimal:Decimal"})

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
    from isegoria.utils import registry

    monkeypatch.setattr(registry, "_has_plugins", lambda: True)
    table = Registry("metal", {"iron": "decimal:Decimal"}, group="isegoria.metals")
    with pytest.warns(iso.IsegoriaWarning, match="the metal 'iron' of the package broken is left out"):
        assert list(table) == ["iron", "lead"]
    with pytest.raises(iso.InputError, match="the metal 'lead' of the package broken cannot be used: ModuleNotFound"):
        table["lead"]


@pytest.fixture(scope="module")
def plugin(tmp_path_factory):
    """Run Python code where the other package is installed too; its metadata are nowhere else on any path."""
    site = tmp_path_factory.mktemp("site")
    metadata = site / "example_plugin-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: example-plugin\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text((PLUGIN / "entry_points.txt").read_text())
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(site), str(PLUGIN)]), "NO_COLOR": "1"}

    def run(code: str, *words: str) -> str:
        done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


COMMANDS_IN_TURN = """
import json, sys
from click.testing import CliRunner
from isegoria.cli import main
votes, table, out = sys.argv[1:]
sweep = ["--agents", "2:3", "--arms", "2:3", "--models", "turns", "--out", out]
print(json.dumps([CliRunner().invoke(main, words).stdout for words in (
    ["solve", "--help"],
    ["solve", votes, "--rule", "approval", "--format", "json"],
    ["compare", votes, "--format", "json"],
    ["compare", votes, "--format", "json", "--within", "fair"],
    ["compare", table, "--workers", "1", "--format", "json"],
    ["learn", votes, "--rounds", "50", "--learners", "turns", "--noise", "coins", "--format", "csv"],
    ["reproduce", "synthetic", *sweep],
    ["reproduce", "weather", "--out", out],
)]))
"""


@pytest.mark.slow
def test_a_package_of_another_author_is_found_in_every_list(plugin, tmp_path):
    votes = tmp_path / "votes.pairs"
    votes.write_text("Ann: tea\nBen: tea\nCy: milk\n")
    table = tmp_path / "votes.parquet"
    iso.write(iso.Instance([[1, 0], [0, 1]], arms=["tea", "milk"]), table)
    shown = json.loads(plugin(COMMANDS_IN_TURN, str(votes), str(table), str(tmp_path)))
    offered, solved, compared, held, scanned, learned, swept, watched = shown
    assert "approval (AV): the arm that most agents rate" in " ".join(offered.split())
    answer = json.loads(solved)
    assert (answer["label"], answer["arms"], answer["policy"], answer["gap"]) == ("AV", ["milk", "tea"], [0, 1], 0)
    assert list(json.loads(compared)["rules"]) == [*RULE_GROUPS["paper"], "approval"]
    for output in (held, scanned):  # it refuses both, and breaks neither
        told = json.loads(output)
        assert list(told["rules"]) == list(RULE_GROUPS["paper"])
        assert list(told["skipped_rules"]) == ["approval"]
    assert "\nturns," in learned
    assert "AV" in swept
    assert "clouds" in watched
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Clouds came and went." in page
    assert "the arm that most agents rate at least 1/2" in page
    assert (tmp_path / "weather" / "clouds.png").exists()


@pytest.mark.slow
def test_a_folder_of_results_made_without_it_is_still_told_of(plugin, tmp_path):
    from isegoria.studies.grid import Grid
    from isegoria.studies.registry import STUDIES, StudyOptions

    grid = Grid(agents=(2,), arms=(2,), favourites=(1,), models=("impartial",))
    STUDIES["synthetic"].produce(tmp_path / "synthetic", StudyOptions(command="before", grid=grid, pictures=False))
    code = "import sys; from isegoria.cli import main; main(['reproduce', 'weather', '--out', sys.argv[1]])"
    plugin(f"try:\n    {code}\nexcept SystemExit as done:\n    assert not done.code", str(tmp_path))
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    told = page[page.index('<section id="synthetic">') :]
    assert all(f">{RULES[id].label}<" in told for id in RULE_GROUPS["paper"])
    assert ">AV<" not in told


def test_the_documents_list_it_too(plugin):
    code = "import sys; sys.path.insert(0, sys.argv[1]); import generate as g; print(g.tables(), g.learners())"
    pages = plugin(code, str(ROOT / "docs"))
    for id in ("approval", "turns", "pairs", "coins", "clouds", "weather"):
        assert f"| `{id}`" in pages, id
    assert "## `turns` (Turns)" in pages
