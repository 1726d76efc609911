"""CSV: wide, with one line for each agent (`agent,tea,coffee`), or long, with one for each agent and arm."""

from __future__ import annotations

import csv
import io
from typing import BinaryIO

from isegoria.errors import FileError
from isegoria.instance import Instance
from isegoria.instance.headings import RESERVED, meant, slip
from isegoria.io import long
from isegoria.io.cells import is_number, matrix, rescaled, whole_numbers
from isegoria.io.sheet import Sheet
from isegoria.io.text import decode

AGENT, WEIGHT = "agent", "weight"


def read(stream: BinaryIO, where: str, scale: tuple[float, float] | None = None) -> dict:
    """The parts of an `Instance`; the file is long exactly when its header is agent,arm,value or …,weight."""
    sheet = Sheet(decode(stream.read(), where), where)
    if tuple(sheet.header) in long.HEADERS:
        return long.read(sheet, scale)
    if long.resembles(sheet.header):
        expected = ",".join(max(long.HEADERS, key=len)[: len(sheet.header)])
        raise FileError(
            f"{where}, line 1 is {','.join(sheet.header)}, which looks like {expected}; write it exactly so, and the "
            "columns in that order, for one line per agent and arm, or rename the arms."
        )
    return _read_wide(sheet, scale)


def write(instance: Instance) -> bytes:
    """UTF-8 text in wide form, or long where an arm's name would be taken for a heading; all digits are kept."""
    _check_names(instance)
    weighted = bool((instance.weights != 1).any())
    header = [AGENT, *instance.arms, *[WEIGHT] * weighted]
    if any(map(slip, instance.arms)) or long.resembles(header):
        header, rows = long.table(instance)
    else:
        rows = [
            [agent, *means, *[weight] * weighted]
            for agent, means, weight in zip(
                instance.agents, instance.means.tolist(), instance.weights.tolist(), strict=True
            )
        ]
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    return text.getvalue().encode("utf-8")


def _read_wide(sheet: Sheet, scale: tuple[float, float] | None) -> dict:
    _refuse_slips(sheet)
    named = _agent_column(sheet)
    weighted = sheet.header.index(WEIGHT) if WEIGHT in sheet.header else None
    columns = [k for k in range(len(sheet.header)) if k not in (named, weighted)]
    arms = _arms(sheet, columns, {sheet.header[k]: k for k in (named, weighted) if k is not None})
    agents = sheet.names(named)
    _refuse_twice(agents, sheet)

    def place(row: int, arm: int) -> str:
        return f"{sheet.line(row)}, column '{arms[arm]}' (agent '{agents[row]}')"

    values = matrix(sheet.cells(columns), place)
    parts = {"means": rescaled(values, scale, place), "agents": agents, "arms": arms}
    if weighted is not None:
        weights = [row[weighted] for row in sheet.rows]
        parts["weights"] = whole_numbers(weights, lambda row: f"{sheet.line(row)}, column '{WEIGHT}'")
    return parts


def _refuse_slips(sheet: Sheet) -> None:
    """Raise for a heading such as `Weight`; `Agent` is well where the names stand anyway, in the first column."""
    for k, name in enumerate(sheet.header):
        names = k == 0 and meant(name) == AGENT and AGENT not in sheet.header
        if name not in RESERVED and slip(name) and not names:
            raise FileError(f"{sheet.where}, line 1: {slip(name)}")


def _agent_column(sheet: Sheet) -> int:
    """The column of the agents' names: the one headed `agent`, or the first, if it holds names."""
    if AGENT in sheet.header:
        return sheet.header.index(AGENT)
    if all(is_number(row[0]) for row in sheet.rows) and meant(sheet.header[0]) != AGENT:
        raise FileError(
            f"{sheet.where}, line 1: the first column '{sheet.header[0]}' holds numbers only; "
            "expected the agents' names there. Head that column 'agent', or put one so headed before it."
        )
    if len(sheet.header) > 1 and all(map(is_number, sheet.header[1:])):
        raise FileError(
            f"{sheet.where}, line 1 holds numbers where the names of the arms should be; "
            "put a header above it, such as agent,tea,coffee."
        )
    return 0


def _arms(sheet: Sheet, columns: list[int], others: dict[str, int]) -> list[str]:
    """The names of the arms' columns, all different, also from the `others`."""
    if not columns:
        raise FileError(f"{sheet.where}, line 1 names no arms; expected a header such as agent,tea,coffee.")
    seen = dict(others)
    for k in columns:
        name = sheet.header[k]
        if not name:
            raise FileError(f"{sheet.where}, line 1: column {k + 1} has no name; name the arm, or delete the column.")
        if name in seen:
            raise FileError(
                f"{sheet.where}, line 1: columns {seen[name] + 1} and {k + 1} are both named '{name}'; "
                "give every arm a name of its own."
            )
        seen[name] = k
    return [sheet.header[k] for k in columns]


def _refuse_twice(agents: list[str], sheet: Sheet) -> None:
    if len(set(agents)) == len(agents):
        return
    seen: dict[str, int] = {}
    for row, name in enumerate(agents):
        if name in seen:
            first = sheet.line(seen[name]).rpartition(" ")[2]
            raise FileError(
                f"{sheet.line(row)}: the agent '{name}' is on line {first} already; give every agent a name of its "
                "own, or one line with a column 'weight' for identical agents."
            )
        seen[name] = row


def _check_names(instance: Instance) -> None:
    for name in (*instance.agents, *instance.arms):
        if name != name.strip() or "\r" in name:
            raise FileError(f"the name {name!r} has spaces or a line end that CSV loses; rename it, or write JSON.")
