"""Groups that talked and chose a destination: who was heard, what equal voice would cost, and what people felt.

Delic, Neidhardt, Nguyen and Ricci (2018): 282 people in 79 groups rated ten destinations, talked, chose one, and
reported how satisfied they were.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from isegoria.analysis.scores import score
from isegoria.errors import FileError
from isegoria.profiles import Instance
from isegoria.rules import solve

Columns = dict[str, list[Any]]

REQUIRED_FILES = ("ratings.csv", "group_choices.csv", "group_composition.csv", "user_feedback.csv")
WORST_RATING, BEST_RATING = 1.0, 10.0


@dataclass(frozen=True, eq=False)
class TravelGroup:
    """One group: the table of its ratings, the arm that it chose, and each member's satisfaction (NaN: not asked)."""

    name: str
    table: Instance
    chosen: str
    satisfaction: np.ndarray


def read_groups(folder: Path) -> list[TravelGroup]:
    """Read the groups from the four files of the data set, with the destinations that all of their members rated.

    Members without ratings are left out. So are groups with fewer than two members left, or without a choice among
    those destinations.
    """
    ratings: dict[str, dict[str, float]] = {}
    for row in _read_rows(folder, "ratings.csv"):
        value = (float(row["rating"]) - WORST_RATING) / (BEST_RATING - WORST_RATING)
        ratings.setdefault(_normalise_person(row["user"]), {})[row["item"]] = value
    first = {row["group_id"]: row["item"] for row in _read_rows(folder, "group_choices.csv") if float(row["rank"]) == 1}
    felt = {
        _normalise_person(row["user_id"]): float(row["choice_sat"]) for row in _read_rows(folder, "user_feedback.csv")
    }
    members: dict[str, list[str]] = {}
    for row in _read_rows(folder, "group_composition.csv"):
        members.setdefault(row["group"], []).append(_normalise_person(row["person"]))
    found = []
    for name, people in members.items():
        known = [person for person in people if person in ratings]
        items = sorted(set.intersection(*(set(ratings[person]) for person in known))) if known else []
        if len(known) > 1 and first.get(name) in items:
            table = Instance([[ratings[person][item] for item in items] for person in known], agents=known, arms=items)
            found.append(
                TravelGroup(name, table, first[name], np.array([felt.get(person, np.nan) for person in known]))
            )
    return found


def _normalise_person(text: str) -> str:
    """Normalise a person's number; some files write it with leading zeros."""
    return text.strip().lstrip("0") or "0"


def _read_rows(folder: Path, name: str) -> list[dict[str, str]]:
    path = Path(folder) / name
    if not path.exists():
        raise FileError(
            f"there is no {name} in {folder}; expected {', '.join(REQUIRED_FILES)}, as the data set has them."
        )
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def group_columns(groups: list[TravelGroup]) -> Columns:
    """Return, for each group: the scores of its choice and of the equal-voice lottery."""
    rows = []
    for group in groups:
        point = np.array([float(arm == group.chosen) for arm in group.table.arms])
        chosen = score(group.table, point)
        fair = score(group.table, solve(group.table, "procedural").policy)
        best = score(group.table, solve(group.table, "utilitarian").policy)
        rows.append((group.name, len(group.table.agents), *chosen.values, *fair.values, best.procedural))
    names = (
        "group",
        "people",
        "chosen_procedural",
        "chosen_equality",
        "chosen_utilitarian",
        "fair_procedural",
        "fair_equality",
        "fair_utilitarian",
        "best_procedural",
    )
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def person_columns(groups: list[TravelGroup]) -> Columns:
    """Return, for each person who reported satisfaction: utility of the choice, whether it is a favourite, and voice.

    The voice of a group is the share of its members for whom the choice is a favourite.
    """
    rows = []
    for group in groups:
        place = group.table.arms.index(group.chosen)
        likes = group.table.favourites[:, place]
        utilities = group.table.means[:, place]
        for person, felt in enumerate(group.satisfaction.tolist()):
            if felt == felt:
                rows.append(
                    (
                        group.name,
                        group.table.agents[person],
                        felt,
                        float(utilities[person]),
                        float(likes[person]),
                        float(likes.mean()),
                    )
                )
    names = ("group", "person", "satisfaction", "utility", "favourite", "voice")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def regress_satisfaction(people: Columns, on: tuple[str, ...] = ("utility", "favourite", "voice")) -> Columns:
    """Fit satisfaction `on` these columns by least squares: coefficient, standard error and t of each, and R².

    The standard errors are clustered by group, because members of one group rate the same choice. `t_plain` is the t
    without clustering.
    """
    y = np.array(people["satisfaction"])
    x = np.column_stack([np.ones(len(y)), *(np.array(people[name], dtype=float) for name in on)])
    inverse = np.linalg.pinv(x.T @ x)
    found = inverse @ x.T @ y
    rest = y - x @ found
    groups = np.array(people["group"])
    names = list(dict.fromkeys(groups.tolist()))
    pieces = np.array([x[groups == name].T @ rest[groups == name] for name in names])
    count, wide = x.shape
    scale = len(names) / max(1, len(names) - 1) * (count - 1) / max(1, count - wide)
    errors = np.sqrt(np.diag(scale * inverse @ pieces.T @ pieces @ inverse))
    plain = np.sqrt(np.diag(inverse) * float(rest @ rest) / max(1, count - wide))
    fit = 1 - float(rest @ rest) / float(((y - y.mean()) ** 2).sum())
    with np.errstate(divide="ignore", invalid="ignore"):
        t, t_plain = found / errors, found / plain
    return {
        "on": ["constant", *on],
        "coefficient": found.tolist(),
        "se": errors.tolist(),
        "t": t.tolist(),
        "t_plain": t_plain.tolist(),
        "r2": [fit] * len(found),
        "people": [count] * len(found),
    }
