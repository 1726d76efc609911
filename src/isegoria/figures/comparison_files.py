"""The files of a comparison of learners: its numbers as CSV, and its figures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from isegoria.figures.registry import write_figure
from isegoria.io.storage.csv_columns import write_columns
from isegoria.utils.formatting import SCORE_LABELS

if TYPE_CHECKING:
    from isegoria.learning.simulation.learner_comparison import LearnerComparison


def write_comparison(found: LearnerComparison, folder: Path, pictures: bool = True) -> list[Path]:
    """Write the files of a contest and return their paths.

    These are the summary, the runs, and for every question the data and, if `pictures`, the figure.
    """
    folder, columns = Path(folder), found.summary()
    files = [write_columns(folder / "contest.csv", columns), write_columns(folder / "contest-runs.csv", found.runs())]
    courses = {question: found.courses(question) for question in (*SCORE_LABELS, "regret", "realised", "voice")}
    spread = {question: _range_columns(columns, question) for question in ("sets", "cost") if question in columns}
    three = {f"{name}_{key}": values for name in SCORE_LABELS for key, values in courses[name].items()}
    drawn: dict[str, tuple[Any, ...]] = {
        "contest-sets": (spread["sets"], spread["sets"], found.rounds),
        "contest-scores": (three, *(courses[name] for name in SCORE_LABELS)),
        **{f"contest-{name}": (courses[name], courses[name]) for name in ("regret", "realised", "voice")},
    }
    if found.timed:
        drawn["contest-cost"] = spread["cost"], spread["cost"]
    for name, (data, *what) in drawn.items():
        files += write_figure(name, folder, data, *what, pictures=pictures)
    return files


def _range_columns(columns: dict[str, Any], question: str) -> dict[str, Any]:
    names = {"median": question, "low": f"{question}_low", "high": f"{question}_high"}
    return {"learner": columns["learner"], **{name: columns[key] for name, key in names.items()}}
