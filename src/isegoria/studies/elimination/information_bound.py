"""The information bound: how many rounds any learner needs on average to know all favourites, at a given error."""

from __future__ import annotations

import math

import numpy as np

from isegoria.learning.environments.environment import Environment

N_QUANTILES = 400
"""Number of draws that represent a reward distribution; it suffices for three digits of the bound."""
MEANS_TRIED = 240
"""Number of common means tried between two arms. The evidence is flat around its minimum: with 60 the error is .03
%."""
BISECTION_STEPS = 40
EVIDENCE_TOLERANCE = 1e-6
"""Relative tolerance of the cutting planes: they stop when no row is below the linear program's value by more."""


def information_bound(world: Environment, error: float) -> float:
    """Compute the information bound in rounds: ln(1/(2.4 error)) divided by the evidence of a round.

    The evidence is max_w min over agents, their best arm j and another arm k. With pulls in shares w, a round separates
    j from k by at least min_m w_j KL⁻(j, m) + w_k KL⁺(k, m). Here KL⁺ (KL⁻) is the minimum divergence from the arm's
    rewards to any distribution on [0, 1] with a mean of at least (at most) m. The bound applies to every learner that
    assumes only rewards in [0, 1] (Kaufmann, Cappé and Garivier 2016; Garivier and Kaufmann 2016).

    >>> from isegoria.learning import BernoulliRewards
    >>> round(information_bound(BernoulliRewards([[0.9, 0.1]]), 0.01))
    10
    """
    lines = _evidence_rows(world)
    return math.log(1.0 / (2.4 * error)) / _maximise_least_evidence(lines)


def _evidence_rows(world: Environment) -> list[np.ndarray]:
    """Return, for each agent and other arm, (m, K) rows; the minimum of rows · w is the evidence of a round.

    Rewards of equal means are assumed to have equal distributions, as in every environment of the study. A common mean
    with infinite divergence (for an arm that is always 1) is left out.
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
                both = np.stack(
                    [_min_divergence_at_means(world, i, k, tried), _min_divergence_at_means(world, i, best, tried)]
                )
                curves[low, high] = both[:, np.isfinite(both).all(axis=0)]
            rows = np.zeros((curves[low, high].shape[1], world.n_arms))
            rows[:, k], rows[:, best] = curves[low, high]
            found[low, high, k, best] = rows
    return list(found.values())


def _min_divergence_at_means(world: Environment, agent: int, arm: int, means: np.ndarray) -> np.ndarray:
    """Compute the minimum divergence from the rewards of an (agent, arm) pair to distributions with each of `means`.

    The distributions are on [0, 1], and all means are on one side of the pair's mean. For 0/1 rewards the divergence
    has a closed form; for others it is computed from the quantiles of many draws.
    """
    mine = world.means[agent, arm]
    if world.id == "bernoulli":
        from scipy.special import rel_entr

        return np.asarray(rel_entr(mine, means) + rel_entr(1.0 - mine, 1.0 - means))
    draws = np.sort(world.draw(np.random.default_rng(0), arm, 0, 9 * N_QUANTILES)[:, agent])[4::9]
    return _min_divergence(draws, means) if means[-1] > mine else _min_divergence(1.0 - draws, 1.0 - means)


def _min_divergence(draws: np.ndarray, means: np.ndarray) -> np.ndarray:
    """Compute, for each mean m, the minimum divergence to a distribution on [0, 1] with at least that mean.

    It is max E ln(1 − λ (x − m)) over 0 ≤ λ ≤ 1/(1 − m). The derivative decreases in λ, so bisection finds the maximum.
    """
    m = means[:, None]
    low, high = np.zeros_like(m), (1.0 - 1e-9) / np.maximum(1.0 - m, 1e-12)
    for _ in range(BISECTION_STEPS):
        middle = (low + high) / 2
        rising = np.mean((m - draws) / (1.0 - middle * (draws - m)), axis=1, keepdims=True) > 0
        low, high = np.where(rising, middle, low), np.where(rising, high, middle)
    return np.where(draws.mean() >= means, 0.0, np.mean(np.log1p(-low * (draws - m)), axis=1))


def _maximise_least_evidence(lines: list[np.ndarray]) -> float:
    """Maximise the minimum evidence over shares w, a linear program, by cutting planes.

    Evidence is scaled by that of even pulls, which keeps it far above the solver's tolerances.
    """
    even = min(float(line.mean(axis=1).min()) for line in lines)
    scaled = [line / even for line in lines]
    rows = np.array([line[0] for line in scaled])
    while True:
        shares, value = _solve_shares(rows)
        worst = np.array([line[(line @ shares).argmin()] for line in scaled])
        least = worst @ shares
        if least.min() >= value * (1.0 - EVIDENCE_TOLERANCE):
            return value * even
        rows = np.concatenate([rows, worst[least < value]])


def _solve_shares(rows: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the shares w that maximise the minimum entry of rows · w, and that entry."""
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
