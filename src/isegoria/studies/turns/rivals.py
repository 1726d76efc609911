"""Published rules that decide with memory, each from its definition, for many histories at once.

A rule is a function (ballots (H, T, N, K)) → (H, T) the options played; between equal scores the lowest index. Majority
has no memory; unit-cost, consensus and quota are Lackner's (AAAI 2020); `dictatorship` draws a member and takes a
random approved option.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Rival = Callable[[np.ndarray, np.random.Generator], np.ndarray]


def majority(ballots: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The most approved option of every round."""
    return np.asarray(ballots.sum(axis=2).argmax(axis=-1))


def dictatorship(ballots: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A random member decides, and takes one of hers."""
    histories, rounds, voters, _ = ballots.shape
    who = rng.integers(voters, size=(histories, rounds))
    hers = np.take_along_axis(ballots, who[:, :, None, None], axis=2)[:, :, 0]
    return np.asarray((hers * rng.random(hers.shape)).argmax(axis=-1))


def unit_cost(ballots: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Weights begin at 1; whoever does not get the option played weighs 1 more."""
    return _weighted(ballots, lambda weights, won: weights + ~won)


def consensus(ballots: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Everyone weighs 1 more each round; winners of positive weight pay back the N that this makes, in equal parts."""
    voters = ballots.shape[2]

    def after(weights: np.ndarray, won: np.ndarray) -> np.ndarray:
        paying = won & (weights > 0)
        return weights + 1 - paying * (voters / np.maximum(paying.sum(axis=1, keepdims=True), 1))

    return _weighted(ballots, after)


def quota(ballots: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Supporters bring what they lack of their quota: the largest shares of the group that agreed, added up."""
    histories, rounds, voters, _ = ballots.shape
    due = np.zeros((histories, voters))
    had = np.zeros((histories, voters))
    played = np.empty((histories, rounds), dtype=np.int64)
    for t in range(rounds):
        due += claims(ballots[:, t])
        scores = np.einsum("hn,hnk->hk", np.maximum(due - had, 0), ballots[:, t])
        played[:, t] = np.round(scores, 9).argmax(axis=-1)  # equal sums must not be told apart by their last bits
        had += _won(ballots[:, t], played[:, t])
    return played


def claims(ballots: np.ndarray) -> np.ndarray:
    """(H, N) the largest share of the group that agrees with each voter on one option of this round."""
    support = ballots.sum(axis=1) / ballots.shape[1]
    return np.asarray((ballots * support[:, None, :]).max(axis=-1))


def _weighted(ballots: np.ndarray, after: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> np.ndarray:
    """Rules that add up the positive weights of supporters, and change weights by who won."""
    histories, rounds, voters, _ = ballots.shape
    weights = np.ones((histories, voters))
    played = np.empty((histories, rounds), dtype=np.int64)
    for t in range(rounds):
        scores = np.einsum("hn,hnk->hk", np.maximum(weights, 0), ballots[:, t])
        played[:, t] = np.round(scores, 9).argmax(axis=-1)
        won = _won(ballots[:, t], played[:, t])
        weights = after(weights, won)
    return played


def _won(ballots: np.ndarray, played: np.ndarray) -> np.ndarray:
    """(H, N) booleans: who approved what was played."""
    return np.take_along_axis(ballots, played[:, None, None], axis=2)[:, :, 0]


RIVALS: dict[str, tuple[str, Rival]] = {
    "majority": ("approval majority", majority),
    "dictatorship": ("random dictatorship", dictatorship),
    "unit-cost": ("unit-cost", unit_cost),
    "consensus": ("consensus", consensus),
    "quota": ("quota", quota),
}
