"""Synthetic groups: rankings sampled from nine models of the literature, and mean rewards that agree with them.

>>> from isegoria import Instance, preferences
>>> rankings = preferences.sample("mallows:0.3", agents=5, arms=3, seed=42)
>>> Instance(preferences.sample_rewards(rankings, favourites=1, seed=42)).means.shape
(5, 3)

Rankings and rewards of one seed are independent, and so are the rankings of two models: each purpose and each model has
its own random stream. A NumPy generator given instead of a seed is used directly.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isegoria.errors import InputError, UnknownNameError, unknown_name_error
from isegoria.preferences.approval_model import APPROVAL_PARAMETER, draw_approvals
from isegoria.preferences.model import ModelParameter, PreferenceModel
from isegoria.preferences.registry import MODELS, Distribution, parse_distribution, parse_parameter
from isegoria.preferences.synthetic_rewards import assign_means
from isegoria.utils.seeds import Seed, stream_for_seed

__all__ = [
    "MODELS",
    "Distribution",
    "ModelParameter",
    "PreferenceModel",
    "parse_distribution",
    "sample",
    "sample_rewards",
]


def sample(
    model: str | PreferenceModel | Distribution,
    agents: int,
    arms: int,
    *,
    seed: Seed = None,
    instances: int | None = None,
) -> np.ndarray:
    """Sample rankings of arms from a preference model, best arm first.

    Parameters
    ----------
    model : str, PreferenceModel or Distribution
        An id of `MODELS`, with its parameter after a colon ("urn:0.5"), or a model of your own. "approvals:p" samples
        approvals instead of rankings: each arm is approved with probability p, conditional on at least one approval per
        agent.
    agents, arms : int
        The size of each group, each at least 1.
    seed : int or numpy.random.Generator, optional
        An integer opens a random stream that only this model uses; a generator is used directly.
    instances : int, optional
        How many independent groups to sample at once.

    Returns
    -------
    numpy.ndarray
        Rankings of shape (agents, arms), or (instances, agents, arms) if `instances` is given. For "approvals:p", mean
        rewards of 0 and 1 of the same shape.

    Raises
    ------
    InputError
        If a size is not a positive integer or the model's parameter is out of range.
    UnknownNameError
        If there is no such model.

    Examples
    --------
    >>> sample("single-peaked", agents=2, arms=4, seed=1).tolist()
    [[1, 0, 2, 3], [3, 2, 1, 0]]
    >>> sample("urn:0.5", agents=10, arms=3, seed=1, instances=1000).shape
    (1000, 10, 3)
    >>> sample("approvals:0.4", agents=2, arms=3, seed=3).tolist()
    [[1.0, 0.0, 1.0], [1.0, 1.0, 1.0]]
    """
    chance = _parse_approval_probability(model)
    for name, count in (("agents", agents), ("arms", arms), ("instances", 1 if instances is None else instances)):
        if not isinstance(count, int | np.integer) or count < 1:
            raise InputError(f"{name} is {count!r}; give a whole number from 1 up.")
    if chance is not None:
        uniforms = stream_for_seed(seed, "sample:approvals").random((instances or 1, agents * arms))
        drawn = draw_approvals(uniforms, agents, arms, chance)
    else:
        chosen = parse_distribution(model)
        uniforms = stream_for_seed(seed, f"sample:{chosen.model.id}").random(
            (instances or 1, chosen.draws(agents, arms))
        )
        drawn = chosen.rankings(uniforms, agents, arms)
    return drawn[0] if instances is None else drawn


def _parse_approval_probability(model: str | PreferenceModel | Distribution) -> float | None:
    """Return the p of "approvals:p", or None for a model of rankings.

    >>> _parse_approval_probability("approvals:0.25"), _parse_approval_probability("urn:0.5")
    (0.25, None)
    """
    if not isinstance(model, str):
        return None
    id, colon, text = model.strip().partition(":")
    if id != "approvals":
        try:
            parse_distribution(model)
        except UnknownNameError:
            raise unknown_name_error("preference model", id, [*MODELS, "approvals"]) from None
        return None
    return parse_parameter(model, id, APPROVAL_PARAMETER, text) if colon else APPROVAL_PARAMETER.default


def sample_rewards(rankings: Any, favourites: Any = 1, *, seed: Seed = None) -> np.ndarray:
    """Sample mean rewards in [0, 1] that agree with `rankings`.

    Values follow a truncated normal distribution. All favourites of an agent share its largest value.

    Parameters
    ----------
    rankings : array_like
        Rankings of shape (…, agents, arms), best arm first.
    favourites : int or array_like, optional
        The size of every agent's favourite set, or one size per agent, of shape (…, agents).
    seed : int or numpy.random.Generator, optional
        An integer opens a random stream for rewards only, so it may equal the seed of the rankings.

    Returns
    -------
    numpy.ndarray
        Mean rewards of the shape of `rankings`.

    Raises
    ------
    InputError
        If a row is not a permutation of the arms, or a favourite set is empty or larger than the number of arms.

    Examples
    --------
    >>> means = sample_rewards([[1, 0, 2]], favourites=2, seed=3)
    >>> bool(means[0, 0] == means[0, 1] > means[0, 2])
    True
    """
    rankings = np.asarray(rankings)
    arms = np.arange(rankings.shape[-1]) if rankings.ndim > 1 else None
    if arms is None or not np.array_equal(np.sort(rankings, axis=-1), np.broadcast_to(arms, rankings.shape)):
        raise InputError("rankings must have shape (…, agents, arms), each row all the arms 0, 1, … in some order.")
    sizes = np.broadcast_to(favourites, rankings.shape[:-1])
    if sizes.min() < 1 or sizes.max() > arms.size:
        raise InputError(f"favourites must lie between 1 and the number of arms, {arms.size}.")
    return assign_means(rankings, stream_for_seed(seed, "rewards:").random(rankings.shape), sizes)
