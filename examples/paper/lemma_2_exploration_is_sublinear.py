"""Lemma 2: exploring with probability `t^-(1-gamma)` takes about `T^gamma/gamma` rounds, and rarely twice as many.

Counted are the exploring rounds of the package's learner. A remark: regret never charges an exploring round as such
(the sets are compared on every round), so Theorem 2 does not need this term. If the lemma holds, this file fails once
in 10^6 seeds.
"""

import numpy as np
from _helpers import allowed_failures, six_standard_errors

import isegoria as iso

MEANS = [[0.9, 0.1, 0.1, 0.1]]
K, RUNS = 4, 60


def main():
    world = iso.PointRewards(MEANS)
    for gamma in (0.3, 0.5, 0.7):
        for horizon in (10, 30, 3000):
            chance = np.arange(K + 1, horizon + 1) ** (gamma - 1.0)
            theory = iso.regret_bounds(iso.Instance(MEANS), horizon, gamma)
            low, high = (((horizon + x) ** gamma - (K + x) ** gamma) / gamma for x in (1, 0))
            assert low <= theory.expected_exploring <= high
            assert np.isclose(theory.expected_exploring, chance.sum())
            assert np.isclose(theory.exploring_limit, 2 * chance.sum())

            learners = (iso.ProceduralLearner(1, K, gamma, seed=seed) for seed in range(RUNS))
            explored = [iso.simulate(each, world, horizon, seed=0, records=2).exploring_rounds for each in learners]
            expected, spread = six_standard_errors(np.tile(chance, RUNS))
            assert abs(sum(explored) - expected) <= spread  # neither fewer nor more than the rate says
            doubled = np.sum(np.array(explored) >= theory.exploring_limit)
            assert doubled <= allowed_failures(RUNS, theory.exploring_failure)
    print(
        f"Lemma 2: {np.mean(explored):.0f} of {horizon} rounds explore, {chance.sum():.0f} expected, never twice that."
    )


if __name__ == "__main__":
    main()
