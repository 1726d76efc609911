"""Lemma 1: at a fixed t, all empirical means are within sqrt(2 ln(NKt) / n) of the truth, but for a chance 2/(NKt)^3.

A slip: the complement in the proof must run over every number of pulls m in 1..t, as it does here (the paper writes
K+1..t). Rewards are fair coins, the widest in [0, 1]. If the lemma holds, this file fails once in 10^6 seeds.
"""

import numpy as np
from _helpers import allowed_failures

N, K, T, RUNS = 2, 2, 60, 2000


def main():
    rng = np.random.default_rng(3)
    pulls = np.arange(1, T + 1)
    means = rng.integers(0, 2, (RUNS, N, K, T)).cumsum(axis=-1) / pulls
    error = np.abs(means - 0.5)
    radius = np.sqrt(2 * np.log(N * K * T) / pulls)
    failures = int((error > radius).any(axis=(1, 2, 3)).sum())
    allowed = allowed_failures(RUNS, 2 / (N * K * T) ** 3)
    assert failures <= allowed
    assert (error > radius / 4).any(
        axis=(1, 2, 3)
    ).mean() > 0.5  # the check can fail: a quarter of the radius is too little
    print(f"Lemma 1: {failures} of {RUNS} runs leave the radius; {allowed} would still be chance.")


if __name__ == "__main__":
    main()
