"""Algorithm 1 on the Dots voters over 20 seeds: every fact that must hold in each.

Run: python benchmarks/stress/dots_learning.py [SEEDS]. Prints a line for each seed; exits with 1 if any is off.
"""

import sys

import isegoria as iso
from isegoria.datasets import load_dots_sample

ROUNDS = 100_000


def main(seeds: int = 20) -> int:
    """The number of seeds whose run is off."""
    learner, world = iso.ProceduralLearner(50, 4, gamma=0.7, alpha=1.0), iso.BetaRewards(load_dots_sample(), sd=0.1)
    print("seed  regret  right after  exploring  patterns  scores")
    wrong = 0
    for seed, trace in enumerate(iso.simulate_many(learner, world, ROUNDS, seeds=seeds)):
        scores = tuple(float(f"{score:.3f}") for score in trace.scores[-1])
        right = (
            28_000 <= trace.regret <= 38_000
            and trace.last_mismatch < ROUNDS
            and scores == (1.0, 0.986, 0.900)
            and 100 <= trace.patterns <= 200
            and 4_100 <= trace.exploring_rounds <= 4_900
        )
        wrong += not right
        print(
            f"{seed:4}  {trace.regret:6,}  {trace.last_mismatch:11,}  {trace.exploring_rounds:9,}  "
            f"{trace.patterns:8}  {scores}{'' if right else '  OFF'}"
        )
    return wrong


if __name__ == "__main__":
    sys.exit(1 if main(*map(int, sys.argv[1:2])) else 0)
