"""Environments that replay logged rewards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from isegoria.errors import InputError
from isegoria.learning.environments.environment import Environment, require_rewards
from isegoria.profiles import Instance
from isegoria.utils.arguments import explain_keywords

if TYPE_CHECKING:
    from isegoria.learning.off_policy import OffPolicyEstimate, RewardLog
    from isegoria.profiles.policies import PolicyLike


class ReplayRewards(Environment):
    """Environment that replays logged rewards: the n-th pull of an arm gives the n-th row logged for it.

    Parameters
    ----------
    log : sequence of array-like
        `log[k]` is an `(n_k, N)` array of rewards of arm k, NaN where an agent did not answer.
    means : array-like or Instance, optional
        The true means; the logged means by default.
    cycle : bool
        Whether a log that is used up starts again. By default `InputError` is raised.

    Raises
    ------
    InputError
        If a log is empty, holds a reward outside [0, 1], or does not fit the other logs or `means`; or if an agent
        never answered for some arm and `means` is not given.

    Examples
    --------
    >>> log = [[[0.0, 1.0], [1.0, 1.0]], [[0.5, 0.5]]]
    >>> stream = ReplayRewards(log).stream(seed=7)
    >>> stream.pull(0).tolist(), stream.pull(0).tolist()
    ([0.0, 1.0], [1.0, 1.0])
    """

    reward_log: RewardLog | None = None
    """The rounds in their order, if made by `from_log`."""

    id = "replay"
    summary = "rewards that were logged, in their order"

    @explain_keywords
    def __init__(self, log: Sequence[Any], means: Any = None, cycle: bool = False):
        self.log = [require_rewards(_log_array(rows, arm), f"log[{arm}]") for arm, rows in enumerate(log)]
        if len({rows.shape[1] for rows in self.log}) != 1:
            raise InputError(
                "the arms were logged for different numbers of agents; give every arm one column per agent."
            )
        self.cycle = cycle
        super().__init__(_estimate_means(self.log) if means is None else means)
        if (self.n_arms, self.n_agents) != (len(self.log), self.log[0].shape[1]):
            raise InputError(
                f"means are for {self.n_agents} agents and {self.n_arms} arms, but the log is for "
                f"{self.log[0].shape[1]} and {len(self.log)}."
            )

    @classmethod
    @explain_keywords
    def from_log(
        cls, arms: Any, rewards: Any, propensities: Any = None, *, means: Any = None, cycle: bool = False
    ) -> ReplayRewards:
        """Create the environment from a log in the order of its rounds.

        Parameters
        ----------
        arms : array-like of int
            (T,) The arm of each round.
        rewards : array-like
            (T, N) The rewards of each round, NaN where an agent did not answer.
        propensities : array-like, optional
            (T,) The probability with which the arm of each round was played, or (T, K) those of all arms, as in
            `Ticket.propensities`. They make `evaluate` possible.
        means : array-like or Instance, optional
            The true means; the logged means by default.
        cycle : bool
            Whether a log that is used up starts again.

        Returns
        -------
        ReplayRewards

        Examples
        --------
        >>> ReplayRewards.from_log([0, 1, 0], [[0.0, 1.0], [0.5, 0.5], [1.0, 1.0]]).means.tolist()
        [[0.5, 0.5], [1.0, 0.5]]
        """
        from isegoria.learning.off_policy import RewardLog

        rounds = RewardLog.from_arrays(arms, rewards, propensities)
        wanted = rounds.arms.max() + 1 if means is None else np.shape(getattr(means, "means", means))[1]
        unplayed = sorted(set(range(int(wanted))) - set(rounds.arms.tolist()))
        if unplayed:
            raise InputError(f"arm {unplayed[0]} was never played in the log; number the arms from 0 without gaps.")
        made = cls([rounds.rewards[rounds.arms == arm] for arm in range(int(wanted))], means, cycle)
        made.reward_log = rounds
        return made

    def evaluate(self, policy: PolicyLike, method: str = "dr", seed: int = 0) -> OffPolicyEstimate:
        """Estimate what another policy would have given in the rounds of the log.

        The arms must have been drawn with the logged propensities, and whether an agent answers must depend neither on
        the arm nor on the reward. Every arm that the policy plays must have been played.

        Parameters
        ----------
        policy : array-like or mapping
            The policy to evaluate.
        method : {"dr", "snips", "ips"}
            The estimator: doubly robust, self-normalised or plain inverse propensity scoring.
        seed : int
            The seed of the bootstrap of the intervals.

        Returns
        -------
        OffPolicyEstimate

        Raises
        ------
        InputError
            If the environment was not made by `from_log` with propensities.
        """
        if self.reward_log is None:
            raise InputError(
                "the order and propensities of the rounds are not known; make it by ReplayRewards.from_log."
            )
        return self.reward_log.evaluate(policy, self.instance, method, seed)

    def draw(self, rng: np.random.Generator, arm: int, first: int, pulls: int) -> np.ndarray:
        rows = self.log[arm]
        if self.cycle:
            return rows[np.arange(first, first + pulls) % len(rows)]
        if first >= len(rows):
            raise InputError(
                f"arm {self.arms[arm]!r} was logged {len(rows)} times, and pull {first + 1} was asked for; "
                "simulate fewer rounds, or replay with cycle=True."
            )
        return rows[first : first + pulls]


def _log_array(rows: Any, arm: int) -> np.ndarray:
    table = np.asarray(rows, dtype=float)
    if table.ndim != 2 or not table.size:
        raise InputError(
            f"log[{arm}] has shape {table.shape}; expected one row for each pull and one column per agent."
        )
    return table


def _estimate_means(log: list[np.ndarray]) -> Instance:
    silent = [arm for arm, rows in enumerate(log) if np.isnan(rows).all(axis=0).any()]
    if silent:
        raise InputError(f"some agent said nothing on arm {silent[0]} in the whole log; give the true `means`.")
    return Instance(np.stack([np.nanmean(rows, axis=0) for rows in log], axis=1))
