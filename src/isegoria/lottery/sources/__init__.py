"""Where the randomness of a record comes from. A new source is one module beside this one, and one line here."""

from __future__ import annotations

from isegoria.lottery.sources.base import Source
from isegoria.registry import Table

SOURCES: Table[Source] = Table(
    "source",
    {
        "rehearsal": "isegoria.lottery.sources.rehearsal:SOURCE",
        "dice": "isegoria.lottery.sources.dice:SOURCE",
        "group": "isegoria.lottery.sources.group:SOURCE",
        "beacon": "isegoria.lottery.sources.beacon:SOURCE",
    },
)

__all__ = ["SOURCES", "Source"]
