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
from isegoria.learning import LEARNERS, BetaRewards
from isegoria.learning.runs.contest import Contest, contest
from isegoria.progress import progress
from isegoria.studies.beyond import change, claims, played, rounds
from isegoria.studies.beyond.change import CHANGE, TRICKLING, noticing
from isegoria.studies.beyond.claims import Promise
from isegoria.studies.beyond.worlds import INSTANCES
from isegoria.studies.record import read_record, recorded
from isegoria.studies.registry import Options
from isegoria.studies.tables import write_table


@dataclass(frozen=True)
class BeyondSize:
    """How much is computed: seeds of what is played and of rounds, runs of the coverage study, groups, and so on."""

    name: str
    seeds: int
    worlds: tuple[str, ...]
    instances: tuple[str, ...]
    rounds_seeds: int
    groups: int
    theorem: int
    coverage_runs: int
    fault_runs: int
    drift_runs: int
    trickles: tuple[float, ...]
    quiet_runs: int
    timed: bool
    learners: tuple[str, ...]
    contest_rounds: int
    contest_seeds: int
    noticing: tuple[str, ...]
    noticing_seeds: int


LIGHT = BeyondSize(
    "light", seeds=3, worlds=("lunch, Beta", "3x3 starving, 0/1"), instances=tuple(INSTANCES)[:4], rounds_seeds=10,
    groups=3, theorem=10, coverage_runs=40, fault_runs=20, drift_runs=3, trickles=(0.0, 0.05), quiet_runs=4,
    timed=False, learners=("procedural", "guided", "posterior", "dictatorship", "uniform"), contest_rounds=10_000,
    contest_seeds=3, noticing=("procedural", "guided", TRICKLING, "dictatorship"), noticing_seeds=3,
)  # fmt: skip
FULL = BeyondSize(
    "full", seeds=20, worlds=tuple(played.WORLDS), instances=tuple(INSTANCES), rounds_seeds=200, groups=80, theorem=300,
    coverage_runs=1_500, fault_runs=1_000, drift_runs=25, trickles=change.TRICKLES, quiet_runs=100, timed=True,
    learners=tuple(LEARNERS), contest_rounds=10_000, contest_seeds=5,
    noticing=("procedural", "guided", TRICKLING, "posterior", "nash", "dictatorship"), noticing_seeds=10,
)  # fmt: skip


@dataclass(frozen=True)
class BeyondStudy:
    """What the study found, at one size: the claims, its tables, the contest, and what happens around a change."""

    size: BeyondSize
    claims: list[Promise]
    tables: dict[str, dict[str, list[Any]]]
    contest: Contest
    courses: dict[str, list[Any]]
    delays: dict[str, list[Any]]


def run(
    size: BeyondSize = LIGHT,
    workers: int | None = None,
    report: Callable[[str, int, int], None] = lambda words, done, of: None,
) -> BeyondStudy:
    """The study at one size; `report(words, done, of)` is told how far it is."""
    tables: dict[str, dict[str, list[Any]]] = {}
    measures: dict[str, Callable[[], dict[str, list[Any]]]] = {
        "played": lambda: played.table(size.seeds, workers, size.worlds),
        "rounds": lambda: rounds.table(size.rounds_seeds, workers, size.instances),
        "groups": lambda: played.groups(size.groups, workers=workers),
        "drift": lambda: change.drift(size.drift_runs, trickles=size.trickles),
    }
    parts: list[Callable[[], list[Promise]]] = [
        lambda: claims.lunch_claims(tables["played"]),
        lambda: claims.starving_claims(size.seeds, workers),
        lambda: claims.rounds_claims(tables["rounds"]),
        lambda: claims.theorem_claims(size.theorem),
        lambda: claims.coverage_claims(size.coverage_runs, size.fault_runs),
        lambda: claims.drift_claims(tables["drift"], size.quiet_runs),
        *([claims.cost_claims] if size.timed else []),
    ]
    total = len(measures) + len(parts) + 2
    for done, (name, measure) in enumerate(measures.items()):
        report(name, done, total)
        tables[name] = measure()
    found: list[Promise] = []
    for done, part in enumerate(parts, start=len(measures)):
        report("claims", done, total)
        found += part()
    report("contest", total - 2, total)
    world = BetaRewards(dots_sample(), sd=played.SD)
    rivals = contest(world, size.learners, size.contest_rounds, size.contest_seeds, workers, timed=size.timed)
    report("changing tastes", total - 1, total)
    return BeyondStudy(size, found, tables, rivals, *noticing(size.noticing, size.noticing_seeds, workers))


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
            "rounds_seeds": size.rounds_seeds,
            "change": CHANGE,
        }
        settings |= {"contest_rounds": size.contest_rounds, "contest_seeds": size.contest_seeds}
    return True


def write(study: BeyondStudy, out: Path, pictures: bool = True) -> None:
    """Write the claims, the tables, the contest and the figure of the change into `out`."""
    out = Path(out)
    table = {name: [getattr(claim, name) for claim in study.claims] for name in ("claim", "measured", "asked")}
    held = {"ok": [int(claim.ok) for claim in study.claims]}
    write_table(out, "claims", table | held, "What the guided learner holds.")
    for name, columns in study.tables.items():
        write_table(out, name, columns, f"Beyond the paper: {name}.")
    write_contest(study.contest, out, pictures)
    write_table(out, "delays", study.delays, "Rounds until a change of tastes is noticed.")
    write_figure("noticing", out, study.courses, study.courses, CHANGE, pictures=pictures)
