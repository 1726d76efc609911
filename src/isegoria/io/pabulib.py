"""Pabulib's .pb: the votes of a participatory budget, in the sections META, PROJECTS and VOTES with semicolons.

| vote_type | the mean of a project |
|---|---|
| approval, choose-1 | 1 if the voter approves it, 0 if not |
| cumulative, scoring | its points, on a scale from 0 (or the lowest points) to the most points |
| ordinal | what `rewards` says of its rank |

A project that a ballot does not name has 0 points, or 0 in an order. A policy over projects says what to do next, or
how to share the money; it is not a set of projects that the budget pays for, and a note says so.
"""

from __future__ import annotations

import csv
import io
import operator
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from isegoria.errors import FileError, unknown
from isegoria.io.cells import is_number
from isegoria.io.rewards import Rewards
from isegoria.io.text import decode
from isegoria.wording import counted

SECTIONS = ("meta", "projects", "votes")
APPROVALS, POINTS, ORDERS = ("approval", "choose-1"), ("cumulative", "scoring"), ("ordinal",)


class Line(NamedTuple):
    """One line of a section: its number, and its cells by the headings of the section; `none` is no cell."""

    number: int
    cells: dict[str, str]


def read(stream: BinaryIO, where: str, rewards: str | Sequence[float] = "linear") -> dict[str, Any]:
    """The parts of an `Instance`: a voter is an agent, a project an arm."""
    sections = _sections(decode(stream.read(), where), where)
    meta = {line.cells.get("key", ""): line.cells.get("value", "") for line in sections["meta"]}
    kind = _vote_type(meta, where)
    if kind not in ORDERS and not (isinstance(rewards, str) and rewards == "linear"):
        raise FileError(f"{where} holds {kind} votes, and rewards are for orders; leave them out.")
    places, arms = _projects(sections["projects"], where)
    votes = sections["votes"]
    _check_count(meta, votes, where)
    ballots = [_ballot(line, places, where) for line in votes]
    pointless = [kind in POINTS and "points" not in line.cells for line in votes]
    blank = [not ballot for ballot in ballots]
    notes = _notes(meta, len(arms), sum(blank), sum(map(operator.gt, pointless, blank)))
    agents = _voters(votes, notes)
    if kind in ORDERS:
        if any(0 < len(ballot) < len(arms) for ballot in ballots):
            notes.append("a project that a ballot does not rank is worth 0")
        means = _ranked(ballots, len(arms), Rewards(rewards, where), [line.number for line in votes])
    elif kind in POINTS:
        means = _scored(votes, ballots, len(arms), meta, where)
    else:
        means = _filled(ballots, [[1.0] * len(ballot) for ballot in ballots], len(arms))
    return {"means": means, "agents": agents, "arms": arms, "notes": notes}


def _sections(text: str, where: str) -> dict[str, list[Line]]:
    """The lines of each section, by its name in small letters."""
    found: dict[str, list[Line]] = {}
    header: list[str] | None = None
    section = None
    for number, row in _rows(text, where):
        if row[0].lower() in SECTIONS and len(list(filter(None, row))) == 1:
            section, header = row[0].lower(), None
            found[section] = []
        elif section is None:
            raise FileError(f"{where}, line {number} is {row[0][:40]!r}; expected the section META first.")
        elif header is None:
            header = [cell.lower() for cell in row]
        else:
            cells = zip(header, row, strict=False)
            found[section].append(Line(number, {key: cell for key, cell in cells if cell and cell.lower() != "none"}))
    for name in SECTIONS:
        if not found.get(name):
            raise FileError(f"{where} has nothing in the section {name.upper()}; expected META, PROJECTS and VOTES.")
    return found


def _rows(text: str, where: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=";")
    number = 0
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield number + 1, [cell.strip() for cell in row]
            number = reader.line_num
    except csv.Error as error:
        raise FileError(f"{where}, line {number + 1}: not a .pb file: {error}.") from None


def _vote_type(meta: dict[str, str], where: str) -> str:
    kind = meta.get("vote_type", "").lower()
    known = (*APPROVALS, *POINTS, *ORDERS)
    if kind not in known:
        raise FileError(f"{where}, META: {unknown('vote_type', kind, known)}")
    return kind


