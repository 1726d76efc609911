"""Groups out of thin air: sampled rankings by nine models of the literature, and mean rewards that fit them.

>>> from isegoria import Instance, preferences
>>> rankings = preferences.sample("mallows:0.3", agents=5, arms=3, seed=42)
>>> Instance(preferences.rewards(rankings, favourites=1, seed=42)).means.shape
(5, 3)

Rankings and rewards of one seed are independent, and so are the rankings of two models: each purpose and each model has
a stream of random numbers of its own. A NumPy generator in place of a seed is used as it stands.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isegoria.errors import InputError, UnknownNameError, unknown
from isegoria.preferences.approvals import APPROVAL, approvals
from isegoria.preferences.model import Model, Parameter
from isegoria.preferences.registry import MODELS, Law, law, parameter_of
from isegoria.preferences.rewards import means_from
from isegoria.seeds import Seed, stream_from

__all__ = ["MODELS", "Law", "Model", "Parameter", "law", "rewards", "sample"]


def sample(model: str, agents: int, arms: int, *, seed: Seed = None, instances: int | None = None) -> np.ndarray:
    """Rankings (agents, arms) of arms, best first; with `instances`, that many independent groups at once.

    `model` is an id of `MODELS`, with its parameter after a colon ("urn:0.5"); `seed` is a whole number, which
    opens a stream for this model alone, or a NumPy generator. "approvals:p" gives no rankings but (agents, arms)
    approvals, means of 0 and 1: each arm with the chance p, and rows without any drawn again.

    >>> sample("single-peaked", agents=2, arms=4, seed=1).tolist()
    [[1, 0, 2, 3], [3, 2, 1, 0]]
    >>> sample("urn:0.5", agents=10, arms=3, seed=1, instances=1000).shape
    (1000, 10, 3)
    >>> sample("approvals:0.4", agents=2, arms=3, seed=3).tolist()
    [[1.0, 0.0, 1.0], [1.0, 1.0, 1.0]]
    """
    chance = _approval_chance(model)
    for name, count in (("agents", agents), ("arms", arms), ("instances", 1 if instances is None else instances)):
        if not isinstance(count, int | np.integer) or count < 1:
            raise InputError(f"{name} is {count!r}; give a whole number from 1 up.")
    if chance is not None:
        uniforms = stream_from(seed, "sample:approvals").random((instances or 1, agents * arms))
        drawn = approvals(uniforms, agents, arms, chance)
    else:
        chosen = law(model)
        uniforms = stream_from(seed, f"sample:{chosen.model.id}").random((instances or 1, chosen.draws(agents, arms)))
        drawn = chosen.rankings(uniforms, agents, arms)
    return drawn[0] if instances is None else drawn


def _approval_chance(model: str) -> float | None:
    """The p of "approvals:p"; None for a model of rankings.

    >>> _approval_chance("approvals:0.25"), _approval_chance("urn:0.5")
    (0.25, None)
    """
    id, colon, text = str(model).strip().partition(":")
    if id != "approvals":
        try:
            law(model)
        except UnknownNameError:
            raise unknown("preference model", id, [*MODELS, "approvals"]) from None
        return None
    return parameter_of(model, id, APPROVAL, text) if colon else APPROVAL.default


def rewards(rankings: Any, favourites: Any = 1, *, seed: Seed = None) -> np.ndarray:
    """Mean rewards in [0, 1] for `rankings` (…, agents, arms): truncated normals, the largest for all favourites.

    `favourites` is the size of every agent's favourite set, or an array of one size per agent (…, agents).
    `seed` opens a stream for rewards alone, so that it may be the one that the rankings were drawn with.

    >>> means = rewards([[1, 0, 2]], favourites=2, seed=3)
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
    return means_from(rankings, stream_from(seed, "rewards:").random(rankings.shape), sizes)
