"""Theorem 5: a policy in the procedural core is procedurally fair.

The converse does not hold: a fair policy can be blocked, and one is shown.
"""

import numpy as np
from _helpers import random_fair_policy, random_instances

import isegoria as iso


def main():
    rng, stable, unfair = np.random.default_rng(11), 0, 0
    for instance in random_instances(150, seed=11):
        for policy in (rng.dirichlet(np.ones(len(instance.arms))), random_fair_policy(instance, rng)):
            verdict = iso.core(instance, policy, kind="procedural")
            fair = iso.score(instance, policy).procedural >= 1 - 1e-9
            assert verdict.stable is not None
            assert fair or not verdict.stable
            stable += verdict.stable
            unfair += not fair

    instance = iso.Instance([[1, 1, 0], [0, 1, 1]])  # both like the middle arm
    fair_but_wasteful = [0.5, 0, 0.5]
    assert iso.score(instance, fair_but_wasteful).procedural == 1
    assert iso.core(instance, fair_but_wasteful).stable is False
    print(
        f"Theorem 5: of 300 policies {stable} are stable, all of them fair; the {unfair} unfair ones are all blocked."
    )


if __name__ == "__main__":
    main()
