"""Histories of ballots for the study of turns: (H, T, N, K) booleans, who approves what in which round.

`sample_clusters` is the setting of Lackner (AAAI 2020): twenty voters in two clusters of the plane, and five new
options in
each of twenty rounds. Every voter approves the options that are at most 1.5 times as far as the nearest.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

N_VOTERS, N_OPTIONS, N_ROUNDS = 20, 5, 20
APPROVAL_RADIUS_RATIO = 1.5
MINORITY_VOTERS, CLUSTER_SD = 6, 0.2


def sample_clusters(
    rng: np.random.Generator, histories: int, voters: int = N_VOTERS, options: int = N_OPTIONS, rounds: int = N_ROUNDS
) -> np.ndarray:
    """Sample Lackner's setting: 6 of 20 voters near (−½, −½), the others near (½, ½), options uniform in [−1, 1]²."""
    centre = np.full((voters, 2), 0.5)
    centre[: round(voters * MINORITY_VOTERS / N_VOTERS)] = -0.5
    people = centre + CLUSTER_SD * rng.standard_normal((histories, 1, voters, 2))
    places = rng.uniform(-1, 1, (histories, rounds, options, 2))
    far = np.linalg.norm(people[:, :, :, None, :] - places[:, :, None, :, :], axis=-1)
    return far <= APPROVAL_RADIUS_RATIO * far.min(axis=-1, keepdims=True)


def sample_impartial(rng: np.random.Generator, histories: int, share: float = 0.35) -> np.ndarray:
    """Sample ballots in which every voter approves each option with probability .35, and at least one."""
    return _fill_empty_ballots(rng, rng.random((histories, N_ROUNDS, N_VOTERS, N_OPTIONS)) < share)


def sample_urn(rng: np.random.Generator, histories: int) -> np.ndarray:
    """Sample ballots in which a voter copies a random earlier ballot of the round with probability ½."""
    ballots = sample_impartial(rng, histories)
    for voter in range(1, N_VOTERS):
        earlier = rng.integers(voter, size=(histories, N_ROUNDS))
        copied = np.take_along_axis(ballots, earlier[:, :, None, None], axis=2)[:, :, 0]
        repeats = rng.random((histories, N_ROUNDS, 1)) < 0.5
        ballots[:, :, voter] = np.where(repeats, copied, ballots[:, :, voter])
    return ballots


def sample_parties(rng: np.random.Generator, histories: int) -> np.ndarray:
    """Sample four parties of random sizes, each with its own option in every round; nobody approves the fifth."""
    member = rng.integers(4, size=(histories, 1, N_VOTERS, 1))
    return np.broadcast_to(member == np.arange(N_OPTIONS), (histories, N_ROUNDS, N_VOTERS, N_OPTIONS)).copy()


def sample_constant(rng: np.random.Generator, histories: int) -> np.ndarray:
    """Sample one random table that is repeated every round."""
    ballots = sample_impartial(rng, histories)
    return np.repeat(ballots[:, :1], N_ROUNDS, axis=1)


def sample_small_group(rng: np.random.Generator, histories: int) -> np.ndarray:
    """Sample five members and four options."""
    return _fill_empty_ballots(rng, rng.random((histories, N_ROUNDS, 5, 4)) < 0.4)


def sample_long_history(rng: np.random.Generator, histories: int) -> np.ndarray:
    """Sample Lackner's setting for a hundred rounds."""
    return sample_clusters(rng, histories, rounds=100)


BALLOT_MODELS: dict[str, tuple[str, Callable[[np.random.Generator, int], np.ndarray]]] = {
    "clusters": ("two clusters (Lackner 2020)", sample_clusters),
    "impartial": ("impartial approval, p = .35", sample_impartial),
    "urn": ("urn", sample_urn),
    "parties": ("four parties", sample_parties),
    "same": ("one table every round", sample_constant),
    "few": ("five members, four options", sample_small_group),
    "long": ("two clusters, 100 rounds", sample_long_history),
}
"""Ballot models by name: a description, and the function that samples histories."""


def _fill_empty_ballots(rng: np.random.Generator, ballots: np.ndarray) -> np.ndarray:
    """Return the ballots with one random option added where nothing was approved."""
    one = rng.integers(ballots.shape[-1], size=ballots.shape[:-1])
    forced = np.arange(ballots.shape[-1]) == one[..., None]
    return np.where(ballots.any(axis=-1, keepdims=True), ballots, forced)
