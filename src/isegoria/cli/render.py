"""Output of results: an aligned table, JSON or CSV on stdout, and notes on stderr."""

from __future__ import annotations

import csv
import json
import math
import os
import shutil
import sys
import textwrap
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, TextIO

import click

from isegoria.utils import progress, tolerances
from isegoria.utils.formatting import align_columns, display_width, format_number

MAX_NAME_WIDTH = 24
MIN_SENTENCE_COLUMNS = 30
"""Columns that a sentence beside a table needs."""
_JSON_META_PREFIX = "isegoria.json."
_ASCII_MARKS = str.maketrans("─█·…–✓✗×≤≥’", "-#.~-yxx<>'")


def print_note(text: str) -> None:
    """Write a note that is not part of the result to stderr."""
    if not progress.IS_QUIET.get():
        progress.stop_elapsed_line()
        click.echo(style_text(f"Note: {text}", sys.stderr, dim=True), err=True)


def print_result(
    form: str, *, data: Callable[[], Mapping[str, Any]], table: Callable[[], str], records: Callable[[], Iterable[Any]]
) -> None:
    """Print a result in the requested form; only that form is computed.

    `data()` returns the mapping for JSON, `format_table()` the finished text, and `records()` the rows of the CSV,
    header
    first.
    """
    if form == "csv":
        rows = [to_plain(row) for row in records()]
        progress.stop_elapsed_line()
        csv.writer(sys.stdout, lineterminator="\n").writerows(rows)
        return
    text = to_json({**data(), **_json_fields()}) if form == "json" else _to_printable(table())
    progress.stop_elapsed_line()
    click.echo(text)


def add_json_field(key: str, value: Any) -> None:
    """Add `value` under `key` to the JSON output of this command, unless it is empty."""
    if value:
        click.get_current_context().meta[_JSON_META_PREFIX + key] = value


def _json_fields() -> dict[str, Any]:
    context = click.get_current_context(silent=True)
    meta = context.meta if context else {}
    return {
        key.removeprefix(_JSON_META_PREFIX): value for key, value in meta.items() if key.startswith(_JSON_META_PREFIX)
    }


