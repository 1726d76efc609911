"""Algorithm 1: ask which arm to pull, tell what everyone received, and the policy becomes procedurally fair.

Every line of it is followed for 600 rounds: the sets by their formula, the policy as the fair policy of these sets, the
chance of exploring, the chance of each arm; then the learner is left to itself.
"""

import numpy as np
from _helpers import six_standard_errors

import isegoria as iso

MEANS = np.array([[0.9, 0.1], [0.9, 0.1], [0.2, 0.8]])
GAMMA, ALPHA = 0.7, 1.0


def candidates(total, count, t):
    """Lines 8 to 12: arms whose upper bound reaches the lower bound of the agent's empirically best arm."""
    n, k = total.shape
    mean, radius = total / count, ALPHA * np.sqrt(2 * np.log(n * k * t) / count)
    best = mean.argmax(axis=1)
    return mean + radius >= (mean[np.arange(n), best] - radius[best])[:, None]


def main():
    world = np.random.default_rng(7)
    learner = iso.ProceduralLearner(3, 2, gamma=GAMMA, alpha=ALPHA, seed=7)
    total, count, explored = np.zeros((3, 2)), np.zeros(2), 0
    for t in range(1, 3001):
        ticket = learner.ask()
        if t <= 2:
            assert ticket.arm == t - 1  # every arm once
        elif t <= 600:
            sets = candidates(total, count, t)
            assert (learner.sets == sets).all()
            fair = iso.solve(iso.Instance(sets.astype(float)), "procedural").policy
            assert np.allclose(ticket.policy, fair, rtol=0, atol=1e-9)
            rate = t ** (GAMMA - 1)
            assert np.allclose(ticket.propensities, rate / 2 + (1 - rate) * np.array(ticket.policy))
        rewards = (world.random(3) < MEANS[:, ticket.arm]).astype(float)
        learner.tell(ticket, rewards)
        explored += ticket.exploring
        total[:, ticket.arm] += rewards
        count[ticket.arm] += 1
    expected, spread = six_standard_errors(np.arange(3, 3001) ** (GAMMA - 1.0))
    assert abs(explored - expected) <= spread
    assert (learner.sets == iso.Instance(MEANS).favourites).all()
    assert np.allclose(learner.policy, [2 / 3, 1 / 3])
    print("Algorithm 1: line by line as published; after 3,000 coin flips it plays (2/3, 1/3), the fair policy.")


if __name__ == "__main__":
    main()
