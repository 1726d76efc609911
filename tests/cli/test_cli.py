"""The command line: what it prints where, with which exit code, and what it costs to start."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import isegoria
from isegoria.cli import commands, main
from isegoria.cli.options import parse_policy
from isegoria.cli.render import format_table, to_json
from isegoria.errors import CertificationError, InputError, NearTieWarning


def run(*args: str):
    return CliRunner().invoke(main, list(args))


@pytest.fixture
def failing(monkeypatch):
    """Make a command `fail` that does what it is told, and call it."""

    def call(action):
        toy = click.Command("fail", callback=action)
        monkeypatch.setattr(commands.Command, "load", lambda row: toy)
        monkeypatch.setitem(commands.COMMANDS._entries, "fail", commands.Command("fail", "nowhere", "Fail."))
        return run("fail")

    return call


def raises(error):
    def action():
        raise error

    return action


def test_help_lists_every_command_and_loads_none():
    code = (
        "import sys, isegoria.cli as c\ntry: c.main(['--help'])\nexcept SystemExit: pass\n"
        "print([m for m in sys.modules if m in ('numpy', 'scipy', 'rich', 'isegoria.cli.compare')])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.rstrip().endswith("[]")
    for row in commands.COMMANDS.values():
        assert f"  {row.id} " in out


@pytest.mark.parametrize("name", list(commands.COMMANDS))
def test_every_command_helps_with_an_example(name):
    shown = run(name, "--help")
    assert shown.exit_code == 0
    assert f"isegoria {name} " in shown.stdout.split("Example", 1)[1]


@pytest.mark.slow
def test_every_option_that_a_sentence_names_exists():
    known = {
        "--help",
        "--version",
        "--quiet",
        "--light",
        "--size",
    }  # the last two: python -m isegoria.studies.elimination and .turns
    waiting = [(row.load(), row.id) for row in commands.COMMANDS.values()]
    while waiting:
        command, name = waiting.pop()
        known |= {word for option in command.params for word in (*option.opts, *option.secondary_opts)}
        if isinstance(command, click.Group):
            context = click.Context(command, info_name=name)
            waiting += [(command.get_command(context, one), one) for one in command.list_commands(context)]
    named = {}
    for path in Path(isegoria.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                named |= dict.fromkeys(re.findall(r"(?<![\w(-])--[a-z][a-z-]+(?![\w:-])", node.value), path.name)
    assert len(known & set(named)) > 30
    assert {word: where for word, where in named.items() if word not in known} == {}


@pytest.mark.parametrize("word", commands.COMMAND_HINTS)
def test_what_has_another_name_is_shown_where_it_is(word):
    assert word not in commands.COMMANDS
    found = run(word, "ratings.csv")
    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr == f"Error: there is no command '{word}'; it is in {commands.COMMAND_HINTS[word]}.\n"
    assert run(commands.COMMAND_HINTS[word].split()[1], *["--help"]).exit_code == 0


def test_an_unknown_command_names_the_nearest():
    shown = run("comapre", "x.csv")
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert "did you mean 'compare'?" in shown.stderr


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (InputError("means[0, 0] is 7; rescale."), 2, "Error: means[0, 0] is 7; rescale.\n"),
        (CertificationError("no proof."), 2, "Error: no proof.\n"),
        (click.UsageError("no such option: --x"), 2, "Error: no such option: --x; see 'isegoria fail --help'.\n"),
        (PermissionError(13, "Permission denied", "out.csv"), 2, "Error: cannot use out.csv: permission denied.\n"),
        (OSError(28, "No space left on device"), 2, "Error: cannot write the output: no space left on device.\n"),
        (MemoryError(), 2, "memory"),
        (KeyError("x"), 2, "a fault in isegoria itself"),
        (KeyboardInterrupt(), 130, "interrupted."),
    ],
)
def test_a_failure_is_one_sentence_on_stderr(failing, error, code, said):
    shown = failing(raises(error))
    assert (shown.exit_code, shown.stdout) == (code, "")
    assert said in shown.stderr
    assert "Traceback" not in shown.stderr
    assert shown.stderr.strip().count("\n") == 0


def test_a_command_may_exit_with_checked_and_false(failing):
    assert failing(lambda: click.get_current_context().exit(1)).exit_code == 1


def test_warnings_become_notes(failing):
    import warnings

    warned = failing(lambda: warnings.warn(NearTieWarning("the smallest gap is 1e-10."), stacklevel=1))
    assert (warned.exit_code, warned.stdout, warned.stderr) == (0, "", "Note: the smallest gap is 1e-10.\n")


def test_a_closed_pipe_is_quiet():
    with subprocess.Popen(
        [sys.executable, "-m", "isegoria", "--help"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdout.close()
        assert process.stderr.read() == b""


def test_policies_are_written_as_decimals_fractions_or_pairs():
    arms = ("tea", "black, no sugar")
    assert parse_policy("2/3, 1/3", arms) == [2 / 3, 1 / 3]
    assert parse_policy('"black, no sugar=1/4",tea=0.75', arms) == [0.75, 0.25]
    for wrong in ("a,b", "tea=1,0", "milk=1", "tea=1,tea=0", "1/0,1", "", "0_1,1", "\u0661,0"):
        with pytest.raises(InputError):
            parse_policy(wrong, arms)


def test_json_keeps_every_digit_and_says_null_for_infinity():
    import json

    assert json.loads(to_json({"a": [0.1 + 0.2, float("inf")], "b": {}, "c": [[1], [2]]})) == {
        "a": [0.30000000000000004, None],
        "b": {},
        "c": [[1], [2]],
    }


def test_tables_align_wide_characters():
    _, _, *rest = format_table(["名前", "n"], [["東京都", "1"], ["a", "22"]]).split("\n")
    assert [line.index(end) for line, end in zip(rest, ["1", "22"], strict=True)] == [6, 8]
