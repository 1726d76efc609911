"""Run the cells of the playground: Python as at its prompt, or `isegoria` commands after a dollar sign."""

from __future__ import annotations

import ast
import contextlib
import io
import re
import shlex
import sys
import traceback
from typing import Any

NAMESPACE: dict[str, Any] = {"__name__": "__main__"}
COMMAND_PATTERN = re.compile(r"^\$ ((?:.*\\\n)*.*)$", re.MULTILINE)


def run_cell(text: str) -> str:
    """Return what a cell prints; an error is its last line, as Python shows it.

    Examples
    --------
    >>> run_cell("six = 6\\nsix * 7")
    '42\\n'
    >>> run_cell("1 / 0")
    'ZeroDivisionError: division by zero\\n'
    >>> run_cell("$ ls")
    "Only isegoria's commands run here, not 'ls'.\\n"
    """
    return execute_cell(text)[0]


def execute_cell(text: str) -> tuple[str, bool]:
    """Return what a cell prints, and whether it ran without an error."""
    output, good = io.StringIO(), True
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        try:
            if text.lstrip().startswith("$ "):
                run_commands(text)
            else:
                run_python(text)
        except BaseException as error:  # a cell may raise anything, and the next one still runs
            sys.stdout.write("".join(traceback.format_exception_only(error)))
            good = False
    return output.getvalue(), good


def run_python(text: str) -> None:
    """Run statements one by one, and show the value of each expression."""
    for node in ast.parse(text, "<cell>").body:
        exec(compile(ast.Interactive([node]), "<cell>", "single"), NAMESPACE)


def run_commands(text: str) -> None:
    """Run each line that starts with a dollar sign as a command of the package."""
    from click.testing import CliRunner

    from isegoria.cli import main

    for line in COMMAND_PATTERN.findall(text):
        words = shlex.split(line)
        if words[0] == "isegoria":
            sys.stdout.write(CliRunner().invoke(main, words[1:], prog_name="isegoria").output)
        else:
            print(f"Only isegoria's commands run here, not '{words[0]}'.")
