"""Lemma 3: exploration alone gives every arm m_tau/2 pulls by round tau, but for a chance K exp(-m_tau/8).

Exploitation is as unkind as can be: one agent wants the first arm alone, so that once the package's learner knows it,
the others are pulled by exploration only. If the lemma holds, this file fails once in 10^6 seeds.
"""

import numpy as np
from _helpers import allowed_failures

import isegoria as iso
from isegoria.learning.regret_bounds import expected_pulls_by

N, K, TAU, T, GAMMA, RUNS = 1, 3, 1500, 4000, 0.7, 100


def main():
    chance = np.arange(K + 1, TAU) ** (GAMMA - 1.0)
    m = expected_pulls_by(TAU, K, GAMMA)
    assert np.isclose(m, 1 + chance.sum() / K)
    world = iso.PointRewards([[1, 0, 0]])
    traces = [
        iso.simulate(iso.ProceduralLearner(N, K, GAMMA, seed=seed), world, TAU - 1, seed=0, records=2, keep_arms=True)
        for seed in range(RUNS)
    ]
    pulls = np.array([np.bincount(trace.arms, minlength=K) for trace in traces]).T
    known = max(trace.last_mismatch for trace in traces)
    assert known < TAU / 2  # from here on only exploration pulls the other arms

    assert (pulls.mean(axis=1) >= m - 6 * pulls.std(axis=1) / np.sqrt(RUNS)).all()  # claim 1, at 6 standard errors
    most = 1 + known + chance[known:].sum() / K
    assert (pulls[1:].mean(axis=1) <= most).all()  # and no more than that: it is exploration that pulls them
    enough = (pulls >= m / 2).all(axis=0)
    allowed = allowed_failures(RUNS, K * np.exp(-m / 8))
    assert (~enough).sum() <= allowed  # claim 2
    radius = np.sqrt(2 * np.log(N * K * T) / pulls[:, enough])
    bounds = np.sqrt(4 * np.log(N * K * T) / m), np.sqrt(4 * GAMMA * K * np.log(N * K * T) / (TAU**GAMMA - 1))
    assert radius.max() <= bounds[0] <= bounds[1]  # claim 3
    print(f"Lemma 3: {(~enough).sum()} of {RUNS} runs leave an arm below m/2 = {m / 2:.1f}; {allowed} would be chance.")


if __name__ == "__main__":
    main()
