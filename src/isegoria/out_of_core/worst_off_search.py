"""Egalitarian and Gini welfare of a large table, by row generation over the worst-off agents: see `row_generation`."""

from __future__ import annotations

import numpy as np

from isegoria.errors import CertificationError
from isegoria.out_of_core.map_tasks import (
    WORST_OFF_PER_CHUNK,
    MapTask,
    Search,
    WorstOffAgents,
    concat_agents,
    find_worst_off,
)
from isegoria.out_of_core.profile_summary import ProfileSummary
from isegoria.solvers.fair_set.polytope import FairPolytope
from isegoria.solvers.maximin.row_generation import AgentSubset, generate_rows, welfare_of
from isegoria.solvers.maximin.welfare_functions import GiniWelfare, MinimumWelfare
from isegoria.solvers.result import Selection, SolverResult

INITIAL_AGENTS = 2048
"""How many agents are looked at before anybody is asked for."""
HALVING_PREFIX_SUMS = np.concatenate([[0.0], 1.0 - 0.5 ** np.arange(1, WORST_OFF_PER_CHUNK + 1)])
WELFARE_FUNCTIONS: dict[str, MinimumWelfare | GiniWelfare] = {
    "egalitarian": MinimumWelfare(),
    "gini": GiniWelfare(np.ones(0, dtype=np.int64), HALVING_PREFIX_SUMS),
}


def maximise_egalitarian(
    first: ProfileSummary, tie_break: str, direction: np.ndarray, fair: FairPolytope | None
) -> Search[SolverResult]:
    """Find the policy that maximises the minimum utility."""
    return _search_by_rows("egalitarian", first, tie_break, direction, fair)


def maximise_gini(
    first: ProfileSummary, tie_break: str, direction: np.ndarray, fair: FairPolytope | None
) -> Search[SolverResult]:
    """Find the policy that maximises Gini welfare with halving weights; value and gap are divided by their sum."""
    return _search_by_rows("gini", first, tie_break, direction, fair)


def _search_by_rows(
    objective: str, first: ProfileSummary, tie_break: str, direction: np.ndarray, fair: FairPolytope | None
) -> Search[SolverResult]:
    search = generate_rows(
        WELFARE_FUNCTIONS[objective], _find_initial_agents(first), Selection(tie_break, direction, first.copies), fair
    )
    policies = next(search)
    while True:
        answers = yield MapTask(find_worst_off, (np.ascontiguousarray(policies),))
        replies = [_merge_worst_off([unit[p] for unit in answers]) for p in range(len(policies))]
        try:
            policies = search.send(replies)
        except StopIteration as done:
            return _require_certificate(done.value)


def _require_certificate(answer: SolverResult | None) -> SolverResult:
    if answer is None:
        raise CertificationError(
            "no policy could be proved optimal for those who get least: agents who matter differ by less than "
            "rounding. Rounding the means to 9 decimals usually helps."
        )
    return answer


def evaluate_welfare(objective: str, units: list[WorstOffAgents], policy: np.ndarray) -> float:
    """Compute the minimum utility, or the Gini welfare over the sum of its weights, of all agents at a policy."""
    return welfare_of(WELFARE_FUNCTIONS[objective], _merge_worst_off(units), policy)


def _find_initial_agents(first: ProfileSummary) -> AgentSubset:
    """Return the initial working set: the worst-off agents under the uniform policy, and some others."""
    even = np.argsort(first.worst.rows.mean(axis=1), kind="stable")[: INITIAL_AGENTS // 4]
    step = max(1, len(first.sample.places) // INITIAL_AGENTS)
    parts = zip(first.worst, first.sample, strict=True)
    return AgentSubset(*(np.concatenate([least[even], some[::step]]) for least, some in parts))


def _merge_worst_off(units: list[WorstOffAgents]) -> AgentSubset:
    """Return the worst-off agents of all chunks together, as many as matter."""
    utilities = np.concatenate([unit.utilities for unit in units])
    agents = concat_agents([unit.agents for unit in units])
    order = np.lexsort((agents.places, utilities))[: 4 * WORST_OFF_PER_CHUNK]
    return AgentSubset(*(part[order] for part in agents))