def _projects(lines: list[Line], where: str) -> tuple[dict[str, int], list[str]]:
    """The place of each project by its id, and the arms: the projects' names, or their ids where names repeat."""
    places: dict[str, int] = {}
    for line in lines:
        id_ = line.cells.get("project_id")
        if id_ is None or id_ in places:
            fault = "has no project_id" if id_ is None else f"has the project_id {id_} of another line"
            raise FileError(f"{where}, line {line.number} {fault}; give every project an id of its own.")
        places[id_] = len(places)
    names = [line.cells.get("name", "") for line in lines]
    return places, names if all(names) and len(set(names)) == len(names) else list(places)


def _ballot(line: Line, places: dict[str, int], where: str) -> list[int]:
    """The places of the projects on a ballot, in its order."""
    ids = [id_.strip() for id_ in line.cells.get("vote", "").split(",") if id_.strip()]
    try:
        ballot = [places[id_] for id_ in ids]
    except KeyError as error:
        raise FileError(f"{where}, line {line.number}: project {error} is not in the section PROJECTS.") from None
    if len(set(ballot)) < len(ballot):
        raise FileError(f"{where}, line {line.number} has a project twice; name each once.")
    return ballot


def _scored(votes: list[Line], ballots: list[list[int]], count: int, meta: dict[str, str], where: str) -> np.ndarray:
    """Points on a scale from 0, or the lowest there are, to the most that were allowed, or given."""
    points = [_points(line, len(ballot), where) for line, ballot in zip(votes, ballots, strict=True)]
    given = [point for row in points for point in row]
    low = min([0.0, *given])
    high = max([*given, *([float(meta["max_points"])] if is_number(meta.get("max_points", "")) else [])], default=0.0)
    table = _filled(ballots, points, count)
    return (table - low) / (high - low) if high > low else np.zeros_like(table)


def _points(line: Line, count: int, where: str) -> list[float]:
    cells = [cell.strip() for cell in line.cells.get("points", "").split(",") if cell.strip()]
    if len(cells) != count and "points" in line.cells:
        raise FileError(
            f"{where}, line {line.number} has {counted(len(cells), 'number')} of points for "
            f"{counted(count, 'project')}; give one for each."
        )
    for cell in cells:
        if not is_number(cell) or not np.isfinite(float(cell)):
            raise FileError(f"{where}, line {line.number} has {cell!r} among its points; expected a number.")
    return [float(cell) for cell in cells] or [0.0] * count


def _ranked(ballots: list[list[int]], count: int, rewards: Rewards, lines: list[int]) -> np.ndarray:
    """What the ranks are worth; a project that is not ranked is worth nothing, which with linear is one rank more."""
    ranks = np.full((len(ballots), count), -1)
    for row, ballot in enumerate(ballots):
        ranks[row, ballot] = np.arange(len(ballot))
    lengths = np.array([len(ballot) for ballot in ballots])
    means = rewards.means(np.maximum(ranks, 0), lengths + (lengths < count), lines)
    return np.where(ranks < 0, 0.0, means)


def _filled(ballots: list[list[int]], values: list[list[float]], count: int) -> np.ndarray:
    table = np.zeros((len(ballots), count))
    rows = np.repeat(np.arange(len(ballots)), [len(ballot) for ballot in ballots])
    table[rows, [k for ballot in ballots for k in ballot]] = [value for row in values for value in row]
    return table


def _voters(votes: list[Line], notes: list[str]) -> list[str]:
    """The voters' ids, where all have one and they differ; else numbers, and a note that ids were given up."""
    ids = [line.cells.get("voter_id", "") for line in votes]
    if all(ids) and len(set(ids)) == len(ids):
        return ids
    if any(ids):
        notes.append("some voter_id is empty or comes twice, so voters are numbered")
    return [f"Voter {i + 1}" for i in range(len(ids))]


def _check_count(meta: dict[str, str], votes: list[Line], where: str) -> None:
    said = meta.get("num_votes", "")
    if said.isdigit() and int(said) != len(votes):
        raise FileError(
            f"{where}: META says num_votes {said}, and there are {len(votes)}; the file may be cut off. "
            "Download it again, or mend that line."
        )


def _notes(meta: dict[str, str], count: int, empty: int, pointless: int) -> list[str]:
    money = f"the budget of {meta['budget']}" if meta.get("budget") else "the money"
    note = (
        f"a policy over {counted(count, 'project')} says what to do next, or how to share {money}; it is no funded set"
    )
    return [
        note,
        *(
            f"{counted(ballots, 'ballot')} that {verb}{s} no {what} count{s} as indifferent"
            for ballots, verb, what in ((empty, "name", "project"), (pointless, "give", "points"))
            for s in ["s" * (ballots == 1)]
            if ballots
        ),
    ]
