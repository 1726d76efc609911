"""CSV: wide, with one line per agent (`agent,tea,coffee`), or long, with one line per agent and arm.

Semicolons, tabs and bars are accepted as separators where only one of them makes a table. TSV uses tabs only. The two
tables of votes in an export of Polis are recognised by their headings.
"""

from __future__ import annotations

import csv
import io
from typing import Any, BinaryIO

from isegoria.errors import FileError
from isegoria.io.readers import polis_export
from isegoria.io.sheets.fast_csv import read_plain_table
from isegoria.io.sheets.read_options import ReadOptions
from isegoria.profiles import Instance
from isegoria.profiles.headings import AGENT_HEADING, WEIGHT_HEADING, describe_misspelling, is_long_header_variant


class DelimitedText:
    """CSV or TSV: `separator` separates the columns; None means that it is detected in each file."""

    def __init__(self, separator: str | None = None) -> None:
        self.separator = separator

    def read(self, stream: BinaryIO, where: str, **keywords: Any) -> dict[str, Any]:
        """Return the parts of an `Instance`: try the fast reader of plain tables first, then the careful one.

        The file is long if its header is agent,arm,value or agent,arm,value,weight, or if `columns` gives the role arm
        or value.
        """
        options = ReadOptions.checked(**keywords)
        stream = stream if stream.seekable() else io.BytesIO(stream.read())
        head = stream.readline()
        stream.seek(0)
        if self.separator is None and polis_export.is_export_header(head):
            return polis_export.parse_export(stream.read(), where, options)
        parts = read_plain_table(stream, options, self.separator or ",")
        if parts is not None:
            return parts
        from isegoria.io.sheets.separators import parse_separated_text  # a plain table needs none of this
        from isegoria.io.sheets.sheet_parser import parse_sheet
        from isegoria.io.storage.text_decoding import decode_text

        stream.seek(0)
        return parse_sheet(parse_separated_text(decode_text(stream.read(), where), where, self.separator), options)

    def write(self, instance: Instance) -> bytes:
        """Return the instance as UTF-8 text in wide form, or long if an arm's name would be taken for a heading.

        All digits are kept. If a name contains any of the separators, all text is quoted, so that none is misread.
        """
        from isegoria.io.sheets.separators import SEPARATOR_NAMES

        _require_csv_names(instance)
        quoted = any(each in name for name in (*instance.agents, *instance.arms) for each in SEPARATOR_NAMES)
        text = io.StringIO(newline="")
        csv.writer(
            text,
            lineterminator="\n",
            delimiter=self.separator or ",",
            quoting=csv.QUOTE_NONNUMERIC if quoted else csv.QUOTE_MINIMAL,
        ).writerows(_build_rows(instance))
        return text.getvalue().encode("utf-8")


CSV_FORMAT, TSV_FORMAT = DelimitedText(), DelimitedText("\t")


def _build_rows(instance: Instance) -> list[list[Any]]:
    """Return the header and the lines, in long form if an arm's name would be taken for a heading."""
    from isegoria.io.sheets import long

    weighted = bool((instance.weights != 1).any())
    header = [AGENT_HEADING, *instance.arms, *[WEIGHT_HEADING] * weighted]
    if any(map(describe_misspelling, instance.arms)) or is_long_header_variant(header):
        header, rows = long.to_long_rows(instance)
        return [header, *rows]
    lines = zip(instance.agents, instance.means.tolist(), instance.weights.tolist(), strict=True)
    return [header, *([agent, *means, *[weight] * weighted] for agent, means, weight in lines)]


def _require_csv_names(instance: Instance) -> None:
    for name in (*instance.agents, *instance.arms):
        if name != name.strip() or "\r" in name:
            raise FileError(f"the name {name!r} has spaces or a line end that CSV loses; rename it, or write JSON.")
