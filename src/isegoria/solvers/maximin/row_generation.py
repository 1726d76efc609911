"""The largest welfare of those who get least among agents too many to look at together: those who matter are asked for.

The agents seen so far give a policy, and an upper bound for all: counting fewer agents never lowers the welfare of
those who get least. All agents are asked who gets least under it; if none gets less than was thought, it is optimal; if
some do, they join, and it goes on. Few join: an optimum is held by at most K of them. Whoever has the agents answers:
`in_memory` by a product with their table, `tables` by a pass over files.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, NamedTuple

import numpy as np

from isegoria import tolerances
from isegoria.rows.merge import merge_rows
from isegoria.rows.views import dense
from isegoria.solvers import sizes
from isegoria.solvers.answer import Answer, Selection
from isegoria.solvers.fair_set.polytope import Fair
from isegoria.solvers.maximin.column_generation import on_few_arms
from isegoria.solvers.maximin.linear_program import by_program
from isegoria.solvers.maximin.welfare import Gini, Least, lowest
from isegoria.solvers.maximin.whole_game import whole_game
from isegoria.threads import one_thread

MOST_TURNS = 100
KEPT = 256
"""How many of those who get least under a policy join at a time."""
FEWEST, ENTRIES = 16, 50_000
"""In memory, fewer join where a table has few entries, and asking costs little: one for each so many, at least 16."""
TIED = 256
"""Of those who are tied at the least that can be had, so many are looked at from the beginning for a Gini welfare."""
BLOCK = 50_000
"""Rows of a table in memory that are asked together: their utilities stay in the near cache."""


class Agents(NamedTuple):
    """Some agents: their `rows` (n, K), `weights` (n,) and `places` (n,), by which each is known."""

    rows: np.ndarray
    weights: np.ndarray
    places: np.ndarray


def by_rows(
    welfare: Least | Gini, seen: Agents, choice: Selection, fair: Fair | None
) -> Generator[np.ndarray, list[Agents], Answer | None]:
    """The certified `Answer`, or None; yields policies (P, K), and is sent for each the `Agents` who get least.

    The agents sent must include all who count for the `welfare` at that policy; `seen` must be as many as count at any.
    The choice among ties is made at once where it costs little, and over many arms when the bounds have met.
    """
    pool = _Pool(seen)
    arms = seen.rows.shape[1]
    asked = choice._replace(tie_break=None) if arms > sizes.GAME_ARMS else choice
    best, best_value, played = np.full(arms, 1 / arms), -np.inf, np.zeros(0, dtype=np.int64)
    for _ in range(MOST_TURNS):
        rows, weights = pool.types()
        found = _game(welfare.on(weights), rows, asked, fair, played)
        bound, played = found.value + found.gap, np.flatnonzero(found.policy)
        policies = np.array([found.policy, (found.policy + best) / 2, (found.policy + 3 * best) / 4])
        replies = yield policies
        values = [value_of(welfare, agents, policy) for agents, policy in zip(replies, policies, strict=True)]
        grown = pool.add(replies)
        if bound - values[0] <= (tolerances.OPTIMUM_TIE / 2 if grown else welfare.enough):
            if asked.tie_break == choice.tie_break:
                return Answer(found.policy, values[0], max(bound - values[0], 0.0), found.margin)
            asked = choice
        elif not grown:
            break
        if max(values) > best_value:
            best_value, best = max(values), policies[int(np.argmax(values))]
    return None


@one_thread()
def _game(welfare: Least | Gini, rows: np.ndarray, choice: Selection, fair: Fair | None, arms: np.ndarray) -> Answer:
    """The best policy for the agents seen."""
    if fair is None and (rows.size > sizes.GAME_ENTRIES or rows.shape[1] > sizes.GAME_ARMS):
        found = by_program(welfare, rows, choice)
        found = on_few_arms(welfare, rows, choice, arms) if found is None else found
        if found.gap <= welfare.enough or rows.size > sizes.GAME_WHOLE:
            return found
    return whole_game(welfare, rows, choice, fair)


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


def in_memory(welfare: Least | Gini, table: Any, choice: Selection, fair: Fair | None = None) -> Answer | None:
    """The `Answer` for the agents of a dense or sparse `table` (N, K), as they lie; None if the bounds do not meet."""
    agents, arms = table.shape
    count = min(max(FEWEST, getattr(table, "nnz", agents * arms) // ENTRIES), KEPT)
    first, held = np.full(arms, 1 / arms), 2 * count
    if isinstance(welfare, Gini) and arms > sizes.GAME_ARMS and fair is None:  # where many may be tied at the bottom
        least = in_memory(Least(), table, choice._replace(tie_break=None))
        first, held = (first, held) if least is None else (least.policy, TIED)
    worst = _worst_off(welfare, table, first[None], held)[0].places
    some = np.arange(0, agents, -(-agents // count))
    search = by_rows(welfare, _agents(welfare, table, np.union1d(worst, some)), choice, fair)
    policies = next(search)
    while True:
        try:
            policies = search.send(_worst_off(welfare, table, policies, count))
        except StopIteration as done:
            answer: Answer | None = done.value
            return answer


def _worst_off(welfare: Least | Gini, table: Any, policies: np.ndarray, most: int) -> list[Agents]:
    """Those who get least under each policy, in order of what they get: `most`, or as many as count."""
    count = max(most, welfare.deep)
    places: list[list[np.ndarray]] = [[] for _ in policies]
    utilities: list[list[np.ndarray]] = [[] for _ in policies]
    for start in range(0, table.shape[0], BLOCK):
        block = table[start : start + BLOCK] @ policies.T
        for j, column in enumerate(np.ascontiguousarray(block.T)):
            few = lowest(column, count)
            places[j].append(few + start)
            utilities[j].append(column[few])
    return [
        _agents(welfare, table, np.concatenate(p)[lowest(u, count)])
        for p, u in zip(places, map(np.concatenate, utilities), strict=True)
    ]


def _agents(welfare: Least | Gini, table: Any, places: np.ndarray) -> Agents:
    rows = table[places]
    rows = dense(rows)
    weights = np.ones(len(places), dtype=np.int64) if welfare.weights is None else welfare.weights[places]
    return Agents(rows, weights, places)
