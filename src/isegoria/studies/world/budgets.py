"""Participatory budgets: who has nothing of hers funded, and how much of the money equal voices can explain.

Pabulib files name, for each project, its cost and (mostly) whether it was funded. The money spent is a lottery over
projects: a project's chance is its part of all that was spent.
"""

from __future__ import annotations

import csv
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from isegoria.errors import FileError
from isegoria.instance import Instance
from isegoria.io import read as read_file
from isegoria.rules import solve
from isegoria.scores import score

Columns = dict[str, list[Any]]


def read(folder: Path) -> dict[str, tuple[Instance, dict[str, tuple[float, bool | None]]]]:
    """{file: (the ballots, {project: (cost, funded, or None where it is not said)})}."""
    paths = sorted(Path(folder).glob("*.pb"))
    if not paths:
        raise FileError(f"there is no .pb file in {folder}; expected budgets in Pabulib's format.")
    found = {}
    for path in paths:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            table = read_file(path)
        found[path.stem] = (table, projects(path.read_text(encoding="utf-8-sig")))
    return found


def projects(text: str) -> dict[str, tuple[float, bool | None]]:
    """{id: (cost, funded)} in the section PROJECTS of a Pabulib file.

    >>> projects("META\\nkey;value\\nPROJECTS\\nproject_id;cost;selected\\n7;100;1\\n9;50;0\\nVOTES\\n")
    {'7': (100.0, True), '9': (50.0, False)}
    """
    lines = text.splitlines()
    start = next((place for place, line in enumerate(lines) if line.strip().upper() == "PROJECTS"), None)
    if start is None:
        return {}
    end = next((place for place in range(start, len(lines)) if lines[place].strip().upper() == "VOTES"), len(lines))
    rows = csv.DictReader(lines[start + 1 : end], delimiter=";")
    said = {"1": True, "0": False, "2": False, "3": False}
    return {
        row["project_id"].strip(): (float(row["cost"]), said.get((row.get("selected") or "").strip())) for row in rows
    }


def by_budget(budgets: dict[str, tuple[Instance, dict[str, tuple[float, bool | None]]]]) -> Columns:
    """For each budget: voters, projects, who got nothing, the score of the money spent, and what equal voice keeps."""
    rows = []
    for name, (table, about) in budgets.items():
        fair = solve(table, "procedural").policy
        kept = score(table, fair)
        spent = money(table, about)
        heard = score(table, spent).procedural if spent is not None else np.nan
        nothing = np.nan
        if spent is not None:
            nothing = float(table.weights @ ~(table.favourites & (spent > 0)).any(axis=1)) / table.total_weight
        rows.append(
            (name, table.total_weight, len(table.arms), heard, nothing, kept.utilitarian, int((fair > 1e-6).sum()))
        )
    names = ("budget", "people", "projects", "spent_procedural", "nothing_funded", "fair_utilitarian", "fair_projects")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def money(table: Instance, about: dict[str, tuple[float, bool | None]]) -> np.ndarray | None:
    """(K,) the part of the money that went to each project; None where the file does not say what was funded."""
    if len(about) != len(table.arms):  # arms stand in the order of the section PROJECTS, by name or by id
        return None
    costs = np.array([cost if funded else 0.0 for cost, funded in about.values()])
    return costs / costs.sum() if costs.sum() > 0 else None
