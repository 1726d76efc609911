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
WHOLE = ("auditing", "instance", "learning", "preferences", "rows")  # packages that are typed strictly inside as well


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


def public_modules() -> list[str]:
    """Where the public names are defined, and the suites for authors."""
    modules = {"isegoria", *(f"isegoria.{name}" for name in ("registry", "lazy", "arguments", "display", "wording"))}
    modules |= {f"isegoria.testing.{path.stem}" for path in (ROOT / "src/isegoria/testing").glob("[!_]*.py")}
    for name, home in isegoria._HOME.items():
        modules.add(f"isegoria.{home}")
        where = getattr(getattr(isegoria, name), "__module__", "")
        modules |= {where} if where.startswith("isegoria.") else set()
    for package in WHOLE:
        found = (ROOT / "src/isegoria" / package).rglob("[!_]*.py")
        modules |= {".".join(path.relative_to(ROOT / "src").with_suffix("").parts) for path in found}
    return sorted(modules)


def test_what_is_public_is_typed(tmp_path):
    words = [word for module in public_modules() for word in ("-m", module)]
    done = run("mypy", "--cache-dir", str(tmp_path), *words)
    assert done.returncode == 0, done.stdout + done.stderr


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
