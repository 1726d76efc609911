"""Theorem 3: a policy that maximises the Nash product of utilities need not be in the procedural core.

Published on rows (1, 0.99) and (0, 1): the Nash policy is (0, 1), and agent 1 alone blocks it with arm 1, gaining 1/2.
"""

from _helpers import random_instances

import isegoria as iso


def main():
    instance = iso.Instance([[1, 0.99], [0, 1]])
    policy = iso.solve(instance, "nash").policy
    assert policy.tolist() == [0, 1]
    verdict = iso.core(instance, policy, kind="procedural")
    assert verdict.stable is False
    assert verdict.coalition.tolist() == [0]
    assert verdict.deviation.tolist() == [1, 0]
    assert verdict.gains.tolist() == [0.5]

    others = list(random_instances(100, seed=8))
    blocked = sum(iso.core(other, iso.solve(other, "nash").policy).stable is False for other in others)
    print(f"Theorem 3: agent 1 blocks (0, 1) and gains 0.5, as do others on {blocked} of {len(others)} instances.")


if __name__ == "__main__":
    main()
