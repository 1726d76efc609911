"""Published rules with memory, implemented from their definitions, for many histories at once.

A rule maps ballots (H, T, N, K) to the options played (H, T); ties go to the lowest index. Majority has no memory;
unit-cost, consensus and quota are Lackner's (AAAI 2020). `random_dictatorship` draws a member and plays a random
option that
this member approves.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

PublishedRule = Callable[[np.ndarray, np.random.Generator], np.ndarray]


def majority(ballots: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Play the option with the largest number of approvals in every round."""
    return np.asarray(ballots.sum(axis=2).argmax(axis=-1))


def random_dictatorship(ballots: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Play a random approved option of a random member."""
    histories, rounds, voters, _ = ballots.shape
    who = rng.integers(voters, size=(histories, rounds))
    hers = np.take_along_axis(ballots, who[:, :, None, None], axis=2)[:, :, 0]
    return np.asarray((hers * rng.random(hers.shape)).argmax(axis=-1))


def unit_cost(ballots: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Play by weights that start at 1; add 1 to the weight of every member who did not win."""
    return _play_by_weights(ballots, lambda weights, won: weights + ~won)


def consensus(ballots: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Play by weights that grow by 1 each round; winners of positive weight pay the total of N in equal parts."""
    voters = ballots.shape[2]

    def after(weights: np.ndarray, won: np.ndarray) -> np.ndarray:
        paying = won & (weights > 0)
        return weights + 1 - paying * (voters / np.maximum(paying.sum(axis=1, keepdims=True), 1))

    return _play_by_weights(ballots, after)


def quota(ballots: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Play the option whose supporters lack the largest sum of their quotas.

    A member's quota is the sum over rounds of the largest share of the group that agrees with the member.
    """
    histories, rounds, voters, _ = ballots.shape
    due = np.zeros((histories, voters))
    had = np.zeros((histories, voters))
    played = np.empty((histories, rounds), dtype=np.int64)
    for t in range(rounds):
        due += quota_claims(ballots[:, t])
        scores = np.einsum("hn,hnk->hk", np.maximum(due - had, 0), ballots[:, t])
        played[:, t] = np.round(scores, 9).argmax(axis=-1)  # rounding errors must not break ties
        had += _find_winners(ballots[:, t], played[:, t])
    return played


def quota_claims(ballots: np.ndarray) -> np.ndarray:
    """Return (H, N) the largest share of the group that agrees with each voter on one option of this round."""
    support = ballots.sum(axis=1) / ballots.shape[1]
    return np.asarray((ballots * support[:, None, :]).max(axis=-1))


def _play_by_weights(ballots: np.ndarray, after: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> np.ndarray:
    """Play by the sum of supporters' positive weights, and update the weights by `after(weights, won)`."""
    histories, rounds, voters, _ = ballots.shape
    weights = np.ones((histories, voters))
    played = np.empty((histories, rounds), dtype=np.int64)
    for t in range(rounds):
        scores = np.einsum("hn,hnk->hk", np.maximum(weights, 0), ballots[:, t])
        played[:, t] = np.round(scores, 9).argmax(axis=-1)
        won = _find_winners(ballots[:, t], played[:, t])
        weights = after(weights, won)
    return played


def _find_winners(ballots: np.ndarray, played: np.ndarray) -> np.ndarray:
    """Return booleans (H, N): who approved the option that was played."""
    return np.take_along_axis(ballots, played[:, None, None], axis=2)[:, :, 0]


PUBLISHED_RULES: dict[str, tuple[str, PublishedRule]] = {
    "majority": ("approval majority", majority),
    "dictatorship": ("random dictatorship", random_dictatorship),
    "unit-cost": ("unit-cost", unit_cost),
    "consensus": ("consensus", consensus),
    "quota": ("quota", quota),
}
