"""A sheet of text cells to the parts of an `Instance`: long or wide, with a note of what was decided."""

from __future__ import annotations

from typing import Any

from isegoria.errors import FileError
from isegoria.instance.headings import LONG, resembles_long
from isegoria.io import long, wide
from isegoria.io.read_options import ReadOptions
from isegoria.io.sheet import Sheet


def parts_of(sheet: Sheet, options: ReadOptions) -> dict[str, Any]:
    """The parts of an `Instance`, and `notes`: what was decided in reading it."""
    if long.is_long(sheet, options):
        for name, given in (("agent", options.agent), ("ignore", options.ignore)):
            if given:
                raise FileError(
                    f"{sheet.where} has one line for each agent and arm, where {name} means nothing; give the roles of "
                    "its columns with --columns user=agent,item=arm,rating=value (columns= in Python)."
                )
        return {**long.read(sheet, options), "notes": sheet.notes}
    if resembles_long(sheet.header) and not (options.agent or options.ignore or options.columns):
        expected = ",".join(max(LONG, key=len)[: len(sheet.header)])
        raise FileError(
            f"{sheet.top} is {','.join(sheet.header)}, which looks like {expected}; write it exactly so, and the "
            "columns in that order, for one line per agent and arm, or rename the arms."
        )
    return {**wide.read(sheet, options), "notes": sheet.notes}
