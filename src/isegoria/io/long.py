"""Long tables: one row for each agent and arm, headed `agent,arm,value` or `agent,arm,value,weight`."""

from __future__ import annotations

from typing import Any

import numpy as np

from isegoria.errors import FileError
from isegoria.instance import Instance
from isegoria.instance.headings import LONG
from isegoria.io.cells import GAP_ADVICE, whole_numbers
from isegoria.io.ratings import Ratings, fill, without_gaps
from isegoria.io.read_options import ReadOptions
from isegoria.io.sheet import Sheet
from isegoria.wording import counted

PARTS = ("agent", "arm", "value")


def is_long(sheet: Sheet, options: ReadOptions) -> bool:
    """Is it long: by its header, or because `columns` gives the roles of a long table?"""
    roles = (options.columns or {}).values()
    return tuple(sheet.header) in LONG or "arm" in roles or "value" in roles


def read(sheet: Sheet, options: ReadOptions) -> dict[str, Any]:
    """The parts of an `Instance`; agents and arms come in the order of their first lines."""
    agent, arm, value, weight = _places(sheet, options)
    agents, rows = _numbered(sheet.names(agent))
    arms, columns = _numbered(sheet.names(arm))
    cells = rows * len(arms) + columns
    _check_pairs(sheet, cells, agents, arms, rows, columns, options)
    ratings = Ratings(options, sheet.notes)

    def place(row: int, _: int) -> str:
        named = f"(agent '{agents[rows[row]]}', arm '{arms[columns[row]]}')"
        return f"{sheet.line(row)}, column '{sheet.header[value]}' {named}"

    means = np.full((len(agents), len(arms)), np.nan)
    means.reshape(-1)[cells] = ratings.means([row[value : value + 1] for row in sheet.rows], place)[:, 0]
    parts = {"means": fill(means, np.isnan(means), options, sheet.notes.append), "agents": agents, "arms": arms}
    if weight is not None:
        parts["weights"] = _weights(sheet, rows, agents, weight)
    return without_gaps(parts, sheet.where, sheet.notes.append) if options.missing == "drop" else parts


def table(instance: Instance) -> tuple[list[str], list[list[Any]]]:
    """The header and the rows of `instance` in this form."""
    weighted = bool((instance.weights != 1).any())
    rows = [
        [agent, arm, mean, *[weight] * weighted]
        for agent, means, weight in zip(
            instance.agents, instance.means.tolist(), instance.weights.tolist(), strict=True
        )
        for arm, mean in zip(instance.arms, means, strict=True)
    ]
    return ["agent", "arm", "value", *["weight"] * weighted], rows


def _places(sheet: Sheet, options: ReadOptions) -> tuple[int, int, int, int | None]:
    """The columns of agent, arm, value and, where there is one, weight; others are left out, and said."""
    given = {role: sheet.find(heading) for heading, role in (options.columns or {}).items()}
    for role in (*PARTS, "weight"):
        if role not in given and role in sheet.header:
            given[role] = sheet.header.index(role)
    for role in PARTS:
        if role not in given:
            raise FileError(
                f"{sheet.top}: no column is the {role}; a table with one line for each agent and arm needs agent, arm "
                "and value. Say --columns user=agent,item=arm,rating=value with its own headings (columns= in Python)."
            )
    others = [name for k, name in enumerate(sheet.header) if k not in given.values()]
    if others:
        sheet.notes.append(f"{', '.join(map(repr, others))} {'is' if len(others) == 1 else 'are'} left out")
    return given["agent"], given["arm"], given["value"], given.get("weight")


def _numbered(names: list[str]) -> tuple[list[str], np.ndarray]:
    """The distinct names in order of appearance, and the number of each line's name."""
    numbers: dict[str, int] = {}
    codes = np.fromiter((numbers.setdefault(name, len(numbers)) for name in names), dtype=np.int64, count=len(names))
    return list(numbers), codes


def _check_pairs(
    sheet: Sheet, cells: Any, agents: list[str], arms: list[str], rows: Any, columns: Any, options: ReadOptions
) -> None:
    counts = np.bincount(cells, minlength=len(agents) * len(arms))
    if (counts > 1).any():
        first, second = np.flatnonzero(cells == counts.argmax())[:2]
        raise FileError(
            f"{sheet.line(int(second))}: agent '{agents[rows[first]]}' and arm '{arms[columns[first]]}' are on "
            f"{sheet.unit} {sheet.number(int(first))} already; keep one of the two."
        )
    missing = np.flatnonzero(counts == 0)
    if missing.size and options.missing == "refuse":
        agent, arm = divmod(int(missing[0]), len(arms))
        others = f" (and {counted(missing.size - 1, 'more pair')})" if missing.size > 1 else ""
        raise FileError(
            f"{sheet.where} has no line for agent '{agents[agent]}' and arm '{arms[arm]}'{others}; "
            "every agent needs a value for every arm: add the line, or leave out that agent or arm altogether; "
            f"{GAP_ADVICE}."
        )


def _weights(sheet: Sheet, rows: np.ndarray, agents: list[str], column: int) -> list[int]:
    given = whole_numbers([row[column] for row in sheet.rows], lambda row: f"{sheet.line(row)}, column 'weight'")
    weights: dict[int, int] = {}
    for row, (agent, weight) in enumerate(zip(rows.tolist(), given, strict=True)):
        if weights.setdefault(agent, weight) != weight:
            raise FileError(
                f"{sheet.line(row)}: agent '{agents[agent]}' has the weight {weight} here and "
                f"{weights[agent]} above; an agent has one weight."
            )
    return [weights[agent] for agent in range(len(agents))]
