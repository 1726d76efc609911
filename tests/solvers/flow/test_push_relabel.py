"""The maximum flow against every cut there is, and against a linear program of someone else's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from isegoria.solvers.flow.push_relabel import cut_value, max_flow, procedural_score


def min_cut_by_enumeration(rows, shares, policy):
    """min over sets of arms B of s({τ : F_τ ⊄ B}) + P(B), by the subset transform over all 2^K sets."""
    k = rows.shape[1]
    inside, probability = np.zeros(1 << k), np.zeros(1 << k)
    np.add.at(inside, (rows.astype(np.int64) << np.arange(k)).sum(axis=1), shares)
    for arm in range(k):
        halves = inside.reshape(-1, 2, 1 << arm)
        halves[:, 1] += halves[:, 0]
        probability.reshape(-1, 2, 1 << arm)[:, 1] += policy[arm]
    return (1 - inside + probability).min()


def max_flow_by_lp(rows, shares, policy):
    """The procedural score as the paper writes it, by HiGHS."""
    owner, arm = np.nonzero(rows)
    lhs = np.vstack([owner == t for t in range(len(rows))] + [arm == k for k in range(rows.shape[1])]).astype(float)
    return -linprog(-np.ones(len(owner)), A_ub=lhs, b_ub=np.concatenate([shares, policy])).fun


def random_network(seed, largest_k=11):
    """A random network; every other one has shares over 6 decades, every third a policy over 14 or full of ties."""
    rng = np.random.default_rng(seed)
    k, m = rng.integers(1, largest_k + 1), rng.integers(1, 50)
    rows = rng.random((m, k)) < rng.uniform(0, 0.8)
    rows[np.arange(m), rng.integers(k, size=m)] = True
    rows = np.unique(rows, axis=0)
    weights = np.ceil(10 ** rng.uniform(0, 6 * (seed % 2), len(rows)))
    twelfths = np.bincount(rng.integers(k, size=12), minlength=k)
    policy = [rng.dirichlet(np.ones(k)), 10 ** rng.uniform(-14, 0, k), twelfths]
    policy = policy[seed % 3] / policy[seed % 3].sum()
    return rows, weights / weights.sum(), policy


@given(st.integers(0, 10**6))
def test_the_flow_meets_the_least_of_all_cuts(seed):
    rows, shares, policy = random_network(seed)
    flow, cut, *_ = max_flow(rows, shares, policy)
    assert flow <= cut <= flow + 1e-12
    assert flow == pytest.approx(min_cut_by_enumeration(rows, shares, policy), abs=1e-12)
    assert procedural_score(rows, shares, policy) == flow


@given(st.integers(0, 10**6))
def test_the_witness_is_a_flow_and_the_cut_is_its_proof(seed):
    rows, shares, policy = random_network(seed)
    flow, cut, y, arms, types = max_flow(rows, shares, policy)
    assert not y[~rows].any()
    assert (y >= 0).all()
    assert (y.sum(axis=1) <= shares + 1e-15).all()
    assert (y.sum(axis=0) <= policy + 1e-15).all()
    assert y.sum() == pytest.approx(flow, abs=1e-14)
    assert cut_value(rows, shares, policy, arms) == pytest.approx(cut, abs=1e-14)
    assert np.array_equal(types, ~(rows & ~arms).any(axis=1)) or flow > 1 - 1e-12


@pytest.mark.parametrize("seed", range(40))
def test_highs_agrees(seed):
    rows, shares, policy = random_network(seed, largest_k=30)
    assert procedural_score(rows, shares, policy) == pytest.approx(max_flow_by_lp(rows, shares, policy), abs=1e-7)


@pytest.mark.parametrize("k", [64, 65, 130])
def test_arms_beyond_a_machine_word(k):
    rng = np.random.default_rng(k)
    rows = rng.random((40, k)) < 2 / k
    rows[np.arange(40), rng.integers(k, size=40)] = True
    policy = rng.dirichlet(np.ones(k))
    shares = np.full(40, 1 / 40)
    flow, cut, *_ = max_flow(rows, shares, policy)
    assert cut - flow <= 1e-12
    assert flow == pytest.approx(max_flow_by_lp(rows, shares, policy), abs=1e-7)
