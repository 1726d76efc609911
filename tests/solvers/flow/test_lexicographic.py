"""The fairest ratios against linear programs: raise the least, fix who cannot rise, and go on."""

import numpy as np
import pytest
from scipy.optimize import linprog

from isegoria.solvers.flow.attribution import fair_flow
from isegoria.solvers.flow.push_relabel import procedural_score


def ratios_by_lp(sets, shares, policy):
    """Lexicographic max–min ratios by repeated linear programs over the flows."""
    owner, arm = np.nonzero(sets)
    total = procedural_score(sets, shares, policy)
    into = (arm == np.arange(len(policy))[:, None]).astype(float)
    of = (owner == np.arange(len(shares))[:, None]) / shares[:, None]
    fixed = {}
    while len(fixed) < len(shares):
        free = [t for t in range(len(shares)) if t not in fixed]

        def solve(weights, level=None, free=free):
            least = np.array([fixed.get(t, level or 0) for t in range(len(shares))])
            moving = np.array([float(t in free and level is None) for t in range(len(shares))])
            return linprog(
                -np.append(weights @ of, level is None),
                A_ub=np.vstack(
                    [
                        np.column_stack([into, np.zeros(len(policy))]),
                        np.column_stack([of, 0 * shares]),
                        np.column_stack([-of, moving]),
                    ]
                ),
                b_ub=np.concatenate([policy, np.ones(len(shares)), 1e-10 - least]),
                A_eq=[np.append(np.ones(len(arm)), 0)],
                b_eq=[total - 1e-10],
                bounds=(0, None),
                method="highs",
            )

        level = solve(np.zeros(len(shares))).x[-1]
        stuck = [t for t in free if -solve(np.eye(len(shares))[t], level).fun <= level + 1e-6]
        fixed.update(dict.fromkeys(stuck or free, level))
    return np.array([fixed[t] for t in range(len(shares))])


@pytest.mark.parametrize("seed", range(12))
def test_ratios_are_lexicographically_largest(seed):
    rng = np.random.default_rng(seed)
    m, k = int(rng.integers(2, 5)), int(rng.integers(2, 5))
    sets = rng.random((m, k)) < 0.5
    sets[np.arange(m), rng.integers(0, k, m)] = True
    shares, policy = rng.dirichlet(np.ones(m)), rng.dirichlet(np.ones(k))
    np.testing.assert_allclose(fair_flow(sets, shares, policy)[0], ratios_by_lp(sets, shares, policy), atol=1e-5)
