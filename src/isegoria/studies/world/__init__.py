"""Real groups: who was heard under what was really chosen, and what would equal voice cost there?

The data are the user's own copies, in folders of `--data`: none of them ships with the package. `SOURCES` says what is
looked for, and where it comes from; what is not there is left out.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from isegoria.errors import FileError
from isegoria.figures.registry import write_figure
from isegoria.progress import progress
from isegoria.studies.intervals import intervals
from isegoria.studies.record import recorded
from isegoria.studies.registry import Options
from isegoria.studies.tables import write_table
from isegoria.studies.world import budgets, juries, polis, tourism

Columns = dict[str, list[Any]]


class DataSource(NamedTuple):
    """A folder of real data: what it holds, and where to get it."""

    what: str
    where: str


SOURCES = {
    "tourism": DataSource("groups that talked: ratings, choices, feelings (Delic and others 2018)",
                      "the authors' data set of group decisions in tourism: its four CSV files"),
    "habermas": DataSource("juries that ranked statements (Tessler and others 2024)",
                       "PrefLib 00070: its .soc files"),
    "polis": DataSource("open conversations, CC BY", "exports of Polis: a folder each with participants-votes.csv"),
    "pabulib": DataSource("participatory budgets", "Pabulib: .pb files"),
}  # fmt: skip
"""The folders that are looked for in `--data`."""


def produce(folder: Path, options: Options) -> bool:
    """Read what there is, and write tables, figure and record into `folder`."""
    if options.data is None:
        raise FileError(
            "the study world needs real data: give --data DIR, a folder with tourism, habermas, polis or pabulib."
        )
    data = Path(options.data)
    known = [name for name in SOURCES if (data / name).is_dir()]
    if not known:
        raise FileError(f"there is no folder {', '.join(SOURCES)} in {data}; see docs/how-to/real-groups.md.")
    with progress("world: sources") as report:
        tables = measured(data, known, report)
    with recorded(folder, "world", options.command) as settings:
        for name, columns in tables.items():
            write_table(Path(folder), name, columns, CAPTIONS[name])
        write_figure("world", folder, tables["summary"], pictures=options.pictures)
        settings |= {"seed": "none", "sources": known}
    return True


CAPTIONS = {
    "groups": "Groups that talked: the scores of what they chose, and of the equal-voice lottery.",
    "people": "Groups that talked: each member's satisfaction, utility, favourite and the group's voice.",
    "satisfaction": "Satisfaction on utility, favourite and voice; errors clustered by group.",
    "juries": "Juries: the elected statement and the equal-voice lottery.",
    "conversations": "Open conversations, cut to what everybody was asked.",
    "budgets": "Participatory budgets: the money that was spent, and the equal-voice lottery.",
    "summary": "Real groups in short.",
}


def measured(data: Path, known: list[str], report: Any = lambda done, of: None) -> dict[str, Columns]:
    """Every table that the folders allow, by name; `summary` last."""
    tables: dict[str, Columns] = {}
    for done, name in enumerate(known):
        report(done, len(known))
        if name == "tourism":
            groups = tourism.read(data / name)
            tables["groups"], tables["people"] = tourism.by_group(groups), tourism.by_person(groups)
            tables["satisfaction"] = tourism.regression(tables["people"])
        elif name == "habermas":
            tables["juries"] = juries.by_jury(juries.read(data / name))
        elif name == "polis":
            tables["conversations"] = polis.by_conversation(polis.read(data / name))
        else:
            tables["budgets"] = budgets.by_budget(budgets.read(data / name))
    report(len(known), len(known))
    return tables | {"summary": summary(tables)}


SHORT = {
    "groups": ("groups that talked", "chosen_procedural", "fair_utilitarian"),
    "juries": ("juries", "chosen_procedural", "fair_utilitarian"),
    "conversations": ("conversations", "most_agreed", "fair_utilitarian"),
    "budgets": ("budgets", "spent_procedural", "fair_utilitarian"),
}


def summary(tables: dict[str, Columns]) -> Columns:
    """For each kind of group: how many, the voice of what was chosen, and what equal voice keeps of the total."""
    rows = []
    for name, (words, heard, kept) in SHORT.items():
        if name in tables:
            values = np.column_stack([np.array(tables[name][key], dtype=float) for key in (heard, kept)])
            voice, total = intervals(values)
            rows.append((words, len(values), voice.mean, voice.low, voice.high, voice.values, total.mean, total.low,
                         total.high))  # fmt: skip
    names = ("groups", "count", "voice", "voice_low", "voice_high", "voice_known", "kept", "kept_low", "kept_high")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
