"""The learning study: Algorithm 1 on the paper's 50 Dots voters, once as the paper shows it and over 20 seeds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from isegoria.data import dots_sample
from isegoria.figures.registry import write_figure
from isegoria.io.columns import write_columns
from isegoria.learning import BetaRewards, ProceduralLearner, Trace, simulate
from isegoria.objectives import solve
from isegoria.studies.paper import SCORES
from isegoria.studies.progress import progress
from isegoria.studies.record import recorded
from isegoria.studies.registry import Options

ROUNDS = 100_000
GAMMA, ALPHA, SD = 0.7, 1.0, 0.1
SEEDS = 20
WINDOW = 1000
"""The paper's rolling mean: this many rounds up to and including the one shown."""
STEP = 100
"""A rolling mean is kept every so many rounds."""
RECORDS = 2000
"""Rounds of a run that trace.csv and the band keep."""


@dataclass(frozen=True)
class Learning:
    """What the study found: the run of the first seed with every round recorded, and the runs of all seeds."""

    run: Trace
    band: dict[int, Trace]

    def rolling_scores(self) -> dict[str, np.ndarray]:
        """The three scores of the learned policy as means over the last 1,000 rounds, with standard deviations."""
        return {"round": self._rolling_rounds()} | _rolled(dict(zip(SCORES, self.run.scores.T, strict=True)))

    def rolling_policy(self, arms, fair: np.ndarray) -> dict[str, np.ndarray]:
        """The learned policy in the same way, with the fair policy it should reach in columns `fair_…`."""
        named = {f"p_{arm}": column for arm, column in zip(arms, self.run.policies.T, strict=True)}
        rounds = self._rolling_rounds()
        goal = {f"fair_{arm}": np.full(len(rounds), p) for arm, p in zip(arms, fair, strict=True)}
        return {"round": rounds} | _rolled(named) | goal

    def _rolling_rounds(self) -> np.ndarray:
        return self.run.rounds[WINDOW - 1 :: STEP]

    def seeds_band(self) -> dict[str, np.ndarray]:
        """The median, least and largest of each score over the seeds, at the recorded rounds."""
        traces = list(self.band.values())
        every = np.array([trace.scores for trace in traces])
        columns = {"round": traces[0].rounds}
        for place, score in enumerate(SCORES):
            of = every[:, :, place]
            columns |= {score: np.median(of, axis=0), f"{score}_low": of.min(axis=0), f"{score}_high": of.max(axis=0)}
        return columns

    def seeds_table(self) -> dict[str, list]:
        """One row for each seed: regret, when the sets were right for good, exploring rounds and the last scores."""
        columns: dict[str, list] = {"seed": list(self.band)}
        for name in ("regret", "last_mismatch", "exploring_rounds"):
            columns[name] = [int(getattr(trace, name)) for trace in self.band.values()]
        for place, score in enumerate(SCORES):
            columns[score] = [float(trace.scores[-1, place]) for trace in self.band.values()]
        return columns


def run(seed: int = 42, rounds: int = ROUNDS, seeds: int = SEEDS, report=None) -> Learning:
    """The study: seeds `seed`, `seed` + 1, …, each for both the learner and the rewards."""
    instance = dots_sample()
    world = BetaRewards(instance.means, sd=SD)
    band = {}
    for done in range(seeds):
        learner = ProceduralLearner(*instance.means.shape, gamma=GAMMA, alpha=ALPHA, seed=seed + done)
        if done == 0:
            single = simulate(learner, world, rounds=rounds, seed=seed, records=rounds)
        band[seed + done] = simulate(learner, world, rounds=rounds, seed=seed + done, records=min(rounds, RECORDS))
        if report:
            report(done + 1, seeds)
    return Learning(single, band)


def produce(folder: Path, options: Options) -> bool:
    """Run the study, and write its trace, tables, figures and record into `folder`."""
    with progress("learning: runs") as report:
        study = run(options.seed, report=report)
    with recorded(folder, "learning", options.command) as settings:
        write(study, folder, options.pictures)
        settings |= {"seed": options.seed, "rounds": ROUNDS, "gamma": GAMMA, "alpha": ALPHA, "sd": SD}
    return True


def write(study: Learning, out: Path, pictures: bool = True) -> None:
    """Write the trace, the tables and the figures of the study into `out`."""
    out = Path(out)
    instance = dots_sample()
    first = next(iter(study.band.values()))
    trace = {"round": first.rounds} | dict(zip(SCORES, first.scores.T, strict=True)) | {"regret": first.regret_curve}
    trace |= {f"p_{arm}": column for arm, column in zip(instance.arms, first.policies.T, strict=True)}
    write_columns(out / "trace.csv", trace)
    write_columns(out / "seeds.csv", study.seeds_table())
    fair = solve(instance, "procedural").policy
    write_figure("learning-scores", out, study.rolling_scores(), pictures=pictures)
    write_figure("learning-policy", out, study.rolling_policy(instance.arms, fair), pictures=pictures)
    write_figure("learning-band", out, study.seeds_band(), pictures=pictures)


def _rolled(named: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    columns = {}
    for name, values in named.items():
        windows = sliding_window_view(values, WINDOW)[::STEP]
        columns |= {name: windows.mean(axis=1), f"{name}_sd": windows.std(axis=1)}
    return columns
