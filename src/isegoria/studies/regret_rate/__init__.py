"""The regret of Algorithm 1 against rounds, γ, α, the smallest gap, N and K, compared with the bound of Theorem 2.

There are two sizes: `SHORT_SIZE` for `reproduce all`, and `FULL_SIZE` for `isegoria reproduce rate`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from isegoria.analysis.scores import score
from isegoria.figures.registry import write_figure
from isegoria.learning import BernoulliRewards, ProceduralLearner, Trace, simulate_many
from isegoria.learning.regret_bounds import RegretBounds, regret_bounds
from isegoria.profiles import Instance
from isegoria.studies.provenance import read_provenance, write_provenance
from isegoria.studies.registry import StudyOptions
from isegoria.studies.regret_rate.slopes import Slope, fit_slope
from isegoria.studies.result_tables import write_table
from isegoria.utils.progress import progress_bar

MIDDLE_MEAN = 0.5
"""Rewards are 0 or 1. A favourite's mean is half the gap above this value; the compromise's mean is half the gap
below."""


@dataclass(frozen=True)
class RateSetting:
    """One group and learner: N agents with different favourites and the same second choice, a gap Δ below; γ and α.

    All other arms have mean 0. The group is constructed so that the rate is visible. While every candidate set contains
    the compromise (arm 0), the policy plays only that arm, and only exploration separates it from the favourites, as in
    the proof of Theorem 2.
    """

    agents: int = 6
    arms: int = 3
    gap: float = 0.3
    gamma: float = 0.7
    alpha: float = 1.0

    def instance(self) -> Instance:
        """Return the true means."""
        means = np.zeros((self.agents, self.arms))
        means[:, 0] = MIDDLE_MEAN - self.gap / 2
        means[np.arange(self.agents), 1 + np.arange(self.agents) % (self.arms - 1)] = MIDDLE_MEAN + self.gap / 2
        return Instance(means)


BASE_SETTING = RateSetting()
VARIED_VALUES = {
    "gap": (0.2, 0.25, 0.3, 0.4, 0.5),
    "alpha": (1.0, 1.3, 1.7, 2.2),
    "gamma": (0.5, 0.6, 0.7, 0.8, 0.9),
    "agents": (3, 6, 12, 24, 48),
    "arms": (3, 4, 5, 6, 8),
}
"""The values of each parameter, which is varied alone with all others as in `BASE_SETTING`.

The panel over rounds shows `BASE_SETTING` itself."""
FIRST_RECORDED_ROUND = 100
"""The first round at which regret is recorded."""


@dataclass(frozen=True)
class RateSize:
    """How much is computed."""

    name: str
    rounds: int
    seeds: int


SHORT_SIZE = RateSize("short", 100_000, 2)
FULL_SIZE = RateSize("full", 1_000_000, 10)


@dataclass(frozen=True)
class RateStudy:
    """The results of the rate study: a row for each run (`points`), and the slopes of each panel."""

    size: RateSize
    points: dict[str, list[Any]]
    slopes: list[Slope]


def run(
    size: RateSize = SHORT_SIZE,
    seed: int = 42,
    workers: int = 1,
    report: Callable[[int, int], None] = lambda done, of: None,
) -> RateStudy:
    """Run the study at one size with seeds `seed`, `seed` + 1, …, each used for both the learner and the rewards."""
    points: dict[str, list[Any]] = {name: [] for name in ("panel", "x", "seed", "lost", "regret", "bound")}
    settings = [(panel, value) for panel, values in VARIED_VALUES.items() for value in values]
    seeds = list(range(seed, seed + size.seeds))
    _add_round_points(points, size, seeds, workers)
    for done, (panel, value) in enumerate(settings):
        report(done, len(settings))
        changed: dict[str, Any] = {panel: value}
        setting = replace(BASE_SETTING, **changed)
        traces = _simulate_setting(setting, size, seeds, workers, records=1)
        theory = regret_bounds(setting.instance(), size.rounds, setting.gamma, setting.alpha)
        for one, trace in zip(seeds, traces, strict=True):
            _append_point(points, panel, value, one, trace.voice_lost, trace.regret, theory)
    return RateStudy(size, points, [fit_slope(panel, points, size.rounds) for panel in ("rounds", *VARIED_VALUES)])


def _add_round_points(points: dict[str, list[Any]], size: RateSize, seeds: list[int], workers: int) -> None:
    """Add the base setting at doubling numbers of rounds T, each with the bound for that T."""
    instance = BASE_SETTING.instance()
    doubling = [FIRST_RECORDED_ROUND * 2**step for step in range(30) if FIRST_RECORDED_ROUND * 2**step <= size.rounds]
    traces = _simulate_setting(BASE_SETTING, size, seeds, workers, records=size.rounds // FIRST_RECORDED_ROUND)
    for one, trace in zip(seeds, traces, strict=True):
        for at in doubling:
            theory = regret_bounds(instance, at, BASE_SETTING.gamma, BASE_SETTING.alpha)
            record = at // FIRST_RECORDED_ROUND - 1
            lost = at * (1 - score(instance, trace.pulls[record] / at).procedural)
            _append_point(points, "rounds", at, one, lost, int(trace.regret_curve[record]), theory)


def _simulate_setting(
    setting: RateSetting, size: RateSize, seeds: list[int], workers: int, records: int
) -> list[Trace]:
    world = BernoulliRewards(setting.instance())
    learner = ProceduralLearner(setting.agents, setting.arms, gamma=setting.gamma, alpha=setting.alpha)
    return simulate_many(learner, world, size.rounds, seeds, workers, records=records)


def _append_point(
    points: dict[str, list[Any]], panel: str, x: float, seed: int, lost: float, regret: int, theory: RegretBounds
) -> None:
    """Add a row; the bound is K + (τ0 − K − 1), even where it exceeds the number of rounds."""
    for name, value in zip(points, (panel, x, seed, lost, regret, theory.terms[0] + theory.terms[2]), strict=True):
        points[name].append(value)


def produce(folder: Path, options: StudyOptions) -> bool:
    """Run the study and write its files and record into `folder`; keep an existing full study."""
    size, kept = SHORT_SIZE if options.short else FULL_SIZE, read_provenance(folder)
    if size is SHORT_SIZE and kept and kept["settings"]["size"] == FULL_SIZE.name and not options.fresh:
        return True
    with progress_bar("rate: settings") as report:
        study = run(size, options.seed, options.workers, report)
    with write_provenance(folder, "rate", options.command) as settings:
        write(study, folder, options.pictures)
        settings |= {"seed": options.seed, "size": size.name, "rounds": size.rounds, "seeds": size.seeds}
        settings |= {"agents": BASE_SETTING.agents, "arms": BASE_SETTING.arms, "gap": BASE_SETTING.gap}
        settings |= {"gamma": BASE_SETTING.gamma, "alpha": BASE_SETTING.alpha}
    return True


def write(study: RateStudy, out: Path, pictures: bool = True) -> None:
    """Write every run, the slopes and the figure into `out`."""
    out = Path(out)
    names = ("panel", "slope", "low", "high", "theory", "points", "unfinished")
    columns = {name: [getattr(one, name) for one in study.slopes] for name in names}
    write_table(out, "slopes", columns, "Slopes of regret and of the bound of Theorem 2 on logarithmic axes.")
    write_figure("rate", out, study.points, study.points, study.slopes, pictures=pictures)
