"""Alignment with several raters: each compares two responses at a time, and a policy over responses is learned.

    python examples/alignment.py                    on generated rankings
    python examples/alignment.py --data DIR         on rankings in PrefLib's format (*.soc), one file for each group

A rater names the response that it ranks higher, and errs with a fixed probability. Every policy reads the same
comparisons:

- the fair lottery over the responses that may still be a rater's best, and that over those that lead so far;
- the maximal lottery of the majorities;
- the response of the largest mean reward, here the share of comparisons won.
"""

import argparse
from pathlib import Path

import numpy as np

import isegoria as iso
from isegoria.io import read
from isegoria.preferences import sample
from isegoria.utils.formatting import SCORE_LABELS

BUDGETS = (10, 30, 100, 300)


def generate_groups(count, seed=0, raters=5, responses=4):
    """Groups of raters with Mallows rankings, as a stand-in for real ones."""
    for number in range(count):
        yield iso.Instance.from_rankings(sample("mallows:0.8", raters, responses, seed=1000 * seed + number).tolist())


def read_groups(folder):
    """One group for each file; a row that stands for several raters becomes as many."""
    for path in sorted(Path(folder).glob("*.soc")):
        group = read(path)
        yield iso.Instance(np.repeat(group.means, group.weights, axis=0))


def compare_pairs(learner, group, times, error, rng):
    """Let every rater compare `times` more pairs: the learner's as long as it has one, then any two responses."""
    arms = range(len(group.arms))
    for rater in range(len(group.agents)):
        for _ in range(times):
            pair = learner.propose_pair(rater)
            first, second = rng.choice(arms, 2, replace=False) if pair is None else map(learner.arms.find, pair)
            better = group.means[rater, first] > group.means[rater, second]
            if (rng.random() < error) == better:
                first, second = second, first
            learner.tell(rater, int(first), int(second))


def choose_policies(learner):
    """The policies that the comparisons so far lead to."""
    wins = learner.wins.sum(axis=0)
    shares = wins.sum(axis=1) / np.maximum(1, (wins + wins.T).sum(axis=1))
    return {
        "fair, in doubt": learner.policy,
        "fair, leaders": iso.solve(iso.Instance(learner.leaders.astype(float))).policy,
        "maximal lottery": solve_majority(wins),
        "mean reward": np.eye(len(wins))[int(shares.argmax())],
    }


def solve_majority(wins):
    """The maximal lottery: no response beats it in expected majority, found as a matrix game."""
    game = (np.sign(wins - wins.T) + 1) / 2
    return iso.solve(iso.Instance(game.T), "egalitarian", "centre").policy


def run_groups(groups, budgets=BUDGETS, error=0.2, seed=1):
    """For each number of comparisons by a rater and each policy: mean scores against the true rankings."""
    found = {}
    for number, group in enumerate(groups):
        rng, told = np.random.default_rng([seed, number]), 0
        learner = iso.ComparisonLearner(len(group.agents), len(group.arms), error=0.05)
        for budget in budgets:
            compare_pairs(learner, group, budget - told, error, rng)
            told = budget
            right = (learner.candidates == group.favourites).all(axis=1).mean()
            kept = learner.candidates[group.favourites].mean()
            for name, policy in choose_policies(learner).items():
                scores = iso.score(group, policy)
                unheard = (group.decision_shares(policy) < 1e-9).mean()
                found.setdefault((budget, name), []).append([*scores.values, unheard, right, kept])
    return {key: np.array(rows).mean(axis=0) for key, rows in found.items()}


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", help="a folder of .soc files; generated rankings without it")
    parser.add_argument("--groups", type=int, default=100, help="how many groups at most (default: 100)")
    parser.add_argument("--error", type=float, default=0.2, help="how often a rater errs (default: 0.2)")
    given = parser.parse_args(words)
    groups = list(read_groups(given.data) if given.data else generate_groups(given.groups))[: given.groups]
    table = run_groups(groups, error=given.error)
    print(f"{len(groups)} groups, {sum(len(group.agents) for group in groups)} raters, error {given.error:g}")
    names = [f"{label} score" for label in SCORE_LABELS.values()]
    print(f"{'comparisons':>11}  {'policy':<16}" + "".join(f"{name:>10}" for name in names) + "   unheard  set right")
    for (budget, name), row in table.items():
        print(f"{budget:>11}  {name:<16}" + "".join(f"{cell:10.3f}" for cell in row[:5]))


if __name__ == "__main__":
    main()
