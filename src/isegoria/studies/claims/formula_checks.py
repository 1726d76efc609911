"""The paper's definitions, programs and examples, computed from their formulas beside what the package returns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from isegoria.analysis.core import core
from isegoria.analysis.dominance import score_dominates
from isegoria.analysis.scores import Scores, score
from isegoria.profiles import Instance
from isegoria.rules import RULES, solve
from isegoria.rules.builtin import inequality
from isegoria.studies.claims.group_scores import PAPER_RULES
from isegoria.studies.claims.theorem_checks import (
    THEOREM3_GROUP,
    THEOREM6_GROUP,
    fair_policy,
    largest_coalition_deficit,
    random_groups,
)
from isegoria.utils.seeds import random_stream
from isegoria.utils.tolerances import FAIRNESS_GAP

if TYPE_CHECKING:
    from isegoria.rules.literals import PayoffName

CORE_AGENTS = 4
"""Groups up to this size are searched for blocking coalitions by one linear program for every coalition."""
CORE_GROUPS_SHARE = 3
"""One in this many groups is searched so."""
COMPARISON_GROUP = Instance([[1, 0], [1, 0], [0, 1]])
"""The group of Sections 3.1 and 5.1.3."""
CAR_SEATS = Instance([[1, 0.5, 0.5], [0.5, 1, 0]], arms=["front, right", "right, front", "right, left"])
"""Two children, and where the first and the second sit (Section 3)."""

Formula = Callable[[Instance, np.ndarray, Scores], float]


def check_formulas(count: int, seed: int) -> dict[str, float]:
    """Return the largest deviation of the package from each formula of the paper on `count` random groups."""
    rng, worst = random_stream(seed, "formulas"), defaultdict[str, float](float)
    worst |= {"score.low": 1.0, "dictatorship.least": 1.0}
    for number, instance in enumerate(random_groups(count, seed)):
        solutions = {id: solve(instance, RULES[id]) for id in PAPER_RULES}
        for policy in (fair_policy(instance, rng), rng.dirichlet(np.ones(len(instance.arms)))):
            scores = score(instance, policy)
            for name, formula in POLICY_FORMULAS.items():
                worst[name] = max(worst[name], formula(instance, policy, scores))
            worst["score.low"] = min(worst["score.low"], scores.procedural)
            worst["score.high"] = max(worst["score.high"], scores.procedural)
            perfect = largest_coalition_deficit(instance, policy) < FAIRNESS_GAP
            worst["score.iff_wrong"] += (scores.procedural >= 1 - FAIRNESS_GAP) is not perfect
        fair = score(instance, fair_policy(instance, rng))
        worst["definition5.off"] = max(worst["definition5.off"], measure_attribution(instance, fair))
        for name, gap in measure_optima(instance, {id: one.policy for id, one in solutions.items()}).items():
            worst[name] = max(worst[name], gap)
        heard = score(instance, solve(instance, "random-dictatorship").policy).procedural
        worst["dictatorship.least"] = min(worst["dictatorship.least"], heard)
        worst["marginals.off"] = max(worst["marginals.off"], _marginals_off(instance, solutions["procedural"].policy))
        if instance.best_means.all():
            worst["nash.blocked"] += core(instance, solutions["nash"].policy, payoff="utilities").stable is not True
        found = core(instance, solutions["procedural"].policy, payoff="utilities")
        worst["compromise.blocked"] += found.stable is False
        if found.gains is not None:
            worst["compromise.gain"] = max(worst["compromise.gain"], float(found.gains.max()))
        worst["impossible"] += is_impossible(instance)
        if number % CORE_GROUPS_SHARE == 0 and instance.total_weight <= CORE_AGENTS:
            worst["core.groups"] += 1
            random = rng.dirichlet(np.ones(len(instance.arms)))
            for policy in (random, solutions["nash"].policy, solutions["procedural"].policy):
                for name, wrong in check_cores(instance, policy).items():
                    worst[name] += wrong
    shares = {f"{name}.share": worst[name] / count for name in ("compromise.blocked", "impossible")}
    return {name: float(value) for name, value in worst.items()} | shares | check_examples()


def _utilities(instance: Instance, policy: np.ndarray) -> np.ndarray:
    return np.array([sum(p * mean for p, mean in zip(policy, row, strict=True)) for row in instance.means])


def _is_favourite(instance: Instance) -> np.ndarray:
    return np.array([[mean == max(row) for mean in row] for row in instance.means.tolist()])


def _shares(instance: Instance, policy: np.ndarray) -> np.ndarray:
    return _is_favourite(instance) @ policy


def mean_squared_difference(utilities: np.ndarray) -> float:
    """Return 2/(N(N−1)) times the sum of squared differences over all pairs (Section 5.1.1)."""
    n = len(utilities)
    return 2 * sum((one - two) ** 2 for one, two in combinations(utilities.tolist(), 2)) / (n * (n - 1))


def _nash_welfare_off(payoff: str) -> Formula:
    def difference(instance: Instance, policy: np.ndarray, scores: Scores) -> float:
        own = _utilities(instance, policy) if payoff == "utilities" else _shares(instance, policy)
        own = own[instance.means.max(axis=1) > 0] if payoff == "utilities" else own
        return abs(float(np.prod(own)) - float(np.exp(instance.nash_welfare(policy, payoff).log)))

    return difference


def _marginals_off(instance: Instance, policy: np.ndarray) -> float:
    """Return how far Σ 1/dᵢ over the agents who like an arm is from N, relative to N, over the arms played."""
    liked = _is_favourite(instance)
    marginals = (liked / (liked @ policy)[:, None]).sum(axis=0) / len(liked)
    return float(np.abs(marginals - 1)[policy > FAIRNESS_GAP].max())


def solve_score_program(instance: Instance, policy: np.ndarray) -> float:
    """Return the value of the procedural score's linear program, by HiGHS."""
    from scipy.optimize import linprog

    n, k = instance.means.shape
    rows = np.zeros((n + k, n * k))
    for agent, arm in np.ndindex(n, k):
        rows[agent, agent * k + arm] = rows[n + arm, agent * k + arm] = 1.0
    limits = np.concatenate([np.full(n, 1 / n), policy])
    bounds = [(0, None if own else 0) for own in _is_favourite(instance).ravel()]
    return -float(linprog(-np.ones(n * k), rows, limits, bounds=bounds).fun)


