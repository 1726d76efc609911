"""Egalitarian and Gini welfare of a large table, by those who get least: see `row_generation`."""

from __future__ import annotations

import numpy as np

from isegoria.errors import CertificationError
from isegoria.solvers.answer import Answer, Selection
from isegoria.solvers.fair_set.polytope import Fair
from isegoria.solvers.maximin.row_generation import Agents, by_rows, value_of
from isegoria.solvers.maximin.welfare import Gini, Least
from isegoria.tables.first_pass import FirstPass
from isegoria.tables.questions import LEAST, Asking, Question, WorstOff, joined, worst_off

BEGIN = 2048
"""How many agents are looked at before anybody is asked for."""
HALVES = np.concatenate([[0.0], 1.0 - 0.5 ** np.arange(1, LEAST + 1)])
WELFARE: dict[str, Least | Gini] = {"egalitarian": Least(), "gini": Gini(np.ones(0, dtype=np.int64), HALVES)}


def egalitarian(first: FirstPass, tie_break: str, direction: np.ndarray, fair: Fair | None) -> Asking[Answer]:
    """The policy of largest least utility."""
    return _asking("egalitarian", first, tie_break, direction, fair)


def gini(first: FirstPass, tie_break: str, direction: np.ndarray, fair: Fair | None) -> Asking[Answer]:
    """The policy of largest Gini welfare with halving weights; its value and gap are over the sum of those weights."""
    return _asking("gini", first, tie_break, direction, fair)


def _asking(
    objective: str, first: FirstPass, tie_break: str, direction: np.ndarray, fair: Fair | None
) -> Asking[Answer]:
    search = by_rows(WELFARE[objective], _beginning(first), Selection(tie_break, direction, first.copies), fair)
    policies = next(search)
    while True:
        answers = yield Question(worst_off, (np.ascontiguousarray(policies),))
        replies = [_lowest([unit[p] for unit in answers]) for p in range(len(policies))]
        try:
            policies = search.send(replies)
        except StopIteration as done:
            return _proved(done.value)


def _proved(answer: Answer | None) -> Answer:
    if answer is None:
        raise CertificationError(
            "no policy could be proved optimal for those who get least: agents who matter differ by less than "
            "rounding. Rounding the means to 9 decimals usually helps."
        )
    return answer


def welfare(objective: str, units: list[WorstOff], policy: np.ndarray) -> float:
    """The least utility, or the Gini welfare over the sum of its weights, of all agents at a policy."""
    return value_of(WELFARE[objective], _lowest(units), policy)


def _beginning(first: FirstPass) -> Agents:
    """Those who get least under the even policy, and some others."""
    even = np.argsort(first.worst.rows.mean(axis=1), kind="stable")[: BEGIN // 4]
    step = max(1, len(first.sample.places) // BEGIN)
    parts = zip(first.worst, first.sample, strict=True)
    return Agents(*(np.concatenate([least[even], some[::step]]) for least, some in parts))


def _lowest(units: list[WorstOff]) -> Agents:
    """Those who get least in all units together: as many as count."""
    utilities = np.concatenate([unit.utilities for unit in units])
    agents = joined([unit.agents for unit in units])
    order = np.lexsort((agents.places, utilities))[: 4 * LEAST]
    return Agents(*(part[order] for part in agents))
