"""Environments made of others' data: rewards that were logged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from isegoria.errors import InputError
from isegoria.instance import Instance
from isegoria.learning.worlds.environment import Environment, checked_rewards


class ReplayRewards(Environment):
    """Logged rewards, replayed: the n-th pull of an arm gives the n-th row that was logged for it.

    `log[k]` is an (n_k, N) array of rewards of arm k, NaN where an agent said nothing. The truth is the logged means,
    unless `means` says otherwise. When a log is used up, that is an error; with `cycle=True` it starts again.

    >>> log = [[[0.0, 1.0], [1.0, 1.0]], [[0.5, 0.5]]]
    >>> stream = ReplayRewards(log).stream(seed=7)
    >>> stream.pull(0).tolist(), stream.pull(0).tolist()
    ([0.0, 1.0], [1.0, 1.0])
    """

    id = "replay"
    summary = "rewards that were logged, in their order"

    def __init__(self, log: Sequence[Any], means: Any = None, cycle: bool = False):
        self.log = [checked_rewards(_table(rows, arm), f"log[{arm}]") for arm, rows in enumerate(log)]
        if len({rows.shape[1] for rows in self.log}) != 1:
            raise InputError(
                "the arms were logged for different numbers of agents; give every arm one column per agent."
            )
        self.cycle = cycle
        super().__init__(_logged_means(self.log) if means is None else means)
        if (self.n_arms, self.n_agents) != (len(self.log), self.log[0].shape[1]):
            raise InputError(
                f"means are for {self.n_agents} agents and {self.n_arms} arms, but the log is for "
                f"{self.log[0].shape[1]} and {len(self.log)}."
            )

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


def _table(rows: Any, arm: int) -> np.ndarray:
    table = np.asarray(rows, dtype=float)
    if table.ndim != 2 or not table.size:
        raise InputError(
            f"log[{arm}] has shape {table.shape}; expected one row for each pull and one column per agent."
        )
    return table


def _logged_means(log: list[np.ndarray]) -> Instance:
    silent = [arm for arm, rows in enumerate(log) if np.isnan(rows).all(axis=0).any()]
    if silent:
        raise InputError(f"some agent said nothing on arm {silent[0]} in the whole log; give the true `means`.")
    return Instance(np.stack([np.nanmean(rows, axis=0) for rows in log], axis=1))
