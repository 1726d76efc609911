"""Theorem 5: a policy in the procedural core is procedurally fair.

The converse does not hold: a fair policy can be blocked, and one is shown. Verdicts on small groups are checked by
trying every coalition.
"""

import numpy as np
from _helpers import blocked_by_anyone, random_fair_policy, random_instances

import isegoria as iso


def main():
    rng, stable, unfair, wasteful = np.random.default_rng(11), 0, 0, 0
    for instance in random_instances(150, seed=11):
        for policy in (rng.dirichlet(np.ones(len(instance.arms))), random_fair_policy(instance, rng)):
            verdict = iso.core(instance, policy, payoff="shares")
            fair = iso.score(instance, policy).procedural >= 1 - 1e-9
            assert verdict.stable is not None
            assert fair or not verdict.stable
            if len(instance.means) <= 3:
                assert verdict.stable is not blocked_by_anyone(instance.favourites.astype(float), policy)
            stable += verdict.stable
            unfair += not fair
            wasteful += fair and not verdict.stable
    assert min(stable, unfair, wasteful) > 0  # all three kinds were met

    instance = iso.Instance([[1, 1, 0], [0, 1, 1]])  # both like the middle arm
    fair_but_wasteful = [0.5, 0, 0.5]
    assert iso.score(instance, fair_but_wasteful).procedural == 1
    assert iso.core(instance, fair_but_wasteful).stable is False
    assert iso.core(instance, [0, 1, 0]).stable is True
    print(f"Theorem 5: of 300 policies {stable} are stable, all fair; the {unfair} unfair ones are all blocked.")


if __name__ == "__main__":
    main()
