"""Histories of ballots for the study of turns: each is (H, T, N, K) booleans, who approves what in which round.

`clusters` is the setting of Lackner (AAAI 2020): twenty voters in two clusters of the plane, five new options in each
of twenty rounds, and everyone approves what is at most 1.5 times as far as her nearest option.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

VOTERS, OPTIONS, ROUNDS = 20, 5, 20
NEAR = 1.5
MINORITY, SPREAD = 6, 0.2


def clusters(rng: np.random.Generator, histories: int, voters: int = VOTERS, options: int = OPTIONS,
             rounds: int = ROUNDS) -> np.ndarray:  # fmt: skip
    """Lackner's setting: six voters about (−½, −½), the others about (½, ½), options uniform in [−1, 1]²."""
    centre = np.full((voters, 2), 0.5)
    centre[: round(voters * MINORITY / VOTERS)] = -0.5
    people = centre + SPREAD * rng.standard_normal((histories, 1, voters, 2))
    places = rng.uniform(-1, 1, (histories, rounds, options, 2))
    far = np.linalg.norm(people[:, :, :, None, :] - places[:, :, None, :, :], axis=-1)
    return far <= NEAR * far.min(axis=-1, keepdims=True)


def impartial(rng: np.random.Generator, histories: int, share: float = 0.35) -> np.ndarray:
    """Everyone approves each option with probability .35, and at least one."""
    return _never_empty(rng, rng.random((histories, ROUNDS, VOTERS, OPTIONS)) < share)


def urn(rng: np.random.Generator, histories: int) -> np.ndarray:
    """Ballots copied from earlier voters of the round: a voter repeats a random earlier ballot half of the time."""
    ballots = impartial(rng, histories)
    for voter in range(1, VOTERS):
        earlier = rng.integers(voter, size=(histories, ROUNDS))
        copied = np.take_along_axis(ballots, earlier[:, :, None, None], axis=2)[:, :, 0]
        repeats = rng.random((histories, ROUNDS, 1)) < 0.5
        ballots[:, :, voter] = np.where(repeats, copied, ballots[:, :, voter])
    return ballots


def parties(rng: np.random.Generator, histories: int) -> np.ndarray:
    """Four parties of random sizes, each with an option of its own in every round; the fifth nobody wants."""
    member = rng.integers(4, size=(histories, 1, VOTERS, 1))
    return np.broadcast_to(member == np.arange(OPTIONS), (histories, ROUNDS, VOTERS, OPTIONS)).copy()


def same_table(rng: np.random.Generator, histories: int) -> np.ndarray:
    """One random table that comes back every round."""
    ballots = impartial(rng, histories)
    return np.repeat(ballots[:, :1], ROUNDS, axis=1)


def few(rng: np.random.Generator, histories: int) -> np.ndarray:
    """Five members and four options."""
    return _never_empty(rng, rng.random((histories, ROUNDS, 5, 4)) < 0.4)


def long(rng: np.random.Generator, histories: int) -> np.ndarray:
    """Lackner's setting for a hundred rounds."""
    return clusters(rng, histories, rounds=100)


SETTINGS: dict[str, tuple[str, Callable[[np.random.Generator, int], np.ndarray]]] = {
    "clusters": ("two clusters (Lackner 2020)", clusters),
    "impartial": ("impartial approval, p = .35", impartial),
    "urn": ("urn", urn),
    "parties": ("four parties", parties),
    "same": ("one table every round", same_table),
    "few": ("five members, four options", few),
    "long": ("two clusters, 100 rounds", long),
}
"""Every kind of ballots by its name: what it is, and the function that draws histories of it."""


def _never_empty(rng: np.random.Generator, ballots: np.ndarray) -> np.ndarray:
    """The ballots, with one random option where nothing was approved."""
    one = rng.integers(ballots.shape[-1], size=ballots.shape[:-1])
    forced = np.arange(ballots.shape[-1]) == one[..., None]
    return np.where(ballots.any(axis=-1, keepdims=True), ballots, forced)
