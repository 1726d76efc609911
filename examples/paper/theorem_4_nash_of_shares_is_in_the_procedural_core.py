"""Theorem 4: a policy that maximises the Nash product of decision shares is in the procedural core.

On small groups every coalition is tried; and a fair policy that does not maximise it is blocked, so that the verdict
says something.
"""

import numpy as np
from _helpers import blocked_by_anyone, random_instances

import isegoria as iso
from isegoria.solvers.coalition.blocking import is_blocking, largest_coalition


def main():
    rng = np.random.default_rng(9)
    for instance in random_instances(300, seed=9):
        policy = iso.solve(instance, "procedural").policy
        assert iso.core(instance, policy, payoff="shares").stable is True
        rows, now = instance.favourites.astype(float), instance.decision_shares(policy)
        equal = np.full(len(rows), 1 / len(rows))
        for deviation in rng.dirichlet(np.full(len(policy), 0.5), 10):  # and no coalition gains by any of these
            worth = rows @ deviation
            assert not is_blocking(worth, equal, now, largest_coalition(worth, equal, now))
        if len(rows) <= 3:
            assert not blocked_by_anyone(rows, policy)
    wasteful = iso.core(iso.Instance([[1, 1, 0], [0, 1, 1]]), [0.5, 0, 0.5])
    assert wasteful.stable is False
    assert wasteful.gains.max() > 0
    print("Theorem 4: no coalition blocks the Nash policy of decision shares on any of 300 instances.")


if __name__ == "__main__":
    main()
