"""What the steps share: RECORD, how a step reports, and the time."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from isegoria.cli import options, render

if TYPE_CHECKING:
    from isegoria.record.keep_file import RecordFile

record = click.argument("record", metavar="RECORD", type=click.Path())
form = options.form
by = click.option("--by", metavar="NAME", required=True, help="The member.")
key = click.option(
    "--key", metavar="FILE", type=click.Path(path_type=Path), default=None,
    help="The file of her key.",
)  # fmt: skip
reason = click.option("--reason", metavar="TEXT", required=True, help="Why; it stands in the record for all to read.")


def now() -> int:
    """Unix seconds by this computer's clock."""
    return int(time.time())


def clock(seconds: int | None) -> str:
    """A time for people, in UTC.

    >>> clock(1900000002)
    '2030-03-17 17:46:42 UTC'
    """
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(seconds or 0))


def report(form: str, text: str, data: Mapping[str, Any]) -> None:
    """Print what a step did: a sentence, or its data."""
    render.result(
        form,
        data=lambda: dict(data),
        table=lambda: text,
        records=lambda: [
            list(data),
            [
                value if isinstance(value, (str, int)) else json.dumps(value, ensure_ascii=False)
                for value in data.values()
            ],
        ],
    )


def headed(form: str, kept: RecordFile, text: str, **data: Any) -> None:
    """The same, with the record's new head, which people can compare."""
    from isegoria.record.format.canonical import ten_words, two_rows

    words = ten_words(kept.group.head)
    shown = f"\nHead, in words\n{two_rows(words)}" if kept.group.begun else ""
    report(form, f"{text}{shown}", {**data, "head": kept.group.head.hex(), "words": words})


def pairs(texts: tuple[str, ...], what: str) -> dict[str, str]:
    """ARM=VALUE arguments as a mapping."""
    from isegoria.errors import InputError

    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.rpartition("=")
        if not equals or not name.strip():
            raise InputError(f"{text!r} is not {what}; write it as name=value.")
        if name.strip() in found:
            raise InputError(f"{name.strip()!r} is given twice; give it once.")
        found[name.strip()] = value.strip()
    return found
