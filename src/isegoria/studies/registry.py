"""The table of studies. A new study is one module that computes it, one section of the page, and one line below."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

from isegoria.studies.grid import Grid
from isegoria.studies.sweep import WHOLE, Shard


@dataclass(frozen=True)
class Options:
    """What a study may be asked: seeds, the grid of the sweep, and how to go about it (which changes no result).

    `command` is the command line that runs the study again.
    """

    seed: int = 42
    grid: Grid = field(default_factory=Grid)
    workers: int = 1
    shard: Shard = WHOLE
    fresh: bool = False
    pictures: bool = True
    command: str = "isegoria reproduce"


@dataclass(frozen=True)
class Study:
    """One row: its name and folder, its heading on the page, the module that computes it, and the one that tells of it.

    `module` has `produce(folder, options) -> bool`, which writes tables and figures and says whether it is complete;
    `section` has `section(folder) -> str`, HTML made from the files in the folder, and `findings(folder)`, a list of
    `Finding`.
    """

    id: str
    heading: str
    module: str
    section_module: str

    @property
    def produce(self) -> Callable[[Path, Options], bool]:
        return import_module(self.module).produce

    @property
    def section(self) -> Callable[[Path], str]:
        return import_module(self.section_module).section

    @property
    def findings(self) -> Callable[[Path], list[Finding]]:
        return import_module(self.section_module).findings


@dataclass(frozen=True)
class Finding:
    """One number of a study (or what was measured, in words), with the paper's and whether the two agree, or None."""

    study: str
    policy: str
    score: str
    statistic: str
    value: float | str
    paper: float | None = None
    agrees: bool | None = None


_ROWS = (
    Study(
        "synthetic", "Synthetic groups (Table 1)", "isegoria.studies.synthetic", "isegoria.studies.sections.synthetic"
    ),
    Study("dots", "Real voters (Table 2)", "isegoria.studies.dots", "isegoria.studies.sections.dots"),
    Study("learning", "Learning it (Algorithm 1)", "isegoria.studies.learning", "isegoria.studies.sections.learning"),
    Study("beyond", "Beyond the paper", "isegoria.studies.beyond", "isegoria.studies.sections.beyond"),
)

STUDIES = {study.id: study for study in _ROWS}
