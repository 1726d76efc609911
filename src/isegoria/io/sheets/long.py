"""Long tables: one row per agent and arm, headed `agent,arm,value` or `agent,arm,value,weight`."""

from __future__ import annotations

from typing import Any

import numpy as np

from isegoria.errors import FileError
from isegoria.io.option_suggestions import AdvisedMessage, OptionSuggestion
from isegoria.io.sheets.cells import parse_weights
from isegoria.io.sheets.gaps import pivot_long
from isegoria.io.sheets.rating_parser import RatingParser
from isegoria.io.sheets.read_options import ReadOptions
from isegoria.io.sheets.sheet import Sheet
from isegoria.profiles import Instance
from isegoria.profiles.headings import LONG_HEADERS

LONG_ROLES = ("agent", "arm", "value")
EXAMPLE_COLUMNS = OptionSuggestion.of(columns="user=agent,item=arm,rating=value")


def is_long(sheet: Sheet, options: ReadOptions) -> bool:
    """Check whether the table is long: by its header, or because `columns` gives the roles of a long table."""
    roles = (options.columns or {}).values()
    return tuple(sheet.header) in LONG_HEADERS or "arm" in roles or "value" in roles


def read(sheet: Sheet, options: ReadOptions) -> dict[str, Any]:
    """Return the parts of an `Instance`; agents and arms are in the order of their first lines."""
    agent, arm, value, weight = _find_columns(sheet, options)
    agents, rows = _encode_names(sheet.names(agent))
    arms, columns = _encode_names(sheet.names(arm))
    _require_unique_pairs(sheet, rows, columns, agents, arms)
    ratings = RatingParser(options, sheet.notes)

    def place(row: int, _: int) -> str:
        named = f"(agent '{agents[rows[row]]}', arm '{arms[columns[row]]}')"
        return f"{sheet.line(row)}, column '{sheet.header[value]}' {named}"

    values = ratings.means([row[value : value + 1] for row in sheet.rows], place)[:, 0]
    parts = pivot_long(rows, columns, values, agents, arms, options, sheet.where, sheet.notes.append)
    if weight is not None:
        weights = dict(zip(agents, _parse_agent_weights(sheet, rows, agents, weight), strict=True))
        parts["weights"] = [weights[agent] for agent in parts["agents"]]
    return parts


def to_long_rows(instance: Instance) -> tuple[list[str], list[list[Any]]]:
    """Return the header and the rows of `instance` in long form."""
    weighted = bool((instance.weights != 1).any())
    rows = [
        [agent, arm, mean, *[weight] * weighted]
        for agent, means, weight in zip(
            instance.agents, instance.means.tolist(), instance.weights.tolist(), strict=True
        )
        for arm, mean in zip(instance.arms, means, strict=True)
    ]
    return ["agent", "arm", "value", *["weight"] * weighted], rows


def _find_columns(sheet: Sheet, options: ReadOptions) -> tuple[int, int, int, int | None]:
    """Return the columns of agent, arm, value and weight (or None); others are left out, and a note says so."""
    given = {role: sheet.find(heading) for heading, role in (options.columns or {}).items()}
    for role in (*LONG_ROLES, "weight"):
        if role not in given and role in sheet.header:
            given[role] = sheet.header.index(role)
    for role in LONG_ROLES:
        if role not in given:
            raise FileError(
                AdvisedMessage(
                    f"{sheet.top}: no column is the {role}; a table with one line for each agent and arm needs agent, "
                    "arm and value.",
                    f" Say {EXAMPLE_COLUMNS.to_flags()} with its own headings (columns= in Python).",
                    [EXAMPLE_COLUMNS],
                )
            )
    others = [name for k, name in enumerate(sheet.header) if k not in given.values()]
    if others:
        sheet.notes.append(f"{', '.join(map(repr, others))} {'is' if len(others) == 1 else 'are'} left out")
    return given["agent"], given["arm"], given["value"], given.get("weight")


def _encode_names(names: list[str]) -> tuple[list[str], np.ndarray]:
    """Return the distinct names in order of appearance, and the index of each line's name."""
    numbers: dict[str, int] = {}
    codes = np.fromiter((numbers.setdefault(name, len(numbers)) for name in names), dtype=np.int64, count=len(names))
    return list(numbers), codes


def _require_unique_pairs(sheet: Sheet, rows: Any, columns: Any, agents: list[str], arms: list[str]) -> None:
    order = np.lexsort((columns, rows))
    again = (np.diff(rows[order]) == 0) & (np.diff(columns[order]) == 0)
    if again.any():
        first, second = order[again.argmax()], order[again.argmax() + 1]
        raise FileError(
            f"{sheet.line(int(second))}: agent '{agents[rows[first]]}' and arm '{arms[columns[first]]}' are on "
            f"{sheet.unit} {sheet.number(int(first))} already; keep one of the two."
        )


def _parse_agent_weights(sheet: Sheet, rows: np.ndarray, agents: list[str], column: int) -> list[int]:
    given = parse_weights([row[column] for row in sheet.rows], lambda row: f"{sheet.line(row)}, column 'weight'")
    weights: dict[int, int] = {}
    for row, (agent, weight) in enumerate(zip(rows.tolist(), given, strict=True)):
        if weights.setdefault(agent, weight) != weight:
            raise FileError(
                f"{sheet.line(row)}: agent '{agents[agent]}' has the weight {weight} here and "
                f"{weights[agent]} above; an agent has one weight."
            )
    return [weights[agent] for agent in range(len(agents))]
