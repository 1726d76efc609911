"""What several of these files share: random instances, random fair policies, and how many failures chance explains."""

from math import lgamma, log, log1p

import numpy as np

import isegoria as iso


def random_instances(count, seed, agents=8, arms=6):
    """`count` random instances; every second one is drawn from a coarse grid, so that favourites are often tied."""
    rng = np.random.default_rng(seed)
    for number in range(count):
        shape = int(rng.integers(2, agents + 1)), int(rng.integers(2, arms + 1))
        yield iso.Instance(rng.choice([0, 0.25, 0.5, 1], shape) if number % 2 else rng.random(shape))


def random_fair_policy(instance, rng):
    """A procedurally fair policy: every agent splits its 1/N over its favourites at random (Definition 5)."""
    split = instance.favourites * rng.random(instance.favourites.shape)
    return (split / split.sum(axis=1, keepdims=True)).mean(axis=0)


def allowed_failures(runs, chance, false_alarm=1e-6):
    """The failures that `runs` runs may show if each fails with probability at most `chance`.

    More than that happen with probability at most `false_alarm`, the rate at which a true claim would be called false.
    """
    counts = np.arange(runs + 1)
    log_ways = np.array([lgamma(runs + 1) - lgamma(k + 1) - lgamma(runs - k + 1) for k in counts])
    exactly = np.exp(log_ways + counts * log(chance) + (runs - counts) * log1p(-chance))
    more_than = exactly[::-1].cumsum()[::-1] - exactly
    return int(np.argmax(more_than <= false_alarm))
