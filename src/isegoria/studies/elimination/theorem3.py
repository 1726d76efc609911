"""Theorem 3 checked in random groups: waits once resolved, plays of favourites, and the score of what is played."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isegoria.analysis.scores import score
from isegoria.learning import BernoulliRewards, EliminationLearner
from isegoria.learning.simulation.simulation import Simulation
from isegoria.profiles import Instance
from isegoria.rules.literals import RuleName
from isegoria.studies.elimination.play_scores import longest_waits_after_resolution
from isegoria.utils.arrays import count_labels

MIN_GAP = 0.1
"""Minimum gap between an agent's best two arms, so that most agents are resolved within the rounds of a test."""

TIED_RESOLUTION = 0.2
"""The resolution at which agents with exactly tied favourites are resolved."""


@dataclass(frozen=True)
class Theorem3Check:
    """The result of one group.

    `resolved` counts the resolved agents, and `wait` is their longest wait in units of W·K/w. `plays` and `score` are
    the margins of plays of favourites and of the score of all plays over the theorem's bound; above 0 it holds.
    `dropped` says whether an agent lost a true favourite.
    """

    resolved: int
    wait: float
    plays: float
    score: float
    dropped: bool


def make_random_group(seed: int) -> tuple[Instance, int]:
    """Sample a group of 2 to 20 agents and 2 to 8 arms, some with weights, and a number of rounds."""
    rng = np.random.default_rng(seed)
    agents, arms = int(rng.integers(2, 21)), int(rng.integers(2, 9))
    means = rng.uniform(0.05, 0.7, (agents, arms))
    best = rng.integers(0, arms, agents)
    means[np.arange(agents), best] = means.max(axis=1) + rng.uniform(MIN_GAP, 0.25, agents)
    weights = rng.integers(1, 5, agents) if seed % 2 else np.ones(agents, dtype=int)
    return Instance(means, weights=weights), int(rng.integers(500, 3_000))


def make_tied_group(seed: int) -> tuple[Instance, int]:
    """Sample a group of 2 to 8 agents and 2 to 5 arms of means .9 and .1, often with tied favourites, and rounds."""
    rng = np.random.default_rng(seed)
    approvals = rng.random((int(rng.integers(2, 9)), int(rng.integers(2, 6)))) < 0.5
    approvals[np.arange(len(approvals)), rng.integers(0, approvals.shape[1], len(approvals))] = True
    weights = rng.integers(1, 5, len(approvals)) if seed % 2 else np.ones(len(approvals), dtype=int)
    return Instance(np.where(approvals, 0.9, 0.1), weights=weights), int(rng.integers(500, 3_000))


def check_random_group(seed: int, rule: RuleName | None = None) -> Theorem3Check:
    """Simulate one random group with `resolution` 0 and default settings otherwise; or one with ties under `rule`."""
    truth, rounds = make_random_group(seed) if rule is None else make_tied_group(seed)
    world = BernoulliRewards(truth)
    learner = EliminationLearner(
        world.n_agents,
        world.n_arms,
        resolution=0.0 if rule is None else TIED_RESOLUTION,
        seed=seed,
        weights=truth.weights,
        rule=rule or "procedural",
    )
    run = Simulation(learner, world, rounds, seed, records=1, keep_arms=True)
    while run.advance():
        pass
    trace = run.trace()
    assert trace.arms is not None
    assert isinstance(run.learner, EliminationLearner)
    doubt = np.where(trace.resolved_at < 0, rounds, trace.resolved_at)
    share, arms = truth.weights / truth.weights.sum(), world.n_arms
    calm = trace.resolved_at >= 0
    waits = longest_waits_after_resolution(trace, truth)[calm] / (arms / share[calm])
    plays = trace.realised_voice * rounds - (share * (rounds - doubt) - arms)
    played = score(truth, count_labels(trace.arms, minlength=arms) / rounds).procedural
    return Theorem3Check(
        int(calm.sum()),
        float(waits.max(initial=0.0)),
        float(plays.min()),
        played - (1 - ((share * doubt).sum() + arms) / rounds),
        bool((truth.favourites & ~run.learner.candidates).any()),
    )
