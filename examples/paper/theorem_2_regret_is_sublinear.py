"""Theorem 2: the regret of Algorithm 1 is O(K + T^gamma/gamma + [(1+alpha)^2 gamma K ln(NKT)/Delta^2]^(1/gamma)).

With its constants: at most K + 2 E[exploring rounds] + (tau_0 - K - 1), where tau_0 is Lemma 4's. The middle term is
not needed, since a round is charged for a wrong favourite set and never for exploring; both bounds are checked. A wrong
set need not mean a wrong policy, so regret counts more than the wrong policies. Fails by chance once in 10^6 seeds.
"""

import lemma_4_favourite_sets_are_recovered as lemma_4
import numpy as np
from _helpers import allowed_failures
from lemma_4_favourite_sets_are_recovered import ALPHA, GAMMA, MEANS, T

import isegoria as iso

RUNS = 20


def main():
    agents, arms = MEANS.shape
    tau = lemma_4.tau_0(agents, arms)
    exploring = (np.arange(arms + 1, T + 1) ** (GAMMA - 1.0)).sum()
    bound = arms + 2 * exploring + (tau - arms - 1)
    world = iso.BernoulliRewards(MEANS)
    traces = [
        iso.simulate(iso.ProceduralLearner(agents, arms, GAMMA, ALPHA, seed=run), world, T, seed=run)
        for run in range(RUNS)
    ]
    regrets = np.array([trace.regret for trace in traces])
    allowed = allowed_failures(RUNS, lemma_4.chance_of_failing(agents, arms) + np.exp(-exploring / 3))
    assert (regrets > bound).sum() <= allowed
    assert (regrets >= tau).sum() <= allowed  # the sharper bound, without the exploring rounds
    halfway = [trace.regret_curve[len(trace.rounds) // 2] for trace in traces]
    assert (regrets == halfway).all()  # it has stopped growing
    print(f"Theorem 2: regret {regrets.min()} to {regrets.max()} in {T} rounds; tau_0 is {tau}, the bound {bound:.0f}.")


if __name__ == "__main__":
    main()
