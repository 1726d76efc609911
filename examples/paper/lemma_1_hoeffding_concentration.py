"""Lemma 1: at a fixed t, all empirical means are within sqrt(2 ln(NKt) / n) of the truth, but for a chance 2/(NKt)^3.

That the package's learner uses this very radius is measured first. A slip: the complement in the proof must run over
every number of pulls m in 1..t, as it does here (the paper writes K+1..t). Rewards are fair coins, the widest in
[0, 1]. If the lemma holds, this file fails once in 10^6 seeds.
"""

import numpy as np
from _helpers import allowed_failures, measured_radius

N, K, T, RUNS = 2, 2, 60, 2000


def main():
    for pulls, alpha, agents in ((150, 1.0, 2000), (400, 1.0, 2000), (700, 1.5, 500)):
        measured, t = measured_radius(pulls, alpha, agents)
        formula = alpha * np.sqrt(2 * np.log(agents * 2 * t) / pulls)
        assert abs(measured - formula) <= 1 / agents

    rng = np.random.default_rng(3)
    pulls = np.arange(1, T + 1)
    means = rng.integers(0, 2, (RUNS, N, K, T)).cumsum(axis=-1) / pulls
    error = np.abs(means - 0.5)
    radius = np.sqrt(2 * np.log(N * K * T) / pulls)
    failures = int((error > radius).any(axis=(1, 2, 3)).sum())
    allowed = allowed_failures(RUNS, 2 / (N * K * T) ** 3)
    assert failures <= allowed
    assert (error > radius / 4).any(axis=(1, 2, 3)).mean() > 0.5  # a quarter of the radius would be too little
    print(
        f"Lemma 1: the learner's radius is the lemma's; {failures} of {RUNS} runs leave it, {allowed} would be chance."
    )


if __name__ == "__main__":
    main()
