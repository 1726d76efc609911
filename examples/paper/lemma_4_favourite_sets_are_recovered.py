"""Lemma 4: from round tau_0 on every favourite set is the true one, with high probability.

tau_0 is the least whole number above [1 + 16 (1+alpha)^2 gamma K ln(NKT) / Delta^2]^(1/gamma). The chance of failing is
at most 3/(NK)^3 + K exp(-m/8), m as in Lemma 3 at tau_0, with no parameter to choose. If the lemma holds, this file
fails once in 10^6 seeds.
"""

import numpy as np
from _helpers import allowed_failures

import isegoria as iso
from isegoria.learning.bounds import bounds

MEANS = np.array([[0.95, 0.05, 0.05], [0.05, 0.95, 0.05], [0.95, 0.95, 0.05], [0.05, 0.05, 0.95]])
GAP, GAMMA, ALPHA, T, RUNS = 0.9, 0.9, 1.0, 8000, 40


def tau_0(agents, arms):
    inside = 1 + 16 * (1 + ALPHA) ** 2 * GAMMA * arms * np.log(agents * arms * T) / GAP**2
    return int(inside ** (1 / GAMMA)) + 1


def chance_of_failing(agents, arms):
    m = 1 + (np.arange(arms + 1, tau_0(agents, arms)) ** (GAMMA - 1.0)).sum() / arms
    return 3 / (agents * arms) ** 3 + arms * np.exp(-m / 8)


def main():
    agents, arms = MEANS.shape
    recovered = tau_0(agents, arms)
    assert recovered < T  # otherwise there would be nothing to see
    theory = bounds(iso.Instance(MEANS), T, GAMMA, ALPHA)
    assert theory.recovery_round == recovered
    assert np.isclose(theory.recovery_probability, 1 - chance_of_failing(agents, arms))
    allowed = allowed_failures(RUNS, chance_of_failing(agents, arms))
    world = iso.BernoulliRewards(MEANS)
    last = [
        iso.simulate(
            iso.ProceduralLearner(agents, arms, GAMMA, ALPHA, seed=run), world, T, seed=run, records=2
        ).last_mismatch
        for run in range(RUNS)
    ]
    late = sum(mismatch >= recovered for mismatch in last)
    assert late <= allowed
    print(f"Lemma 4: tau_0 = {recovered}; the last mismatch of {RUNS} runs was at {max(last)}, {late} after tau_0.")


if __name__ == "__main__":
    main()
