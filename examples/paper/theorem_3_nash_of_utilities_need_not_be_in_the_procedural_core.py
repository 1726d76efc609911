"""Theorem 3: a policy that maximises the Nash product of utilities need not be in the procedural core.

Published on rows (1, 0.99) and (0, 1): the Nash policy is (0, 1), and agent 1 alone blocks it with arm 1, gaining 1/2.
It need not be blocked either: on random instances both happen, as trying every coalition confirms.
"""

import numpy as np
from _helpers import blocked_by_anyone, random_instances

import isegoria as iso


def main():
    instance = iso.Instance([[1, 0.99], [0, 1]])
    policy = iso.solve(instance, "nash").policy
    assert policy.tolist() == [0, 1]
    verdict = iso.core(instance, policy, payoff="shares")
    assert verdict.stable is False
    assert verdict.coalition.tolist() == [0]
    assert verdict.deviation.tolist() == [1, 0]
    assert verdict.gains.tolist() == [0.5]

    blocked = 0
    for other in random_instances(60, seed=8, agents=4):
        policy = iso.solve(other, "nash").policy
        verdict = iso.core(other, policy)
        assert verdict.stable is not blocked_by_anyone(other.favourites.astype(float), policy)
        if verdict.stable is False:
            wants, share = other.favourites[verdict.coalition], len(verdict.coalition) / len(other.means)
            assert np.allclose(verdict.gains, share * wants @ verdict.deviation - wants @ policy, rtol=0, atol=1e-12)
            assert verdict.gains.max() > 1e-9 > -verdict.gains.min()
        blocked += verdict.stable is False
    assert 0 < blocked < 60
    print(f"Theorem 3: agent 1 blocks (0, 1) and gains 0.5; of 60 other Nash policies {blocked} are blocked too.")


if __name__ == "__main__":
    main()
