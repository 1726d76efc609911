"""Lemma 2: exploring with probability t^-(1-gamma) takes about T^gamma/gamma rounds, and rarely twice as many.

A remark: regret never charges an exploring round as such (the sets are compared on every round), so Theorem 2 does not
need this term. If the lemma holds, this file fails once in 10^6 seeds.
"""

import numpy as np
from _helpers import allowed_failures

K, RUNS = 4, 2000


def main():
    rng = np.random.default_rng(5)
    for gamma in (0.3, 0.5, 0.7):
        for horizon in (10, 30, 3000):
            rounds = np.arange(K + 1, horizon + 1)
            chance = rounds ** (gamma - 1.0)
            expected = chance.sum()
            low, high = (((horizon + x) ** gamma - (K + x) ** gamma) / gamma for x in (1, 0))
            assert low <= expected <= high
            explored = (rng.random((RUNS, len(rounds))) < chance).sum(axis=1)
            allowed = allowed_failures(RUNS, np.exp(-expected / 3))
            assert (explored >= 2 * expected).sum() <= allowed
    print(
        f"Lemma 2: the integrals hold, and doubling is rare enough (T = 3000: {explored.max()} < {2 * expected:.0f})."
    )


if __name__ == "__main__":
    main()
