"""Corollary 1: the intervals hold at all times at once, but for a chance 3/(NK)^3.

The intervals are those of the package's learner, whose bound on the chance is `regret_bounds().concentration_failure`.
A slip:
it needs l >= K + 1, since before that some arm has no pull yet. An arm can have m pulls from round K + m on, so
checking every m at that earliest round, where the radius is least, covers every way of choosing arms. If the corollary
holds, this file fails once in 10^6 seeds.
"""

import numpy as np
from _helpers import allowed_failures, measured_radius

import isegoria as iso

N, K, T, RUNS = 2, 2, 500, 1000


def main():
    measured, t = measured_radius(pulls=250, agents=1000)
    assert abs(measured - np.sqrt(2 * np.log(1000 * 2 * t) / 250)) <= 1 / 1000
    chance = iso.regret_bounds(iso.Instance([[1, 0], [0, 1]]), T).concentration_failure
    assert chance == 3 / (N * K) ** 3

    rng = np.random.default_rng(4)
    pulls = np.arange(1, T - K + 1)
    means = rng.integers(0, 2, (RUNS, N, K, len(pulls))).cumsum(axis=-1) / pulls
    error = np.abs(means - 0.5)
    radius = np.sqrt(2 * np.log(N * K * (K + pulls)) / pulls)
    failures = int((error > radius).any(axis=(1, 2, 3)).sum())
    allowed = allowed_failures(RUNS, chance)
    assert failures <= allowed
    assert (error > radius / 4).any(axis=(1, 2, 3)).mean() > chance  # a quarter of the radius would be too little
    print(f"Corollary 1: {failures} of {RUNS} runs leave the intervals at any time; {allowed} would still be chance.")


if __name__ == "__main__":
    main()
