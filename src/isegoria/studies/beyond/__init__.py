"""Beyond the paper: what the guided learner claims, measured; all learners compared; and tastes that change.

There are two sizes. `LIGHT` is what the page of `make reproduce` has time for; `FULL` is `make study-beyond`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isegoria.data import dots_sample
from isegoria.figures.contest import write_contest
from isegoria.figures.registry import write_figure
from isegoria.io.columns import write_columns
from isegoria.learning import LEARNERS, BetaRewards
from isegoria.learning.runs.contest import Contest, contest
from isegoria.progress import progress
from isegoria.studies.beyond import claims
from isegoria.studies.beyond.change import CHANGE, FADING, noticing
from isegoria.studies.beyond.claims import Claim
from isegoria.studies.record import read_record, recorded
from isegoria.studies.registry import Options


@dataclass(frozen=True)
class BeyondSize:
    """How much is computed: seeds and samples of the claims, runs of the coverage study, and who is compared."""

    name: str
    seeds: int
    samples: int
    compared: int
    hard: int
    coverage_runs: int
    timed: bool
    learners: tuple[str, ...]
    contest_rounds: int
    contest_seeds: int
    noticing: tuple[str, ...]
    noticing_seeds: int


LIGHT = BeyondSize(
    "light", seeds=3, samples=3, compared=3, hard=3, coverage_runs=0, timed=False,
    learners=("procedural", "guided", "posterior", "dictatorship", "uniform"), contest_rounds=10_000, contest_seeds=3,
    noticing=("procedural", "guided", FADING, "dictatorship"), noticing_seeds=3,
)  # fmt: skip
FULL = BeyondSize(
    "full", seeds=20, samples=30, compared=20, hard=20, coverage_runs=4_000, timed=True,
    learners=tuple(LEARNERS), contest_rounds=10_000, contest_seeds=5,
    noticing=("procedural", "guided", FADING, "posterior", "nash", "dictatorship"), noticing_seeds=10,
)  # fmt: skip
COVERAGE_ROUNDS = 5_000


@dataclass(frozen=True)
class Beyond:
    """What the study found, at one size: the claims, the contest, and the courses and delays around a change."""

    size: BeyondSize
    claims: list[Claim]
    contest: Contest
    courses: dict[str, list[Any]]
    delays: dict[str, list[Any]]


def run(
    size: BeyondSize = LIGHT, workers: int | None = None, report: Callable[..., object] = lambda words, done, of: None
) -> Beyond:
    """The study at one size; `report(words, done, of)` is told how far it is."""
    parts: list[tuple[str, Callable[[], list[Claim]]]] = [
        ("Dots", lambda: claims.dots_claims(size.seeds, workers)),
        ("other samples", lambda: claims.sample_claims(size.samples, size.compared, workers)),
        ("hard instances", lambda: claims.hard_claims(size.hard, workers)),
        ("ties", lambda: claims.tie_claims(size.seeds, workers)),
    ]
    if size.coverage_runs:
        parts.append(("coverage", lambda: claims.coverage_claims(size.coverage_runs, COVERAGE_ROUNDS)))
    if size.timed:
        parts.append(("cost", claims.cost_claims))
    found: list[Claim] = []
    for done, (words, measure) in enumerate(parts):
        report(words, done, len(parts) + 2)
        found += measure()
    report("contest", len(parts), len(parts) + 2)
    world = BetaRewards(dots_sample(), sd=claims.SD)
    rivals = contest(world, size.learners, size.contest_rounds, size.contest_seeds, workers, timed=size.timed)
    report("changing tastes", len(parts) + 1, len(parts) + 2)
    return Beyond(size, found, rivals, *noticing(size.noticing, size.noticing_seeds, workers))


def produce(folder: Path, options: Options, size: BeyondSize = LIGHT) -> bool:
    """Run the study and write its files and record into `folder`; a full one that is there already is kept."""
    kept = read_record(folder)
    if size is LIGHT and kept and kept["settings"]["size"] == FULL.name and not options.fresh:
        return True
    with progress("beyond the paper: parts") as report:
        study = run(size, report=lambda words, done, of: report(done, of))
    command = "make study-beyond" if size is FULL else options.command
    with recorded(folder, "beyond", command) as settings:
        write(study, folder, options.pictures)
        settings |= {
            "seed": f"0 to {size.seeds - 1}",
            "size": size.name,
            "seeds": size.seeds,
            "rounds": claims.ROUNDS,
            "change": CHANGE,
        }
        settings |= {"contest_rounds": size.contest_rounds, "contest_seeds": size.contest_seeds}
    return True


def write(study: Beyond, out: Path, pictures: bool = True) -> None:
    """Write the claims, the contest and the figure of the change into `out`."""
    out = Path(out)
    table = {name: [getattr(claim, name) for claim in study.claims] for name in ("claim", "measured", "asked")}
    write_columns(out / "claims.csv", table | {"ok": [int(claim.ok) for claim in study.claims]})
    write_contest(study.contest, out, pictures)
    write_columns(out / "delays.csv", study.delays)
    write_figure("noticing", out, study.courses, study.courses, CHANGE, pictures=pictures)
