"""Algorithm 1: ask which arm to pull, tell what everyone received, and the policy becomes procedurally fair."""

import numpy as np

import isegoria as iso

MEANS = np.array([[0.9, 0.1], [0.9, 0.1], [0.2, 0.8]])


def main():
    world = np.random.default_rng(7)
    learner = iso.ProceduralLearner(3, 2, gamma=0.7, alpha=1.0, seed=7)
    for _ in range(3000):
        ticket = learner.ask()
        learner.tell(ticket, (world.random(3) < MEANS[:, ticket.arm]).astype(float))
    assert (learner.sets == iso.Instance(MEANS).favourites).all()
    assert np.allclose(learner.policy, [2 / 3, 1 / 3])
    print("Algorithm 1: after 3,000 coin flips it plays (2/3, 1/3), the fair policy of the true means.")


if __name__ == "__main__":
    main()
