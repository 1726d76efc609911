"""CSV: wide, with one line for each agent (`agent,tea,coffee`), or long, with one for each agent and arm.

Semicolons, tabs and bars are told from commas where only one of them makes a table. TSV has tabs and nothing else.
"""

from __future__ import annotations

import csv
import io
from typing import Any, BinaryIO

from isegoria.errors import FileError
from isegoria.instance import Instance
from isegoria.instance.headings import AGENT, WEIGHT, misspelt_heading, resembles_long
from isegoria.io.plain import read_plain
from isegoria.io.read_options import ReadOptions


class SeparatedText:
    """One of the two formats: `separator` parts the columns, None where the file itself says which one does."""

    def __init__(self, separator: str | None = None) -> None:
        self.separator = separator

    def read(self, stream: BinaryIO, where: str, **keywords: Any) -> dict[str, Any]:
        """The parts of an `Instance`: a plain table at once, and whatever is odd with care.

        The file is long exactly when its header is agent,arm,value or …,weight.
        """
        options = ReadOptions.checked(**keywords)
        stream = stream if stream.seekable() else io.BytesIO(stream.read())
        parts = read_plain(stream, options, self.separator or ",")
        if parts is not None:
            return parts
        from isegoria.io.dialect import separated  # a plain table needs none of this
        from isegoria.io.tabular import parts_of
        from isegoria.io.text import decode

        stream.seek(0)
        return parts_of(separated(decode(stream.read(), where), where, self.separator), options)

    def write(self, instance: Instance) -> bytes:
        """UTF-8 text in wide form, or long where an arm's name would be taken for a heading; all digits are kept.

        Names that have any separator in them are quoted, so that none is misread.
        """
        from isegoria.io.dialect import SEPARATORS

        _check_names(instance)
        quoted = any(each in name for name in (*instance.agents, *instance.arms) for each in SEPARATORS)
        text = io.StringIO(newline="")
        csv.writer(
            text,
            lineterminator="\n",
            delimiter=self.separator or ",",
            quoting=csv.QUOTE_NONNUMERIC if quoted else csv.QUOTE_MINIMAL,
        ).writerows(_rows(instance))
        return text.getvalue().encode("utf-8")


CSV, TSV = SeparatedText(), SeparatedText("\t")


def _rows(instance: Instance) -> list[list[Any]]:
    """The header and the lines, long where an arm's name would be taken for a heading."""
    from isegoria.io import long

    weighted = bool((instance.weights != 1).any())
    header = [AGENT, *instance.arms, *[WEIGHT] * weighted]
    if any(map(misspelt_heading, instance.arms)) or resembles_long(header):
        header, rows = long.table(instance)
        return [header, *rows]
    lines = zip(instance.agents, instance.means.tolist(), instance.weights.tolist(), strict=True)
    return [header, *([agent, *means, *[weight] * weighted] for agent, means, weight in lines)]


def _check_names(instance: Instance) -> None:
    for name in (*instance.agents, *instance.arms):
        if name != name.strip() or "\r" in name:
            raise FileError(f"the name {name!r} has spaces or a line end that CSV loses; rename it, or write JSON.")
