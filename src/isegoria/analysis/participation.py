"""Who stated a preference, and what the procedural score is with and without those who did not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from isegoria.analysis.scores import Scores
from isegoria.profiles import Instance
from isegoria.utils import tolerances
from isegoria.utils.arrays import to_dense

MAX_BOUND_CELLS = 50_000_000
"""Tables with more cells than this have no interval of the score under unknown ratings."""


@dataclass(frozen=True)
class Participation:
    """The agents of a table by what they stated, and the procedural score of a policy among them.

    Attributes
    ----------
    agents, silent, indifferent : int
        All agents as read, those who stated nothing, and those of whom every arm is a favourite (silent ones included).
    everybody, without_silent, with_preference : float
        The procedural score with everybody as read (the silent count as indifferent), without the silent, and among the
        agents with a preference. 1 if no agent is left.
    unknown : int or None
        The agents with unknown ratings that could change their favourites; None if no rating is unknown.
    interval : tuple of float or None
        The least and the largest procedural score that the unknown ratings allow: at least what it is if those agents
        are not heard at all, at most what it is if they may use every arm that could be their favourite.
    """

    agents: int
    silent: int
    indifferent: int
    everybody: float
    without_silent: float
    with_preference: float
    unknown: int | None = None
    interval: tuple[float, float] | None = None


def measure_participation(instance: Instance, policy: np.ndarray) -> Participation:
    """Return the `Participation` of the agents of an instance, for a policy that was validated before."""
    stated, weights = instance.stated, instance.weights
    indifferent = _find_indifferent(instance)
    silent = np.zeros(len(weights), dtype=bool) if stated is None or stated.silent is None else stated.silent
    absent = 0 if stated is None else stated.abstaining_weight
    own = Scores(instance, policy).procedural
    without = _score_agents(instance, policy, ~silent) if silent.any() else own
    preferring = _score_agents(instance, policy, ~indifferent) if indifferent.any() else own
    everybody = own
    if absent:
        table = _add_row(instance, absent)
        everybody = Scores(table, policy).procedural
    unknown, interval = None, None
    if stated is not None and stated.stated is not None:
        unknown, interval = _bound_score(instance, policy, stated.stated)
    return Participation(
        instance.total_weight + absent,
        int(weights[silent].sum()) + absent,
        int(weights[indifferent].sum()) + absent,
        everybody,
        without,
        preferring,
        unknown,
        interval,
    )


def describe_participation(found: Participation) -> list[str]:
    """Return the sentences about those who stated nothing or something unknown; none if there is no such agent."""
    sentences = []
    if found.unknown:
        share = f"{found.unknown / found.agents:.0%}"
        low, high = found.interval or (0.0, 1.0)
        sentences.append(
            f"{found.unknown:,} of {found.agents:,} agents ({share}) have unknown ratings that could be their "
            f"favourites: the procedural score is between {low:.3f} and {high:.3f}. The other scores count the stated "
            "ratings, and unknown ones as the lowest."
        )
    if found.silent:
        more = found.indifferent - found.silent
        others = f" and {more:,} {'is' if more == 1 else 'are'} indifferent" if more else ""
        sentences.append(
            f"{found.silent:,} of {found.agents:,} agents stated nothing{others}. The procedural score is "
            f"{found.everybody:.3f} with everybody as read (silent agents count as content with any arm), "
            f"{found.without_silent:.3f} without the silent, and {found.with_preference:.3f} among agents with a "
            "preference."
        )
    return sentences


def _find_indifferent(instance: Instance) -> np.ndarray:
    """Return (N,) booleans: the agents of whom every arm is a favourite."""
    favourites: Any = instance.favourites
    if instance.is_sparse:
        full = np.asarray(favourites.sum(axis=1)).ravel() == len(instance.arms)
        return np.asarray(full | instance.indifferent)
    return np.asarray(favourites.all(axis=1))


def _score_agents(instance: Instance, policy: np.ndarray, kept: np.ndarray) -> float:
    """Return the procedural score among some of the agents; 1 if there are none."""
    if not kept.any():
        return 1.0
    rows = np.flatnonzero(kept)
    part = Instance(instance.means[rows], weights=instance.weights[rows], tie_tolerance=instance.tie_tolerance)
    return Scores(part, policy).procedural


def _add_row(instance: Instance, weight: int) -> Instance:
    """Return the instance with indifferent agents of this weight."""
    weights = np.append(instance.weights, weight)
    if instance.is_sparse:
        from scipy.sparse import csr_array, vstack

        means: Any = vstack([instance.means, csr_array((1, len(instance.arms)))], format="csr")
    else:
        means = np.vstack([instance.means, np.zeros(len(instance.arms))])
    return Instance(means, weights=weights, tie_tolerance=instance.tie_tolerance)


def _bound_score(instance: Instance, policy: np.ndarray, stated: Any) -> tuple[int, tuple[float, float] | None]:
    """Return the weight of the agents with unknown favourites and the interval of the procedural score.

    An agent who stated a rating at the maximum of the scale is known: no unknown rating can be better. Agents with
    unknown favourites have no arm in the lower network, and every arm that could be a favourite in the upper one.
    """
    complete = np.asarray(stated.sum(axis=1)).ravel() == len(instance.arms)
    known = complete | (np.asarray(instance.best_means) >= 1 - tolerances.FAVOURITE_TIE)
    unknown = int(instance.weights[~known].sum())
    if not unknown:
        own = Scores(instance, policy).procedural
        return 0, (own, own)
    if instance.means.shape[0] * instance.means.shape[1] > MAX_BOUND_CELLS:
        return unknown, None
    favourites, mask = to_dense(instance.favourites).astype(bool), to_dense(stated).astype(bool)
    upper = np.where(known[:, None], favourites, favourites | ~mask)
    lower = np.column_stack([favourites & known[:, None], ~known])  # the last arm is never played
    extended = np.append(policy, 0.0)
    scores = [
        Scores(Instance(sets.astype(float), weights=instance.weights), chances).procedural
        for sets, chances in ((lower, extended), (upper, policy))
    ]
    return unknown, (scores[0], scores[1])
