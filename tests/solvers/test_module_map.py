"""The map of the numerics names every module, and nothing that is not there."""

import re
from pathlib import Path

import pytest

from isegoria import rules, solvers
from isegoria.solvers.ties.tie_break import TieBreak

ROOM = Path(solvers.__file__).parent
FOLDERS = sorted(path.name for path in ROOM.iterdir() if (path / "__init__.py").exists())
MODULES = sorted({path.stem for path in ROOM.glob("*/*.p*") if path.suffix in (".py", ".pyx", ".pxd")} - {"__init__"})
WORDS = set(re.findall(r"\w+", solvers.__doc__))


@pytest.mark.parametrize("module", MODULES)
def test_the_map_names_every_module(module):
    assert module in WORDS


def test_contributing_names_every_folder():
    text = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8").split("## The numerics")[1]
    assert sorted(re.findall(r"^\| `(\w+)` \|[^|\n]*\|[^|\n]*\|$", text, re.MULTILINE)) == FOLDERS


def test_the_tie_breaks_are_those_that_users_name():
    assert tuple(TieBreak) == rules.TIE_BREAKS
