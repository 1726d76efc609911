"""Maximin over many agents by row generation: solve on a working set, then add the agents who are worst off.

The agents seen so far give a policy, and an upper bound for all: counting fewer agents never lowers the welfare of the
worst-off. The caller then finds the worst-off of all agents under that policy. If none gets less than expected, it is
optimal; otherwise they are added, and the search continues. Few are added: an optimum is determined by at most K of
them. The caller that has the agents provides them: `solve_by_rows` by a product with their table, `tables` by a pass
over
files.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, NamedTuple

import numpy as np

from isegoria.solvers import method_limits
from isegoria.solvers.fair_set.polytope import FairPolytope
from isegoria.solvers.maximin.augmented_lagrangian import solve_augmented_lagrangian
from isegoria.solvers.maximin.column_generation import solve_by_columns
from isegoria.solvers.maximin.linear_program import solve_by_program
from isegoria.solvers.maximin.matrix_game import solve_whole_game
from isegoria.solvers.maximin.welfare_functions import GiniWelfare, MinimumWelfare, lowest_indices
from isegoria.solvers.result import Selection, SolverResult
from isegoria.solvers.rows.merge import merge_rows
from isegoria.solvers.rows.simplex import simplex_point
from isegoria.utils import tolerances
from isegoria.utils.arrays import to_dense
from isegoria.utils.threads import single_blas_thread

MAX_TURNS = 100
MAX_AGENTS_PER_TURN = 256
"""Maximum number of worst-off agents added per turn."""
MIN_AGENTS_PER_TURN, ENTRIES_PER_AGENT = 16, 50_000
"""In memory, a turn adds one agent per `ENTRIES_PER_AGENT` entries, but at least `MIN_AGENTS_PER_TURN`: passes over a
small table are cheap."""
INITIAL_TIED_AGENTS = 256
"""For a Gini welfare, the search starts with up to this many of the agents tied at the maximin value."""
CHUNK_ROWS = 50_000
"""Rows of an in-memory table processed per chunk: their utilities stay in the CPU cache."""


class AgentSubset(NamedTuple):
    """Some agents: their `rows` (n, K), `weights` (n,) and `places` (n,), which identify them."""

    rows: np.ndarray
    weights: np.ndarray
    places: np.ndarray


def generate_rows(
    welfare: MinimumWelfare | GiniWelfare, seen: AgentSubset, choice: Selection, fair: FairPolytope | None
) -> Generator[np.ndarray, list[AgentSubset], SolverResult | None]:
    """Yield policies (P, K) and receive for each the worst-off `AgentSubset`; return the certified `SolverResult`, or
    None.

    The agents sent must include all who count for the `welfare` at that policy; `seen` must be as many as count at any.
    The choice among ties is made at once where it costs little, and over many arms when the bounds have met.
    """
    pool = _SeenAgents(seen)
    arms = seen.rows.shape[1]
    asked = choice._replace(tie_break=None) if arms > method_limits.GAME_ARMS else choice
    best, best_value, played = np.full(arms, 1 / arms), -np.inf, np.zeros(0, dtype=np.int64)
    for _ in range(MAX_TURNS):
        rows, weights = pool.types()
        found = _solve_seen_agents(welfare.on(weights), rows, asked, fair, played)
        bound, played = found.value + found.gap, np.flatnonzero(found.policy)
        policies = np.array([found.policy, (found.policy + best) / 2, (found.policy + 3 * best) / 4])
        replies = yield policies
        values = [welfare_of(welfare, agents, policy) for agents, policy in zip(replies, policies, strict=True)]
        grown = pool.add(replies)
        if bound - values[0] <= (tolerances.OPTIMUM_TIE / 2 if grown else welfare.enough):
            if asked.tie_break == choice.tie_break:
                return SolverResult(found.policy, values[0], max(bound - values[0], 0.0), found.margin)
            asked = choice
        elif not grown:
            break
        if max(values) > best_value:
            best_value, best = max(values), policies[int(np.argmax(values))]
    return None


@single_blas_thread()
def _solve_seen_agents(
    welfare: MinimumWelfare | GiniWelfare,
    rows: np.ndarray,
    choice: Selection,
    fair: FairPolytope | None,
    arms: np.ndarray,
) -> SolverResult:
    """Return the best policy for the agents seen."""
    if fair is None and (rows.size > method_limits.GAME_ENTRIES or rows.shape[1] > method_limits.GAME_ARMS):
        found = solve_by_program(welfare, rows, choice)
        found = solve_by_columns(welfare, rows, choice, arms) if found is None else found
        if found.gap <= welfare.enough or rows.size > method_limits.MAX_RETRY_ENTRIES:
            return found
        if isinstance(welfare, GiniWelfare):  # many are tied, and their orders are too many for a game
            proved = solve_augmented_lagrangian(welfare, rows, welfare.enough / 2)
            if proved.gap <= welfare.enough:
                return SolverResult(simplex_point(proved.policy), proved.value, proved.gap, 0.0)
    return solve_whole_game(welfare, rows, choice, fair)


def welfare_of(welfare: MinimumWelfare | GiniWelfare, agents: AgentSubset, policy: np.ndarray) -> float:
    """Return the welfare of some agents at a policy."""
    cuts = welfare.on(np.ascontiguousarray(agents.weights))(np.ascontiguousarray(agents.rows))
    return cuts.value(policy)


class _SeenAgents:
    """The agents seen so far, each once."""

    def __init__(self, seen: AgentSubset):
        self.parts = [_unique_agents(seen)]
        self.places = set(self.parts[0].places.tolist())

    def add(self, replies: list[AgentSubset]) -> int:
        """Add the agents not seen before; return how many there are."""
        before = len(self.places)
        for agents in replies:
            new = [
                i for i, place in enumerate(agents.places[:MAX_AGENTS_PER_TURN].tolist()) if place not in self.places
            ]
            if new:
                self.parts.append(AgentSubset(*(part[new] for part in agents)))
                self.places.update(self.parts[-1].places.tolist())
        return len(self.places) - before

    def types(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the distinct rows and how many agents have each, in an order that does not depend on the agents'."""
        rows = np.concatenate([part.rows for part in self.parts])
        weights = np.concatenate([part.weights for part in self.parts])
        return merge_rows(np.ascontiguousarray(rows), np.ascontiguousarray(weights))[:2]


