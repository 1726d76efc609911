"""Algorithm 1 for each γ and α on the Dots voters: regret and what is played; and how regret grows with α."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from isegoria.analysis.scores import score
from isegoria.datasets import load_dots_sample
from isegoria.learning import BernoulliRewards, BetaRewards, ProceduralLearner, simulate
from isegoria.learning.regret_bounds import expected_pulls_by, regret_bounds
from isegoria.out_of_core.executors import Executor
from isegoria.profiles import Instance
from isegoria.studies.bootstrap import bootstrap_intervals
from isegoria.studies.dots_learning import LEARNING_ALPHA, LEARNING_GAMMA, REWARD_SD
from isegoria.studies.regret_rate import RateSetting
from isegoria.studies.regret_rate.slopes import Slope, fit_slope

Columns = dict[str, list[Any]]
Finished = Callable[[int], None]

GRID_GAMMAS = (0.5, 0.7, 0.9, 0.99)
GRID_ALPHAS = (1.0, 1.5, 2.0)
SLOPE_ALPHAS = (1.0, 1.3, 1.7, 2.2)
"""Values of α over which the slope of regret is measured, in the group of the rate study."""
RUN_MEASURES = ("regret", "voice_lost", "exploring", "procedural", "equality", "utilitarian")


def grid_tasks(rounds: int, seeds: int, papers_seeds: int, seed: int) -> list[tuple[float, float, int, int]]:
    """Return (γ, α, rounds, seed) of every run; the paper's setting has more seeds than the others."""
    return [
        (gamma, alpha, rounds, seed + number)
        for gamma in GRID_GAMMAS
        for alpha in GRID_ALPHAS
        for number in range(papers_seeds if (gamma, alpha) == (LEARNING_GAMMA, LEARNING_ALPHA) else seeds)
    ]


def simulate_run(gamma: float, alpha: float, rounds: int, seed: int) -> dict[str, float]:
    """Simulate one run on the Dots voters and return its numbers; this runs in a worker."""
    sample = load_dots_sample()
    world = BetaRewards(sample, sd=REWARD_SD)
    learner = ProceduralLearner(world.n_agents, world.n_arms, gamma=gamma, alpha=alpha, arms=sample.arms, seed=seed)
    trace = simulate(learner, world, rounds, seed=seed, records=2)
    played = score(sample, trace.pulls[-1] / rounds)
    theory = regret_bounds(sample, rounds, gamma, alpha)
    return {
        "gamma": gamma,
        "alpha": alpha,
        "seed": seed,
        "regret": trace.regret,
        "voice_lost": trace.voice_lost,
        "exploring": trace.exploring_rounds,
        "procedural": played.procedural,
        "equality": played.equality,
        "utilitarian": played.utilitarian,
        "learned": float(trace.scores[-1, 0]),
        "late": int(trace.regret_curve[-1] - trace.regret_curve[0]),
        "exploring_times_expected": trace.exploring_rounds / theory.expected_exploring,
        "pulls_times_expected": float(trace.pulls[-1].min()) / expected_pulls_by(rounds, world.n_arms, gamma),
        "bound": theory.terms[0] + theory.terms[2],
    }


def mean_by_setting(runs: Columns) -> Columns:
    """Return means over seeds for each γ and α, with their standard errors."""
    rows = []
    for gamma in GRID_GAMMAS:
        for alpha in GRID_ALPHAS:
            mine = [
                row for row, pair in enumerate(zip(runs["gamma"], runs["alpha"], strict=True)) if pair == (gamma, alpha)
            ]
            found = bootstrap_intervals(np.array([[runs[name][row] for name in RUN_MEASURES] for row in mine]))
            rows.append((gamma, alpha, len(mine), *(cell for one in found for cell in (one.mean, one.se))))
    names = ("gamma", "alpha", "seeds", *(name + end for name in RUN_MEASURES for end in ("", "_se")))
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def simulate_slope_run(alpha: float, rounds: int, seed: int) -> tuple[int, float]:
    """Return (regret, bound) of one run in the group of the rate study; this runs in a worker."""
    setting = RateSetting(alpha=alpha)
    instance: Instance = setting.instance()
    learner = ProceduralLearner(setting.agents, setting.arms, gamma=setting.gamma, alpha=alpha, seed=seed)
    theory = regret_bounds(instance, rounds, setting.gamma, alpha)
    trace = simulate(learner, BernoulliRewards(instance), rounds, seed=seed, records=1)
    return trace.regret, theory.terms[0] + theory.terms[2]


def measure_slope(rounds: int, seeds: int, seed: int, executor: Executor, finished: Finished) -> tuple[Columns, Slope]:
    """Simulate every run along α; return the runs, and the slope of regret with that of the bound."""
    tasks = [(alpha, rounds, seed + number) for alpha in SLOPE_ALPHAS for number in range(seeds)]
    found = executor.run(simulate_slope_run, tasks, finished)
    points: Columns = {
        "panel": ["alpha"] * len(tasks),
        "x": [task[0] for task in tasks],
        "seed": [task[2] for task in tasks],
        "regret": [each[0] for each in found],
        "bound": [each[1] for each in found],
    }
    return points, fit_slope("alpha", points, rounds)
