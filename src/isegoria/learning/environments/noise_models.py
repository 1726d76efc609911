"""Environments with noise around the true means: Beta, Bernoulli, truncated normal, or none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from isegoria.errors import InputError
from isegoria.learning.environments.bernoulli import toss
from isegoria.learning.environments.environment import Environment
from isegoria.utils import tolerances
from isegoria.utils.arguments import explain_keywords


class BetaRewards(Environment):
    """Environment with Beta rewards of standard deviation `sd`, as in the paper.

    With `ν = m(1 − m)/sd² − 1` the shapes are `mν` and `(1 − m)ν`, which needs `m(1 − m) > sd²`. A mean of 0 or 1 is a
    point mass.

    Parameters
    ----------
    means : array-like or Instance
        The (N, K) true means.
    sd : float or array-like
        The standard deviation: one number, or one for each agent and arm.

    Raises
    ------
    InputError
        If `sd` is not positive or too large for some mean.

    Examples
    --------
    >>> BetaRewards([[0.9, 0.1], [0.5, 0.5]], sd=0.1).stream(seed=7).pull(0).shape
    (2,)
    """

    id = "beta"
    summary = "Beta distributed around the mean, with a given standard deviation"

    @explain_keywords
    def __init__(self, means: Any, sd: float | Sequence[Sequence[float]] | np.ndarray = 0.1):
        super().__init__(means)
        m = self.means
        self.sd = _broadcast_sd(sd, m)
        self._fixed = (m == 0) | (m == 1)
        room = np.where(self._fixed, 1.0, m * (1 - m) / self.sd**2 - 1)
        if (room <= 0).any():
            _raise_bad_sd(self, room <= 0, "a Beta needs mean * (1 - mean) > sd**2")
        self._a, self._b = np.ascontiguousarray((m * room).T), np.ascontiguousarray(((1 - m) * room).T)

    def draw(self, rng: np.random.Generator, arm: int, first: int, pulls: int) -> np.ndarray:
        free = ~self._fixed[:, arm]
        if free.all():
            return rng.beta(self._a[arm], self._b[arm], size=(pulls, self.n_agents))
        rewards = np.tile(self.means[:, arm], (pulls, 1))
        rewards[:, free] = rng.beta(self._a[arm, free], self._b[arm, free], size=(pulls, int(free.sum())))
        return rewards


class BernoulliRewards(Environment):
    """Environment with rewards of 1 with the mean as probability, else 0.

    >>> set(BernoulliRewards([[0.5, 0.5]]).stream(seed=7).pull(1).tolist()) <= {0.0, 1.0}
    True
    """

    id = "bernoulli"
    summary = "1 with the mean as probability, else 0"

    def draw(self, rng: np.random.Generator, arm: int, first: int, pulls: int) -> np.ndarray:
        rewards = rng.random((pulls, self.n_agents))
        toss(rewards, np.ascontiguousarray(self.means[:, arm]))
        return rewards


class TruncatedNormalRewards(Environment):
    """Environment with normal rewards truncated to [0, 1], centred so that the means hold.

    Truncation moves the mean, so the centre of each normal is computed first. A mean of 0 or 1 is a point mass.

    Parameters
    ----------
    means : array-like or Instance
        The (N, K) true means.
    sd : float or array-like
        The standard deviation before truncation: one number, or one for each agent and arm.

    Raises
    ------
    InputError
        If `sd` is not positive, or some mean is too near 0 or 1 for it.

    Examples
    --------
    >>> bool(TruncatedNormalRewards([[0.9, 0.2]], sd=0.2).stream(seed=7).pull(0)[0] <= 1)
    True
    """

    id = "normal"
    summary = "normal around the mean, truncated to [0, 1]"

    @explain_keywords
    def __init__(self, means: Any, sd: float | Sequence[Sequence[float]] | np.ndarray = 0.1):
        super().__init__(means)
        self.sd = _broadcast_sd(sd, self.means)
        self._fixed = (self.means == 0) | (self.means == 1)
        self._mirrored = self.means > 0.5
        lower = np.where(self._mirrored, 1 - self.means, self.means)
        steep = ~self._fixed & (_truncated_mean(-tolerances.NORMAL_REACH_SIGMAS * self.sd, self.sd) > lower)
        if steep.any():
            _raise_bad_sd(self, steep, "the mean is too near 0 or 1 for a truncated normal of that sd")
        self._centre = _solve_centres(lower, self.sd)

    def draw(self, rng: np.random.Generator, arm: int, first: int, pulls: int) -> np.ndarray:
        from scipy.special import ndtr, ndtri

        centre, sd = self._centre[:, arm], self.sd[:, arm]
        above, below = ndtr(centre / sd), ndtr((centre - 1) / sd)  # the tails beyond 0 and 1 of the mirrored normal
        rewards = centre - sd * ndtri(below + rng.random((pulls, self.n_agents)) * (above - below))
        rewards = np.clip(rewards, 0, 1)
        rewards = np.where(self._mirrored[:, arm], 1 - rewards, rewards)
        return np.where(self._fixed[:, arm], self.means[:, arm], rewards)


class PointRewards(Environment):
    """Environment without noise: every reward is the mean.

    >>> PointRewards([[0.25, 1.0]]).stream(seed=7).pull(0).tolist()
    [0.25]
    """

    id = "point"
    summary = "always the mean itself"

    def draw(self, rng: np.random.Generator, arm: int, first: int, pulls: int) -> np.ndarray:
        return np.tile(self.means[:, arm], (pulls, 1))


def _broadcast_sd(sd: object, means: np.ndarray) -> np.ndarray:
    """Return `sd` as one positive number for each agent and arm; raise `InputError` otherwise."""
    try:
        spread = np.broadcast_to(np.asarray(sd, dtype=float), means.shape)
    except (TypeError, ValueError):
        raise InputError(f"sd is {sd!r}; expected one number, or an array of shape {means.shape}.") from None
    if not ((spread > 0) & np.isfinite(spread)).all():
        raise InputError(
            f"sd is {sd!r}; expected positive numbers. For rewards without noise use PointRewards (--noise point)."
        )
    return spread


def _raise_bad_sd(world: BetaRewards | TruncatedNormalRewards, wrong: np.ndarray, why: str) -> None:
    """Raise `InputError` for the first agent and arm where `wrong` (N, K) says that `sd` is not possible."""
    agent, arm = (int(i) for i in np.argwhere(wrong)[0])
    raise InputError(
        f"the mean of agent {world.agents[agent]!r} for arm {world.arms[arm]!r} is {world.means[agent, arm]:.6g} and "
        f"sd is {world.sd[agent, arm]:.6g}; {why}. Lower sd (--sd), or use BernoulliRewards (--noise bernoulli) or "
        "PointRewards (--noise point)."
    )


def _solve_centres(means: np.ndarray, sd: np.ndarray) -> np.ndarray:
    """Return the centres c of normals whose mean, truncated to [0, 1], is `means` in (0, 1/2], by bisection."""
    low, high = -tolerances.NORMAL_REACH_SIGMAS * sd, np.full_like(means, 0.5)
    for _ in range(tolerances.BISECTION_STEPS):
        middle = (low + high) / 2
        over = _truncated_mean(middle, sd) > means
        low, high = np.where(over, low, middle), np.where(over, middle, high)
    return (low + high) / 2


def _truncated_mean(centre: np.ndarray, sd: np.ndarray) -> np.ndarray:
    """Return the mean of a normal truncated to [0, 1], from the upper tail, which stays exact for centres below 0."""
    from scipy.special import ndtr

    a, b = -centre / sd, (1 - centre) / sd
    density = (np.exp(-(a**2) / 2) - np.exp(-(b**2) / 2)) / np.sqrt(2 * np.pi)
    return centre + sd * density / (ndtr(-a) - ndtr(-b))
