"""Open conversations: people agree or disagree with statements that they were shown; most saw only some of them.

Not asked is not dislike: a conversation is cut to the statements that most people voted on, and to the people who voted
on all of these. What it would look like if silence were dislike stands beside it.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np

from isegoria.errors import FileError
from isegoria.instance import Instance
from isegoria.rules import solve
from isegoria.scores import score

Columns = dict[str, list[Any]]

STATEMENTS = 10
AGREE = 1.0


def read(folder: Path) -> dict[str, np.ndarray]:
    """{conversation: (people, statements) votes, 1 agree, −1 disagree, 0 pass, NaN not asked}, a folder for each."""
    paths = sorted(Path(folder).glob("*/participants-votes.csv"))
    if not paths:
        raise FileError(
            f"there is no */participants-votes.csv in {folder}; expected an export of Polis for each folder."
        )
    found = {}
    for path in paths:
        with path.open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
        places = [place for place, name in enumerate(header) if name.isdigit()]
        table = [[float(row[place]) if row[place].strip() else np.nan for place in places] for row in rows]
        found[path.parent.name] = np.array(table)
    return found


def asked_of_all(votes: np.ndarray, statements: int = STATEMENTS) -> np.ndarray:
    """(people, statements) the votes on the statements that most people voted on, of those who voted on all of them and
    agreed with one at least.

    >>> votes = np.array([[1.0, -1.0, np.nan], [1.0, 0.0, 1.0], [-1.0, 1.0, np.nan]])
    >>> asked_of_all(votes, 2).tolist()
    [[1.0, -1.0], [1.0, 0.0], [-1.0, 1.0]]
    """
    seen = (~np.isnan(votes)).sum(axis=0)
    most = np.sort(np.argsort(-seen, kind="stable")[:statements])
    chosen = votes[:, most]
    kept = ~np.isnan(chosen).any(axis=1) & (chosen == AGREE).any(axis=1)
    return np.asarray(chosen[kept])


def by_conversation(conversations: dict[str, np.ndarray]) -> Columns:
    """For each conversation: the statement that most agree with, who does not, and what an equal voice would keep."""
    rows = []
    for name, votes in conversations.items():
        some = asked_of_all(votes)
        table = Instance((some == AGREE).astype(float))
        best = np.eye(some.shape[1])[int(np.argmax(table.arm_means))]
        chosen, fair = score(table, best), score(table, solve(table, "procedural").policy)
        silent = np.nan_to_num(votes, nan=-AGREE)
        told = silent[(silent == AGREE).any(axis=1)]
        every = Instance((told == AGREE).astype(float))
        dislike = float(every.arm_means.max())
        rows.append((name, *votes.shape, float(np.isnan(votes).mean()), *some.shape, chosen.procedural,
                     fair.utilitarian,
                     float((solve(table, "procedural").policy > 1e-6).sum()), dislike))  # fmt: skip
    names = ("conversation", "people", "statements", "not_asked", "people_kept", "statements_kept", "most_agreed",
             "fair_utilitarian", "fair_statements", "most_agreed_if_silence_is_dislike")  # fmt: skip
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
