"""Habits: one style for Python and for the kernels, and types that tell the truth, to mypy and to pyright."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import isegoria
from cython_lint import complaints

ROOT = Path(__file__).parents[1]
TYPING = ROOT / "tests" / "typing"
LINES = (TYPING / "wrong.py").read_text(encoding="utf-8").splitlines()
WRONG = [number for number, line in enumerate(LINES, start=1) if line.endswith("# wrong")]
LEFT = (
    "verifier/",  # one file for any Python from 3.9 on, which anybody can read and run, is kept plain
)
"""Rooms in which strict mypy still finds something."""


def run(*words: str, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", *words], capture_output=True, text=True, cwd=ROOT, env={**os.environ, **environment}
    )


def test_python_is_clean_and_formatted():
    for words in (["check"], ["format", "--check"]):
        done = run("ruff", *words, "--no-cache", ".")
        assert done.returncode == 0, done.stdout + done.stderr


def test_kernels_are_clean():
    kernels = sorted(str(path) for kind in ("*.pyx", "*.pxd") for path in (ROOT / "src").rglob(kind))
    assert len(kernels) > 20
    assert complaints(kernels) == []


def test_everything_inside_is_typed_strictly(tmp_path):
    """Strict mypy over the whole package, but for the rooms that are named in `LEFT`."""
    shown = run("mypy", "--cache-dir", str(tmp_path), "--no-error-summary", "src/isegoria").stdout
    errors = [line for line in shown.splitlines() if ": error:" in line]
    assert [line for line in errors if not line.startswith(tuple(f"src/isegoria/{room}" for room in LEFT))] == []


def test_mypy_sees_what_is_right_and_what_is_wrong(tmp_path):
    files = [str(TYPING / name) for name in ("right.py", "wrong.py")]
    shown = run("mypy", "--cache-dir", str(tmp_path), "--no-error-summary", *files).stdout
    errors = re.findall(r"(\w+)\.py:(\d+): error", shown)
    assert {(name, int(line)) for name, line in errors} == {("wrong", line) for line in WRONG}, shown


def test_pyright_sees_what_is_right_and_what_is_wrong():
    done = run("pyright", "--outputjson", "--pythonpath", sys.executable, str(TYPING))
    found = json.loads(done.stdout)["generalDiagnostics"]
    errors = {(Path(each["file"]).stem, each["range"]["start"]["line"] + 1) for each in found}
    errors -= {("wrong", line) for line in WRONG if line not in {line for _, line in errors}}
    assert errors == {("wrong", line) for line in WRONG}, done.stdout


@pytest.mark.parametrize("name", ["py.typed"])
def test_the_package_says_that_it_is_typed(name):
    assert (Path(isegoria.__file__).parent / name).exists()
