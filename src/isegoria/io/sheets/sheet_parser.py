"""Convert a sheet of text cells, long or wide, to the parts of an `Instance`."""

from __future__ import annotations

from typing import Any

from isegoria.errors import FileError
from isegoria.io.option_suggestions import AdvisedMessage
from isegoria.io.sheets import long, wide
from isegoria.io.sheets.read_options import ReadOptions
from isegoria.io.sheets.sheet import Sheet
from isegoria.profiles.headings import LONG_HEADERS, is_long_header_variant


def parse_sheet(sheet: Sheet, options: ReadOptions) -> dict[str, Any]:
    """Return the parts of an `Instance`, with `notes`: the decisions made in reading the sheet."""
    if long.is_long(sheet, options):
        for name, given in (("agent", options.agent), ("ignore", options.ignore)):
            if given:
                raise FileError(
                    AdvisedMessage(
                        f"{sheet.where} has one line for each agent and arm, where {name} means nothing",
                        f"; give the roles of its columns with {long.EXAMPLE_COLUMNS.to_flags()} (columns= in Python).",
                        [long.EXAMPLE_COLUMNS],
                    )
                )
        return {**long.read(sheet, options), "notes": sheet.notes}
    if is_long_header_variant(sheet.header) and not (options.agent or options.ignore or options.columns):
        expected = ",".join(max(LONG_HEADERS, key=len)[: len(sheet.header)])
        raise FileError(
            f"{sheet.top} is {','.join(sheet.header)}, which looks like {expected}; write it exactly so, and the "
            "columns in that order, for one line per agent and arm, or rename the arms."
        )
    return {**wide.read(sheet, options), "notes": sheet.notes}
