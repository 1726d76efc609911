"""Wide tables: one row for each agent, one column for each arm."""

from __future__ import annotations

from typing import Any

import numpy as np

from isegoria.errors import FileError
from isegoria.instance.headings import WEIGHT
from isegoria.io.cells import whole_numbers
from isegoria.io.proposals import long_flags, text_advice
from isegoria.io.ratings import NoRating, Ratings, without_gaps
from isegoria.io.read_options import ReadOptions
from isegoria.io.roles import Roles, find_roles
from isegoria.io.sheet import Sheet


def read(sheet: Sheet, options: ReadOptions) -> dict[str, Any]:
    """The parts of an `Instance`."""
    ratings = Ratings(options, sheet.notes)
    roles = find_roles(sheet, options, ratings)
    agents = None if roles.agent is None else sheet.names(roles.agent)
    _refuse_twice(agents or [], sheet)
    arms = list(roles.arms)

    def place(row: int, arm: int) -> str:
        whose = f" (agent '{agents[row]}')" if agents else ""
        return f"{sheet.line(row)}, column '{arms[arm]}'{whose}"

    means = _means(sheet, roles, ratings, place)
    parts: dict[str, Any] = {"means": means, "agents": agents, "arms": arms}
    if roles.weight is not None:
        weights = [row[roles.weight] for row in sheet.rows]
        parts["weights"] = whole_numbers(weights, lambda row: f"{sheet.line(row)}, column '{WEIGHT}'")
    return without_gaps(parts, sheet.where, sheet.notes.append) if options.missing == "drop" else parts


def _means(sheet: Sheet, roles: Roles, ratings: Ratings, place: Any) -> np.ndarray:
    """The means of the arms' columns; a refusal ends with the flags that would help, where the column holds text."""
    columns = list(roles.arms.values())
    try:
        return ratings.means(sheet.cells(columns), place)
    except NoRating as error:
        raise FileError(f"{error}{text_advice(sheet, columns[error.column], columns, roles.agent, ratings)}") from None


def _refuse_twice(agents: list[str], sheet: Sheet) -> None:
    if len(set(agents)) == len(agents):
        return
    seen: dict[str, int] = {}
    proposed = long_flags(sheet)
    otherwise = f"; or, if there is one line for each agent and arm, say {proposed}" if proposed else ""
    for row, name in enumerate(agents):
        if name in seen:
            raise FileError(
                f"{sheet.line(row)}: the agent '{name}' is on {sheet.unit} {sheet.number(seen[name])} already; give "
                "every agent a name of its own, or one line with a column 'weight' for identical agents"
                f"{otherwise}."
            )
        seen[name] = row
