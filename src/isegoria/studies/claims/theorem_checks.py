"""The paper's propositions, lemmas and theorems on random groups: counterexamples are searched for and counted."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from isegoria.analysis.comparison import compare
from isegoria.analysis.core import core
from isegoria.analysis.frontier import frontier
from isegoria.analysis.scores import score
from isegoria.profiles import Instance
from isegoria.rules import solve
from isegoria.utils.seeds import random_stream
from isegoria.utils.tolerances import FAIRNESS_GAP

MAX_AGENTS, MAX_ARMS = 6, 5
PROPOSITION_GROUP = Instance([[0.5, 0, 0], [0, 1, 0], [0, 1, 0]])
"""The group of Propositions 2 and 3, with M = 1/2 and N = K = 3."""
THEOREM6_GROUP = Instance([[0.4, 1], [1, 0.6]])
"""The group of Theorem 6, with A = 0.4 and B = 0.6."""
THEOREM3_GROUP = Instance([[1, 0.99], [0, 1]])
"""The group of Theorem 3."""


def random_groups(count: int, seed: int) -> Iterator[Instance]:
    """Sample random groups; every second one from a coarse grid, so that favourites are often tied."""
    rng = random_stream(seed, "theory")
    for number in range(count):
        shape = int(rng.integers(2, MAX_AGENTS + 1)), int(rng.integers(2, MAX_ARMS + 1))
        yield Instance(rng.choice([0, 0.25, 0.5, 1], shape) if number % 2 else rng.random(shape))


def fair_policy(instance: Instance, rng: np.random.Generator) -> np.ndarray:
    """Sample a fair policy: every agent splits its 1/N over its favourites at random (Definition 5)."""
    split = instance.favourites * rng.random(instance.favourites.shape)
    return np.asarray((split / split.sum(axis=1, keepdims=True)).mean(axis=0))


def largest_coalition_deficit(instance: Instance, policy: np.ndarray) -> float:
    """Return the maximum over all coalitions of their share minus the probability of their members' favourites."""
    n = instance.total_weight
    coalitions = (list(members) for size in range(n + 1) for members in combinations(range(n), size))
    return max(len(s) / n - float(policy[instance.favourites[s].any(axis=0)].sum()) for s in coalitions)


def check_theorems(count: int, seed: int) -> dict[str, float]:
    """Check `count` random groups and the paper's examples, and return the results by name."""
    rng, found = random_stream(seed, "theory policies"), _paper_example_numbers()
    worst = {"prop1.shares": np.inf, "prop1.utility": np.inf, "lemma5.difference": 0.0, "theorem1.least": 1.0}
    tallies = dict.fromkeys(
        (
            "theorem4.blocked",
            "theorem5.stable",
            "theorem5.unfair",
            "theorem3.blocked",
            "theorem6.incomparable",
            "theorem6.equal",
            "theorem6.nash_above",
            "theorem6.fair_above",
        ),
        0,
    )
    for instance in random_groups(count, seed):
        fair, any_policy = fair_policy(instance, rng), rng.dirichlet(np.ones(len(instance.arms)))
        best, n = instance.means.max(axis=1), instance.total_weight
        kept = np.divide(instance.utilities(fair), best, out=np.ones(n), where=best > 0)
        worst["prop1.shares"] = min(worst["prop1.shares"], n * float(instance.decision_shares(fair).min()))
        worst["prop1.utility"] = min(worst["prop1.utility"], n * float(kept.min()))
        for policy in (fair, any_policy):
            heard = score(instance, policy).procedural
            away = abs(1 - heard - largest_coalition_deficit(instance, policy))
            worst["lemma5.difference"] = max(worst["lemma5.difference"], away)
            stable = bool(core(instance, policy, payoff="shares").stable)
            tallies["theorem5.stable"] += stable
            tallies["theorem5.unfair"] += stable and heard < 1 - FAIRNESS_GAP
        nash, procedural = solve(instance, "nash").policy, solve(instance, "procedural").policy
        worst["theorem1.least"] = min(worst["theorem1.least"], score(instance, procedural).procedural)
        tallies["theorem4.blocked"] += core(instance, procedural, payoff="shares").stable is not True
        tallies["theorem3.blocked"] += core(instance, nash, payoff="shares").stable is False
        tallies[_compare_nash_and_fair(instance)] += 1
    return found | worst | {name: float(times) for name, times in tallies.items()} | {"theory.groups": float(count)}


def _compare_nash_and_fair(instance: Instance) -> str:
    """Classify how the Nash policy and the fair one compare on the three scores (Definition 10)."""
    entries = compare(instance, rules=["nash", "procedural"])
    nash, fair = entries["nash"], entries["procedural"]
    if "procedural" in nash.score_dominated_by:
        return "theorem6.fair_above"
    if "nash" in fair.score_dominated_by:
        return "theorem6.nash_above"
    same = max(abs(one - two) for one, two in zip(nash.scores.values, fair.scores.values, strict=True)) < FAIRNESS_GAP
    return "theorem6.equal" if same else "theorem6.incomparable"


def _paper_example_numbers() -> dict[str, float]:
    """Return the results of the paper's examples."""
    nash = solve(THEOREM3_GROUP, "nash").policy
    return {
        "section3.score": score(Instance([[1, 0], [1, 0], [0, 1]]), [0.5, 0.5]).procedural,
        "prop2.equality": float(frontier(PROPOSITION_GROUP, "equality", points=2).values[-1]),
        "prop3.utilitarian": float(frontier(PROPOSITION_GROUP, "utilitarian", points=2).values[-1]),
        "theorem3.example": float(core(THEOREM3_GROUP, nash, payoff="shares").stable is False),
        "theorem6.example": float(_compare_nash_and_fair(THEOREM6_GROUP) == "theorem6.incomparable"),
    }


def check_concentration(runs: int, rounds: int, seed: int) -> dict[str, float]:
    """Count runs in which some mean leaves its radius at any number of pulls, with N = K = 2 (Lemma 1, Corollary 1)."""
    rng, agents, arms = random_stream(seed, "concentration"), 2, 2
    pulls = np.arange(1, rounds + 1)
    narrowest = np.sqrt(2 * np.log(agents * arms * np.maximum(pulls, arms + 1)) / pulls)  # t is at least m
    rewards = rng.random((runs, agents * arms, rounds)) < 0.5
    away = np.abs(rewards.cumsum(axis=2) / pulls - 0.5)
    return {
        "lemma1.runs": float(runs),
        "lemma1.left": float((away > narrowest).any(axis=(1, 2)).sum()),
        "corollary1.printed": 3 / (agents * arms) ** 3,
        "corollary1.sharper": 1 / (arms**2 * (agents * arms) ** 3),
    }
