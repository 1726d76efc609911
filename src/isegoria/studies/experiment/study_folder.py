"""Open the folder of a finished study again, without the script that made it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isegoria.errors import FileError, InputError
from isegoria.profiles import Instance
from isegoria.studies.experiment.design import Design
from isegoria.studies.experiment.environment_specs import EnvironmentSpec
from isegoria.studies.experiment.methods import StudyMethod
from isegoria.studies.experiment.run_journal import JOURNAL_FILE, ROWS_FILE, read_rows
from isegoria.studies.experiment.study import Study
from isegoria.studies.experiment.study_groups import StudyGroup
from isegoria.studies.provenance import read_provenance


@dataclass(frozen=True)
class StoredEnvironment(EnvironmentSpec):
    """The description of an environment in a folder; a user's own environment is there by name only."""

    def __post_init__(self) -> None:
        pass


@dataclass(frozen=True, eq=False)
class StoredGroup(StudyGroup):
    """The description of a group in a folder; tables of ratings are not there."""

    def instance(self, seed: int) -> Instance:
        if "favourites" not in self.about:
            raise InputError(
                f"the ratings of the group '{self.name}' are not in the study's folder; run the study again to see "
                "them."
            )
        return super().instance(seed)


def load_study(folder: str | os.PathLike[str]) -> Study:
    """Return the finished study in a folder, with its rows, tables and plots.

    Parameters
    ----------
    folder : path
        The folder that was `out` of `study` or `--out` of `isegoria study`.

    Returns
    -------
    Study

    Raises
    ------
    FileError
        If the folder holds no finished study.
    """
    path = Path(folder)
    record = read_provenance(path)
    if record is None or "cells" not in record["settings"] or not (path / ROWS_FILE).exists():
        state = (
            "the study in it is unfinished; run it again with the same out"
            if (path / JOURNAL_FILE).exists()
            else ("it has no run.json and rows.csv of a study")
        )
        raise FileError(f"{path} holds no finished study: {state}.")
    data: dict[str, Any] = record["settings"]
    kind = "rule" if "rules" in data else "learner"
    methods = tuple(StudyMethod(one["name"], one["id"], one["settings"]) for one in data[f"{kind}s"])
    groups = []
    for group in data["groups"]:
        about = {key: value for key, value in group.items() if key not in ("name", "digest")}
        groups.append(StoredGroup(group["name"], about))
    specs = [StoredEnvironment(**spec | {"drift": tuple(spec["drift"])}) for spec in data["environments"]]
    columns = read_rows(path / ROWS_FILE)
    design = Design(
        kind,
        methods,
        tuple(groups),
        tuple(specs) or (None,),
        tuple(data["seeds"]),
        tuple(data["measures"]),
        data["name"],
    )
    return Study(design, columns)
