"""The information bound: how many rounds any learner needs on average to know all favourites, at a given error."""

from __future__ import annotations

import math

import numpy as np

from isegoria.learning.worlds.environment import Environment

QUANTILES = 400
"""Draws by which a distribution of rewards is described: enough for three digits of the bound."""
MEANS_TRIED = 240
"""Common means tried between two arms; their evidence is flat around the least: 60 would be .03 % off."""
PASSES = 40
EXACT = 1e-6
"""Of the least evidence: when no row is below what the linear program says by more, it is solved."""


def information_bound(world: Environment, error: float) -> float:
    """Rounds: ln(1/(2.4 error)) / max_w min over agents, their best arm j and another arm k of the evidence of a round.

    With pulls in shares w, a round tells j and k apart by at least min_m w_j KL⁻(j, m) + w_k KL⁺(k, m), where KL⁺ (KL⁻)
    is the least divergence from the arm's rewards to any on [0, 1] with a mean of at least (at most) m. It binds every
    learner that needs no more than rewards in [0, 1] (Kaufmann, Cappé and Garivier 2016; Garivier and Kaufmann 2016).

    >>> from isegoria.learning import BernoulliRewards
    >>> round(information_bound(BernoulliRewards([[0.9, 0.1]]), 0.01))
    10
    """
    lines = _evidence(world)
    return math.log(1.0 / (2.4 * error)) / _best_of_worst(lines)


def _evidence(world: Environment) -> list[np.ndarray]:
    """For each agent and other arm: (m, K) rows whose product with w, at its least, is the evidence of a round.

    Rewards of equal means are taken to scatter alike, as they do in every world of the study. Where a common mean
    cannot be had (of an arm that is always 1), it needs no evidence against it.
    """
    curves: dict[tuple[float, float], np.ndarray] = {}
    found = {}
    for i, best in enumerate(np.argmax(world.means, axis=1).tolist()):
        for k in range(world.n_arms):
            low, high = float(world.means[i, k]), float(world.means[i, best])
            if high - low <= world.instance.tie_tolerance:
                continue
            if (low, high) not in curves:
                tried = np.linspace(low, high, MEANS_TRIED)
                both = np.stack([_distance(world, i, k, tried), _distance(world, i, best, tried)])
                curves[low, high] = both[:, np.isfinite(both).all(axis=0)]
            rows = np.zeros((curves[low, high].shape[1], world.n_arms))
            rows[:, k], rows[:, best] = curves[low, high]
            found[low, high, k, best] = rows
    return list(found.values())


def _distance(world: Environment, agent: int, arm: int, means: np.ndarray) -> np.ndarray:
    """The least divergence from the rewards of a pair to any on [0, 1] of each of these means, all on one side of its
    own: of a 0/1 reward in closed form, of others by the quantiles of many draws."""
    mine = world.means[agent, arm]
    if world.id == "bernoulli":
        from scipy.special import rel_entr

        return np.asarray(rel_entr(mine, means) + rel_entr(1.0 - mine, 1.0 - means))
    draws = np.sort(world.draw(np.random.default_rng(0), arm, 0, 9 * QUANTILES)[:, agent])[4::9]
    return _divergence(draws, means) if means[-1] > mine else _divergence(1.0 - draws, 1.0 - means)


def _divergence(draws: np.ndarray, means: np.ndarray) -> np.ndarray:
    """For each mean m, the least divergence to a distribution on [0, 1] of at least that mean.

    It is max E ln(1 − λ (x − m)) over 0 ≤ λ ≤ 1/(1 − m), whose slope falls in λ: halve.
    """
    m = means[:, None]
    low, high = np.zeros_like(m), (1.0 - 1e-9) / np.maximum(1.0 - m, 1e-12)
    for _ in range(PASSES):
        middle = (low + high) / 2
        rising = np.mean((m - draws) / (1.0 - middle * (draws - m)), axis=1, keepdims=True) > 0
        low, high = np.where(rising, middle, low), np.where(rising, high, middle)
    return np.where(draws.mean() >= means, 0.0, np.mean(np.log1p(-low * (draws - m)), axis=1))


def _best_of_worst(lines: list[np.ndarray]) -> float:
    """max over shares w of the least evidence: a linear program, since each row is linear in w, by cutting planes.

    Evidence is measured in that of even pulls, which keeps it far above the solver's tolerances.
    """
    even = min(float(line.mean(axis=1).min()) for line in lines)
    scaled = [line / even for line in lines]
    rows = np.array([line[0] for line in scaled])
    while True:
        shares, value = _most(rows)
        worst = np.array([line[(line @ shares).argmin()] for line in scaled])
        least = worst @ shares
        if least.min() >= value * (1.0 - EXACT):
            return value * even
        rows = np.concatenate([rows, worst[least < value]])


def _most(rows: np.ndarray) -> tuple[np.ndarray, float]:
    """(shares w, the least entry of rows · w): the w for which it is largest."""
    from scipy.optimize import linprog

    arms = rows.shape[1]
    found = linprog(
        np.append(np.zeros(arms), -1.0),
        A_ub=np.hstack([-rows, np.ones((len(rows), 1))]),
        b_ub=np.zeros(len(rows)),
        A_eq=np.append(np.ones(arms), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, 1)] * arms + [(0, None)],
    )
    return found.x[:-1], float(found.x[-1])
