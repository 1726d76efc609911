"""The best of a concave function over corners: the slope there likes no corner better."""

import numpy as np

from isegoria.solvers.fair_set.polytope import FairPolytope
from isegoria.solvers.fair_set.simplicial_decomposition import simplicial_decomposition


def test_a_quadratic_over_the_fair():
    fair = FairPolytope(np.array([[True, True, False], [False, True, True]]), np.array([0.5, 0.5]))
    aim = np.array([0.5, 0.1, 0.4])

    def master(corners):
        """The nearest point to `aim` in the hull, by a fine grid of projected gradient steps."""
        weights = np.full(len(corners), 1 / len(corners))
        for _ in range(4000):
            step = corners @ (aim - weights @ corners)
            weights = weights * np.exp(step)
            weights /= weights.sum()
        return weights @ corners, 2 * (aim - weights @ corners)

    policy, slope = simplicial_decomposition(fair, fair.corner(np.array([1.0, 0, 0]))[None, :], master)
    assert slope @ (fair.corner(slope) - policy) <= 1e-3
    np.testing.assert_allclose(policy, [0.5, 0.1, 0.4], atol=0.02)  # which is fair itself
