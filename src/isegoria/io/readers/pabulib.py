"""Pabulib's .pb format: the votes of a participatory budget, in the sections META, PROJECTS and VOTES with semicolons.

| vote_type | the mean of a project |
|---|---|
| approval, choose-1 | 1 if the voter approves it, 0 if not |
| cumulative, scoring | its points, on a scale from 0 (or the lowest points, if negative) to the maximum points |
| ordinal | the value that `rewards` gives to its rank |

A project that a ballot does not name has 0 points, or the value 0 in a ranking. A policy over projects says what to do
next, or how to share the money; it is not a set of projects that the budget pays for, and a note says so.
"""

from __future__ import annotations

import csv
import io
import operator
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from isegoria.errors import FileError, unknown_name_error
from isegoria.io.readers.rank_rewards import RankRewards
from isegoria.io.sheets.cells import is_number
from isegoria.io.storage.text_decoding import decode_text
from isegoria.utils.formatting import pluralise

SECTION_NAMES = ("meta", "projects", "votes")
APPROVAL_TYPES, POINT_TYPES, ORDER_TYPES = ("approval", "choose-1"), ("cumulative", "scoring"), ("ordinal",)


class SectionLine(NamedTuple):
    """One line of a section: its number, and its cells by the section's headings; a cell `none` counts as empty."""

    number: int
    cells: dict[str, str]


def read(stream: BinaryIO, where: str, rewards: str | Sequence[float] = "linear") -> dict[str, Any]:
    """Return the parts of an `Instance`: each voter is an agent, each project an arm."""
    sections = _parse_sections(decode_text(stream.read(), where), where)
    meta = {line.cells.get("key", ""): line.cells.get("value", "") for line in sections["meta"]}
    kind = _require_vote_type(meta, where)
    if kind not in ORDER_TYPES and not (isinstance(rewards, str) and rewards == "linear"):
        raise FileError(f"{where} holds {kind} votes, and rewards are for orders; leave them out.")
    places, arms = _parse_projects(sections["projects"], where)
    votes = sections["votes"]
    _validate_vote_count(meta, votes, where)
    ballots = [_parse_ballot(line, places, where) for line in votes]
    pointless = [kind in POINT_TYPES and "points" not in line.cells for line in votes]
    blank = [not ballot for ballot in ballots]
    notes = _build_notes(meta, len(arms), sum(blank), sum(map(operator.gt, pointless, blank)))
    agents = _name_voters(votes, notes)
    if kind in ORDER_TYPES:
        if any(0 < len(ballot) < len(arms) for ballot in ballots):
            notes.append("a project that a ballot does not rank is worth 0")
        means = _means_from_ranks(ballots, len(arms), RankRewards(rewards, where), [line.number for line in votes])
    elif kind in POINT_TYPES:
        means = _scale_points(votes, ballots, len(arms), meta, where)
    else:
        means = _fill_matrix(ballots, [[1.0] * len(ballot) for ballot in ballots], len(arms))
    return {"means": means, "agents": agents, "arms": arms, "notes": notes}


def _parse_sections(text: str, where: str) -> dict[str, list[SectionLine]]:
    """Return the lines of each section, by its name in lower case."""
    found: dict[str, list[SectionLine]] = {}
    header: list[str] | None = None
    section = None
    for number, row in _iter_rows(text, where):
        if row[0].lower() in SECTION_NAMES and len(list(filter(None, row))) == 1:
            section, header = row[0].lower(), None
            found[section] = []
        elif section is None:
            raise FileError(f"{where}, line {number} is {row[0][:40]!r}; expected the section META first.")
        elif header is None:
            header = [cell.lower() for cell in row]
        else:
            cells = zip(header, row, strict=False)
            found[section].append(
                SectionLine(number, {key: cell for key, cell in cells if cell and cell.lower() != "none"})
            )
    for name in SECTION_NAMES:
        if not found.get(name):
            raise FileError(f"{where} has nothing in the section {name.upper()}; expected META, PROJECTS and VOTES.")
    return found


def _iter_rows(text: str, where: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=";")
    number = 0
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield number + 1, [cell.strip() for cell in row]
            number = reader.line_num
    except csv.Error as error:
        raise FileError(f"{where}, line {number + 1}: not a .pb file: {error}.") from None


def _require_vote_type(meta: dict[str, str], where: str) -> str:
    kind = meta.get("vote_type", "").lower()
    known = (*APPROVAL_TYPES, *POINT_TYPES, *ORDER_TYPES)
    if kind not in known:
        raise FileError(f"{where}, META: {unknown_name_error('vote_type', kind, known)}")
    return kind


