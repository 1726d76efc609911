"""Theorem 4: a policy that maximises the Nash product of decision shares is in the procedural core."""

import numpy as np
from _helpers import random_instances

import isegoria as iso
from isegoria.solvers.coalition.blocking import blocks, largest_coalition


def main():
    rng = np.random.default_rng(9)
    for instance in random_instances(300, seed=9):
        policy = iso.solve(instance, "procedural").policy
        assert iso.core(instance, policy, kind="procedural").stable is True
        rows, now = instance.favourites.astype(float), instance.decision_shares(policy)
        equal = np.full(len(rows), 1 / len(rows))
        for deviation in rng.dirichlet(np.full(len(policy), 0.5), 10):  # and no coalition gains by any of these
            worth = rows @ deviation
            assert not blocks(worth, equal, now, largest_coalition(worth, equal, now))
    print("Theorem 4: no coalition blocks the Nash policy of decision shares on any of 300 instances.")


if __name__ == "__main__":
    main()
