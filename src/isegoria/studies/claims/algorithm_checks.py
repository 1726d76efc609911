"""Algorithm 1 line by line: a run of the learner beside the lines of the paper, and the numbers of a bound."""

from __future__ import annotations

import math
import warnings

import numpy as np

from isegoria.datasets import load_dots_sample
from isegoria.errors import InputError, TheoremWarning
from isegoria.learning import BernoulliRewards, BetaRewards, ProceduralLearner, simulate
from isegoria.learning.confidence_sets.candidate_sets import radius
from isegoria.learning.regret_bounds import expected_pulls_by, power_sum, regret_bounds
from isegoria.profiles import Instance
from isegoria.utils.seeds import random_stream

LINES_GROUP = Instance([[0.9, 0.1, 0.2, 0.9], [0.1, 0.9, 0.2, 0.1], [0.5, 0.5, 0.5, 0.5], [0.1, 0.2, 0.95, 0.1]])
"""The group of the run that is compared: one agent with two favourites, one that likes every arm the same."""
LINES_GAMMA, LINES_ALPHA = 0.8, 1.2
BOUND_ROUNDS, BOUND_GAMMAS = 20_000, (0.5, 0.7, 0.9)


def list_candidates(mean: np.ndarray, count: np.ndarray, t: int, alpha: float) -> np.ndarray:
    """Return the sets (N, K) of lines 8 to 12, for means (N, K) and pulls (K,)."""
    (n, k), found = mean.shape, np.zeros(mean.shape, dtype=bool)
    z = [math.sqrt(2 * math.log(n * k * t) / pulls) for pulls in count.tolist()]
    for agent in range(n):
        best = int(mean[agent].argmax())
        for arm in range(k):
            found[agent, arm] = mean[agent, arm] + alpha * z[arm] >= mean[agent, best] - alpha * z[best]
    return found


def check_algorithm(rounds: int, seed: int) -> dict[str, float]:
    """Run the learner beside the lines of Algorithm 1, and return the largest deviation from each."""
    n, k = LINES_GROUP.means.shape
    learner, world = ProceduralLearner(n, k, LINES_GAMMA, LINES_ALPHA, seed=seed), BernoulliRewards(LINES_GROUP)
    worst = dict.fromkeys(
        ("line1.off", "line3.forced", "line8.off", "line13.gap", "propensity.off", "line20.off", "line21.off"), 0.0
    ) | {"line5.off": 0.0, "line12.wrong": 0.0, "line11.outside": 0.0, "lemma4.missing": 0.0}
    count, mean, stream = np.zeros(k), np.zeros((n, k)), world.stream(seed=seed)
    explored, exploited, expected = np.zeros(k), np.zeros(k), np.zeros(k)
    variance, regret, rates = np.zeros(k), 0, []
    for t in range(1, rounds + 1):
        ticket = learner.ask()
        policy, sets = np.array(ticket.policy), learner.sets
        if t <= k:
            worst["line1.off"] = max(worst["line1.off"], np.abs(policy - 1 / k).max())
            worst["line3.forced"] += ticket.forced and ticket.arm == t - 1
            regret += 1
        else:
            candidates, rate = list_candidates(mean, count, t, LINES_ALPHA), t ** -(1 - LINES_GAMMA)
            worst["line12.wrong"] += (sets != candidates).any()
            worst["line11.outside"] += not sets[np.arange(n), mean.argmax(axis=1)].all()
            radii = LINES_ALPHA * np.sqrt(2 * np.log(n * k * t) / count)
            if (np.abs(mean - LINES_GROUP.means) <= radii).all():
                worst["lemma4.missing"] += not sets[LINES_GROUP.favourites].all()
            z = max(abs(radius(n, k, t, own) - math.sqrt(2 * math.log(n * k * t) / own)) for own in count.tolist())
            gap = (candidates / (candidates @ policy)[:, None]).sum(axis=0).max() / n - 1
            off = np.abs(np.array(ticket.propensities) - rate / k - (1 - rate) * policy).max()
            regret += bool((candidates != LINES_GROUP.favourites).any())
            worst["line8.off"], worst["line13.gap"] = max(worst["line8.off"], z), max(worst["line13.gap"], gap)
            worst["propensity.off"] = max(worst["propensity.off"], off)
            rates.append(rate)
            (explored if ticket.exploring else exploited)[ticket.arm] += 1
            if not ticket.exploring:
                expected, variance = expected + policy, variance + policy * (1 - policy)
        rewards = stream.pull(ticket.arm)
        learner.tell(ticket, rewards)
        count[ticket.arm] += 1
        mean[:, ticket.arm] += (rewards - mean[:, ticket.arm]) / count[ticket.arm]
        if t == k:
            worst["line5.off"] = np.abs(learner.sums / learner.counts - mean).max()
    total, chances = explored.sum(), np.array(rates)
    spread = math.sqrt((chances * (1 - chances)).sum())
    trace = simulate(
        ProceduralLearner(n, k, LINES_GAMMA, LINES_ALPHA, seed=seed), world, rounds, seed=seed, keep_arms=True
    )
    return {name: float(value) for name, value in worst.items()} | {
        "line7.sd": abs(total - chances.sum()) / spread,
        "line15.sd": float((np.abs(explored - total / k) / math.sqrt(max(1.0, total / k * (1 - 1 / k)))).max()),
        "line19.sd": float((np.abs(exploited - expected) / np.sqrt(np.maximum(variance, 1.0))).max()),
        "line20.off": float(np.abs(learner.pulls - count).max()),
        "line21.off": float(np.abs(learner.sums / learner.counts - mean).max()),
        "line24.off": float(np.abs(np.array(learner.policy) - policy).max()),
        "regret.off": abs(float(trace.regret - _count_mismatches(trace.arms, world, seed))),
        "regret.own": float(regret),
        "lines.rounds": float(rounds),
    }


