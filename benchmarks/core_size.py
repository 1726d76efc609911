"""Up to how many types the core answers within 10 seconds: python benchmarks/core_size.py [SECONDS].

Cheap proofs answer at any size; so the questions here are chosen for the mixed-integer program, which starts where they
end: fair policies that are no Nash optimum, and policies near a Nash optimum of utilities. Sizes double until one of
three questions is undecided.
"""

import sys
from time import perf_counter

import numpy as np

import isegoria as iso

ARMS, QUESTIONS_PER_SIZE, MAX_TYPES = 10, 3, 640


def make_fair_questions(rng, types):
    """Procedural core: distinct favourite sets, each agent's share split over its favourites at random."""
    codes = rng.choice(np.arange(1, 2**ARMS), types, replace=False)
    favourites = (codes[:, None] >> np.arange(ARMS)) & 1
    split = favourites * rng.random(favourites.shape)
    return favourites.astype(float), (split / split.sum(axis=1, keepdims=True)).mean(axis=0)


def make_uniform_questions(rng, types):
    """Outcome core: independent uniform means, every arm played equally often."""
    return rng.random((types, ARMS)), np.full(ARMS, 1 / ARMS)


def make_near_nash_questions(rng, types):
    """Outcome core: sparse means, the Nash policy mixed with 3 % of a random one."""
    means = np.where(rng.random((types, ARMS)) < 0.4, rng.random((types, ARMS)), 0.0)
    means[np.arange(types), rng.integers(ARMS, size=types)] = 1.0  # everyone values something
    return means, 0.97 * iso.solve(iso.Instance(means), "nash").policy + 0.03 * rng.dirichlet(np.ones(ARMS))


def main(seconds: float = 3.0) -> None:
    """Print, for each family of questions, the time and the verdicts at every size."""
    print(f"{'core':12}{'question':14}{'types':>6}{'slowest s':>11}  verdicts")
    for payoff, family in (
        ("shares", make_fair_questions),
        ("utilities", make_uniform_questions),
        ("utilities", make_near_nash_questions),
    ):
        rng, types, answered = np.random.default_rng(42), 10, 0
        while types <= MAX_TYPES:
            slowest, verdicts = 0.0, []
            for _ in range(QUESTIONS_PER_SIZE):
                means, policy = family(rng, types)
                instance = iso.Instance(means)
                start = perf_counter()
                verdicts.append(iso.core(instance, policy, payoff=payoff, time_limit=seconds).stable)
                slowest = max(slowest, perf_counter() - start)
            words = " ".join({True: "stable", False: "blocked", None: "undecided"}[v] for v in verdicts)
            print(f"{payoff:12}{family.__name__:14}{types:6}{slowest:11.2f}  {words}", flush=True)
            if None in verdicts:
                break
            answered, types = types, 2 * types
        print(f"{payoff:12}{family.__name__:14}answers every question with {answered} types within {seconds:g} s")


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