def _unique_agents(agents: AgentSubset) -> AgentSubset:
    first = np.unique(agents.places, return_index=True)[1]
    return AgentSubset(*(part[first] for part in agents))


def solve_by_rows(
    welfare: MinimumWelfare | GiniWelfare, table: Any, choice: Selection, fair: FairPolytope | None = None
) -> SolverResult | None:
    """Return the `SolverResult` for the agents of a dense or sparse `table` (N, K); None if the bounds do not meet."""
    agents, arms = table.shape
    count = min(
        max(MIN_AGENTS_PER_TURN, getattr(table, "nnz", agents * arms) // ENTRIES_PER_AGENT), MAX_AGENTS_PER_TURN
    )
    first, held = np.full(arms, 1 / arms), 2 * count
    if isinstance(welfare, GiniWelfare) and arms > method_limits.GAME_ARMS and fair is None and agents > held:
        # many agents may be tied at the minimum
        least = solve_by_rows(MinimumWelfare(), table, choice._replace(tie_break=None))
        first, held = (first, held) if least is None else (least.policy, INITIAL_TIED_AGENTS)
    worst = _find_worst_off(welfare, table, first[None], held)[0].places
    some = np.arange(0, agents, -(-agents // count))
    search = generate_rows(welfare, _take_agents(welfare, table, np.union1d(worst, some)), choice, fair)
    policies = next(search)
    while True:
        try:
            policies = search.send(_find_worst_off(welfare, table, policies, count))
        except StopIteration as done:
            answer: SolverResult | None = done.value
            return answer


def _find_worst_off(
    welfare: MinimumWelfare | GiniWelfare, table: Any, policies: np.ndarray, most: int
) -> list[AgentSubset]:
    """Return the worst-off under each policy, in order of utility: `most`, or as many as count."""
    count = max(most, welfare.deep)
    places: list[list[np.ndarray]] = [[] for _ in policies]
    utilities: list[list[np.ndarray]] = [[] for _ in policies]
    for start in range(0, table.shape[0], CHUNK_ROWS):
        block = table[start : start + CHUNK_ROWS] @ policies.T
        for j, column in enumerate(np.ascontiguousarray(block.T)):
            few = lowest_indices(column, count)
            places[j].append(few + start)
            utilities[j].append(column[few])
    return [
        _take_agents(welfare, table, np.concatenate(p)[lowest_indices(u, count)])
        for p, u in zip(places, map(np.concatenate, utilities), strict=True)
    ]


def _take_agents(welfare: MinimumWelfare | GiniWelfare, table: Any, places: np.ndarray) -> AgentSubset:
    rows = table[places]
    rows = to_dense(rows)
    weights = np.ones(len(places), dtype=np.int64) if welfare.weights is None else welfare.weights[places]
    return AgentSubset(rows, weights, places)
