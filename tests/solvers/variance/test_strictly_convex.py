"""The least variance where it clearly has one policy only: against the kernel in pairs of doubles, and against ties."""

import numpy as np
import pytest

import isegoria as iso
from isegoria.solvers.variance.moments import StreamingVariance
from isegoria.solvers.variance.primal_active_set import Variance
from isegoria.solvers.variance.strictly_convex import find_unique_optimum


@pytest.mark.parametrize("seed", range(12))
def test_it_is_what_the_kernel_finds(seed):
    rng = np.random.default_rng(seed)
    arms = int(rng.integers(2, 60))
    rows, weights = rng.random((arms + int(rng.integers(5, 200)), arms)), None
    if seed % 2:
        weights = rng.integers(1, 5, len(rows))
    moments = StreamingVariance(rows, weights)
    policy, margin = find_unique_optimum(moments, moments.matrix())
    exact = Variance(rows, weights).minimise(1e-13)[0]
    assert policy == pytest.approx(exact.policy, abs=1e-10)
    assert 0 < margin <= policy[policy > 0].min()


@pytest.mark.parametrize("clones", [1, 3])
def test_clones_and_constants_are_left_to_those_who_choose(clones):
    rows = np.random.default_rng(clones).random((40, 8))
    rows = np.hstack([rows, rows[:, :clones]])
    moments = StreamingVariance(rows)
    assert find_unique_optimum(moments, moments.matrix()) is None
    assert find_unique_optimum(StreamingVariance(np.ones((5, 3))), np.zeros((3, 3))) is None


@pytest.mark.parametrize("tie_break", ["centre", "vertex", "utilitarian"])
@pytest.mark.parametrize("shape", [(90, 80), (1_500, 40)])
def test_every_tie_break_finds_the_only_optimum_and_relabelling_relabels_it(shape, tie_break):
    rng = np.random.default_rng(7)
    means, arms = rng.random(shape), rng.permutation(shape[1])
    found = iso.solve(iso.Instance(means), "inequality", tie_break)
    again = iso.solve(iso.Instance(np.ascontiguousarray(means[rng.permutation(shape[0])][:, arms])), "inequality")
    assert found.gap <= 1e-15
    assert again.policy == pytest.approx(found.policy[arms], abs=1e-11)
