"""Theorem 3, looked for in random groups: waits once resolved, plays of favourites, and the score of what is played."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isegoria.instance import Instance
from isegoria.learning import BernoulliRewards, GuidedLearner
from isegoria.learning.runs.simulation import Simulation
from isegoria.scores import score
from isegoria.studies.beyond.played import waits_once_resolved

LEAST_GAP = 0.1
"""Between an agent's best arm and its next, so that most are resolved within the rounds of a test."""


@dataclass(frozen=True)
class Lived:
    """What one group lived through: agents resolved, the longest wait of them in units of W·K/w, and by how much plays
    of favourites and the score of all plays exceed what the theorem says (above 0: it holds)."""

    resolved: int
    wait: float
    plays: float
    score: float


def a_group(seed: int) -> tuple[Instance, int]:
    """A random group of 2 to 20 agents and 2 to 8 arms, some with weights, and a number of rounds for it."""
    rng = np.random.default_rng(seed)
    agents, arms = int(rng.integers(2, 21)), int(rng.integers(2, 9))
    means = rng.uniform(0.05, 0.7, (agents, arms))
    best = rng.integers(0, arms, agents)
    means[np.arange(agents), best] = means.max(axis=1) + rng.uniform(LEAST_GAP, 0.25, agents)
    weights = rng.integers(1, 5, agents) if seed % 2 else np.ones(agents, dtype=int)
    return Instance(means, weights=weights), int(rng.integers(500, 3_000))


def lived(seed: int) -> Lived:
    """One run of a random group, with `resolution` 0 and everything else as it is."""
    truth, rounds = a_group(seed)
    world = BernoulliRewards(truth)
    learner = GuidedLearner(world.n_agents, world.n_arms, resolution=0.0, seed=seed, weights=truth.weights)
    run = Simulation(learner, world, rounds, seed, records=1, keep_arms=True)
    while run.advance():
        pass
    trace = run.trace()
    assert trace.arms is not None
    doubt = np.where(trace.resolved_at < 0, rounds, trace.resolved_at)
    share, arms = truth.weights / truth.weights.sum(), world.n_arms
    calm = trace.resolved_at >= 0
    waits = waits_once_resolved(trace, truth)[calm] / (arms / share[calm])
    plays = trace.realised_voice * rounds - (share * (rounds - doubt) - arms)
    played = score(truth, np.bincount(trace.arms, minlength=arms) / rounds).procedural
    return Lived(
        int(calm.sum()), float(waits.max(initial=0.0)), float(plays.min()),
        played - (1 - ((share * doubt).sum() + arms) / rounds),
    )  # fmt: skip
