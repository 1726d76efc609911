"""Who prefers what: an `Instance` holds the mean rewards of N agents over K arms, their names and weights."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from isegoria import tolerances
from isegoria.errors import InputError, NearTieWarning, PolicyWarning


class NashWelfare(NamedTuple):
    """A product over agents, as its logarithm and as its geometric mean (the product itself underflows)."""

    log: float
    geometric_mean: float


class Types(NamedTuple):
    """Agents merged by equal rows: `rows` (m, K), their total `weights` (m,), and `member` (N,), each agent's row."""

    rows: np.ndarray
    weights: np.ndarray
    member: np.ndarray


class Instance:
    """Mean rewards `means[i, k]` in [0, 1] of agent i for arm k; a row of weight w stands for w identical agents.

    >>> instance = Instance([[1, 0], [1, 0], [0, 1]], arms=["tea", "coffee"])
    >>> instance.favourites.tolist()
    [[True, False], [True, False], [False, True]]
    """

    def __init__(self, means, agents=None, arms=None, weights=None, tie_tolerance: float = tolerances.TIE):
        self.means = _checked_means(means)
        n, k = self.means.shape
        self.agents = _names(agents, n, "agent")
        self.arms = _names(arms, k, "arm")
        self.weights = _checked_weights(weights, n)
        self.tie_tolerance = float(tie_tolerance)
        if self.smallest_gap < tolerances.NEAR_TIE:
            warnings.warn(
                f"the smallest gap between a favourite and another arm is {self.smallest_gap:.3g}; "
                f"raise tie_tolerance (now {self.tie_tolerance:.3g}) if such means were meant to be equal.",
                NearTieWarning,
                stacklevel=2,
            )

    @cached_property
    def total_weight(self) -> int:
        """The number of agents, W: the sum of the weights."""
        return int(self.weights.sum())

    @cached_property
    def favourites(self) -> np.ndarray:
        """(N, K) booleans: the arms within `tie_tolerance` of each agent's best mean."""
        favourites = self.means >= self.means.max(axis=1, keepdims=True) - self.tie_tolerance
        favourites.setflags(write=False)
        return favourites

    @cached_property
    def smallest_gap(self) -> float:
        """The smallest distance from an agent's best mean to a mean that is not a favourite (infinity if none)."""
        gaps = (self.means.max(axis=1, keepdims=True) - self.means)[~self.favourites]
        return float(gaps.min()) if gaps.size else float("inf")

    @cached_property
    def types(self) -> Types:
        """The agents merged by equal rows of `means`."""
        return _merge(self.means, self.weights)

    @cached_property
    def favourite_types(self) -> Types:
        """The agents merged by equal favourite sets."""
        return _merge(self.favourites, self.weights)

    def utilities(self, policy) -> np.ndarray:
        """(N,) expected rewards U_i(P) = Σ_k p_k means[i, k] (Definition 1)."""
        return self.means @ self.check_policy(policy)

    def decision_shares(self, policy) -> np.ndarray:
        """(N,) probabilities β_i(P) of each agent's favourites (Definition 2)."""
        return self.favourites @ self.check_policy(policy)

    def nash_welfare(self, policy, of: str = "utility") -> NashWelfare:
        """The Nash welfare of utilities or, with `of="shares"`, of decision shares (Definitions 3 and 4)."""
        values = self.utilities(policy) if of == "utility" else self.decision_shares(policy)
        counted = self.means.max(axis=1) > 0 if of == "utility" else np.ones(len(values), dtype=bool)
        weights = self.weights[counted]
        if not weights.size:
            return NashWelfare(0.0, 0.0)
        with np.errstate(divide="ignore"):
            log = float(weights @ np.log(values[counted]))
        return NashWelfare(log, float(np.exp(log / weights.sum())))

    def check_policy(self, policy) -> np.ndarray:
        """`policy` as an exact point of the simplex; slightly off it is repaired with a warning, else refused."""
        p = np.asarray(policy, dtype=float)
        p = np.clip(p, 0, None)
        if abs(p.sum() - 1) > tolerances.POLICY_SUM:
            raise InputError(f"the policy sums to {p.sum():.6g}; probabilities must sum to 1.")
        if abs(p.sum() - 1) > 1e-12:
            warnings.warn(f"the policy summed to {p.sum():.9g} and was renormalised.", PolicyWarning, stacklevel=3)
        return p / p.sum()


def _checked_means(means) -> np.ndarray:
    array = np.ascontiguousarray(np.asarray(means, dtype=float)).view()
    array.setflags(write=False)
    return array


def _checked_weights(weights, n: int) -> np.ndarray:
    array = np.ones(n, dtype=np.int64) if weights is None else np.asarray(weights, dtype=np.int64).copy()
    array.setflags(write=False)
    return array


def _names(names: Sequence[str] | None, count: int, kind: str) -> tuple[str, ...]:
    return tuple(f"{kind.capitalize()} {i + 1}" for i in range(count)) if names is None else tuple(map(str, names))


def _merge(rows: np.ndarray, weights: np.ndarray) -> Types:
    distinct, member = np.unique(rows, axis=0, return_inverse=True)
    member = member.reshape(-1)
    return Types(distinct, np.bincount(member, weights=weights).astype(np.int64), member)
