"""How results are printed: an aligned table, JSON or CSV on stdout; notes on stderr."""

from __future__ import annotations

import csv
import json
import math
import os
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, TextIO

import click

from isegoria import tolerances
from isegoria.wording import columns, rounded, width

WIDEST_NAME = 24
_MEMORY = "isegoria.json."
_PLAIN_MARKS = str.maketrans("─█·…–", "-#.~-")


def note(text: str) -> None:
    """Say something that is not the result, on stderr."""
    click.echo(styled(f"Note: {text}", sys.stderr, dim=True), err=True)


def result(
    form: str, *, data: Callable[[], Mapping[str, Any]], table: Callable[[], str], records: Callable[[], Iterable[Any]]
) -> None:
    """Print a result in the form asked for; only that form is computed.

    `data()` is a mapping for JSON, `table()` the finished text, `records()` the rows of the CSV, header first.
    """
    if form == "json":
        click.echo(to_json({**data(), **_remembered()}))
    elif form == "csv":
        csv.writer(sys.stdout, lineterminator="\n").writerows([plain(row) for row in records()])
    else:
        click.echo(_printable(table()))


def remember(key: str, value: Any) -> None:
    """Have this command's JSON say `value` under `key` too, unless there is nothing to say."""
    if value:
        click.get_current_context().meta[_MEMORY + key] = value


def _remembered() -> dict[str, Any]:
    context = click.get_current_context(silent=True)
    meta = context.meta if context else {}
    return {key.removeprefix(_MEMORY): value for key, value in meta.items() if key.startswith(_MEMORY)}


def plain(value: Any) -> Any:
    """`value` with arrays as lists, NumPy scalars as Python's, and what JSON cannot say (infinity, NaN) as None.

    >>> plain({"gap": float("inf"), "policy": (0.5, 0.5)})
    {'gap': None, 'policy': [0.5, 0.5]}
    """
    if hasattr(value, "tolist"):  # NumPy arrays and scalars alike
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def to_json(value: Any, indent: str = "") -> str:
    """JSON text at full precision, with one line for a list of plain values and one for each key.

    >>> print(to_json({"arms": ["tea", "milk"], "scores": {"equality": 1.0}}))
    {
      "arms": ["tea", "milk"],
      "scores": {
        "equality": 1.0
      }
    }
    """
    value = plain(value)
    deeper = indent + "  "
    if isinstance(value, dict) and value:
        lines = [f"{json.dumps(key, ensure_ascii=False)}: {to_json(item, deeper)}" for key, item in value.items()]
        return "{\n" + ",\n".join(deeper + line for line in lines) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(item, (dict, list)) for item in value):
        return "[\n" + ",\n".join(deeper + to_json(item, deeper) for item in value) + f"\n{indent}]"
    return json.dumps(value, ensure_ascii=False)


def table(header: Sequence[str], rows: Iterable[Sequence[str]], left: int | Collection[int] = 1) -> str:
    """An aligned table: the first `left` columns (or those listed) to the left, the others (numbers) to the right.

    >>> print(table(["policy", "score"], [["PF", "1.000"], ["UT", "0.667"]]))
    policy  score
    ──────  ─────
    PF      1.000
    UT      0.667
    """
    lines = [list(map(str, header)), *(list(map(str, row)) for row in rows)]
    lines.insert(1, ["─" * max(map(width, column)) for column in zip(*lines, strict=True)])
    texts = range(left) if isinstance(left, int) else left
    first, *others = columns(lines, right=set(range(len(header))) - set(texts))
    return "\n".join([styled(first, bold=True), *others])


def styled(text: str, stream: TextIO | None = None, **style: Any) -> str:
    """`text` in a style of click's, if `stream` (stdout) is a terminal that wants it: no NO_COLOR, no pipe."""
    terminal = (stream or sys.stdout).isatty() and os.environ.get("TERM") != "dumb"
    return click.style(text, **style) if terminal and not os.environ.get("NO_COLOR") else text


def chance(probability: float) -> str:
    """A probability for a table; a dot where the arm is never chosen.

    >>> chance(1 / 3), chance(0.0), chance(1e-5)
    ('0.333', '·', '1e-05')
    """
    return rounded(probability) if probability >= tolerances.NEVER else "·"


def short(name: str, longest: int = WIDEST_NAME) -> str:
    """A name cut to fit a column.

    >>> short("a very long name indeed, for an arm", 12)
    'a very long…'
    """
    return name if len(name) <= longest else name[: longest - 1] + "…"


def _printable(text: str) -> str:
    """`text`, with rules and bars in plain characters where stdout cannot show the finer ones."""
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return text.translate(_PLAIN_MARKS)
    return text
