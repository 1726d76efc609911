"""Find the roles of the columns in a wide table: the agents' names, the weights, the arms, and what is left out.

A form's export is recognised by a column `Timestamp` and headings `Question [option]`. The timestamp is left out, the
only remaining column of text names the agents, and the brackets name the arms. Anything that these rules do not decide
is refused, with the flags that would decide it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from isegoria.errors import FileError
from isegoria.io.option_suggestions import AdvisedMessage, OptionSuggestion
from isegoria.io.sheets.cells import is_number
from isegoria.io.sheets.flag_suggestions import advise_alternatives, suggest_flags
from isegoria.io.sheets.rating_parser import RatingParser
from isegoria.io.sheets.read_options import ReadOptions
from isegoria.io.sheets.sheet import Sheet
from isegoria.profiles.headings import (
    AGENT_HEADING,
    FORM_OPTION_PATTERN,
    RESERVED_HEADINGS,
    TIMESTAMP_HEADING,
    WEIGHT_HEADING,
    describe_misspelling,
    is_form_export,
    normalise_heading,
)


class ColumnRoles(NamedTuple):
    """The columns of the agents' names and of the weights (None if there is none), and those of the arms by name."""

    agent: int | None
    weight: int | None
    arms: dict[str, int]


def find_roles(sheet: Sheet, options: ReadOptions, ratings: RatingParser) -> ColumnRoles:
    """Return the roles of the columns of a wide `sheet`, as given in `options`, or by the headings."""
    if sheet.bare:
        return ColumnRoles(None, None, {name: k for k, name in enumerate(sheet.header)})
    given = {role: sheet.find(heading) for heading, role in (options.columns or {}).items()}
    ignored = {sheet.find(heading) for heading in options.ignore}
    form = is_form_export(sheet.header)
    weight = given.get(WEIGHT_HEADING, sheet.header.index(WEIGHT_HEADING) if WEIGHT_HEADING in sheet.header else None)
    weight = None if weight in ignored else weight
    named = sheet.find(options.agent) if options.agent else given.get(AGENT_HEADING)
    if form:
        ignored |= _find_timestamps(sheet, named)
    _reject_misspelt_headings(sheet, named, ignored)
    left = [k for k in range(len(sheet.header)) if k not in ignored | {weight}]
    if named is None and AGENT_HEADING in sheet.header and sheet.header.index(AGENT_HEADING) in left:
        named = sheet.header.index(AGENT_HEADING)
    elif named is None:
        named = _find_form_agent(sheet, left, ratings) if form else _require_name_column(sheet, left, ratings)
    arms = [k for k in left if k != named]
    return ColumnRoles(
        named, weight, _name_arms(sheet, arms, form, {sheet.header[k]: k for k in (named, weight) if k is not None})
    )


def _find_timestamps(sheet: Sheet, named: int | None) -> set[int]:
    found = {k for k, name in enumerate(sheet.header) if name.casefold() == TIMESTAMP_HEADING and k != named}
    if found:
        sheet.notes.append(f"'{sheet.header[min(found)]}' is left out")
    return found


def _reject_misspelt_headings(sheet: Sheet, named: int | None, ignored: set[int]) -> None:
    """Raise `FileError` for a heading such as `Weight`; `Agent` is accepted for the first column, the names."""
    for k, name in enumerate(sheet.header):
        names = k == named or (
            k == 0 and normalise_heading(name) == AGENT_HEADING and AGENT_HEADING not in sheet.header
        )
        if name not in RESERVED_HEADINGS and describe_misspelling(name) and not names and k not in ignored:
            raise FileError(f"{sheet.top}: {describe_misspelling(name)}")


def _find_form_agent(sheet: Sheet, left: list[int], ratings: RatingParser) -> int | None:
    """Return the only text column that is not an option; None, with a note, if there is none."""
    texts = [
        k
        for k in left
        if not FORM_OPTION_PATTERN.fullmatch(sheet.header[k]) and not all(map(ratings.understands, sheet.column(k)))
    ]
    if len(texts) > 1:
        names = ", ".join(f"'{sheet.header[k]}'" for k in texts)
        suggestion = suggest_flags(sheet, ratings, texts, words=False)
        raise FileError(
            AdvisedMessage(
                f"{sheet.top}: the columns {names} hold text, and one of them should name the agents",
                f"; say {suggestion.to_flags()} (agent= and ignore= in Python).",
                [suggestion],
            )
        )
    if not texts:
        sheet.notes.append("no column names the agents, so they are numbered")
        return None
    sheet.notes.append(f"'{sheet.header[texts[0]]}' names the agents")
    return texts[0]


def _require_name_column(sheet: Sheet, left: list[int], ratings: RatingParser) -> int:
    """Return the first column if it can hold names; else raise `FileError`."""
    if not left:
        raise FileError(f"{sheet.top}: every column is left out; ignore fewer of them.")
    first = left[0]
    if all(is_number(row[first]) for row in sheet.rows) and normalise_heading(sheet.header[first]) != AGENT_HEADING:
        raise FileError(
            advise_alternatives(
                f"{sheet.top}: the first column '{sheet.header[first]}' holds numbers only; expected the agents' names "
                "there. Head that column 'agent', or put one so headed before it",
                sheet,
                ratings,
            )
        )
    if len(sheet.header) > 1 and all(map(is_number, sheet.header[1:])):
        raise FileError(
            f"{sheet.top} holds numbers where the names of the arms should be; "
            "put a header above it, such as agent,tea,coffee."
        )
    return first


def _name_arms(sheet: Sheet, columns: list[int], form: bool, others: dict[str, int]) -> dict[str, int]:
    """Return the arms' columns by name; raise `FileError` unless names differ from each other and from the `others`."""
    if not columns:
        marks = len(sheet.header) == 1 and re.search(r"\w[\s:/]+\w", sheet.header[0])
        between = ", with commas, semicolons, tabs or bars between the columns" if marks else ""
        raise FileError(f"{sheet.top} names no arms; expected a header such as agent,tea,coffee{between}.")
    arms: dict[str, int] = {}
    for k in columns:
        name = _parse_option_heading(sheet, k) if form else sheet.header[k]
        if not name:
            raise FileError(f"{sheet.top}: column {k + 1} has no name; name the arm, or delete the column.")
        if name in others or name in arms:
            raise FileError(
                f"{sheet.top}: columns {({**others, **arms})[name] + 1} and {k + 1} are both named '{name}'; "
                "give every arm a name of its own."
            )
        arms[name] = k
    if form:
        sheet.notes.append("the arms are named by the brackets in the headings")
    return arms


def _parse_option_heading(sheet: Sheet, k: int) -> str:
    """Return the option in the brackets of a form's heading."""
    found = FORM_OPTION_PATTERN.fullmatch(sheet.header[k])
    if not found:
        suggestion = OptionSuggestion.of(ignore=sheet.header[k])
        raise FileError(
            AdvisedMessage(
                f"{sheet.top}: column {k + 1}, '{sheet.header[k]}', is no option of a question, as those with brackets "
                "are",
                f"; say {suggestion.to_flags()} (ignore= in Python), or head it '[name of the arm]'.",
                [suggestion],
            )
        )
    return found[1].strip()
