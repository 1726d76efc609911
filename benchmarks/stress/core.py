"""The core against its definition: 500 random questions with up to 8 agents, both kinds, every coalition tried in turn.

Run: python benchmarks/stress/core.py [COUNT]. Prints how each verdict was reached; exits with 1 on any disagreement.
"""

import sys
from collections import Counter
from pathlib import Path

import numpy as np

import isegoria as iso

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
from oracles.brute_force_core import GAIN_TOLERANCE, largest_gain, random_question

WAYS = {"The policy maximises": "Nash proof", "Of all coalitions": "all bounded", "A coalition": "coalition shown"}


def main(count: int = 500) -> int:
    """The number of verdicts that disagree with brute force, or are undecided."""
    rng, wrong, reached = np.random.default_rng(42), 0, Counter()
    for number in range(count):
        means, weights, policy = random_question(rng, most_agents=8)
        instance = iso.Instance(means, weights=weights)
        for payoff, values in (("shares", instance.favourites), ("utilities", instance.means)):
            verdict = iso.core(instance, policy, payoff=payoff)
            gain = largest_gain(values, weights, policy)
            if verdict.stable is not (gain <= GAIN_TOLERANCE):
                wrong += 1
                print(f"question {number}, {payoff}: {verdict.stable}, but the largest gain is {gain:.3g}")
            way = next((way for start, way in WAYS.items() if verdict.proof.startswith(start)), "undecided")
            reached[payoff, way] += 1
    for (payoff, way), times in sorted(reached.items()):
        print(f"{payoff:12}{way:18}{times:6}")
    print(f"core: {2 * count} verdicts, {wrong} disagree with brute force over all coalitions")
    return wrong


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])) > 0)
