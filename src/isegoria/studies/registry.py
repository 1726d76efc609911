"""The table of studies. A new study is one module that computes it, one section of the page, and one line below."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from isegoria.registry import Row, Table, place
from isegoria.rules.registry import TIE_BREAKS

if TYPE_CHECKING:
    from isegoria.studies.grid import Grid
    from isegoria.studies.sweep import Shard

FITTED = "fitted"
"""The choice among several optima that comes nearest to the paper's Table 1: EG by "vertex", all others by "centre".
The paper does not say how its own were chosen."""

CHOICES = (FITTED, *TIE_BREAKS)

SWEEP = ("seeds", "agents", "arms", "favourites", "models", "replicates")
"""The options of the sweep that change its results; `--shard` only says which part of it to do now."""

SIZED = ("seed", "short")
"""The options of a study that has a short form, which `reproduce all` takes."""


@dataclass(frozen=True)
class Options:
    """What a study may be asked: seeds, ties, the grid of the sweep, and how to go about it (which changes no result).

    `tie_break` is one of `CHOICES`; `grid` None is the paper's, with `seed`; `shard` None is the whole of it. With
    `short` a study that has a short form gives that; `data` is a folder of the user's, for one that reads real data.
    `command` is the command line that runs the study again.
    """

    seed: int = 42
    tie_break: str = FITTED
    grid: Grid | None = None
    workers: int = 1
    scheduler: str | None = None
    shard: Shard | None = None
    fresh: bool = False
    short: bool = False
    data: Path | None = None
    pictures: bool = True
    command: str = "isegoria reproduce"


class StudyRow(Row):
    """One row: its name and folder, the module that computes it, the one that tells of it, its heading on the page.

    `home` has `produce(folder, options) -> bool`, which writes tables and figures and says whether it is complete;
    `telling` has `section(folder) -> str`, HTML made from the files in the folder, and `findings(folder)`, a list of
    `Finding`. `takes` names the options of the command that change its results, `needs` one without which
    `reproduce all` leaves it out.
    """

    telling: str
    heading: str
    takes: tuple[str, ...] = ("seed",)
    needs: str = ""

    @property
    def produce(self) -> Callable[[Path, Options], bool]:
        return self.load().produce

    @property
    def section(self) -> Callable[[Path], str]:
        return place(self.telling).section

    @property
    def findings(self) -> Callable[[Path], list[Finding]]:
        return place(self.telling).findings


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


STUDIES: Table[StudyRow] = Table(
    "study",
    [
        StudyRow("claims", "isegoria.studies.claims", "isegoria.studies.sections.claims", "Its sentences, tried"),
        StudyRow(
            "synthetic",
            "isegoria.studies.synthetic",
            "isegoria.studies.sections.synthetic",
            "Synthetic groups (Table 1)",
            ("seed", "tie_break", *SWEEP),
        ),
        StudyRow(
            "dots",
            "isegoria.studies.dots",
            "isegoria.studies.sections.dots",
            "Real voters (Table 2)",
            ("seed", "tie_break"),
        ),
        StudyRow(
            "learning", "isegoria.studies.learning", "isegoria.studies.sections.learning", "Learning it (Algorithm 1)"
        ),
        StudyRow("rate", "isegoria.studies.rate", "isegoria.studies.sections.rate", "The regret theorem, seen", SIZED),
        StudyRow("turns", "isegoria.studies.turns", "isegoria.studies.sections.turns", "Turns with memory", SIZED),
        StudyRow(
            "world", "isegoria.studies.world", "isegoria.studies.sections.world", "Real groups", ("data",), "data"
        ),
        StudyRow("beyond", "isegoria.studies.beyond", "isegoria.studies.sections.beyond", "Beyond the paper", ()),
    ],
    group="isegoria.studies",
)
"""Every study by its id, in the order in which `reproduce all` runs them."""
