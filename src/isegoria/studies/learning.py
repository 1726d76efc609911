"""The learning study: Algorithm 1 on the paper's 50 Dots voters, once as the paper shows it and over 20 seeds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from isegoria import BetaRewards, ProceduralLearner, Trace, bounds, simulate_many
from isegoria.data import dots_sample
from isegoria.figures.registry import write_figure
from isegoria.io import atomic
from isegoria.progress import progress
from isegoria.rules import solve
from isegoria.studies.record import recorded
from isegoria.studies.registry import Options
from isegoria.studies.tables import write_table
from isegoria.wording import SCORES

ROUNDS = 100_000
GAMMA, ALPHA, SD = 0.7, 1.0, 0.1
SEEDS = 20
RECORDS = 2000
"""Rounds of each run that are kept, evenly spaced."""
DRAWN = 4
"""Every so many of them is drawn: a figure of 85 mm cannot show more."""


@dataclass(frozen=True)
class Learning:
    """What the study found: the traces of all seeds; the first is the single run that the paper shows."""

    traces: dict[int, Trace]

    @property
    def single(self) -> Trace:
        """The run of the first seed."""
        return next(iter(self.traces.values()))

    def band(self) -> dict[str, np.ndarray]:
        """The median, least and largest of each score over the seeds, at the recorded rounds."""
        every = np.array([trace.scores for trace in self.traces.values()])
        columns = {"round": self.single.rounds}
        for place, score in enumerate(SCORES):
            of = every[:, :, place]
            columns |= {score: np.median(of, axis=0), f"{score}_low": of.min(axis=0), f"{score}_high": of.max(axis=0)}
        return columns

    def seeds(self) -> dict[str, list[Any]]:
        """One row for each seed: regret, when the sets were right for good, exploring rounds and the last scores."""
        columns: dict[str, list[Any]] = {"seed": list(self.traces)}
        for name in ("regret", "last_mismatch", "exploring_rounds", "patterns"):
            columns[name] = [getattr(trace, name) for trace in self.traces.values()]
        for place, score in enumerate(SCORES):
            columns[score] = [float(trace.scores[-1, place]) for trace in self.traces.values()]
        return columns


def run(seed: int = 42, rounds: int = ROUNDS, seeds: int = SEEDS, workers: int = 1) -> Learning:
    """The study: seeds `seed`, `seed` + 1, …, each for both the learner and the rewards."""
    instance = dots_sample()
    agents, arms = instance.means.shape
    learner = ProceduralLearner(agents, arms, gamma=GAMMA, alpha=ALPHA, arms=instance.arms)
    chosen = list(range(seed, seed + seeds))
    world = BetaRewards(instance, sd=SD)
    with progress("learning: runs") as report:
        traces = simulate_many(learner, world, rounds, chosen, workers, report, records=min(rounds, RECORDS))
    return Learning(dict(zip(chosen, traces, strict=True)))


def produce(folder: Path, options: Options) -> bool:
    """Run the study, and write its trace, tables, figures and record into `folder`."""
    study = run(options.seed, workers=options.workers)
    theory = bounds(dots_sample(), ROUNDS, GAMMA, ALPHA)
    with recorded(folder, "learning", options.command) as settings:
        write(study, folder, options.pictures)
        settings |= {"seed": options.seed, "rounds": ROUNDS, "gamma": GAMMA, "alpha": ALPHA, "sd": SD}
        settings |= {"recovery_round": theory.recovery_round}
    return True


def write(study: Learning, out: Path, pictures: bool = True) -> None:
    """Write the trace, the table over seeds and the figures of the study into `out`."""
    out = Path(out)
    atomic.write_text(out / "trace.csv", study.single.to_csv())
    write_table(out, "seeds", study.seeds(), "Algorithm 1 on the Dots voters, seed by seed.")
    fair = solve(dots_sample(), "procedural").policy
    write_figure("learning-scores", out, _drawn(study.single.rolling_scores()), pictures=pictures)
    write_figure("learning-policy", out, _drawn(study.single.rolling_policy(fair)), pictures=pictures)
    write_figure("learning-band", out, study.band(), pictures=pictures)


def _drawn(columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {name: column[DRAWN - 1 :: DRAWN] for name, column in columns.items()}
