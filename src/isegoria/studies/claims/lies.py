"""Who could gain by hiding a favourite, under three fair rules; and what equal voice keeps in the worst case."""

from __future__ import annotations

from typing import Any

import numpy as np

from isegoria.axioms.lies import LIE
from isegoria.instance import Instance
from isegoria.price import worst_price
from isegoria.rules import RULES, solve
from isegoria.scores import score
from isegoria.seeds import stream

Columns = dict[str, list[Any]]

ASKED = ("procedural", "conditional-utilitarian", "random-dictatorship")
AGENTS, ARMS, CHANCE = 6, 4, 0.4
"""Groups of so many; each arm is approved with this chance, and everybody approves one at least."""
COMPROMISE = 0.99
WORST = (2, 5, 10, 50)


def approvals(groups: int, seed: int) -> np.ndarray:
    """(groups, agents, arms) random approvals."""
    rng = stream(seed, "approvals")
    drawn = rng.random((groups, AGENTS, ARMS)) < CHANCE
    sure = rng.integers(ARMS, size=(groups, AGENTS))
    np.put_along_axis(drawn, sure[..., None], True, axis=2)
    return drawn


def gains(rule: str, likes: np.ndarray) -> np.ndarray:
    """(agents,) the most that each gains of the lottery by hiding one of its favourites; 0 with a single one."""
    shares = likes @ solve(Instance(likes.astype(float)), rule).policy
    found = np.zeros(len(likes))
    for agent, arm in zip(*np.nonzero(likes & (likes.sum(axis=1) > 1)[:, None]), strict=True):
        said = likes.copy()
        said[agent, arm] = False
        policy = solve(Instance(said.astype(float)), rule).policy
        found[agent] = max(found[agent], float(likes[agent] @ policy - shares[agent]))
    return found


def some_gains(rule: str, groups: int, seed: int) -> np.ndarray:
    """(groups, agents) what hiding a favourite gains; what a worker does."""
    return np.array([gains(rule, likes) for likes in approvals(groups, seed)])


def table(found: dict[str, np.ndarray]) -> Columns:
    """For each rule: groups in which someone gains, agents who could, and by how much."""
    columns: Columns = {"rule": [RULES[id].label for id in found]}
    columns["groups"] = [len(values) for values in found.values()]
    columns["someone_gains"] = [int((values > LIE).any(axis=1).sum()) for values in found.values()]
    columns["agents_who_gain"] = [float((values > LIE).mean()) for values in found.values()]
    columns["largest_gain"] = [float(values.max()) for values in found.values()]
    return columns


def worst_table() -> Columns:
    """The PF policy where everybody wants an arm of their own, and one more is nearly as good for all."""
    rows = []
    for agents in WORST:
        hostile = Instance(np.hstack([np.eye(agents), np.full((agents, 1), COMPROMISE)]))
        kept = score(hostile, solve(hostile, "procedural").policy).utilitarian
        rows.append((agents, kept, worst_price(agents, agents + 1).utilities))
    return dict(zip(("agents", "utilitarian", "one_over_n"), map(list, zip(*rows, strict=True)), strict=True))
