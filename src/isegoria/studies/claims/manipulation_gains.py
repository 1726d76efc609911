"""Gains of hiding a favourite under three fair rules, and what equal voice retains in the worst case."""

from __future__ import annotations

from typing import Any

import numpy as np

from isegoria.analysis.axioms.manipulation import MANIPULATION_GAIN
from isegoria.analysis.frontier import worst_case_retention
from isegoria.analysis.scores import score
from isegoria.profiles import Instance
from isegoria.rules import RULES, solve
from isegoria.utils.seeds import random_stream

Columns = dict[str, list[Any]]

CHECKED_RULES = ("procedural", "conditional-utilitarian", "random-dictatorship")
GROUP_AGENTS, GROUP_ARMS, APPROVAL_PROBABILITY = 6, 4, 0.4
"""The size of a group, and the probability that an agent approves an arm; every agent approves at least one."""
COMPROMISE_REWARD = 0.99
WORST_CASE_AGENTS = (2, 5, 10, 50)


def sample_approvals(groups: int, seed: int) -> np.ndarray:
    """Sample (groups, agents, arms) random approvals; every agent approves at least one arm."""
    rng = random_stream(seed, "approvals")
    drawn = rng.random((groups, GROUP_AGENTS, GROUP_ARMS)) < APPROVAL_PROBABILITY
    sure = rng.integers(GROUP_ARMS, size=(groups, GROUP_AGENTS))
    np.put_along_axis(drawn, sure[..., None], True, axis=2)
    return drawn


def compute_gains(rule: str, likes: np.ndarray) -> np.ndarray:
    """Return (agents,) each agent's largest gain in probability from hiding one favourite; 0 with a single one."""
    shares = likes @ solve(Instance(likes.astype(float)), RULES[rule]).policy
    found = np.zeros(len(likes))
    for agent, arm in zip(*np.nonzero(likes & (likes.sum(axis=1) > 1)[:, None]), strict=True):
        said = likes.copy()
        said[agent, arm] = False
        policy = solve(Instance(said.astype(float)), RULES[rule]).policy
        found[agent] = max(found[agent], float(likes[agent] @ policy - shares[agent]))
    return found


def compute_group_gains(rule: str, groups: int, seed: int) -> np.ndarray:
    """Return (groups, agents) the gains of hiding a favourite in random groups; this runs in a worker."""
    return np.array([compute_gains(rule, likes) for likes in sample_approvals(groups, seed)])


def gain_table(found: dict[str, np.ndarray]) -> Columns:
    """Return, for each rule: groups in which someone gains, the share of agents who can, and the largest gain."""
    columns: Columns = {"rule": [RULES[id].label for id in found]}
    columns["groups"] = [len(values) for values in found.values()]
    columns["someone_gains"] = [int((values > MANIPULATION_GAIN).any(axis=1).sum()) for values in found.values()]
    columns["agents_who_gain"] = [float((values > MANIPULATION_GAIN).mean()) for values in found.values()]
    columns["largest_gain"] = [float(values.max()) for values in found.values()]
    return columns


def worst_table() -> Columns:
    """Return the score of the PF policy where every agent has its own favourite and one arm is nearly as good."""
    rows = []
    for agents in WORST_CASE_AGENTS:
        hostile = Instance(np.hstack([np.eye(agents), np.full((agents, 1), COMPROMISE_REWARD)]))
        kept = score(hostile, solve(hostile, "procedural").policy).utilitarian
        rows.append((agents, kept, worst_case_retention(agents, agents + 1).utilities))
    return dict(zip(("agents", "utilitarian", "one_over_n"), map(list, zip(*rows, strict=True)), strict=True))
