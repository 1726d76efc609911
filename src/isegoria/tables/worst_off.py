"""Egalitarian and Gini welfare of a large table, by those who get least: see `solvers.maximin.row_generation`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from isegoria import tolerances
from isegoria.solvers.answer import Answer
from isegoria.solvers.fair_set.polytope import Fair
from isegoria.solvers.maximin.cuts import Cuts, Ranked, Rows
from isegoria.solvers.maximin.row_generation import Agents, by_rows
from isegoria.tables.first import First
from isegoria.tables.questions import LEAST, Least, Question, joined, worst_off

BEGIN = 2048
"""How many agents are looked at before anybody is asked for."""
HALVES = np.concatenate([[0.0], 1.0 - 0.5 ** np.arange(1, LEAST + 1)])
HALVES_TOTAL = 2.0


def egalitarian(first: First, tie_break: str, direction: np.ndarray, fair: Fair | None):
    """The policy of largest least utility."""
    return _asking(_least, first, tie_break, direction, fair, tolerances.EGALITARIAN_GAP)


def gini(first: First, tie_break: str, direction: np.ndarray, fair: Fair | None):
    """The policy of largest Gini welfare with halving weights; its value and gap are over the sum of those weights."""
    return _asking(_ranked, first, tie_break, direction, fair, tolerances.GINI_GAP / HALVES_TOTAL)


def _asking(cuts: Callable, first: First, tie_break: str, direction: np.ndarray, fair: Fair | None, enough: float):
    search = by_rows(cuts, _beginning(first), tie_break, direction, fair, enough / 2)
    policies = next(search)
    while True:
        answers = yield Question(worst_off, (np.ascontiguousarray(policies),))
        replies = [_lowest([unit[p] for unit in answers]) for p in range(len(policies))]
        try:
            policies = search.send(replies)
        except StopIteration as done:
            answer: Answer = done.value
            return answer


def welfare(objective: str, units: list[Least], policy: np.ndarray) -> float:
    """The least utility, or the Gini welfare over the sum of its weights, of all agents at a policy."""
    agents = _lowest(units)
    cuts = _least if objective == "egalitarian" else _ranked
    return cuts(np.ascontiguousarray(agents.rows), np.ascontiguousarray(agents.weights))(0).value(policy)


def _beginning(first: First) -> Agents:
    """Those who get least under the even policy, and some others."""
    even = np.argsort(first.worst.rows.mean(axis=1), kind="stable")[: BEGIN // 4]
    step = max(1, len(first.sample.places) // BEGIN)
    parts = zip(first.worst, first.sample, strict=True)
    return Agents(*(np.concatenate([least[even], some[::step]]) for least, some in parts))


def _lowest(units: list[Least]) -> Agents:
    """Those who get least in all units together: as many as count."""
    utilities = np.concatenate([unit.utilities for unit in units])
    agents = joined([unit.agents for unit in units])
    order = np.lexsort((agents.places, utilities))[: 4 * LEAST]
    return Agents(*(part[order] for part in agents))


def _least(rows: np.ndarray, weights: np.ndarray) -> Callable[[int], Cuts]:
    return partial(_made_rows, rows)


def _made_rows(rows: np.ndarray, carried: int) -> Cuts:
    return Rows(rows, carried)


def _ranked(rows: np.ndarray, weights: np.ndarray) -> Callable[[int], Cuts]:
    return lambda carried: Ranked(rows, weights, HALVES, carried)
