"""Lemma 3: exploration alone gives every arm m_tau/2 pulls by round tau, but for a chance K exp(-m_tau/8).

Exploitation is made as unkind as can be: it never pulls any arm but the first. If the lemma holds, this file fails once
in 10^6 seeds.
"""

import numpy as np
from _helpers import allowed_failures

N, K, TAU, T, GAMMA, RUNS = 3, 3, 400, 4000, 0.7, 2000


def main():
    rng = np.random.default_rng(6)
    rounds = np.arange(K + 1, TAU)
    chance = rounds ** (GAMMA - 1.0)
    m = 1 + chance.sum() / K
    exploring = rng.random((RUNS, len(rounds))) < chance
    arm = np.where(exploring, rng.integers(K, size=exploring.shape), 0)
    pulls = 1 + np.array([(arm == k).sum(axis=1) for k in range(K)])

    assert (pulls.mean(axis=1) >= m - 6 * pulls.std(axis=1) / np.sqrt(RUNS)).all()  # claim 1, at 6 standard errors
    enough = (pulls >= m / 2).all(axis=0)
    allowed = allowed_failures(RUNS, K * np.exp(-m / 8))
    assert (~enough).sum() <= allowed  # claim 2
    radius = np.sqrt(2 * np.log(N * K * T) / pulls[:, enough])
    bounds = np.sqrt(4 * np.log(N * K * T) / m), np.sqrt(4 * GAMMA * K * np.log(N * K * T) / (TAU**GAMMA - 1))
    assert radius.max() <= bounds[0] <= bounds[1]  # claim 3
    print(f"Lemma 3: {(~enough).sum()} of {RUNS} runs leave an arm below m/2 = {m / 2:.1f}; {allowed} would be chance.")


if __name__ == "__main__":
    main()
