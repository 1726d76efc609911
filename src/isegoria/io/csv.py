"""CSV: wide, with one line for each agent (`agent,tea,coffee`), or long, with one for each agent and arm.

Semicolons, tabs and bars are told from commas where only one of them makes a table.
"""

from __future__ import annotations

import csv
import io
from typing import BinaryIO

from isegoria.errors import FileError
from isegoria.instance import Instance
from isegoria.instance.headings import misspelt_heading
from isegoria.io.headers import AGENT, WEIGHT, resembles_long
from isegoria.io.plain import read_plain
from isegoria.io.read_options import ReadOptions


def read(stream: BinaryIO, where: str, **keywords) -> dict:
    """The parts of an `Instance`; the file is long exactly when its header is agent,arm,value or …,weight."""
    return read_text(stream, where, ReadOptions.checked(**keywords))


def read_text(stream: BinaryIO, where: str, options: ReadOptions, separator: str | None = None) -> dict:
    """The parts of an `Instance`: a plain table at once, and whatever is odd with care."""
    stream = stream if stream.seekable() else io.BytesIO(stream.read())
    parts = read_plain(stream, options, separator or ",")
    if parts is not None:
        return parts
    from isegoria.io.dialect import separated  # a plain table needs none of this
    from isegoria.io.tabular import parts_of
    from isegoria.io.text import decode

    stream.seek(0)
    return parts_of(separated(decode(stream.read(), where), where, separator), options)


def write(instance: Instance) -> bytes:
    """UTF-8 text in wide form, or long where an arm's name would be taken for a heading; all digits are kept."""
    return written(instance, ",")


def written(instance: Instance, separator: str) -> bytes:
    """The same with any separator; names that have another separator in them are quoted, so that none is misread."""
    from isegoria.io import long
    from isegoria.io.dialect import SEPARATORS

    _check_names(instance)
    weighted = bool((instance.weights != 1).any())
    header = [AGENT, *instance.arms, *[WEIGHT] * weighted]
    if any(map(misspelt_heading, instance.arms)) or resembles_long(header):
        header, rows = long.table(instance)
    else:
        rows = [
            [agent, *means, *[weight] * weighted]
            for agent, means, weight in zip(
                instance.agents, instance.means.tolist(), instance.weights.tolist(), strict=True
            )
        ]
    quoted = any(each in name for name in (*instance.agents, *instance.arms) for each in SEPARATORS)
    quoting = csv.QUOTE_NONNUMERIC if quoted else csv.QUOTE_MINIMAL
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n", delimiter=separator, quoting=quoting).writerows([header, *rows])
    return text.getvalue().encode("utf-8")


def _check_names(instance: Instance) -> None:
    for name in (*instance.agents, *instance.arms):
        if name != name.strip() or "\r" in name:
            raise FileError(f"the name {name!r} has spaces or a line end that CSV loses; rename it, or write JSON.")
