"""Habits: one style for Python and for the kernels, and types that tell the truth, to mypy and to pyright."""

import ast
import inspect
import json
import os
import re
import subprocess
import sys
from doctest import DocTestParser
from pathlib import Path

import pytest

import isegoria
from cython_lint import complaints

ROOT = Path(__file__).parents[1]
TYPING = ROOT / "tests" / "typing"
WRONG_SOURCE_LINES = (TYPING / "wrong.py").read_text(encoding="utf-8").splitlines()
WRONG_LINES = [number for number, line in enumerate(WRONG_SOURCE_LINES, start=1) if line.endswith("# wrong")]


def run_module(*words: str, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", *words], capture_output=True, text=True, cwd=ROOT, env={**os.environ, **environment}
    )


def test_python_is_clean_and_formatted():
    for words in (["check"], ["format", "--check"]):
        done = run_module("ruff", *words, "--no-cache", ".")
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_kernels_are_clean():
    kernels = sorted(str(path) for kind in ("*.pyx", "*.pxd") for path in (ROOT / "src").rglob(kind))
    assert len(kernels) > 20
    assert complaints(kernels) == []


@pytest.fixture(scope="module")
def cache(tmp_path_factory) -> str:
    """What mypy has seen of the package, so that it looks once."""
    return str(tmp_path_factory.mktemp("mypy"))


@pytest.mark.slow
def test_everything_inside_is_typed_strictly(cache):
    """Strict mypy over the whole package."""
    shown = run_module("mypy", "--cache-dir", cache, "--no-error-summary", "src/isegoria").stdout
    assert [line for line in shown.splitlines() if ": error:" in line] == []


def test_mypy_sees_what_is_right_and_what_is_wrong(cache):
    files = [str(TYPING / name) for name in ("right.py", "wrong.py")]
    shown = run_module("mypy", "--cache-dir", cache, "--no-error-summary", *files).stdout
    errors = re.findall(r"(\w+)\.py:(\d+): error", shown)
    assert {(name, int(line)) for name, line in errors} == {("wrong", line) for line in WRONG_LINES}, shown


@pytest.mark.slow
def test_pyright_sees_what_is_right_and_what_is_wrong():
    done = run_module("pyright", "--outputjson", "--pythonpath", sys.executable, str(TYPING))
    found = json.loads(done.stdout)["generalDiagnostics"]
    errors = {(Path(each["file"]).stem, each["range"]["start"]["line"] + 1) for each in found}
    errors -= {("wrong", line) for line in WRONG_LINES if line not in {line for _, line in errors}}
    assert errors == {("wrong", line) for line in WRONG_LINES}, done.stdout


def test_a_slip_in_every_public_function_is_among_the_wrong_lines():
    """A misspelt keyword in each; and in each that takes a rule, a misspelt rule."""
    modules = {"iso": isegoria, "iso.axioms": isegoria.axioms, "iso.preferences": isegoria.preferences}
    functions = {
        f"{path}.{name}": inspect.signature(getattr(module, name))
        for path, module in modules.items()
        for name in module.__all__
        if inspect.isfunction(getattr(module, name)) and name not in ("parse_distribution",)
    }
    assert len(functions) > 20
    calls = [ast.parse(line).body[0] for line in WRONG_SOURCE_LINES if line.startswith("iso.")]
    made = [call.value for call in calls if isinstance(call, ast.Expr) and isinstance(call.value, ast.Call)]
    for name, signature in functions.items():
        own = [call for call in made if ast.unparse(call.func) == name]
        keywords = {keyword.arg for call in own for keyword in call.keywords}
        assert keywords - set(signature.parameters), f"{name} has no misspelt keyword in wrong.py"
        takes_rule = any(word in str(signature) for word in ("RuleName", "RuleLike"))
        assert not takes_rule or "nahs" in "".join(map(ast.unparse, own)), f"{name} has no misspelt rule in wrong.py"


@pytest.fixture(scope="module")
def examples(tmp_path_factory) -> Path:
    """A folder with the code of every notebook and of every how-to, a file each, as a user would have it."""
    folder = tmp_path_factory.mktemp("examples")
    for path in (ROOT / "examples" / "notebooks").glob("*.ipynb"):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        (folder / f"notebook_{path.stem.replace('-', '_')}.py").write_text(LENIENT_MYPY + "\n\n".join(code) + "\n")
    for path in (ROOT / "docs" / "how-to").glob("*.md"):
        code = [example.source for example in DocTestParser().get_examples(path.read_text(encoding="utf-8"))]
        if code:
            (folder / f"how_to_{path.stem.replace('-', '_')}.py").write_text(LENIENT_MYPY + "".join(code))
    return folder


LENIENT_MYPY = "# mypy: allow-untyped-defs, allow-untyped-calls, allow-any-generics, no-warn-return-any\n"
"""Strict inside is not strict for those who use it."""


@pytest.mark.peers
def test_mypy_takes_the_code_of_notebooks_and_how_tos(examples, cache):
    files = sorted(map(str, examples.glob("*.py")))
    assert len(files) > 12
    shown = run_module("mypy", "--cache-dir", cache, "--no-error-summary", *files).stdout
    assert [line for line in shown.splitlines() if line.startswith(str(examples)) and ": error:" in line] == []


@pytest.mark.slow
def test_pyright_takes_the_code_of_notebooks_and_how_tos(examples):
    done = run_module("pyright", "--outputjson", "--pythonpath", sys.executable, str(examples))
    found = json.loads(done.stdout)["generalDiagnostics"]
    errors = [(each["file"], each["message"]) for each in found if each["severity"] == "error"]
    assert errors == [], errors


@pytest.mark.parametrize("name", ["py.typed"])
def test_the_package_says_that_it_is_typed(name):
    assert (Path(isegoria.__file__).parent / name).exists()
