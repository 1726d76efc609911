"""The learning study: Algorithm 1 on the paper's 50 Dots voters, one run as in the paper and 20 seeds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from isegoria import BetaRewards, ProceduralLearner, Trace, regret_bounds, simulate_many
from isegoria.datasets import load_dots_sample
from isegoria.figures.registry import write_figure
from isegoria.io.storage import atomic_write
from isegoria.rules import solve
from isegoria.studies.provenance import write_provenance
from isegoria.studies.registry import StudyOptions
from isegoria.studies.result_tables import write_table
from isegoria.utils.formatting import SCORE_LABELS
from isegoria.utils.progress import progress_bar

LEARNING_ROUNDS = 100_000
LEARNING_GAMMA, LEARNING_ALPHA, REWARD_SD = 0.7, 1.0, 0.1
N_SEEDS = 20
LEARNING_RECORDS = 2000
"""Maximum number of evenly spaced rounds that are recorded of each run."""
DRAW_EVERY = 4
"""Figures draw one in this many records, because a figure of 85 mm cannot show more."""


@dataclass(frozen=True)
class LearningStudy:
    """The results of the learning study: the traces of all seeds. The first is the single run that the paper shows."""

    traces: dict[int, Trace]

    @property
    def single(self) -> Trace:
        """The run of the first seed."""
        return next(iter(self.traces.values()))

    def band(self) -> dict[str, np.ndarray]:
        """Return the median, minimum and maximum of each score over the seeds, at the recorded rounds."""
        every = np.array([trace.scores for trace in self.traces.values()])
        columns = {"round": self.single.rounds}
        for place, score in enumerate(SCORE_LABELS):
            of = every[:, :, place]
            columns |= {score: np.median(of, axis=0), f"{score}_low": of.min(axis=0), f"{score}_high": of.max(axis=0)}
        return columns

    def seeds(self) -> dict[str, list[Any]]:
        """Return one row per seed: regret, last round with a wrong favourite set, exploring rounds, final scores."""
        columns: dict[str, list[Any]] = {"seed": list(self.traces)}
        for name in ("regret", "last_mismatch", "exploring_rounds", "patterns"):
            columns[name] = [getattr(trace, name) for trace in self.traces.values()]
        for place, score in enumerate(SCORE_LABELS):
            columns[score] = [float(trace.scores[-1, place]) for trace in self.traces.values()]
        return columns


def run(seed: int = 42, rounds: int = LEARNING_ROUNDS, seeds: int = N_SEEDS, workers: int = 1) -> LearningStudy:
    """Run the study with seeds `seed`, `seed` + 1, …, each used for both the learner and the rewards."""
    instance = load_dots_sample()
    agents, arms = instance.means.shape
    learner = ProceduralLearner(agents, arms, gamma=LEARNING_GAMMA, alpha=LEARNING_ALPHA, arms=instance.arms)
    chosen = list(range(seed, seed + seeds))
    world = BetaRewards(instance, sd=REWARD_SD)
    with progress_bar("learning: runs") as report:
        traces = simulate_many(learner, world, rounds, chosen, workers, report, records=min(rounds, LEARNING_RECORDS))
    return LearningStudy(dict(zip(chosen, traces, strict=True)))


def produce(folder: Path, options: StudyOptions) -> bool:
    """Run the study, and write its trace, tables, figures and record into `folder`."""
    study = run(options.seed, workers=options.workers)
    theory = regret_bounds(load_dots_sample(), LEARNING_ROUNDS, LEARNING_GAMMA, LEARNING_ALPHA)
    with write_provenance(folder, "learning", options.command) as settings:
        write(study, folder, options.pictures)
        settings |= {
            "seed": options.seed,
            "rounds": LEARNING_ROUNDS,
            "gamma": LEARNING_GAMMA,
            "alpha": LEARNING_ALPHA,
            "sd": REWARD_SD,
        }
        settings |= {"recovery_round": theory.recovery_round}
    return True


def write(study: LearningStudy, out: Path, pictures: bool = True) -> None:
    """Write the trace, the table over seeds and the figures of the study into `out`."""
    out = Path(out)
    atomic_write.write_text(out / "trace.csv", study.single.to_csv())
    write_table(out, "seeds", study.seeds(), "Algorithm 1 on the Dots voters, seed by seed.")
    fair = solve(load_dots_sample(), "procedural").policy
    write_figure("learning-scores", out, _thin_for_drawing(study.single.rolling_scores()), pictures=pictures)
    write_figure("learning-policy", out, _thin_for_drawing(study.single.rolling_policy(fair)), pictures=pictures)
    write_figure("learning-band", out, study.band(), pictures=pictures)


def _thin_for_drawing(columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {name: column[DRAW_EVERY - 1 :: DRAW_EVERY] for name, column in columns.items()}