def _parse_projects(lines: list[SectionLine], where: str) -> tuple[dict[str, int], list[str]]:
    """Return the index of each project by its id, and the arms: the names, or the ids if names are not unique."""
    places: dict[str, int] = {}
    for line in lines:
        id_ = line.cells.get("project_id")
        if id_ is None or id_ in places:
            fault = "has no project_id" if id_ is None else f"has the project_id {id_} of another line"
            raise FileError(f"{where}, line {line.number} {fault}; give every project an id of its own.")
        places[id_] = len(places)
    names = [line.cells.get("name", "") for line in lines]
    return places, names if all(names) and len(set(names)) == len(names) else list(places)


def _parse_ballot(line: SectionLine, places: dict[str, int], where: str) -> list[int]:
    """Return the indices of the projects on a ballot, in its order."""
    ids = [id_.strip() for id_ in line.cells.get("vote", "").split(",") if id_.strip()]
    try:
        ballot = [places[id_] for id_ in ids]
    except KeyError as error:
        raise FileError(f"{where}, line {line.number}: project {error} is not in the section PROJECTS.") from None
    if len(set(ballot)) < len(ballot):
        raise FileError(f"{where}, line {line.number} has a project twice; name each once.")
    return ballot


def _scale_points(
    votes: list[SectionLine], ballots: list[list[int]], count: int, meta: dict[str, str], where: str
) -> np.ndarray:
    """Rescale points to [0, 1].

    The scale runs from 0, or the lowest points given if negative, to the maximum that was allowed or given.
    """
    points = [_parse_points(line, len(ballot), where) for line, ballot in zip(votes, ballots, strict=True)]
    given = [point for row in points for point in row]
    low = min([0.0, *given])
    high = max([*given, *([float(meta["max_points"])] if is_number(meta.get("max_points", "")) else [])], default=0.0)
    table = _fill_matrix(ballots, points, count)
    return (table - low) / (high - low) if high > low else np.zeros_like(table)


def _parse_points(line: SectionLine, count: int, where: str) -> list[float]:
    cells = [cell.strip() for cell in line.cells.get("points", "").split(",") if cell.strip()]
    if len(cells) != count and "points" in line.cells:
        raise FileError(
            f"{where}, line {line.number} has {pluralise(len(cells), 'number')} of points for "
            f"{pluralise(count, 'project')}; give one for each."
        )
    for cell in cells:
        if not is_number(cell) or not np.isfinite(float(cell)):
            raise FileError(f"{where}, line {line.number} has {cell!r} among its points; expected a number.")
    return [float(cell) for cell in cells] or [0.0] * count


def _means_from_ranks(ballots: list[list[int]], count: int, rewards: RankRewards, lines: list[int]) -> np.ndarray:
    """Return the values of the ranks; an unranked project has the value 0, which with linear is one more rank."""
    ranks = np.full((len(ballots), count), -1)
    for row, ballot in enumerate(ballots):
        ranks[row, ballot] = np.arange(len(ballot))
    lengths = np.array([len(ballot) for ballot in ballots])
    means = rewards.means(np.maximum(ranks, 0), lengths + (lengths < count), lines)
    return np.where(ranks < 0, 0.0, means)


def _fill_matrix(ballots: list[list[int]], values: list[list[float]], count: int) -> np.ndarray:
    table = np.zeros((len(ballots), count))
    rows = np.repeat(np.arange(len(ballots)), [len(ballot) for ballot in ballots])
    table[rows, [k for ballot in ballots for k in ballot]] = [value for row in values for value in row]
    return table


def _name_voters(votes: list[SectionLine], notes: list[str]) -> list[str]:
    """Return the voters' ids if all have one and they differ; else numbers, and a note if ids were dropped."""
    ids = [line.cells.get("voter_id", "") for line in votes]
    if all(ids) and len(set(ids)) == len(ids):
        return ids
    if any(ids):
        notes.append("some voter_id is empty or comes twice, so voters are numbered")
    return [f"Voter {i + 1}" for i in range(len(ids))]


def _validate_vote_count(meta: dict[str, str], votes: list[SectionLine], where: str) -> None:
    said = meta.get("num_votes", "")
    if said.isdigit() and int(said) != len(votes):
        raise FileError(
            f"{where}: META says num_votes {said}, and there are {len(votes)}; the file may be cut off. "
            "Download it again, or mend that line."
        )


def _build_notes(meta: dict[str, str], count: int, empty: int, pointless: int) -> list[str]:
    money = f"the budget of {meta['budget']}" if meta.get("budget") else "the money"
    note = (
        f"a policy over {pluralise(count, 'project')} says what to do next, or how to share {money}; it is "
        "no funded set"
    )
    return [
        note,
        *(
            f"{pluralise(ballots, 'ballot')} that {verb}{s} no {what} count{s} as indifferent"
            for ballots, verb, what in ((empty, "name", "project"), (pointless, "give", "points"))
            for s in ["s" * (ballots == 1)]
            if ballots
        ),
    ]
