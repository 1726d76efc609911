"""Juries that ranked statements: whose favourite was elected, and what equal voice would have retained.

The juries of the Habermas Machine (Tessler and others 2024; PrefLib 00070): small groups each ranked four statements.
The winner by the Schulze method (strongest paths) is taken as elected, as in that study.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from isegoria.analysis.scores import score
from isegoria.errors import FileError
from isegoria.io import read as read_file
from isegoria.profiles import Instance
from isegoria.rules import solve

Columns = dict[str, list[Any]]


def read_juries(folder: Path) -> dict[str, Instance]:
    """Read the juries by file; utilities decrease in equal steps from the first place to the last."""
    paths = sorted(path for kind in ("*.soc", "*.toc") for path in Path(folder).glob(kind))
    if not paths:
        raise FileError(f"there is no .soc or .toc file in {folder}; expected rankings in PrefLib's format.")
    return {path.stem: read_file(path) for path in paths}


def schulze_winner(table: Instance) -> int:
    """Return the Schulze winner; ties go to the largest mean utility, then to the first arm.

    >>> schulze_winner(Instance([[1, 0.5, 0], [0.5, 1, 0], [0, 1, 0.5]]))
    1
    """
    wins = np.einsum("i,ijk->jk", table.weights, table.means[:, :, None] > table.means[:, None, :]).astype(float)
    paths = np.where(wins > wins.T, wins, 0.0)
    for middle in range(len(paths)):
        paths = np.maximum(paths, np.minimum(paths[:, [middle]], paths[[middle], :]))
    unbeaten = (paths >= paths.T).all(axis=1)
    return int(np.argmax(np.where(unbeaten, table.arm_means, -1.0)))


def jury_columns(juries: dict[str, Instance]) -> Columns:
    """Return, for each jury: jurors whose favourite lost, and the scores of the choice and of equal voice."""
    rows = []
    for name, table in juries.items():
        winner = schulze_winner(table)
        chosen = score(table, np.eye(len(table.arms))[winner])
        fair = score(table, solve(table, "procedural").policy)
        passed = float(table.weights @ ~table.favourites[:, winner])
        rows.append(
            (
                name,
                table.total_weight,
                len(table.arms),
                passed,
                chosen.procedural,
                chosen.utilitarian,
                fair.utilitarian,
                fair.equality,
                chosen.equality,
            )
        )
    names = (
        "jury",
        "people",
        "statements",
        "not_favourite",
        "chosen_procedural",
        "chosen_utilitarian",
        "fair_utilitarian",
        "fair_equality",
        "chosen_equality",
    )
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
