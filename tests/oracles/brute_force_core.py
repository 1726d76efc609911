"""The core by its definition: every coalition, one linear program each. Slow, and independent of the package."""

from itertools import combinations

import numpy as np
from scipy.optimize import linprog

GAIN_TOLERANCE = 1e-9
"""A gain below this is the rounding of a linear program."""
LP_TOLERANCE = 1e-10
"""How far its constraints may be missed; at HiGHS's own 1e-7 it finds gains of 3e-8 that are not there."""


def largest_gain(values, weights, policy) -> float:
    """The most that a member of any coalition gains by leaving, while no member of it loses; 0 when nobody can."""
    values, weights, policy = (np.asarray(a, dtype=float) for a in (values, weights, policy))
    now, most = values @ policy, 0.0
    for size in range(1, len(values) + 1):
        for chosen in map(list, combinations(range(len(values)), size)):
            share = weights[chosen].sum() / weights.sum()
            most = max(most, _gain(share * values[chosen], now[chosen]))
    return most


def _gain(offered, now) -> float:
    if np.any(offered.max(axis=1) < now - GAIN_TOLERANCE):
        return 0.0  # some member loses whatever is played
    answer = linprog(
        -offered.sum(axis=0),
        A_ub=-offered,
        b_ub=-now,
        A_eq=np.ones((1, offered.shape[1])),
        b_eq=[1.0],
        options={"primal_feasibility_tolerance": LP_TOLERANCE, "dual_feasibility_tolerance": LP_TOLERANCE},
    )
    return float((offered @ answer.x - now).max()) if answer.status == 0 else 0.0


def random_question(rng, most_agents: int):
    """(means, weights, policy) of a kind that is often near the edge: grids with ties, near-Nash and fair policies."""
    agents, arms = int(rng.integers(2, most_agents + 1)), int(rng.integers(2, 6))
    means = rng.choice([0, 0.25, 0.5, 1], (agents, arms)) if rng.random() < 0.5 else rng.random((agents, arms))
    weights = rng.integers(1, 4, agents) if rng.random() < 0.5 else np.ones(agents, dtype=int)
    return means, weights, _policy(rng, means, weights)


def _policy(rng, means, weights):
    arms = means.shape[1]
    favourites = means == means.max(axis=1, keepdims=True)
    kind = rng.integers(4)
    if kind == 0:
        return np.full(arms, 1 / arms)
    if kind == 1:
        return rng.dirichlet(np.ones(arms))
    if kind == 2:
        split = favourites * rng.random(means.shape)
        return weights @ (split / split.sum(axis=1, keepdims=True)) / weights.sum()  # a procedurally fair policy
    rows = favourites if rng.random() < 0.5 else means + (means.max(axis=1, keepdims=True) == 0)
    policy = np.full(arms, 1 / arms)
    for _ in range(rng.integers(1, 200)):  # towards a Nash optimum, and not quite there
        policy = policy * ((weights / (rows @ policy)) @ rows) / weights.sum()
    return policy / policy.sum()