def to_plain(value: Any) -> Any:
    """Convert `value` for JSON: arrays to lists, NumPy scalars to Python's, and infinity or NaN to None.

    >>> to_plain({"gap": float("inf"), "policy": (0.5, 0.5)})
    {'gap': None, 'policy': [0.5, 0.5]}
    """
    if hasattr(value, "tolist"):  # NumPy arrays and scalars
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [to_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def to_json(value: Any, indent: str = "") -> str:
    """Format JSON at full precision, with one line for a list of plain values and one for each key.

    >>> print(to_json({"arms": ["tea", "milk"], "scores": {"equality": 1.0}}))
    {
      "arms": ["tea", "milk"],
      "scores": {
        "equality": 1.0
      }
    }
    """
    value = to_plain(value)
    deeper = indent + "  "
    if isinstance(value, dict) and value:
        lines = [f"{json.dumps(key, ensure_ascii=False)}: {to_json(item, deeper)}" for key, item in value.items()]
        return "{\n" + ",\n".join(deeper + line for line in lines) + f"\n{indent}}}"
    if isinstance(value, list) and any(isinstance(item, (dict, list)) for item in value):
        return "[\n" + ",\n".join(deeper + to_json(item, deeper) for item in value) + f"\n{indent}]"
    return json.dumps(value, ensure_ascii=False)


def format_table(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    left: int | Collection[int] = 1,
    available: float | None = None,
    keys: int = 1,
) -> str:
    """Format an aligned table: the first `left` columns (or those listed) left-aligned, the others right-aligned.

    On a terminal that is too narrow, the columns are shown in blocks below each other, each with the `keys` columns.

    >>> print(format_table(["policy", "score"], [["PF", "1.000"], ["UT", "0.667"]]))
    policy  score
    ──────  ─────
    PF      1.000
    UT      0.667
    """
    lines = [list(map(str, header)), *(list(map(str, row)) for row in rows)]
    lines.insert(1, ["─" * max(map(display_width, column)) for column in zip(*lines, strict=True)])
    texts = range(left) if isinstance(left, int) else left
    blocks = []
    for columns in split_columns(
        [max(map(display_width, column)) for column in zip(*lines, strict=True)], available, keys
    ):
        right = {place for place, k in enumerate(columns) if k not in texts}
        first, *others = align_columns([[line[k] for k in columns] for line in lines], right)
        blocks.append("\n".join([style_text(first, bold=True), *others]))
    return "\n\n".join(blocks)


def format_explained_table(header: Sequence[str], rows: Sequence[Sequence[str]], sentences: Sequence[str]) -> str:
    """Format a table of words with a sentence for each row: beside it, or below it on a terminal that is too narrow."""
    head, rule, *lines = format_table(header, rows, left=len(header), available=math.inf).split("\n")
    columns, width = get_terminal_columns(), display_width(rule) + 2
    if columns - width < MIN_SENTENCE_COLUMNS:
        texts = [textwrap.fill(text, max(int(columns), MIN_SENTENCE_COLUMNS)) for text in sentences]
        return "\n".join(
            f"{style_text(line.strip(), bold=True)}\n{text}" for line, text in zip(lines, texts, strict=True)
        )
    indent = "\n" + " " * width
    texts = [text if columns == math.inf else textwrap.fill(text, int(columns) - width) for text in sentences]
    pairs = zip(lines, texts, strict=True)
    return "\n".join([head, rule, *(f"{line:{width}}{text}".replace("\n", indent).rstrip() for line, text in pairs)])


def get_terminal_columns() -> float:
    """Return the columns of the terminal on stdout; infinity if it is none."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else math.inf


def split_columns(widths: Sequence[int], available: float | None = None, keys: int = 1) -> list[list[int]]:
    """Return the columns of each block of a table, so that each fits into `available` columns of the terminal.

    The first `keys` columns are in every block; by default all are in one block unless stdout is a terminal.

    >>> split_columns([6, 10, 10, 10], available=30), split_columns([6, 10, 10, 10], available=30, keys=2)
    ([[0, 1, 2], [0, 3]], [[0, 1, 2], [0, 1, 3]])
    """
    available = get_terminal_columns() if available is None else available
    blocks = [list(range(keys))]
    for k in range(keys, len(widths)):
        needed = sum(widths[column] + 2 for column in blocks[-1]) + widths[k]
        if needed > available and len(blocks[-1]) > keys:
            blocks.append(list(range(keys)))
        blocks[-1].append(k)
    return blocks


def style_text(text: str, stream: TextIO | None = None, **style: Any) -> str:
    """Style `text` with click if `stream` (stdout) is a terminal that allows it: not with NO_COLOR, not in a pipe."""
    terminal = (stream or sys.stdout).isatty() and os.environ.get("TERM") != "dumb"
    return click.style(text, **style) if terminal and not os.environ.get("NO_COLOR") else text


def format_probability(probability: float) -> str:
    """Format a probability for a table; a dot if the arm is never chosen.

    >>> format_probability(1 / 3), format_probability(0.0), format_probability(1e-5)
    ('0.333', '·', '1e-05')
    """
    return format_number(probability) if probability >= tolerances.NEVER_CHOSEN else "·"


def truncate_name(name: str, longest: int = MAX_NAME_WIDTH) -> str:
    """Cut a name to fit a column.

    >>> truncate_name("a very long name indeed, for an arm", 12)
    'a very long…'
    """
    return name if len(name) <= longest else name[: longest - 1] + "…"


def _to_printable(text: str) -> str:
    """Replace marks in `text` by plain characters, and others by their codes, where stdout cannot encode them."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_ASCII_MARKS).encode(encoding, "backslashreplace").decode(encoding)
    return text
