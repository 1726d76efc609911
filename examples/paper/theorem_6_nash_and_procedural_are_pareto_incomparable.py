"""Theorem 6: neither the Nash policy of utilities nor the procedurally fair one need outscore the other.

Published on rows (A, 1) and (1, B) with A = 0.4, B = 0.6: the Nash policy is (1/12, 11/12), the fair one (1/2, 1/2).
"""

import numpy as np
from _helpers import random_instances

import isegoria as iso


def main():
    table = iso.compare(iso.Instance([[0.4, 1], [1, 0.6]]))
    nash, fair = table["nash"], table["procedural"]
    assert np.allclose(nash.solution.policy, [1 / 12, 11 / 12], rtol=0, atol=1e-9)
    assert np.allclose(fair.solution.policy, [1 / 2, 1 / 2], rtol=0, atol=1e-12)
    assert fair.scores.procedural == 1 > nash.scores.procedural
    assert nash.scores.utilitarian > fair.scores.utilitarian
    assert "procedural" not in nash.score_dominated_by
    assert "nash" not in fair.score_dominated_by

    assert not iso.score_dominates(iso.Instance([[0.4, 1], [1, 0.6]]), nash.policy, fair.policy)
    wasteful = iso.Instance([[1, 0, 0.5], [0, 1, 0.5]])  # the other side: a policy that is dominated
    assert iso.score_dominates(wasteful, [0.5, 0.5, 0], [0, 0, 1])
    assert not iso.score_dominates(wasteful, [0, 0, 1], [0.5, 0.5, 0])

    incomparable = equal = 0
    for instance in random_instances(200, seed=12):
        table = iso.compare(instance)
        nash, fair = table["nash"], table["procedural"]
        assert "nash" not in fair.score_dominated_by or nash.scores.procedural >= 1 - 1e-9
        one_above = "procedural" in nash.score_dominated_by or "nash" in fair.score_dominated_by
        same = np.allclose(nash.scores.values, fair.scores.values, rtol=0, atol=1e-9)
        equal += same
        incomparable += not one_above and not same
    assert incomparable + equal < 200
    assert min(incomparable, equal) > 0
    print("Theorem 6: (1/12, 11/12) and (1/2, 1/2) are incomparable, as are such pairs on "
          f"{incomparable} of 200 instances; on {equal} their scores are equal.")  # fmt: skip


if __name__ == "__main__":
    main()