def _inequality_off(instance: Instance, policy: np.ndarray, scores: Scores) -> float:
    return abs(inequality.evaluate(instance, policy) - mean_squared_difference(_utilities(instance, policy)))


def _equality_off(instance: Instance, policy: np.ndarray, scores: Scores) -> float:
    least = mean_squared_difference(_utilities(instance, solve(instance, "inequality").policy))
    own = mean_squared_difference(_utilities(instance, policy))
    return abs(scores.equality - (1 - abs(own - least)))


def _utilitarian_off(instance: Instance, policy: np.ndarray, scores: Scores) -> float:
    most = max(instance.means.sum(axis=0))
    return abs(scores.utilitarian - (_utilities(instance, policy).sum() / most if most > 0 else 1.0))


POLICY_FORMULAS: dict[str, Formula] = {
    "favourites.wrong": lambda instance, policy, scores: float((instance.favourites != _is_favourite(instance)).sum()),
    "definition1.off": lambda instance, policy, scores: np.abs(
        instance.utilities(policy) - _utilities(instance, policy)
    ).max(),
    "definition2.off": lambda instance, policy, scores: np.abs(
        instance.decision_shares(policy) - _shares(instance, policy)
    ).max(),
    "definition3.off": _nash_welfare_off("utilities"),
    "definition4.off": _nash_welfare_off("shares"),
    "program.off": lambda instance, policy, scores: abs(scores.procedural - solve_score_program(instance, policy)),
    "definition6.off": _inequality_off,
    "equality.off": _equality_off,
    "utilitarian.off": _utilitarian_off,
}
"""Deviations of one policy's numbers from the formulas of the paper, by the name of the number."""


def measure_attribution(instance: Instance, scores: Scores) -> float:
    """Return how far a fair policy's attribution misses the three conditions of Definition 5."""
    y, n = scores.attribution_matrix, instance.total_weight
    away = np.abs(y.sum(axis=1) - 1 / n).max(), y[~_is_favourite(instance)].max(initial=0.0)
    return float(max(*away, np.abs(y.sum(axis=0) - scores.policy).max(), -y.min()))


def measure_optima(instance: Instance, policies: dict[str, np.ndarray]) -> dict[str, float]:
    """Return how far each policy is from optimal, by first-order conditions or a linear program of its own."""
    means, n = instance.means, instance.total_weight
    liked, shares = _is_favourite(instance), _shares(instance, policies["procedural"])
    pull = (liked / shares[:, None]).sum(axis=0)
    y = liked * policies["procedural"] / (n * shares[:, None])
    found = {
        "policy.off": max(max(abs(p.sum() - 1), -p.min()) for p in policies.values()),
        "objective.gap": pull.max() / n - 1,
        "witness.off": max(np.abs(y.sum(axis=0) - policies["procedural"]).max(), np.abs(y.sum(axis=1) - 1 / n).max()),
        "utilitarian.gap": (means.sum(axis=0).max() - means.sum(axis=0) @ policies["utilitarian"]),
    }
    counted = means[means.max(axis=1) > 0]
    if len(counted):
        found["nash.gap"] = (counted / (counted @ policies["nash"])[:, None]).sum(axis=0).max() / len(counted) - 1
    pairs = np.array([one - two for one, two in combinations(means, 2)])
    slope = 4 / (n * (n - 1)) * pairs.T @ (pairs @ policies["inequality"])
    found["inequality.gap"] = policies["inequality"] @ slope - slope.min()
    for id, weights in (("egalitarian", np.eye(n)[0]), ("gini", 0.5 ** np.arange(n))):
        reached = float(weights @ np.sort(means @ policies[id]))
        found[f"{id}.gap"] = solve_ordered_welfare(means, weights) - reached
    return {name: float(gap) for name, gap in found.items()}


