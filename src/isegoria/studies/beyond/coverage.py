"""How often a true favourite is lost: whole learners on groups with exact ties, as they are and with planted faults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from isegoria.instance import Instance
from isegoria.learning import BernoulliRewards, BetaRewards, GuidedLearner
from isegoria.learning.runs.player import Player
from isegoria.studies.beyond.worlds import all_tied

LEVEL = 0.05
CONFIDENCE = 0.95
FAULT_ARMS = 16
"""With few arms a threshold that forgets how many they are is hardly seen."""


def lost_favourites(runs: int, rounds: int, error: float | None, arms: int = 4, first: int = 0,
                    report: Callable[..., object]=lambda done, of: None) -> int:  # fmt: skip
    """In how many of `runs` learners some arm was ever dropped, all arms being tied; sets only shrink, so the last ones
    tell. Half of the runs have Bernoulli rewards, of the largest variance there is, half have Beta rewards of sd 0.1.
    """
    lost = 0
    for run in range(first, first + runs):
        group = all_tied(run, arms)
        learner = GuidedLearner(*group.means.shape, error=error, seed=run)
        lost += bool((group.favourites & ~_final_sets(learner, group, rounds, run)).any())
        report(run + 1 - first, runs)
    return lost


def _final_sets(learner: GuidedLearner, group: Instance, rounds: int, run: int) -> np.ndarray:
    world = BernoulliRewards(group) if run % 2 else BetaRewards(group, sd=0.1)
    player = Player(learner, world, world.stream(run))
    player.play(world.n_arms)
    player.play(rounds - world.n_arms)
    return learner.sets


def lower_limit(failures: int, runs: int) -> float:
    """The Clopper–Pearson lower limit (one-sided, 95 %) of a failure rate.

    >>> lower_limit(0, 2000), round(lower_limit(120, 2000), 3)
    (0.0, 0.051)
    """
    from scipy.stats import beta

    return 0.0 if failures == 0 else float(beta.ppf(1 - CONFIDENCE, failures, runs - failures + 1))


# -- planted faults ----------------------------------------------------------------------------------------------------


def _as_it_is(learner: GuidedLearner) -> None:
    """Nothing is wrong."""


def _forgets_the_arms(learner: GuidedLearner) -> None:
    """A threshold without K: the error is split over the agents only."""
    if learner.rounds == 1:
        learner._candidates.price /= len(learner.arms)


def _selects(learner: GuidedLearner) -> None:
    """The arms of a sweep are chosen by its own rewards: those that beat the leader are left out of it."""
    sets = learner._candidates
    sets.waiting[sets.waiting > _led(sets)] = np.nan


def _looks_ahead(learner: GuidedLearner) -> None:
    """A bet that looks ahead: once its rewards are known it is raised if it wins, and called off if not."""
    sets, best = learner._candidates, _led(learner._candidates)
    sets.bets[sets.waiting < best] = 0.5
    sets.bets[sets.waiting > best] = 0.0


def _led(sets: Any) -> np.ndarray:
    """(N,) what each agent's leader brought it in the running sweep, NaN where that is not known."""
    columns = np.arange(len(sets.leaders))
    return np.where((sets.leaders >= 0) & sets.running, sets.waiting[np.maximum(sets.leaders, 0), columns], np.nan)


FAULTS = {
    "none": _as_it_is,
    "a threshold without K": _forgets_the_arms,
    "a sweep's arms chosen by its rewards": _selects,
    "a bet that looks ahead": _looks_ahead,
}


def lost_with(fault: str, runs: int, rounds: int, error: float = LEVEL, first: int = 0) -> int:
    """`lost_favourites` of learners in which a fault is planted after every tell, asked and told one by one."""
    lost = 0
    for run in range(first, first + runs):
        group = all_tied(run, FAULT_ARMS, agents=1)
        learner, stream = GuidedLearner(1, FAULT_ARMS, error=error, seed=run), BernoulliRewards(group).stream(run)
        for _ in range(rounds):
            ticket = learner.ask()
            learner.tell(ticket, stream.pull(ticket.arm))
            FAULTS[fault](learner)
        learner.ask()
        lost += not learner.sets.all()
    return lost
