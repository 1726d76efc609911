"""γ × α on the Dots voters: the paper's regret, and what is played meanwhile; and how regret grows with α."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from isegoria.data import dots_sample
from isegoria.instance import Instance
from isegoria.learning import BernoulliRewards, BetaRewards, ProceduralLearner, simulate
from isegoria.learning.bounds import bounds, samples_by
from isegoria.scores import score
from isegoria.studies.intervals import intervals
from isegoria.studies.learning import ALPHA, GAMMA, SD
from isegoria.studies.rate import Setting
from isegoria.studies.rate.slopes import Slope, slope
from isegoria.tables.executors import Executor

Columns = dict[str, list[Any]]
Finished = Callable[[int], None]

GAMMAS = (0.5, 0.7, 0.9, 0.99)
ALPHAS = (1.0, 1.5, 2.0)
STEEP = (1.0, 1.3, 1.7, 2.2)
"""The values of α along which the slope of regret is measured, in the group of the rate study."""
MEASURES = ("regret", "voice_lost", "exploring", "procedural", "equality", "utilitarian")


def grid_tasks(rounds: int, seeds: int, papers_seeds: int, seed: int) -> list[tuple[float, float, int, int]]:
    """(γ, α, rounds, seed) of every run; the paper's setting has more seeds than the others."""
    return [
        (gamma, alpha, rounds, seed + number)
        for gamma in GAMMAS
        for alpha in ALPHAS
        for number in range(papers_seeds if (gamma, alpha) == (GAMMA, ALPHA) else seeds)
    ]


def one_run(gamma: float, alpha: float, rounds: int, seed: int) -> dict[str, float]:
    """What one run on the Dots voters gives; what a worker does."""
    sample = dots_sample()
    world = BetaRewards(sample, sd=SD)
    learner = ProceduralLearner(world.n_agents, world.n_arms, gamma=gamma, alpha=alpha, arms=sample.arms, seed=seed)
    trace = simulate(learner, world, rounds, seed=seed, records=2)
    played = score(sample, trace.pulls[-1] / rounds)
    theory = bounds(sample, rounds, gamma, alpha)
    return {
        "gamma": gamma, "alpha": alpha, "seed": seed, "regret": trace.regret, "voice_lost": trace.voice_lost,
        "exploring": trace.exploring_rounds, "procedural": played.procedural, "equality": played.equality,
        "utilitarian": played.utilitarian, "learned": float(trace.scores[-1, 0]),
        "late": int(trace.regret_curve[-1] - trace.regret_curve[0]),
        "exploring_times_expected": trace.exploring_rounds / theory.expected_exploring,
        "pulls_times_expected": float(trace.pulls[-1].min()) / samples_by(rounds, world.n_arms, gamma),
        "bound": theory.terms[0] + theory.terms[2],
    }  # fmt: skip


def by_setting(runs: Columns) -> Columns:
    """Means over seeds for each γ and α, with their standard errors."""
    rows = []
    for gamma in GAMMAS:
        for alpha in ALPHAS:
            mine = [row for row, pair in enumerate(zip(runs["gamma"], runs["alpha"], strict=True))
                    if pair == (gamma, alpha)]  # fmt: skip
            found = intervals(np.array([[runs[name][row] for name in MEASURES] for row in mine]))
            rows.append((gamma, alpha, len(mine), *(cell for one in found for cell in (one.mean, one.se))))
    names = ("gamma", "alpha", "seeds", *(name + end for name in MEASURES for end in ("", "_se")))
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def steep_run(alpha: float, rounds: int, seed: int) -> tuple[int, float]:
    """(regret, bound) of one run in the group of the rate study; what a worker does."""
    setting = Setting(alpha=alpha)
    instance: Instance = setting.instance()
    learner = ProceduralLearner(setting.agents, setting.arms, gamma=setting.gamma, alpha=alpha, seed=seed)
    theory = bounds(instance, rounds, setting.gamma, alpha)
    trace = simulate(learner, BernoulliRewards(instance), rounds, seed=seed, records=1)
    return trace.regret, theory.terms[0] + theory.terms[2]


def steepness(rounds: int, seeds: int, seed: int, executor: Executor, finished: Finished) -> tuple[Columns, Slope]:
    """Every run along α, and the slope of regret beside that of the bound."""
    tasks = [(alpha, rounds, seed + number) for alpha in STEEP for number in range(seeds)]
    found = executor.run(steep_run, tasks, finished)
    points: Columns = {"panel": ["alpha"] * len(tasks), "x": [task[0] for task in tasks],
                       "seed": [task[2] for task in tasks], "regret": [each[0] for each in found],
                       "bound": [each[1] for each in found]}  # fmt: skip
    return points, slope("alpha", points, rounds)
