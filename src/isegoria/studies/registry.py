"""The registry of studies. To add a study, add a module that computes it, a section of the page, and an entry here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from isegoria.rules.rule import TIE_BREAKS
from isegoria.utils.registry import Registry

if TYPE_CHECKING:
    from isegoria.studies.grid import Grid
    from isegoria.studies.sweep import SweepShard

FITTED_TIE_BREAK = "fitted"
"""The choice among several optima that comes closest to the paper's Table 1: "vertex" for EG and "centre" for all
others. The paper does not say how it chose."""

TIE_BREAK_CHOICES = (FITTED_TIE_BREAK, *TIE_BREAKS)

SWEEP_OPTIONS = ("seeds", "agents", "arms", "favourites", "models", "replicates")
"""The options of the sweep that change its results; `--shard` only selects the part to run now."""

SIZE_OPTIONS = ("seed", "short")
"""The options of a study with a short form, which `reproduce all` uses."""


@dataclass(frozen=True)
class StudyOptions:
    """Options of a study: seed, tie-break and grid of the sweep, and how to run it (which does not change results).

    `tie_break` is one of `TIE_BREAK_CHOICES`; `grid` None means the paper's grid with `seed`; `shard` None means all
    blocks. With
    `short`, a study that has a short form runs that. `data` is a folder of the user, for the study of real data.
    `command` is the command line that runs the study again.
    """

    seed: int = 42
    tie_break: str = FITTED_TIE_BREAK
    grid: Grid | None = None
    workers: int = 1
    scheduler: str | None = None
    shard: SweepShard | None = None
    fresh: bool = False
    short: bool = False
    data: Path | None = None
    pictures: bool = True
    command: str = "isegoria reproduce"


class StudyEntry(NamedTuple):
    """One entry: its id and folder, the module that computes it, the module that describes it, and its heading.

    `module` has `produce(folder, options) -> bool`, which writes tables and figures and returns whether the study is
    complete. `telling` has `section(folder) -> str`, HTML made from the files in the folder, and `findings(folder)`, a
    list of `StudyFinding`. `takes` names the command options that change its results. `needs` names an option without
    which
    `reproduce all` skips the study.
    """

    id: str
    module: str
    telling: str
    heading: str
    takes: tuple[str, ...] = ("seed",)
    needs: str = ""

    @property
    def produce(self) -> Callable[[Path, StudyOptions], bool]:
        produce: Callable[[Path, StudyOptions], bool] = import_module(self.module).produce
        return produce

    @property
    def section(self) -> Callable[[Path], str]:
        section: Callable[[Path], str] = import_module(self.telling).section
        return section

    @property
    def findings(self) -> Callable[[Path], list[StudyFinding]]:
        findings: Callable[[Path], list[StudyFinding]] = import_module(self.telling).findings
        return findings


@dataclass(frozen=True)
class StudyFinding:
    """One number of a study (or a result in words), with the paper's number and whether both agree, or None."""

    study: str
    policy: str
    score: str
    statistic: str
    value: float | str
    paper: float | None = None
    agrees: bool | None = None


STUDIES: Registry[StudyEntry] = Registry(
    "study",
    [
        StudyEntry(
            "claims", "isegoria.studies.claims", "isegoria.studies.sections.claims_section", "The paper, item by item"
        ),
        StudyEntry(
            "synthetic",
            "isegoria.studies.synthetic_groups",
            "isegoria.studies.sections.synthetic_section",
            "Synthetic groups (Table 1)",
            ("seed", "tie_break", *SWEEP_OPTIONS),
        ),
        StudyEntry(
            "dots",
            "isegoria.studies.dots_voters",
            "isegoria.studies.sections.dots_section",
            "Real voters (Table 2)",
            ("seed", "tie_break"),
        ),
        StudyEntry(
            "learning",
            "isegoria.studies.dots_learning",
            "isegoria.studies.sections.learning_section",
            "Learning it (Algorithm 1)",
        ),
        StudyEntry(
            "rate",
            "isegoria.studies.regret_rate",
            "isegoria.studies.sections.regret_rate_section",
            "The regret theorem, seen",
            SIZE_OPTIONS,
        ),
        StudyEntry(
            "turns",
            "isegoria.studies.perpetual_voting",
            "isegoria.studies.sections.perpetual_voting_section",
            "Turns with memory",
            SIZE_OPTIONS,
        ),
        StudyEntry(
            "world",
            "isegoria.studies.real_groups",
            "isegoria.studies.sections.real_groups_section",
            "Real groups",
            ("data",),
            "data",
        ),
        StudyEntry(
            "agents",
            "isegoria.studies.agent_panels",
            "isegoria.studies.sections.agent_panels_section",
            "Agents that decide together",
            (*SIZE_OPTIONS, "data"),
        ),
        StudyEntry(
            "beyond",
            "isegoria.studies.elimination",
            "isegoria.studies.sections.elimination_section",
            "Beyond the paper",
            (),
        ),
    ],
    group="isegoria.studies",
)
"""Studies by id, in the order in which `reproduce all` runs them."""
