"""What the steps share: the RECORD argument, common options, reporting, and the time."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from isegoria.cli import options, render

if TYPE_CHECKING:
    from isegoria.record.files.file_store import FileStore

record = click.argument("record", metavar="RECORD", type=click.Path())
output_format = options.form
by = click.option("--by", metavar="NAME", required=True, help="The member.")
key = click.option(
    "--key",
    metavar="FILE",
    type=click.Path(path_type=Path),
    default=None,
    help="The file of the member's key.",
)
reason = click.option("--reason", metavar="TEXT", required=True, help="Why; it stands in the record for all to read.")


def current_time() -> int:
    """Return the Unix time in seconds by this computer's clock."""
    return int(time.time())


def format_utc(seconds: int | None) -> str:
    """Format a time for people, in UTC.

    >>> format_utc(1900000002)
    '2030-03-17 17:46:42 UTC'
    """
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(seconds or 0))


def print_result(form: str, text: str, data: Mapping[str, Any]) -> None:
    """Print what a step did: a sentence, or its data."""
    render.print_result(
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


def print_with_head(form: str, kept: FileStore, text: str, **data: Any) -> None:
    """Print what a step did, with the record's new head, which people can compare."""
    from isegoria.record.format.head_words import encode_words, format_word_rows

    words = encode_words(kept.group.head)
    shown = f"\nHead, in words\n{format_word_rows(words)}" if kept.group.begun else ""
    print_result(form, f"{text}{shown}", {**data, "head": kept.group.head.hex(), "words": words})


def parse_pairs(texts: tuple[str, ...], what: str) -> dict[str, str]:
    """Parse NAME=VALUE arguments to a mapping; raise InputError for one that is malformed or repeated."""
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
