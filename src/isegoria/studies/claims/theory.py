"""The paper's propositions, lemmas and theorems on random groups: counter-examples are looked for and counted."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from isegoria.comparison import compare
from isegoria.instance import Instance
from isegoria.price import frontier
from isegoria.rules import solve
from isegoria.scores import score
from isegoria.seeds import stream
from isegoria.stability import core
from isegoria.tolerances import FAIR

MOST_AGENTS, MOST_ARMS = 6, 5
PAPERS = Instance([[0.5, 0, 0], [0, 1, 0], [0, 1, 0]])
"""The group of Propositions 2 and 3, with M = 1/2 and N = K = 3."""
CROSSED = Instance([[0.4, 1], [1, 0.6]])
"""The group of Theorem 6, with A = 0.4 and B = 0.6."""
NOT_CORE = Instance([[1, 0.99], [0, 1]])
"""The group of Theorem 3."""


def random_groups(count: int, seed: int) -> Iterator[Instance]:
    """Random groups; every second one from a coarse grid, so that favourites are often tied."""
    rng = stream(seed, "theory")
    for number in range(count):
        shape = int(rng.integers(2, MOST_AGENTS + 1)), int(rng.integers(2, MOST_ARMS + 1))
        yield Instance(rng.choice([0, 0.25, 0.5, 1], shape) if number % 2 else rng.random(shape))


def fair_policy(instance: Instance, rng: np.random.Generator) -> np.ndarray:
    """A fair policy: every agent splits its 1/N over its favourites at random (Definition 5)."""
    split = instance.favourites * rng.random(instance.favourites.shape)
    return np.asarray((split / split.sum(axis=1, keepdims=True)).mean(axis=0))


def lacking(instance: Instance, policy: np.ndarray) -> float:
    """The most that a coalition's share exceeds the probability of its members' favourites, all of them tried."""
    n = instance.total_weight
    coalitions = (list(members) for size in range(n + 1) for members in combinations(range(n), size))
    return max(len(s) / n - float(policy[instance.favourites[s].any(axis=0)].sum()) for s in coalitions)


def numbers(count: int, seed: int) -> dict[str, float]:
    """What was found on `count` random groups and in the paper's own examples, by name."""
    rng, found = stream(seed, "theory policies"), _examples()
    worst = {"prop1.shares": np.inf, "prop1.utility": np.inf, "lemma5.difference": 0.0, "theorem1.least": 1.0}
    tallies = dict.fromkeys(("theorem4.blocked", "theorem5.stable", "theorem5.unfair", "theorem3.blocked",
                             "theorem6.incomparable", "theorem6.equal", "theorem6.nash_above", "theorem6.fair_above"),
                            0)  # fmt: skip
    for instance in random_groups(count, seed):
        fair, any_policy = fair_policy(instance, rng), rng.dirichlet(np.ones(len(instance.arms)))
        best, n = instance.means.max(axis=1), instance.total_weight
        kept = np.divide(instance.utilities(fair), best, out=np.ones(n), where=best > 0)
        worst["prop1.shares"] = min(worst["prop1.shares"], n * float(instance.decision_shares(fair).min()))
        worst["prop1.utility"] = min(worst["prop1.utility"], n * float(kept.min()))
        for policy in (fair, any_policy):
            heard = score(instance, policy).procedural
            away = abs(1 - heard - lacking(instance, policy))
            worst["lemma5.difference"] = max(worst["lemma5.difference"], away)
            stable = bool(core(instance, policy, kind="procedural").stable)
            tallies["theorem5.stable"] += stable
            tallies["theorem5.unfair"] += stable and heard < 1 - FAIR
        nash, procedural = solve(instance, "nash").policy, solve(instance, "procedural").policy
        worst["theorem1.least"] = min(worst["theorem1.least"], score(instance, procedural).procedural)
        tallies["theorem4.blocked"] += core(instance, procedural, kind="procedural").stable is not True
        tallies["theorem3.blocked"] += core(instance, nash, kind="procedural").stable is False
        tallies[_compared(instance)] += 1
    return found | worst | {name: float(times) for name, times in tallies.items()} | {"theory.groups": float(count)}


def _compared(instance: Instance) -> str:
    """How the Nash policy and the fair one stand to each other on the three scores (Definition 10)."""
    entries = compare(instance, rules=["nash", "procedural"])
    nash, fair = entries["nash"], entries["procedural"]
    if "procedural" in nash.score_dominated_by:
        return "theorem6.fair_above"
    if "nash" in fair.score_dominated_by:
        return "theorem6.nash_above"
    same = max(abs(one - two) for one, two in zip(nash.scores.point, fair.scores.point, strict=True)) < FAIR
    return "theorem6.equal" if same else "theorem6.incomparable"


def _examples() -> dict[str, float]:
    """The paper's own examples."""
    nash = solve(NOT_CORE, "nash").policy
    return {
        "section3.score": score(Instance([[1, 0], [1, 0], [0, 1]]), [0.5, 0.5]).procedural,
        "prop2.equality": float(frontier(PAPERS, "equality", points=2).values[-1]),
        "prop3.utilitarian": float(frontier(PAPERS, "utilitarian", points=2).values[-1]),
        "theorem3.example": float(core(NOT_CORE, nash, kind="procedural").stable is False),
        "theorem6.example": float(_compared(CROSSED) == "theorem6.incomparable"),
    }


def concentration(runs: int, rounds: int, seed: int) -> dict[str, float]:
    """Lemma 1 and Corollary 1 with N = K = 2: in how many runs some mean leaves its radius, at any number of pulls."""
    rng, agents, arms = stream(seed, "concentration"), 2, 2
    pulls = np.arange(1, rounds + 1)
    narrowest = np.sqrt(2 * np.log(agents * arms * np.maximum(pulls, arms + 1)) / pulls)  # t can be no less than m
    rewards = rng.random((runs, agents * arms, rounds)) < 0.5
    away = np.abs(rewards.cumsum(axis=2) / pulls - 0.5)
    return {"lemma1.runs": float(runs), "lemma1.left": float((away > narrowest).any(axis=(1, 2)).sum()),
            "corollary1.printed": 3 / (agents * arms) ** 3,
            "corollary1.sharper": 1 / (arms**2 * (agents * arms) ** 3)}  # fmt: skip
