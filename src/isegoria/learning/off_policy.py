"""Off-policy evaluation: what a policy would have given, estimated from a log of another policy's rounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from isegoria.analysis.scores import score
from isegoria.errors import InputError, unknown_name_error
from isegoria.learning.environments.environment import require_rewards
from isegoria.profiles import Instance
from isegoria.profiles.policies import PolicyLike
from isegoria.utils.formatting import SCORE_LABELS
from isegoria.utils.notebook import NotebookView
from isegoria.utils.seeds import random_stream

ESTIMATION_METHODS = {
    "ips": "inverse propensity scoring (Horvitz and Thompson 1952)",
    "snips": "self-normalised inverse propensity scoring (Swaminathan and Joachims 2015)",
    "dr": "doubly robust: the mean of each arm, corrected by weighted residuals (Dudík, Langford and Li 2011)",
}
"""The estimators, with their sources."""
N_RESAMPLES = 500
CONFIDENCE_LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class OffPolicyEstimate(NotebookView):
    """An estimate of what a policy would have given.

    Attributes
    ----------
    method : str
        The estimator.
    utilities, low, high : numpy.ndarray
        (N,) The estimated mean reward of each agent, and the ends of its 95 % bootstrap interval over rounds.
    scores : dict
        For each score, (estimate, low, high). They are those of the policy on the estimated means, so the favourites
        are estimated too: the procedural score and the equality are consistent, but not unbiased.
    means : numpy.ndarray
        (N, K) The estimated mean rewards.
    effective_rounds : float
        (Σw)²/Σw² of the importance weights: how many rounds of the policy itself the log is worth.
    rounds_left_out : int
        The rounds in which an arm of the policy could not be played, such as forced first trials. They are left out,
        because no weight makes up for them.
    """

    method: str
    utilities: np.ndarray
    low: np.ndarray
    high: np.ndarray
    scores: Mapping[str, tuple[float, float, float]]
    means: np.ndarray
    effective_rounds: float
    rounds_left_out: int = 0

    def view_lines(self) -> list[str]:
        """Return the method and how much the log is worth."""
        return [f"by {self.method}; the log is worth {self.effective_rounds:,.0f} rounds of this policy"]

    def view_rows(self) -> list[dict[str, Any]]:
        """Return the scores and the mean utility, with intervals."""
        return [
            {"score": name, "estimate": e, "low": low, "high": high} for name, (e, low, high) in self.scores.items()
        ]


@dataclass(frozen=True, eq=False)
class RewardLog:
    """A log in the order of its rounds: `arms` (T,), `rewards` (T, N) and `propensities` (T,) of the arms played.

    `possible` (T, K) says which arms could be played, if the log says it.
    """

    arms: np.ndarray
    rewards: np.ndarray
    propensities: np.ndarray | None = None
    possible: np.ndarray | None = None

    @classmethod
    def from_arrays(cls, arms: Any, rewards: Any, propensities: Any = None) -> RewardLog:
        """Validate a log; `propensities` may also be (T, K), as on tickets."""
        played = np.asarray(arms)
        if played.ndim != 1 or not len(played) or played.dtype.kind not in "iu" or played.min() < 0:
            raise InputError("arms must be a list of arm numbers from 0 up, one for each round.")
        told = np.asarray(rewards, dtype=float)
        told = require_rewards(told[:, None] if told.ndim == 1 else told, "rewards")
        if told.ndim != 2 or len(told) != len(played):
            raise InputError(f"rewards has shape {told.shape}; expected one row for each of the {len(played)} rounds.")
        if propensities is None:
            return cls(played, told)
        odds, possible = np.asarray(propensities, dtype=float), None
        if odds.ndim == 2 and len(odds) == len(played) and odds.shape[1] > played.max():
            possible, odds = odds > 0, odds[np.arange(len(played)), played]
        if odds.shape != played.shape or not ((odds > 0) & (odds <= 1)).all():
            raise InputError(
                "propensities must hold, for each round, the probability with which its arm was played (above 0, up to "
                "1), or a row of such probabilities of all arms; see Ticket.propensities."
            )
        return cls(played, told, odds, possible)

    def evaluate(self, policy: PolicyLike, instance: Instance, method: str = "dr", seed: int = 0) -> OffPolicyEstimate:
        """Estimate utilities and scores of a policy; see `ReplayRewards.evaluate`."""
        if method not in ESTIMATION_METHODS:
            raise unknown_name_error("estimator", method, ESTIMATION_METHODS)
        if self.propensities is None:
            raise InputError(
                "the log has no propensities, so no other policy can be evaluated; give them to from_log, such as "
                "[ticket.propensities for ticket in tickets]."
            )
        weights = instance.validate_policy(policy)
        supported = self._find_supported(weights)
        if not supported.all():
            if not supported.any():
                raise InputError(
                    "in every round of the log some arm of this policy had probability 0; log a policy that plays all "
                    "of its arms."
                )
            part = RewardLog(self.arms[supported], self.rewards[supported], self.propensities[supported])
            return replace(part.evaluate(weights, instance, method, seed), rounds_left_out=int((~supported).sum()))
        rng, count = random_stream(seed, "off-policy"), len(self.arms)
        tables, utilities = [], []
        for resample in range(N_RESAMPLES + 1):
            rounds = slice(None) if resample == 0 else rng.integers(count, size=count)
            table = self._estimate_table(rounds, len(weights), method)
            tables.append(table)
            utilities.append(table @ weights if method != "snips" else self._estimate_snips(rounds, weights, table))
        scored = [_score(table, instance, weights) for table in tables]
        ends = (1 - CONFIDENCE_LEVEL) / 2, (1 + CONFIDENCE_LEVEL) / 2
        low, high = np.quantile(utilities[1:], ends, axis=0)
        score_low, score_high = np.quantile(scored[1:], ends, axis=0)
        importance = weights[self.arms] / self.propensities
        return OffPolicyEstimate(
            method,
            utilities[0],
            low,
            high,
            {
                name: (float(scored[0][j]), float(score_low[j]), float(score_high[j]))
                for j, name in enumerate(SCORE_LABELS)
            },
            tables[0],
            float(importance.sum() ** 2 / (importance**2).sum()) if importance.any() else 0.0,
        )

    def _find_supported(self, policy: np.ndarray) -> np.ndarray:
        """Return (T,) booleans: the rounds in which every arm of the policy could be played."""
        if self.possible is not None:
            return np.asarray(~((policy > 0) & ~self.possible).any(axis=1))
        return np.asarray((self._odds < 1) | (policy[self.arms] == 1))

    def _estimate_table(self, rounds: Any, n_arms: int, method: str) -> np.ndarray:
        """Return the mean rewards (N, K) by this estimator; without rounds an arm has 0, or 1/2 unless "ips"."""
        arms, rewards, odds = self.arms[rounds], self.rewards[rounds], self._odds[rounds]
        chosen = (arms[:, None] == np.arange(n_arms)) / odds[:, None]
        told = ~np.isnan(rewards)
        values, answers = np.where(told, rewards, 0.0), np.maximum(told.sum(axis=0), 1)[:, None]
        total = values.T @ chosen
        if method == "ips":
            return np.asarray(total / answers)
        mass = told.T.astype(float) @ chosen
        if method == "snips":
            return np.divide(total, mass, out=np.full_like(total, 0.5), where=mass > 0)
        counts = told.T.astype(float) @ (chosen > 0)
        sums = values.T @ (chosen > 0)
        model = np.divide(sums, counts, out=np.full_like(sums, 0.5), where=counts > 0)
        return np.asarray(model + (total - model * mass) / answers)

    def _estimate_snips(self, rounds: Any, policy: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Return the utilities (N,) normalised by the sum of the weights of the policy itself."""
        arms, rewards = self.arms[rounds], self.rewards[rounds]
        importance = (policy[arms] / self._odds[rounds])[:, None]
        told = ~np.isnan(rewards)
        mass = (importance * told).sum(axis=0)
        total = (importance * np.where(told, rewards, 0.0)).sum(axis=0)
        return np.divide(total, mass, out=table @ policy, where=mass > 0)

    @property
    def _odds(self) -> np.ndarray:
        return np.ones(len(self.arms)) if self.propensities is None else self.propensities


def _score(table: np.ndarray, instance: Instance, policy: np.ndarray) -> list[float]:
    judged = score(Instance(np.clip(table, 0, 1), weights=instance.weights), policy)
    return [float(getattr(judged, name)) for name in SCORE_LABELS]
