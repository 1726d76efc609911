"""Proposition 1: a procedurally fair policy gives every agent 1/N of its largest decision share and best utility."""

import numpy as np
from _helpers import random_fair_policy, random_instances

import isegoria as iso


def main():
    rng = np.random.default_rng(1)
    for instance in random_instances(300, seed=1):
        part = 1 / instance.total_weight
        for policy in (iso.solve(instance, "procedural").policy, random_fair_policy(instance, rng)):
            assert iso.score(instance, policy).procedural >= 1 - 1e-9
            assert (instance.decision_shares(policy) >= part - 1e-9).all()
            assert (instance.utilities(policy) >= part * instance.means.max(axis=1) - 1e-9).all()
    neglected = iso.Instance([[1, 0], [0, 1]])  # the other side: an unfair policy can leave an agent below its part
    assert iso.score(neglected, [0.9, 0.1]).procedural < 1
    assert not iso.audit(neglected, [0.9, 0.1]).is_proportional
    assert iso.audit(neglected, [0.5, 0.5]).is_proportional
    print("Proposition 1: 600 fair policies on 300 instances leave nobody below 1/N of its best share or utility.")


if __name__ == "__main__":
    main()
