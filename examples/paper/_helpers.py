"""What several of these files share: random instances, slow answers to check by, and what chance explains."""

from itertools import combinations
from math import lgamma, log, log1p

import numpy as np
from scipy.optimize import linprog

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


def blocked_by_anyone(values, policy):
    """Whether some coalition blocks `policy`, by trying them all (Definitions 8 and 9); `values` (N, K) are its worths.

    For each coalition A, a linear program looks for the Q that gains its members most while none of them loses.
    """
    n, k = values.shape
    for size in range(1, n + 1):
        for members in map(list, combinations(range(n), size)):
            offered, now = size / n * values[members], values[members] @ policy
            found = linprog(-offered.sum(axis=0), A_ub=-offered, b_ub=-now, A_eq=np.ones((1, k)), b_eq=[1])
            if found.status == 0 and -found.fun - now.sum() > 1e-9:
                return True
    return False


def measured_radius(pulls, alpha=1.0, agents=2000):
    """(radius, round): the confidence radius that the package's Algorithm 1 uses after `pulls` pulls of both arms.

    Agent i is told i/(agents - 1) for arm 1 and 0 for arm 2, always. Both arms stay its candidates exactly while that
    gap is at most two radii, so the largest such gap is read off; it is right to one step, 1/(agents - 1).
    """
    learner = iso.ProceduralLearner(agents, 2, alpha=alpha, seed=0)
    rewards = np.linspace(0, 1, agents), np.zeros(agents)
    for _ in range(pulls):
        for arm in (0, 1):
            learner.tell(learner.ask(available=[arm]), rewards[arm])
    ticket = learner.ask()
    both = learner.sets.all(axis=1)
    assert both.any()
    assert not both.all()
    return rewards[0][both].max() / 2, ticket.round


def recount(arms, means, gamma, alpha):
    """(regret, last mismatch) of Algorithm 1, counted by plain arithmetic from the `arms` it pulled without noise."""
    (n, k), truth = means.shape, means == means.max(axis=1, keepdims=True)
    count, total, regret, last = np.zeros(k), np.zeros((n, k)), 0, 0
    for t, arm in enumerate(arms, start=1):
        if t <= k:
            wrong = True  # every arm once, before anything is known
        else:
            mean, radius = total / count, alpha * np.sqrt(2 * np.log(n * k * t) / count)
            best = mean.argmax(axis=1)
            floor = mean[np.arange(n), best] - radius[best]
            wrong = ((mean + radius >= floor[:, None]) != truth).any()
        regret, last = regret + wrong, t if wrong else last
        count[arm] += 1
        total[:, arm] += means[:, arm]
    return regret, last


def six_standard_errors(chances):
    """(expected, 6 sd) of the number of successes among independent events of these chances."""
    return chances.sum(), 6 * np.sqrt((chances * (1 - chances)).sum())


def allowed_failures(runs, chance, false_alarm=1e-6):
    """The failures that `runs` runs may show if each fails with probability at most `chance`.

    More than that happen with probability at most `false_alarm`, the rate at which a true claim would be called false.
    """
    counts = np.arange(runs + 1)
    log_ways = np.array([lgamma(runs + 1) - lgamma(k + 1) - lgamma(runs - k + 1) for k in counts])
    exactly = np.exp(log_ways + counts * log(chance) + (runs - counts) * log1p(-chance))
    more_than = exactly[::-1].cumsum()[::-1] - exactly
    return int(np.argmax(more_than <= false_alarm))
