"""Tables of many agents: ordinary ones, and families in which a few agents mislead whoever looks at a sample."""

import numpy as np


def make_clusters(agents: int, arms: int, seed: int = 1) -> np.ndarray:
    """Twelve tastes with noise."""
    rng = np.random.default_rng(seed)
    tastes = rng.random((12, arms))
    return np.clip(tastes[rng.integers(0, 12, agents)] + rng.normal(0, 0.1, (agents, arms)), 0, 1)


def idle_arm(rng, agents: int, arms: int = 20) -> np.ndarray:
    """One agent wants nothing but an arm that nobody else cares for."""
    table = make_clusters(agents, arms, int(rng.integers(1 << 30)))
    table[:, -1] = 0
    table[int(rng.integers(agents))] = np.eye(arms)[-1]
    return table


def nearly_nothing(rng, agents: int, arms: int = 20) -> np.ndarray:
    """Five agents have a single mean, of 0.01."""
    table = make_clusters(agents, arms, int(rng.integers(1 << 30)))
    for i in rng.integers(agents, size=5):
        table[i] = 0.01 * np.eye(arms)[rng.integers(arms)]
    return table


def twins(rng, agents: int, arms: int = 20) -> np.ndarray:
    """Every arm has a twin, and a hundred agents have nothing at all."""
    table = np.repeat(make_clusters(agents, arms // 2, int(rng.integers(1 << 30))), 2, axis=1)
    table[rng.integers(agents, size=100)] = 0
    return table


def approvals(rng, agents: int, arms: int = 20) -> np.ndarray:
    """Sparse approvals: one in twenty is 1."""
    return (rng.random((agents, arms)) < 0.05).astype(float)


def extremes(rng, agents: int, arms: int = 20) -> np.ndarray:
    """Most means are near 0 or near 1."""
    return rng.beta(0.1, 0.1, (agents, arms))


def tiny(rng, agents: int, arms: int = 20) -> np.ndarray:
    """A few agents have means of 1e-120 alone."""
    table = make_clusters(agents, arms, int(rng.integers(1 << 30)))
    table[rng.integers(agents, size=3)] *= 1e-120
    return table


def one_taste(rng, agents: int, arms: int = 20) -> np.ndarray:
    """Everybody has the same taste, but for rounding."""
    return np.clip(rng.random(arms) + 1e-9 * rng.random((agents, arms)), 0, 1)


HOSTILE_FAMILIES = {
    family.__name__: family for family in (idle_arm, nearly_nothing, twins, approvals, extremes, tiny, one_taste)
}
