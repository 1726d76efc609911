"""The one file, as a stranger has it: alone in a folder, with whatever Python there is."""

import ast
import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from maker import Maker, canonical, joined
from shelf import calm, head

from isegoria.verifier import isegoria_verify, script

FILE = Path(isegoria_verify.__file__)
STANDARD = set(
    [
        "argparse",
        "hashlib",
        "hmac",
        "json",
        "re",
        "sys",
        "fractions",
        "functools",
        "math",
        "pathlib",
        "types",
    ]
)


@cache
def pythons() -> list[str]:
    """Every Python 3.9 or later of this machine: on the path and among pyenv's."""
    folders = [Path(one) for one in os.environ["PATH"].split(os.pathsep) if one]
    folders += [
        Path(one) / "bin" for one in Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob("versions/*")
    ]
    found = {}
    for program in [sys.executable, *(str(folder / f"python3.{n}") for folder in folders for n in range(9, 30))]:
        if os.path.exists(program):
            asked = subprocess.run(
                [program, "-c", "import sys; print(sys.version_info[:2])"], capture_output=True, text=True
            )
            if asked.returncode == 0:
                found.setdefault(asked.stdout, program)
    return list(found.values())


@pytest.fixture
def desk(tmp_path):
    """An empty folder with the file and a record in it."""
    (tmp_path / "isegoria_verify.py").write_text(script(), encoding="utf-8")
    (tmp_path / "lunch.jsonl").write_bytes(calm(300, "dice").bytes())
    return tmp_path


def run(desk, *arguments, python=sys.executable, **options):
    command = [python, "-I", "-S", "isegoria_verify.py", *arguments]
    return subprocess.run(command, cwd=desk, capture_output=True, text=True, encoding="utf-8", **options)


def test_it_runs_on_every_python_there_is(desk):
    answers = {run(desk, "lunch.jsonl", python=program).stdout for program in pythons()}
    assert len(answers) == 1
    assert answers.pop().startswith("Proved: everything recomputes")


def test_it_is_valid_python_3_9_and_imports_the_standard_library_only():
    tree = ast.parse(script(), feature_version=(3, 9))
    top = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    names = {alias.name for node in top if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in top if isinstance(node, ast.ImportFrom)}
    assert names <= STANDARD <= set(sys.stdlib_module_names)
    inner = {
        node.module.split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node not in top
    }
    assert inner == {"isegoria"}  # for beacons, where it is installed
    vermin = [sys.executable, "-c", "from vermin import main; main()", "-t=3.9-", "--no-tips"]
    done = subprocess.run([*vermin, str(FILE)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_exit_codes_and_sentences(desk):
    made = calm(301, "rehearsal", rounds=1)
    (desk / "rehearsal.jsonl").write_bytes(made.bytes())
    (desk / "false.jsonl").write_bytes(joined(made.lines).replace(b'"slot":', b'"slot" :').replace(b"arm 0", b"arm 9"))
    (desk / "cut.jsonl").write_bytes(made.bytes()[:-3])
    for name, code, start in [
        ("lunch.jsonl", 0, "Proved: "),
        ("false.jsonl", 1, "False: "),
        ("cut.jsonl", 2, "Unreadable: "),
        ("rehearsal.jsonl", 3, "Not proved: "),
        ("nowhere.jsonl", 2, "Unreadable: nowhere.jsonl cannot be read: No such file or directory."),
        (".", 2, "Unreadable: . cannot be read: Is a directory."),
    ]:
        done = run(desk, name)
        assert (done.returncode, done.stderr) == (code, "")
        assert done.stdout.startswith(start)
    assert run(desk).returncode == 2
    assert run(desk, "lunch.jsonl", "--format", "xml").returncode == 2


def test_json_has_the_keys_that_the_page_lists(desk):
    done = json.loads(run(desk, "lunch.jsonl", "--format", "json").stdout)
    keys = ["verdict", "sentence", "exit_code", "head", "words", "rounds", "proved", "unproved", "notes"]
    assert sorted(done) == sorted(keys)
    each = ["round", "kind", "state", "balls", "arms", "voices", "seen", "keys", "reasons", "sentence"]
    assert all(sorted(one) == sorted(each) for one in done["rounds"])


def test_a_receipt_and_a_head_can_be_given(desk):
    made = calm(302, "dice")
    (desk / "r.jsonl").write_bytes(made.bytes())
    (desk / "mine.json").write_bytes(canonical(made.receipt(1)) + b"\n")
    (desk / "names.json").write_bytes(canonical(made.names()) + b"\n")
    done = run(desk, "r.jsonl", "--receipt", "mine.json", "--names", "names.json", "--head", head(made.lines[2]))
    assert done.returncode == 0
    assert "- The kept head is line 3: nothing up to there was rewritten." in done.stdout
    assert "- Member 1 is Member 1 é, with one row in each of her rounds: 2." in done.stdout


def test_a_terminal_without_unicode_is_no_obstacle(desk):
    made = Maker(303, source="dice")
    made.charter["arms"] = ["süß", "粥"]
    (desk / "r.jsonl").write_bytes(calm(303, "dice").bytes())
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    done = subprocess.run(
        [sys.executable, "-S", "isegoria_verify.py", "r.jsonl"], cwd=desk, env=environment, capture_output=True
    )
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr


def test_it_can_be_read_in_one_sitting():
    """At most 500 lines of code, without empty lines, comments and docstrings; none is squeezed, and none hides two."""
    text, tree = script(), ast.parse(script())
    told = [node for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)]
    words = {number for node in told for number in range(node.lineno, node.end_lineno + 1)}
    lines = [line.strip() for number, line in enumerate(text.splitlines(), 1) if number not in words]
    assert sum(bool(line) and not line.startswith("#") for line in lines) <= 500
    assert max(map(len, text.splitlines())) <= 120
    assert ";" not in "".join(re.sub(r'"[^"]*"', "", line) for line in lines if not line.startswith("#"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    assert max(node.end_lineno - node.lineno for node in functions) <= 30
