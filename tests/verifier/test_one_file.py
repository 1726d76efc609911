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
from record_maker import dump_lines, words
from sample_records import league, make_plain_record

from isegoria.verifier import isegoria_verify, read_script

FILE = Path(isegoria_verify.__file__)
STANDARD = {
    "__future__",
    "argparse",
    "bisect",
    "datetime",
    "fractions",
    "functools",
    "hashlib",
    "hmac",
    "itertools",
    "json",
    "math",
    "pathlib",
    "re",
    "sys",
    "time",
    "types",
    "typing",
}
KEYS = [
    "beta",
    "debts",
    "exit_code",
    "gamma",
    "head",
    "last_signed",
    "notes",
    "proved",
    "rounds",
    "sentence",
    "trust",
    "unproved",
    "verdict",
    "words",
]
EACH = [
    "arms",
    "balls",
    "beta",
    "early",
    "members",
    "needed",
    "needed_since",
    "of",
    "reasons",
    "round",
    "sentence",
    "since",
    "status",
    "title",
    "voices",
]


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
    """An empty folder with the file, a record and a head that was kept in it."""
    (tmp_path / "isegoria_verify.py").write_text(read_script(), encoding="utf-8")
    made = make_plain_record(300, "dice", rounds=1)
    (tmp_path / "lunch.record").write_bytes(made.bytes())
    (tmp_path / "kept").write_text(words(made.head(2)))
    return tmp_path


def run(desk, *arguments, python=sys.executable, **options):
    command = [python, "-I", "-S", "isegoria_verify.py", *arguments]
    return subprocess.run(command, cwd=desk, capture_output=True, text=True, encoding="utf-8", **options)


def trusting(desk) -> tuple[str, ...]:
    return "lunch.record", "--trust", "members", "--head", (desk / "kept").read_text()


@pytest.mark.slow
def test_it_runs_on_every_python_there_is(desk):
    answers = {run(desk, *trusting(desk), python=program).stdout for program in pythons()}
    assert len(answers) == 1
    assert answers.pop().startswith("Round 1: proved for you, unless 2 or more of the 4 keys you trust")


def test_it_is_valid_python_3_9_and_imports_the_standard_library_only():
    tree = ast.parse(read_script(), feature_version=(3, 9))
    found = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
    names = {alias.name for node in found if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in found if isinstance(node, ast.ImportFrom)}
    assert names <= STANDARD <= set(sys.stdlib_module_names)
    vermin = [sys.executable, "-c", "from vermin import main; main()", "-t=3.9-", "--no-tips"]
    done = subprocess.run([*vermin, str(FILE)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_exit_codes_and_sentences(desk):
    made = make_plain_record(301, "rehearsal", rounds=1)
    (desk / "false.record").write_bytes(made.bytes().replace(b"arm 0", b"arm 9"))
    (desk / "cut.record").write_bytes(made.bytes()[:-3])
    for arguments, code, start in [
        (trusting(desk), 0, "Round 1: proved for you, unless "),
        (("false.record",), 1, "False: "),
        (("cut.record",), 2, "Unreadable: "),
        (("lunch.record",), 3, "Consistent: everything recomputes. Say whom you trust (--trust).\n"),
        (("nowhere.record",), 2, "Unreadable: nowhere.record cannot be read: No such file or directory."),
        ((".",), 2, "Unreadable: . cannot be read: Is a directory."),
        (("lunch.record", "--trust", "members"), 2, "Unreadable: members need a head that you kept before: --head."),
    ]:
        done = run(desk, *arguments)
        assert (done.returncode, done.stderr) == (code, "")
        assert done.stdout.startswith(start)
    assert run(desk).returncode == 2
    assert run(desk, "lunch.record", "--format", "xml").returncode == 2
    assert run(desk, "lunch.record", "--quorum", "many").returncode == 2


def test_json_has_the_keys_that_the_page_lists(desk):
    done = json.loads(run(desk, *trusting(desk), "--format", "json").stdout)
    assert sorted(done) == KEYS
    assert all(sorted(one) == EACH for one in done["rounds"])
    (desk / "cut.record").write_bytes(b"x")
    assert sorted(json.loads(run(desk, "cut.record", "--format", "json").stdout)) == KEYS


def test_every_file_and_argument_can_be_given(desk):
    made = make_plain_record(302, "dice", privacy="open")
    (desk / "r.record").write_bytes(made.bytes())
    (desk / "mine.json").write_bytes(made.file(made.receipt(1)))
    (desk / "names.json").write_bytes(made.file(made.names()))
    (desk / "other.record").write_bytes(dump_lines(made.lines[:7]))
    (desk / "chain.json").write_bytes(league().chain_info())
    done = run(
        desk,
        "r.record",
        "--receipt",
        "mine.json",
        "--names",
        "names.json",
        "--head",
        made.head(3),
        "--head",
        made.head(2),
        "--trust",
        made.people[2].name,
        "--trust",
        "3",
        "--quorum",
        "1",
        "--against",
        "other.record",
        "--now",
        "1900000000",
        "--beacon",
        "chain.json",
    )
    assert done.returncode == 0, done.stdout
    assert "- The kept head is line 3: nothing up to there was rewritten." in done.stdout
    assert "- Member 1 is «Member 1 é», with one row in each of their rounds: 2." in done.stdout
    assert f"- other.record is a beginning of this record: 7 of {len(made.lines)} lines." in done.stdout
    assert "are theirs: «Member 2 é» (join link, " in done.stdout.split("\n")[0]


def test_a_terminal_without_unicode_is_no_obstacle(desk):
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    done = subprocess.run(
        [sys.executable, "-S", "isegoria_verify.py", "lunch.record"], cwd=desk, env=environment, capture_output=True
    )
    assert done.returncode == 3
    assert b"Traceback" not in done.stderr


def test_it_can_be_read_in_one_sitting():
    """So many lines that are not empty; none is squeezed, none hides two, and no function is long."""
    text, tree = read_script(), ast.parse(read_script())
    assert sum(bool(line.strip()) for line in text.splitlines()) <= 1340
    assert max(map(len, text.splitlines())) <= 120
    code = [line for line in text.splitlines() if not line.strip().startswith("#")]
    told = [node for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)]
    docs = {number for node in told for number in range(node.lineno, node.end_lineno + 1)}
    bare = [line for number, line in enumerate(text.splitlines(), 1) if number not in docs and line in code]
    assert ";" not in "".join(re.sub(r"""f?'[^']*'|f?"[^"]*\"""", "", line.split("  #")[0]) for line in bare)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    assert max(node.end_lineno - node.lineno + 1 for node in functions) <= 40
