"""How often the bounds fail: whole learners on groups with exact ties, and single streams against their level."""

from __future__ import annotations

import numpy as np

from isegoria.instance import Instance
from isegoria.learning import BernoulliRewards, BetaRewards, GuidedLearner
from isegoria.learning.runs.player import Player
from isegoria.learning.sets.bernstein import FIELD_NAMES, observe_arm, unseen
from isegoria.studies.beyond.worlds import two_favourites

LEVEL = 0.05
FAULTS = {"none": (1.0, 1.0), "log term halved": (0.5, 1.0), "ψ divided by 4": (1.0, 0.25)}
"""What the log term and the price of bets are multiplied by, in a sound radius and in two planted faults."""
CONFIDENCE = 0.95
BETS, WON, PRICE = (FIELD_NAMES.index(name) for name in ("bets", "won", "price"))


def lost_favourites(runs: int, rounds: int, error: float | None, report=lambda done, of: None) -> int:
    """In how many of `runs` learners some true favourite was ever dropped; sets only shrink, so the last ones tell.

    Half of the runs have Bernoulli rewards, of the largest variance there is, and half have Beta rewards of sd 0.1.
    """
    lost = 0
    for run in range(runs):
        group = two_favourites(run)
        learner = GuidedLearner(*group.means.shape, error=error, seed=run)
        lost += bool((group.favourites & ~_final_sets(learner, group, rounds, run)).any())
        report(run + 1, runs)
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


def ever_missed(mean: float, runs: int = 4000, draws: int = 2000, seed: int = 0) -> dict[str, float]:
    """For the sequence as it is and with each planted fault, the share of Bernoulli streams that ever miss the mean.

    The sums of bets are the same in all, so one pass over the streams serves them all.

    >>> rates = ever_missed(0.5, runs=200, draws=200)
    >>> rates["none"] <= rates["ψ divided by 4"]
    True
    """
    rng = np.random.default_rng(seed)
    pairs, log_terms = unseen(1, runs)[0], np.full(runs, np.log(2 / LEVEL))
    missed = {name: np.zeros(runs, dtype=bool) for name in FAULTS}
    for _ in range(draws):
        pairs[:, -2:] = 0.0, 1.0  # each time's own interval: a miss at any time is a miss of their intersection
        observe_arm(pairs, (rng.random(runs) < mean).astype(float), log_terms)
        bets, won, price = pairs[:, BETS], pairs[:, WON], pairs[:, PRICE]
        for name, (log_share, price_share) in FAULTS.items():
            missed[name] |= np.abs(won / bets - mean) > (log_share * log_terms + price_share * price) / bets
    return {name: float(ever.mean()) for name, ever in missed.items()}