def _count_mismatches(arms: np.ndarray, world: BernoulliRewards, seed: int) -> int:
    """Count K, and the rounds with a wrong set, along the arms that a simulation pulled."""
    (n, k), stream = LINES_GROUP.means.shape, world.stream(seed=seed)
    count, total, regret = np.zeros(k), np.zeros((n, k)), 0
    for t, arm in enumerate(arms.tolist(), start=1):
        wrong = t <= k or (list_candidates(total / count, count, t, LINES_ALPHA) != LINES_GROUP.favourites).any()
        regret += bool(wrong)
        total[:, arm] += stream.pull(arm)
        count[arm] += 1
    return regret


def check_bounds(rounds: int = BOUND_ROUNDS) -> dict[str, float]:
    """Return deviations of the package's regret bound from the formulas of Lemmas 2 to 4 and Theorem 2."""
    worst = dict.fromkeys(("lemma2.outside", "lemma3.m_off", "lemma3.radius", "lemma4.tau_off", "theorem2.off"), 0.0)
    for gamma in BOUND_GAMMAS:
        for alpha in (1.0, 2.0):
            k, n = len(LINES_GROUP.arms), LINES_GROUP.total_weight
            theory, log_term = regret_bounds(LINES_GROUP, rounds, gamma, alpha), math.log(n * k * rounds)
            expected = sum(t ** (gamma - 1) for t in range(k + 1, rounds + 1))
            low, high = (((rounds + s) ** gamma - (k + s) ** gamma) / gamma for s in (1, 0))
            worst["lemma2.outside"] += not (low <= expected <= high) or abs(theory.expected_exploring - expected) > 1e-6
            for tau in (k + 1, 100, rounds):
                m = 1 + sum(s ** (gamma - 1) for s in range(k + 1, tau)) / k
                bound = math.sqrt(4 * gamma * k * log_term / (tau**gamma - 1))
                worst["lemma3.m_off"] = max(worst["lemma3.m_off"], abs(expected_pulls_by(tau, k, gamma) / m - 1))
                worst["lemma3.radius"] += math.sqrt(4 * log_term / m) > bound
            term = (1 + alpha) ** 2 * gamma * k * log_term / smallest_gap(LINES_GROUP.means) ** 2
            first = max(k + 1, math.floor((1 + 16 * term) ** (1 / gamma)) + 1)
            worst["lemma4.tau_off"] = max(worst["lemma4.tau_off"], abs(theory.recovery_round - first))
            rates = np.array([k, rounds**gamma / gamma, term ** (1 / gamma)])
            worst["theorem2.off"] = max(worst["theorem2.off"], float(np.abs(theory.rates / rates - 1).max()))
    worst["power_sum.off"] = abs(power_sum(5, 300_000, -0.3) - math.fsum(s**-0.3 for s in range(5, 300_001)))
    return worst | {
        "gap.off": abs(LINES_GROUP.smallest_gap - smallest_gap(LINES_GROUP.means)),
        "gap.indifferent": float(Instance(np.ones((2, 2))).smallest_gap == math.inf),
        "parameters.accepted": float(sum(map(_is_accepted, (0, 1, 0.5, 0.5), (1, 1, 0.99, 0)))),
    }


def _is_accepted(gamma: float, alpha: float) -> bool:
    """Return whether the learner takes these parameters without a refusal or a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", TheoremWarning)
        try:
            ProceduralLearner(2, 2, gamma, alpha)
        except (InputError, TheoremWarning):
            return False
    return True


def smallest_gap(means: np.ndarray) -> float:
    """Return Δ_min: the least difference between a favourite and another arm of the same agent (Theorem 2)."""
    gaps = [row.max() - mean for row in means for mean in row if mean < row.max()]
    return float(min(gaps, default=math.inf))


def check_rewards(samples: int, seed: int) -> dict[str, float]:
    """Return what Beta rewards on the Dots voters look like: range, and deviation of mean and sd from those asked."""
    sample = load_dots_sample()
    world = BetaRewards(sample, sd=0.1)
    rng = random_stream(seed, "rewards")
    drawn = np.array([world.draw(rng, arm, 0, samples) for arm in range(len(sample.arms))])
    mean_off = np.abs(drawn.mean(axis=1).T - sample.means).max() / (0.1 / math.sqrt(samples))
    return {
        "rewards.samples": float(samples),
        "rewards.low": float(drawn.min()),
        "rewards.high": float(drawn.max()),
        "rewards.mean_off": float(mean_off),
        "rewards.sd_off": float(np.abs(drawn.std(axis=1, ddof=1) - 0.1).max()),
    }
