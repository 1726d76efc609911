"""The theorem, seen: regret of Algorithm 1 against rounds, γ, α, the smallest gap, N and K, beside Theorem 2's bound.

There are two sizes. `SHORT` is what `reproduce all` has time for; `FULL` is `isegoria reproduce rate`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from isegoria.figures.registry import write_figure
from isegoria.instance import Instance
from isegoria.learning import BernoulliRewards, ProceduralLearner, Trace, simulate_many
from isegoria.learning.bounds import Bounds, bounds
from isegoria.progress import progress
from isegoria.scores import score
from isegoria.studies.rate.slopes import Slope, slope
from isegoria.studies.record import read_record, recorded
from isegoria.studies.registry import Options
from isegoria.studies.tables import write_table

MIDDLE = 0.5
"""Rewards are 0 or 1; a favourite's mean is half the gap above this, that of the compromise as far below."""


@dataclass(frozen=True)
class Setting:
    """One group and learner: N agents with the same second choice, a gap Δ behind favourites that differ, and no use
    for the other arms; γ and α.

    It is made so that the rate shows. While every set holds the compromise (arm 0), the policy plays that alone, and
    the favourites are told apart from it by exploration only, as in the proof of Theorem 2.
    """

    agents: int = 6
    arms: int = 3
    gap: float = 0.3
    gamma: float = 0.7
    alpha: float = 1.0

    def instance(self) -> Instance:
        """The true means."""
        means = np.zeros((self.agents, self.arms))
        means[:, 0] = MIDDLE - self.gap / 2
        means[np.arange(self.agents), 1 + np.arange(self.agents) % (self.arms - 1)] = MIDDLE + self.gap / 2
        return Instance(means)


BASE = Setting()
VARIED = {
    "gap": (0.2, 0.25, 0.3, 0.4, 0.5),
    "alpha": (1.0, 1.3, 1.7, 2.2),
    "gamma": (0.5, 0.6, 0.7, 0.8, 0.9),
    "agents": (3, 6, 12, 24, 48),
    "arms": (3, 4, 5, 6, 8),
}
"""What is varied, one after the other, with all else as in `BASE`; against rounds the base itself is told."""
FIRST = 100
"""The first of the rounds at which regret is told."""


@dataclass(frozen=True)
class RateSize:
    """How much is computed."""

    name: str
    rounds: int
    seeds: int


SHORT = RateSize("short", 100_000, 2)
FULL = RateSize("full", 1_000_000, 10)


@dataclass(frozen=True)
class Rate:
    """What was found: a row for each run (`points`), and for each panel the slope of its regret and of the bound."""

    size: RateSize
    points: dict[str, list[Any]]
    slopes: list[Slope]


def run(
    size: RateSize = SHORT,
    seed: int = 42,
    workers: int = 1,
    report: Callable[[int, int], None] = lambda done, of: None,
) -> Rate:
    """The study at one size: seeds `seed`, `seed` + 1, …, each for both the learner and the rewards."""
    points: dict[str, list[Any]] = {name: [] for name in ("panel", "x", "seed", "lost", "regret", "bound")}
    settings = [(panel, value) for panel, values in VARIED.items() for value in values]
    seeds = list(range(seed, seed + size.seeds))
    _against_rounds(points, size, seeds, workers)
    for done, (panel, value) in enumerate(settings):
        report(done, len(settings))
        changed: dict[str, Any] = {panel: value}
        setting = replace(BASE, **changed)
        traces = _traces(setting, size, seeds, workers, records=1)
        theory = bounds(setting.instance(), size.rounds, setting.gamma, setting.alpha)
        for one, trace in zip(seeds, traces, strict=True):
            _add(points, panel, value, one, trace.voice_lost, trace.regret, theory)
    return Rate(size, points, [slope(panel, points, size.rounds) for panel in ("rounds", *VARIED)])


def _against_rounds(points: dict[str, list[Any]], size: RateSize, seeds: list[int], workers: int) -> None:
    """The base, told at rounds that double; the bound is that of each T."""
    instance = BASE.instance()
    doubling = [FIRST * 2**step for step in range(30) if FIRST * 2**step <= size.rounds]
    traces = _traces(BASE, size, seeds, workers, records=size.rounds // FIRST)
    for one, trace in zip(seeds, traces, strict=True):
        for at in doubling:
            theory = bounds(instance, at, BASE.gamma, BASE.alpha)
            record = at // FIRST - 1
            lost = at * (1 - score(instance, trace.pulls[record] / at).procedural)
            _add(points, "rounds", at, one, lost, int(trace.regret_curve[record]), theory)


def _traces(setting: Setting, size: RateSize, seeds: list[int], workers: int, records: int) -> list[Trace]:
    world = BernoulliRewards(setting.instance())
    learner = ProceduralLearner(setting.agents, setting.arms, gamma=setting.gamma, alpha=setting.alpha)
    return simulate_many(learner, world, size.rounds, seeds, workers, records=records)


def _add(
    points: dict[str, list[Any]], panel: str, x: float, seed: int, lost: float, regret: int, theory: Bounds
) -> None:
    """A row; the bound is K + τ0 − K − 1, also where it says nothing yet about so few rounds."""
    for name, value in zip(points, (panel, x, seed, lost, regret, theory.terms[0] + theory.terms[2]), strict=True):
        points[name].append(value)


def produce(folder: Path, options: Options) -> bool:
    """Run the study and write its files and record into `folder`; a full one that is there already is kept."""
    size, kept = SHORT if options.short else FULL, read_record(folder)
    if size is SHORT and kept and kept["settings"]["size"] == FULL.name and not options.fresh:
        return True
    with progress("rate: settings") as report:
        study = run(size, options.seed, options.workers, report)
    with recorded(folder, "rate", options.command) as settings:
        write(study, folder, options.pictures)
        settings |= {"seed": options.seed, "size": size.name, "rounds": size.rounds, "seeds": size.seeds}
        settings |= {"agents": BASE.agents, "arms": BASE.arms, "gap": BASE.gap}
        settings |= {"gamma": BASE.gamma, "alpha": BASE.alpha}
    return True


def write(study: Rate, out: Path, pictures: bool = True) -> None:
    """Write every run, the slopes and the figure into `out`."""
    out = Path(out)
    names = ("panel", "slope", "low", "high", "theory", "points", "unfinished")
    columns = {name: [getattr(one, name) for one in study.slopes] for name in names}
    write_table(out, "slopes", columns, "Slopes of regret and of the bound of Theorem 2 on logarithmic axes.")
    write_figure("rate", out, study.points, study.points, study.slopes, pictures=pictures)
