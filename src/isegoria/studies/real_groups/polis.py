"""Open conversations: people agree or disagree with statements that they saw; most saw only some of them.

A missing vote is not a dislike. So a conversation is reduced to the statements with the largest number of votes, and to
the people who voted on all of these. For comparison, the table also shows the result of counting silence as dislike.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np

from isegoria.analysis.scores import score
from isegoria.errors import FileError
from isegoria.profiles import Instance
from isegoria.rules import solve

Columns = dict[str, list[Any]]

MAX_STATEMENTS = 10
AGREE_VOTE = 1.0


def read_conversations(folder: Path) -> dict[str, np.ndarray]:
    """Read one conversation per subfolder: (people, statements), 1 agree, −1 disagree, 0 pass, NaN not asked."""
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


def select_complete_votes(votes: np.ndarray, statements: int = MAX_STATEMENTS) -> np.ndarray:
    """Return the votes on the statements with the largest number of votes, of the people who voted on all of them.

    People who agree with none of these statements are left out.

    >>> votes = np.array([[1.0, -1.0, np.nan], [1.0, 0.0, 1.0], [-1.0, 1.0, np.nan]])
    >>> select_complete_votes(votes, 2).tolist()
    [[1.0, -1.0], [1.0, 0.0], [-1.0, 1.0]]
    """
    seen = (~np.isnan(votes)).sum(axis=0)
    most = np.sort(np.argsort(-seen, kind="stable")[:statements])
    chosen = votes[:, most]
    kept = ~np.isnan(chosen).any(axis=1) & (chosen == AGREE_VOTE).any(axis=1)
    return np.asarray(chosen[kept])


def conversation_columns(conversations: dict[str, np.ndarray]) -> Columns:
    """Return, for each conversation: its size, the agreement with its top statement, and what equal voice retains."""
    rows = []
    for name, votes in conversations.items():
        some = select_complete_votes(votes)
        table = Instance((some == AGREE_VOTE).astype(float))
        best = np.eye(some.shape[1])[int(np.argmax(table.arm_means))]
        chosen, fair = score(table, best), score(table, solve(table, "procedural").policy)
        silent = np.nan_to_num(votes, nan=-AGREE_VOTE)
        told = silent[(silent == AGREE_VOTE).any(axis=1)]
        every = Instance((told == AGREE_VOTE).astype(float))
        dislike = float(every.arm_means.max())
        rows.append(
            (
                name,
                *votes.shape,
                float(np.isnan(votes).mean()),
                *some.shape,
                chosen.procedural,
                fair.utilitarian,
                float((solve(table, "procedural").policy > 1e-6).sum()),
                dislike,
            )
        )
    names = (
        "conversation",
        "people",
        "statements",
        "not_asked",
        "people_kept",
        "statements_kept",
        "most_agreed",
        "fair_utilitarian",
        "fair_statements",
        "most_agreed_if_silence_is_dislike",
    )
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
