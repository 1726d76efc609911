"""Participatory budgets: which voters have no favourite funded, and how much of the money equal voices explain.

Pabulib files have, for each project, its cost and (usually) whether it was funded. The money spent is treated as a
lottery over projects: a project's probability is its share of all that was spent.
"""

from __future__ import annotations

import csv
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from isegoria.analysis.scores import score
from isegoria.errors import FileError
from isegoria.io import read as read_file
from isegoria.profiles import Instance
from isegoria.rules import solve

Columns = dict[str, list[Any]]


def read_budgets(folder: Path) -> dict[str, tuple[Instance, dict[str, tuple[float, bool | None]]]]:
    """Read all budgets: {file: (ballots, {project: (cost, funded, or None if not stated)})}."""
    paths = sorted(Path(folder).glob("*.pb"))
    if not paths:
        raise FileError(f"there is no .pb file in {folder}; expected budgets in Pabulib's format.")
    found = {}
    for path in paths:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            table = read_file(path)
        found[path.stem] = (table, parse_projects(path.read_text(encoding="utf-8-sig")))
    return found


def parse_projects(text: str) -> dict[str, tuple[float, bool | None]]:
    """Parse {id: (cost, funded)} from the section PROJECTS of a Pabulib file.

    >>> parse_projects("META\\nkey;value\\nPROJECTS\\nproject_id;cost;selected\\n7;100;1\\n9;50;0\\nVOTES\\n")
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


def budget_columns(budgets: dict[str, tuple[Instance, dict[str, tuple[float, bool | None]]]]) -> Columns:
    """Return, for each budget: its size, voters with nothing funded, and scores of the spending and of equal voice."""
    rows = []
    for name, (table, about) in budgets.items():
        fair = solve(table, "procedural").policy
        kept = score(table, fair)
        spent = spending_shares(table, about)
        heard = score(table, spent).procedural if spent is not None else np.nan
        nothing = np.nan
        if spent is not None:
            nothing = float(table.weights @ ~(table.favourites & (spent > 0)).any(axis=1)) / table.total_weight
        rows.append(
            (name, table.total_weight, len(table.arms), heard, nothing, kept.utilitarian, int((fair > 1e-6).sum()))
        )
    names = ("budget", "people", "projects", "spent_procedural", "nothing_funded", "fair_utilitarian", "fair_projects")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def spending_shares(table: Instance, about: dict[str, tuple[float, bool | None]]) -> np.ndarray | None:
    """Return the share of the money (K,) that each project received; None if the file does not say what was funded."""
    if len(about) != len(table.arms):  # arms are in the order of the section PROJECTS, by name or id
        return None
    costs = np.array([cost if funded else 0.0 for cost, funded in about.values()])
    return costs / costs.sum() if costs.sum() > 0 else None