def solve_ordered_welfare(means: np.ndarray, weights: np.ndarray) -> float:
    """Return the largest Σ_r w_r u_(r) of utilities in increasing order, by Ogryczak's linear program."""
    from scipy.optimize import linprog

    (n, k), steps = means.shape, weights - np.append(weights[1:], 0.0)
    # variables: p (k), then t_r and d_ir for r = 1..n; the sum of the r least utilities is r t_r − Σ_i d_ir
    gain = np.concatenate([np.zeros(k), steps * np.arange(1, n + 1), np.repeat(-steps, n)])
    rows = np.zeros((n * n, len(gain)))
    for r, agent in np.ndindex(n, n):
        rows[r * n + agent, :k] = -means[agent]
        rows[r * n + agent, k + r], rows[r * n + agent, k + n + r * n + agent] = 1.0, -1.0
    whole = np.concatenate([np.ones(k), np.zeros(n + n * n)])[None]
    bounds = [(0, None)] * k + [(None, None)] * n + [(0, None)] * (n * n)
    return -float(linprog(-gain, rows, np.zeros(n * n), whole, [1.0], bounds).fun)


def is_impossible(instance: Instance) -> bool:
    """Return whether no fair policy has the largest total or the least inequality of all policies."""
    total = solve(instance, "utilitarian").value - solve(instance, "utilitarian", within="fair").value
    apart = solve(instance, "inequality", within="fair").value - solve(instance, "inequality").value
    return max(total, apart) > FAIRNESS_GAP


def check_cores(instance: Instance, policy: np.ndarray) -> dict[str, float]:
    """Count verdicts on a policy that differ from all coalitions tried, and wrong verdicts of Definition 10."""
    values: dict[PayoffName, np.ndarray] = {
        "shares": _is_favourite(instance).astype(float),
        "utilities": instance.means,
    }
    found = {
        f"core.{payoff}_wrong": float(core(instance, policy, payoff=payoff).stable is is_blocked(table, policy))
        for payoff, table in values.items()
    }
    other = solve(instance, "utilitarian").policy
    one, two = (np.array(score(instance, each).values) for each in (other, policy))
    dominates = bool((one >= two - FAIRNESS_GAP).all() and (one > two + FAIRNESS_GAP).any())
    return found | {"definition10.wrong": float(score_dominates(instance, other, policy) is not dominates)}


def is_blocked(values: np.ndarray, policy: np.ndarray) -> bool:
    """Return whether some coalition blocks the policy (Definitions 8 and 9), by a linear program for each."""
    from scipy.optimize import linprog

    n, k = values.shape
    for size in range(1, n + 1):
        for members in map(list, combinations(range(n), size)):
            offered, now = size / n * values[members], values[members] @ policy
            found = linprog(-offered.sum(axis=0), -offered, -now, np.ones((1, k)), [1.0])
            if found.status == 0 and -found.fun - now.sum() > FAIRNESS_GAP:
                return True
    return False


def check_examples() -> dict[str, float]:
    """Return deviations from the numbers that the paper works out by hand."""
    wanted = {"procedural": (2 / 3, 1 / 3), "inequality": (0.5, 0.5), "utilitarian": (1, 0)}
    apart = [np.abs(solve(COMPARISON_GROUP, RULES[id]).policy - policy).max() for id, policy in wanted.items()]
    alternating = np.array([0, 1 / 2, 1 / 2])
    nash = solve(THEOREM3_GROUP, "nash").policy
    third = core(THEOREM3_GROUP, nash, payoff="shares")
    formula, proofs = [], _policies_off(THEOREM6_GROUP, [1 / 2, 1 / 2], [0, 1])
    for n, m in ((2, 0.25), (3, 0.5), (7, 0.9)):
        group = Instance([[m, 0, 0]] + [[0, 1, 0]] * (n - 1))
        proofs = max(proofs, _policies_off(group, [1 / n, (n - 1) / n, 0], [0, 1, 0]))
        own = inequality.evaluate(group, solve(group, "procedural").policy)
        balanced = inequality.evaluate(group, np.array([1 / (m + 1), m / (m + 1), 0]))
        formula.append(max(abs(own - 2 * (n - 1 - m) ** 2 / n**3), balanced))
    return {
        "comparison.off": float(max(apart)),
        "seats.equality": score(CAR_SEATS, alternating).equality,
        "seats.share": float(CAR_SEATS.decision_shares(alternating)[0]),
        "utilitarian.zero": score(Instance(np.zeros((2, 2))), [1, 0]).utilitarian,
        "prop2.formula": float(max(formula)),
        "proofs.off": proofs,
        "theorem3.second": float(nash[1]),
        "theorem3.gain": float(third.gains.max()) if third.gains is not None else 0.0,
        "theorem6.first": float(solve(THEOREM6_GROUP, "nash").policy[0]),
    }


def _policies_off(instance: Instance, fair: list[float], utilitarian: list[float]) -> float:
    """Return how far the fair and the utilitarian policy are from those of a proof."""
    wanted = {"procedural": fair, "utilitarian": utilitarian}
    return float(max(np.abs(solve(instance, RULES[id]).policy - policy).max() for id, policy in wanted.items()))
