"""Which column of a wide table is what: the agents' names, the weights, the arms, and what is left out.

A form's export is known by a column `Timestamp` and headings `Question [option]`: the timestamp is left out, the only
column of text that is left names the agents, and the brackets name the arms. Whatever else the rules cannot settle is
refused, with the flags that would.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from isegoria.errors import FileError
from isegoria.instance.headings import (
    AGENT,
    OPTION,
    RESERVED,
    TIMESTAMP,
    WEIGHT,
    is_form,
    misspelt_heading,
    normal_heading,
)
from isegoria.io.cells import is_number
from isegoria.io.proposals import flags, quoted, ways_out
from isegoria.io.ratings import Ratings
from isegoria.io.read_options import ReadOptions
from isegoria.io.sheet import Sheet


class Roles(NamedTuple):
    """The places of the agents' names and of the weights (None where there are none), and the arms by their names."""

    agent: int | None
    weight: int | None
    arms: dict[str, int]


def find_roles(sheet: Sheet, options: ReadOptions, ratings: Ratings) -> Roles:
    """The roles of the columns of a wide `sheet`, as asked for, or as the headings say."""
    if sheet.bare:
        return Roles(None, None, {name: k for k, name in enumerate(sheet.header)})
    given = {role: sheet.find(heading) for heading, role in (options.columns or {}).items()}
    ignored = {sheet.find(heading) for heading in options.ignore}
    form = is_form(sheet.header)
    weight = given.get(WEIGHT, sheet.header.index(WEIGHT) if WEIGHT in sheet.header else None)
    weight = None if weight in ignored else weight
    named = sheet.find(options.agent) if options.agent else given.get(AGENT)
    if form:
        ignored |= _timestamps(sheet, named)
    _refuse_slips(sheet, named, ignored)
    left = [k for k in range(len(sheet.header)) if k not in ignored | {weight}]
    if named is None and AGENT in sheet.header and sheet.header.index(AGENT) in left:
        named = sheet.header.index(AGENT)
    elif named is None:
        named = _form_agent(sheet, left, ratings) if form else _first(sheet, left, ratings)
    arms = [k for k in left if k != named]
    return Roles(
        named, weight, _arms(sheet, arms, form, {sheet.header[k]: k for k in (named, weight) if k is not None})
    )


def _timestamps(sheet: Sheet, named: int | None) -> set[int]:
    found = {k for k, name in enumerate(sheet.header) if name.casefold() == TIMESTAMP and k != named}
    if found:
        sheet.notes.append(f"'{sheet.header[min(found)]}' is left out")
    return found


def _refuse_slips(sheet: Sheet, named: int | None, ignored: set[int]) -> None:
    """Raise for a heading such as `Weight`; `Agent` is well where the names stand anyway, in the first column."""
    for k, name in enumerate(sheet.header):
        names = k == named or (k == 0 and normal_heading(name) == AGENT and AGENT not in sheet.header)
        if name not in RESERVED and misspelt_heading(name) and not names and k not in ignored:
            raise FileError(f"{sheet.top}: {misspelt_heading(name)}")


def _form_agent(sheet: Sheet, left: list[int], ratings: Ratings) -> int | None:
    """The only column of text that is no option; without one, the agents are numbered."""
    texts = [
        k for k in left if not OPTION.fullmatch(sheet.header[k]) and not all(map(ratings.understands, sheet.column(k)))
    ]
    if len(texts) > 1:
        names = ", ".join(f"'{sheet.header[k]}'" for k in texts)
        raise FileError(
            f"{sheet.top}: the columns {names} hold text, and one of them should name the agents; "
            f"say {flags(sheet, ratings, texts, words=False)} (agent= and ignore= in Python)."
        )
    if not texts:
        sheet.notes.append("no column names the agents, so they are numbered")
        return None
    sheet.notes.append(f"'{sheet.header[texts[0]]}' names the agents")
    return texts[0]


def _first(sheet: Sheet, left: list[int], ratings: Ratings) -> int:
    """The first column, if it holds names."""
    if not left:
        raise FileError(f"{sheet.top}: every column is left out; ignore fewer of them.")
    first = left[0]
    if all(is_number(row[first]) for row in sheet.rows) and normal_heading(sheet.header[first]) != AGENT:
        raise FileError(
            f"{sheet.top}: the first column '{sheet.header[first]}' holds numbers only; expected the agents' names "
            f"there. Head that column 'agent', or put one so headed before it{ways_out(sheet, ratings)}."
        )
    if len(sheet.header) > 1 and all(map(is_number, sheet.header[1:])):
        raise FileError(
            f"{sheet.top} holds numbers where the names of the arms should be; "
            "put a header above it, such as agent,tea,coffee."
        )
    return first


def _arms(sheet: Sheet, columns: list[int], form: bool, others: dict[str, int]) -> dict[str, int]:
    """The arms' columns by their names, all different, also from the `others`."""
    if not columns:
        marks = len(sheet.header) == 1 and re.search(r"\w[\s:/]+\w", sheet.header[0])
        between = ", with commas, semicolons, tabs or bars between the columns" if marks else ""
        raise FileError(f"{sheet.top} names no arms; expected a header such as agent,tea,coffee{between}.")
    arms: dict[str, int] = {}
    for k in columns:
        name = _option(sheet, k) if form else sheet.header[k]
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


def _option(sheet: Sheet, k: int) -> str:
    """The option in the brackets of a form's heading."""
    found = OPTION.fullmatch(sheet.header[k])
    if not found:
        raise FileError(
            f"{sheet.top}: column {k + 1}, '{sheet.header[k]}', is no option of a question, as those with brackets "
            f"are; say --ignore {quoted(sheet.header[k])} (ignore= in Python), or head it '[name of the arm]'."
        )
    return found[1].strip()
