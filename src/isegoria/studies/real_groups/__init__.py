"""Real groups: whose favourites the actual choice respected, and what equal voice would have cost.

The data are the user's copies, in subfolders of `--data`; none of them ships with the package. `DATA_SOURCES` says
which
folders are read and where their data come from. A folder that is missing is skipped.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from isegoria.errors import FileError
from isegoria.figures.registry import write_figure
from isegoria.studies.bootstrap import bootstrap_intervals
from isegoria.studies.provenance import write_provenance
from isegoria.studies.real_groups import budgets, juries, polis, tourism
from isegoria.studies.registry import StudyOptions
from isegoria.studies.result_tables import write_table
from isegoria.utils.progress import progress_bar

Columns = dict[str, list[Any]]


class DataSource(NamedTuple):
    """A folder of real data: its contents, and where to get it."""

    what: str
    where: str


DATA_SOURCES = {
    "tourism": DataSource(
        "groups that talked: ratings, choices, feelings (Delic and others 2018)",
        "the authors' data set of group decisions in tourism: its four CSV files",
    ),
    "habermas": DataSource("juries that ranked statements (Tessler and others 2024)", "PrefLib 00070: its .soc files"),
    "polis": DataSource("open conversations, CC BY", "exports of Polis: a folder each with participants-votes.csv"),
    "pabulib": DataSource("participatory budgets", "Pabulib: .pb files"),
}
"""The subfolders of `--data` that the study looks for."""


def produce(folder: Path, options: StudyOptions) -> bool:
    """Read the available data, and write tables, figure and record into `folder`.

    Raise `FileError` if no data folder is given, or none of `DATA_SOURCES` is in it.
    """
    if options.data is None:
        raise FileError(
            "the study world needs real data: give --data DIR, a folder with tourism, habermas, polis or pabulib."
        )
    data = Path(options.data)
    known = [name for name in DATA_SOURCES if (data / name).is_dir()]
    if not known:
        raise FileError(f"there is no folder {', '.join(DATA_SOURCES)} in {data}; see docs/how-to/real-groups.md.")
    with progress_bar("world: sources") as report:
        tables = compute_tables(data, known, report)
    with write_provenance(folder, "world", options.command) as settings:
        for name, columns in tables.items():
            write_table(Path(folder), name, columns, TABLE_CAPTIONS[name])
        write_figure("world", folder, tables["summary"], pictures=options.pictures)
        settings |= {"seed": "none", "sources": known}
    return True


TABLE_CAPTIONS = {
    "groups": "Groups that talked: the scores of what they chose, and of the equal-voice lottery.",
    "people": "Groups that talked: each member's satisfaction, utility, favourite and the group's voice.",
    "satisfaction": "Satisfaction on utility, favourite and voice; errors clustered by group.",
    "juries": "Juries: the elected statement and the equal-voice lottery.",
    "conversations": "Open conversations, cut to what everybody was asked.",
    "budgets": "Participatory budgets: the money that was spent, and the equal-voice lottery.",
    "summary": "Real groups in short.",
}


def compute_tables(data: Path, known: list[str], report: Any = lambda done, of: None) -> dict[str, Columns]:
    """Compute every table that the folders allow, by name; `summarise_tables` is last."""
    tables: dict[str, Columns] = {}
    for done, name in enumerate(known):
        report(done, len(known))
        if name == "tourism":
            groups = tourism.read_groups(data / name)
            tables["groups"], tables["people"] = tourism.group_columns(groups), tourism.person_columns(groups)
            tables["satisfaction"] = tourism.regress_satisfaction(tables["people"])
        elif name == "habermas":
            tables["juries"] = juries.jury_columns(juries.read_juries(data / name))
        elif name == "polis":
            tables["conversations"] = polis.conversation_columns(polis.read_conversations(data / name))
        else:
            tables["budgets"] = budgets.budget_columns(budgets.read_budgets(data / name))
    report(len(known), len(known))
    return tables | {"summary": summarise_tables(tables)}


SUMMARY_COLUMNS = {
    "groups": ("groups that talked", "chosen_procedural", "fair_utilitarian"),
    "juries": ("juries", "chosen_procedural", "fair_utilitarian"),
    "conversations": ("conversations", "most_agreed", "fair_utilitarian"),
    "budgets": ("budgets", "spent_procedural", "fair_utilitarian"),
}


def summarise_tables(tables: dict[str, Columns]) -> Columns:
    """Summarise each kind of group: count, voice of the actual choice, and the total that equal voice retains."""
    rows = []
    for name, (words, heard, kept) in SUMMARY_COLUMNS.items():
        if name in tables:
            values = np.column_stack([np.array(tables[name][key], dtype=float) for key in (heard, kept)])
            voice, total = bootstrap_intervals(values)
            rows.append(
                (words, len(values), voice.mean, voice.low, voice.high, voice.values, total.mean, total.low, total.high)
            )
    names = ("groups", "count", "voice", "voice_low", "voice_high", "voice_known", "kept", "kept_low", "kept_high")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
