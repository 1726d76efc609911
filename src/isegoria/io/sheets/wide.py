"""Wide tables: one row per agent, one column per arm."""

from __future__ import annotations

from typing import Any

import numpy as np

from isegoria.errors import FileError
from isegoria.io.option_suggestions import AdvisedMessage
from isegoria.io.sheets.cells import parse_weights
from isegoria.io.sheets.column_roles import ColumnRoles, find_roles
from isegoria.io.sheets.flag_suggestions import advise_for_text, suggest_long_flags
from isegoria.io.sheets.gaps import resolve_gaps
from isegoria.io.sheets.rating_parser import NotARatingError, RatingParser
from isegoria.io.sheets.read_options import ReadOptions
from isegoria.io.sheets.sheet import Sheet
from isegoria.profiles.headings import WEIGHT_HEADING


def read(sheet: Sheet, options: ReadOptions) -> dict[str, Any]:
    """Return the parts of an `Instance`."""
    ratings = RatingParser(options, sheet.notes)
    roles = find_roles(sheet, options, ratings)
    agents = None if roles.agent is None else sheet.names(roles.agent)
    _require_unique_agents(agents or [], sheet)
    arms = list(roles.arms)

    def place(row: int, arm: int) -> str:
        whose = f" (agent '{agents[row]}')" if agents else ""
        return f"{sheet.line(row)}, column '{arms[arm]}'{whose}"

    means = _parse_means(sheet, roles, ratings, place)
    parts: dict[str, Any] = {"means": means, "agents": agents, "arms": arms}
    if roles.weight is not None:
        weights = [row[roles.weight] for row in sheet.rows]
        parts["weights"] = parse_weights(weights, lambda row: f"{sheet.line(row)}, column '{WEIGHT_HEADING}'")
    return resolve_gaps(parts, options, sheet.where, sheet.notes.append)


def _parse_means(sheet: Sheet, roles: ColumnRoles, ratings: RatingParser, place: Any) -> np.ndarray:
    """Return the means of the arms' columns; if a column holds text, the error proposes the flags that would help."""
    columns = list(roles.arms.values())
    try:
        return ratings.means(sheet.cells(columns), place)
    except NotARatingError as error:
        raise FileError(
            advise_for_text(error.message, sheet, columns[error.column], columns, roles.agent, ratings)
        ) from None


def _require_unique_agents(agents: list[str], sheet: Sheet) -> None:
    if len(set(agents)) == len(agents):
        return
    seen: dict[str, int] = {}
    suggestion = suggest_long_flags(sheet)
    advice = "."
    if suggestion is not None:
        advice = f"; or, if there is one line for each agent and arm, say {suggestion.to_flags()}."
    for row, name in enumerate(agents):
        if name in seen:
            raise FileError(
                AdvisedMessage(
                    f"{sheet.line(row)}: the agent '{name}' is on {sheet.unit} {sheet.number(seen[name])} already; "
                    "give every agent a name of its own, or one line with a column 'weight' for identical agents",
                    advice,
                    [] if suggestion is None else [suggestion],
                )
            )
        seen[name] = row
