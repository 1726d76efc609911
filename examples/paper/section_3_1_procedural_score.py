"""Section 3.1, the procedural-fairness score: (1/2, 1/2) scores 5/6 when two of three agents want the first arm.

The score is unique, the attribution is not: the paper fills agent 1 first (ratios 1, 1/2, 1); ours treats equals alike
(3/4, 3/4, 1). Both average to 5/6.
"""

import numpy as np

import isegoria as iso


def main():
    instance = iso.Instance([[1, 0], [1, 0], [0, 1]])
    audit = iso.audit(instance, [0.5, 0.5])
    assert abs(audit.scores.procedural - 5 / 6) < 1e-15

    papers = np.array([[1 / 3, 0], [1 / 6, 0], [0, 1 / 3]])
    for y in (papers, audit.attribution_matrix):
        assert (y[~instance.favourites] == 0).all()
        assert y.sum(axis=1).max() <= 1 / 3 + 1e-15
        assert (y.sum(axis=0) <= np.array([0.5, 0.5]) + 1e-15).all()
        assert abs(3 * y.sum(axis=1).mean() - 5 / 6) < 1e-15
    assert np.allclose(3 * audit.attribution_matrix.sum(axis=1), [0.75, 0.75, 1])
    print("Procedural score: (1/2, 1/2) scores 5/6; equals are told the same, 3/4 of a share each.")


if __name__ == "__main__":
    main()
