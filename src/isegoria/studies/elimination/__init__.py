"""Beyond the paper: the elimination learner's claims measured, all learners compared, and preferences that change.

There are two sizes: `LIGHT_SIZE` for the page of `make reproduce`, and `FULL_SIZE` for `make study-beyond`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isegoria.datasets import load_dots_sample
from isegoria.figures.comparison_files import write_comparison
from isegoria.figures.registry import write_figure
from isegoria.learning import LEARNERS, BetaRewards
from isegoria.learning.simulation.learner_comparison import LearnerComparison, compare_learners
from isegoria.studies.elimination import guarantees, play_scores, rounds_to_resolve, taste_changes
from isegoria.studies.elimination.guarantees import MeasuredGuarantee
from isegoria.studies.elimination.study_instances import STUDY_INSTANCES
from isegoria.studies.elimination.taste_changes import CHANGE_ROUND, MONITORING_LEARNER, measure_detection
from isegoria.studies.provenance import read_provenance, write_provenance
from isegoria.studies.registry import StudyOptions
from isegoria.studies.result_tables import write_table
from isegoria.utils.progress import progress_bar


@dataclass(frozen=True)
class EliminationStudySize:
    """How much is computed: numbers of seeds, runs and groups of each part, and which environments and learners."""

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


LIGHT_SIZE = EliminationStudySize(
    "light",
    seeds=3,
    worlds=("lunch, Beta", "3x3 starving, 0/1"),
    instances=tuple(STUDY_INSTANCES)[:4],
    rounds_seeds=10,
    groups=3,
    theorem=10,
    coverage_runs=40,
    fault_runs=20,
    drift_runs=3,
    trickles=(0.0, 0.05),
    quiet_runs=4,
    timed=False,
    learners=("procedural", "elimination", "thompson", "random-dictatorship", "uniform"),
    contest_rounds=10_000,
    contest_seeds=3,
    noticing=("procedural", "elimination", MONITORING_LEARNER, "random-dictatorship"),
    noticing_seeds=3,
)
FULL_SIZE = EliminationStudySize(
    "full",
    seeds=20,
    worlds=tuple(play_scores.PLAY_ENVIRONMENTS),
    instances=tuple(STUDY_INSTANCES),
    rounds_seeds=200,
    groups=80,
    theorem=300,
    coverage_runs=1_500,
    fault_runs=1_000,
    drift_runs=25,
    trickles=taste_changes.MONITORING_RATES,
    quiet_runs=100,
    timed=True,
    learners=tuple(LEARNERS),
    contest_rounds=10_000,
    contest_seeds=5,
    noticing=("procedural", "elimination", MONITORING_LEARNER, "thompson", "nash-ucb", "random-dictatorship"),
    noticing_seeds=10,
)


@dataclass(frozen=True)
class EliminationStudy:
    """The results of the study at one size: claims, tables, the contest, and how learners respond to a change."""

    size: EliminationStudySize
    claims: list[MeasuredGuarantee]
    tables: dict[str, dict[str, list[Any]]]
    contest: LearnerComparison
    courses: dict[str, list[Any]]
    delays: dict[str, list[Any]]


def run(
    size: EliminationStudySize = LIGHT_SIZE,
    workers: int | None = None,
    report: Callable[[str, int, int], None] = lambda words, done, of: None,
) -> EliminationStudy:
    """Run the study at one size; `report(words, done, of)` is called with the progress."""
    tables: dict[str, dict[str, list[Any]]] = {}
    measures: dict[str, Callable[[], dict[str, list[Any]]]] = {
        "played": lambda: play_scores.compute_table(size.seeds, workers, size.worlds),
        "rounds": lambda: rounds_to_resolve.compute_table(size.rounds_seeds, workers, size.instances),
        "groups": lambda: play_scores.compute_group_table(size.groups, workers=workers),
        "drift": lambda: taste_changes.measure_drift(size.drift_runs, trickles=size.trickles),
    }
    parts: list[Callable[[], list[MeasuredGuarantee]]] = [
        lambda: guarantees.check_lunch(tables["played"]),
        lambda: guarantees.check_starving(size.seeds, workers),
        lambda: guarantees.check_rounds(tables["rounds"]),
        lambda: guarantees.check_theorem3(size.theorem),
        lambda: guarantees.check_coverage(size.coverage_runs, size.fault_runs),
        lambda: guarantees.check_drift(tables["drift"], size.quiet_runs),
        *([guarantees.check_cost] if size.timed else []),
    ]
    total = len(measures) + len(parts) + 2
    for done, (name, measure) in enumerate(measures.items()):
        report(name, done, total)
        tables[name] = measure()
    found: list[MeasuredGuarantee] = []
    for done, part in enumerate(parts, start=len(measures)):
        report("claims", done, total)
        found += part()
    report("contest", total - 2, total)
    world = BetaRewards(load_dots_sample(), sd=play_scores.REWARD_SD)
    rivals = compare_learners(world, size.learners, size.contest_rounds, size.contest_seeds, workers, timed=size.timed)
    report("changing tastes", total - 1, total)
    return EliminationStudy(
        size, found, tables, rivals, *measure_detection(size.noticing, size.noticing_seeds, workers)
    )


def produce(folder: Path, options: StudyOptions, size: EliminationStudySize = LIGHT_SIZE) -> bool:
    """Run the study and write its files and record into `folder`; keep an existing full study.

    An existing full study is computed again only if the options ask for `fresh` results or the full size.
    """
    kept = read_provenance(folder)
    if size is LIGHT_SIZE and kept and kept["settings"]["size"] == FULL_SIZE.name and not options.fresh:
        return True
    with progress_bar("beyond the paper: parts") as report:
        study = run(size, report=lambda words, done, of: report(done, of))
    command = "make study-beyond" if size is FULL_SIZE else options.command
    with write_provenance(folder, "beyond", command) as settings:
        write(study, folder, options.pictures)
        settings |= {
            "seed": f"0 to {size.seeds - 1}",
            "size": size.name,
            "seeds": size.seeds,
            "rounds_seeds": size.rounds_seeds,
            "change": CHANGE_ROUND,
        }
        settings |= {"contest_rounds": size.contest_rounds, "contest_seeds": size.contest_seeds}
    return True


def write(study: EliminationStudy, out: Path, pictures: bool = True) -> None:
    """Write the claims, the tables, the contest and the figure of the change into `out`."""
    out = Path(out)
    table = {name: [getattr(claim, name) for claim in study.claims] for name in ("claim", "measured", "asked")}
    held = {"ok": [int(claim.ok) for claim in study.claims]}
    write_table(out, "claims", table | held, "What the elimination learner holds.")
    for name, columns in study.tables.items():
        write_table(out, name, columns, f"Beyond the paper: {name}.")
    write_comparison(study.contest, out, pictures)
    write_table(out, "delays", study.delays, "Rounds until a change of tastes is noticed.")
    write_figure("noticing", out, study.courses, study.courses, CHANGE_ROUND, pictures=pictures)
