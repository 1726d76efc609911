"""MaxParC from its definition, in fractions: every set of approving agents is tried for every arm, and it is slow."""

from fractions import Fraction
from itertools import combinations


def list_solutions(willing, weights):
    """Return every set of agents who approve one arm, in which each member and nobody else accepts the opposition."""
    everyone, total = range(len(willing)), sum(weights)
    return [
        set(some)
        for size in range(len(willing) + 1)
        for some in combinations(everyone, size)
        if {i for i in everyone if willing[i] > Fraction(total - sum(weights[j] for j in some), total)} == set(some)
    ]


def maximum_partial_consensus(ratings, weights):
    """Return the exact policy for `ratings`, rows of fractions."""
    willing = [[Fraction(1) if rating == max(row) else rating for rating in row] for row in ratings]
    arms, total = range(len(ratings[0])), sum(weights)
    approving = [max(list_solutions([row[k] for row in willing], weights), key=len) for k in arms]
    support = [sum(weights[i] for i in approving[k]) for k in arms]
    policy = [Fraction(0) for _ in arms]
    for i, weight in enumerate(weights):
        most = max(support[k] for k in arms if i in approving[k])
        chosen = [k for k in arms if i in approving[k] and support[k] == most]
        for k in chosen:
            policy[k] += Fraction(weight, total * len(chosen))
    return policy


def count_disagreements(profiles, seed):
    """Return how many of so many random small profiles the rule decides differently from the definition."""
    import numpy as np

    import isegoria as iso

    rng, different = np.random.default_rng(seed), 0
    for _ in range(profiles):
        agents, arms, steps = (int(rng.integers(1, most)) for most in (7, 5, 11))
        table = rng.integers(0, steps + 1, (agents, arms)).tolist()
        weights = rng.integers(1, 4, agents).tolist()
        exact = maximum_partial_consensus([[Fraction(x, steps) for x in row] for row in table], weights)
        policy = iso.solve(iso.Instance(np.array(table) / steps, weights=weights), "maxparc").policy
        different += bool(np.abs(policy - [float(p) for p in exact]).max() > 1e-15)
    return different
