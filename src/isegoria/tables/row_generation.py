"""The largest welfare of the worst-off among agents too many to look at together: those who matter are asked for.

The agents seen so far give a policy, and an upper bound for all: counting fewer agents never lowers the welfare of
those who get least. All agents are asked who gets least under it; if none gets less than was thought, it is optimal; if
some do, they join, and it goes on. Few join: an optimum is held by at most K of them.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import NamedTuple

import numpy as np

from isegoria.errors import CertificationError
from isegoria.rows.merge import merge_rows
from isegoria.solvers.answer import Answer
from isegoria.solvers.fair_set.polytope import Fair
from isegoria.solvers.maximin.maximin import maximin
from isegoria.solvers.maximin.welfare import Gini, Least

MOST_TURNS = 40
KEPT = 256
"""How many of those who get least under a policy join at a time."""


class Agents(NamedTuple):
    """Some agents: their `rows` (n, K), `weights` (n,) and `places` (n,), by which each is known."""

    rows: np.ndarray
    weights: np.ndarray
    places: np.ndarray


def by_rows(
    welfare: Least | Gini,
    seen: Agents,
    tie_break: str,
    direction: np.ndarray,
    fair: Fair | None,
    enough: float,
) -> Generator[np.ndarray, list[Agents], Answer]:
    """The certified `Answer`; yields policies (P, K), and is sent for each the `Agents` who get least under it.

    The agents sent must include all who count for the `welfare` at that policy; `seen` must be as many as count at any.
    """
    pool = _Pool(seen)
    best, best_value = np.full(seen.rows.shape[1], 1 / seen.rows.shape[1]), -np.inf
    for _ in range(MOST_TURNS):
        rows, weights = pool.types()
        found = maximin(welfare.on(weights), rows, tie_break, direction, fair)
        bound = found.value + found.gap
        policies = np.array([found.policy, (found.policy + best) / 2, (found.policy + 3 * best) / 4])
        replies = yield policies
        values = [value_of(welfare, agents, policy) for agents, policy in zip(replies, policies, strict=True)]
        if bound - values[0] <= enough:
            return Answer(found.policy, values[0], max(bound - values[0], 0.0), found.margin)
        if max(values) > best_value:
            best_value, best = max(values), policies[int(np.argmax(values))]
        if not pool.add(replies):
            break
    raise CertificationError(
        "no policy could be proved optimal for those who get least: agents who matter differ by less than rounding. "
        "Rounding the means to 9 decimals usually helps."
    )


def value_of(welfare: Least | Gini, agents: Agents, policy: np.ndarray) -> float:
    """The welfare of some agents at a policy."""
    cuts = welfare.on(np.ascontiguousarray(agents.weights))(np.ascontiguousarray(agents.rows))
    return cuts.value(policy)


class _Pool:
    """The agents seen so far, each once."""

    def __init__(self, seen: Agents):
        self.parts = [_distinct(seen)]
        self.places = set(self.parts[0].places.tolist())

    def add(self, replies: list[Agents]) -> int:
        """Take in those not seen before; return how many."""
        before = len(self.places)
        for agents in replies:
            new = [i for i, place in enumerate(agents.places[:KEPT].tolist()) if place not in self.places]
            if new:
                self.parts.append(Agents(*(part[new] for part in agents)))
                self.places.update(self.parts[-1].places.tolist())
        return len(self.places) - before

    def types(self) -> tuple[np.ndarray, np.ndarray]:
        """Their distinct rows and how many agents have each, in an order that does not depend on the agents' own."""
        rows = np.concatenate([part.rows for part in self.parts])
        weights = np.concatenate([part.weights for part in self.parts])
        return merge_rows(np.ascontiguousarray(rows), np.ascontiguousarray(weights))[:2]


def _distinct(agents: Agents) -> Agents:
    first = np.unique(agents.places, return_index=True)[1]
    return Agents(*(part[first] for part in agents))
