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

    count = 0
    for instance in random_instances(200, seed=12):
        table = iso.compare(instance)
        assert "nash" not in table["procedural"].score_dominated_by or table["nash"].scores.procedural >= 1 - 1e-9
        count += not {"nash", "procedural"} & {
            *table["nash"].score_dominated_by,
            *table["procedural"].score_dominated_by,
        }
    assert 0 < count < 200
    print(f"Theorem 6: (1/12, 11/12) and (1/2, 1/2) are incomparable, as are such pairs on {count} of 200 instances.")


if __name__ == "__main__":
    main()
