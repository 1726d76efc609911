"""The learner of comparisons: its evidence is an e-process, its sets keep every favourite, its policy is fair."""

from itertools import product

import numpy as np
import pytest

import isegoria as iso
from isegoria.errors import InputError
from isegoria.learning.comparisons import log_evidence


@pytest.mark.parametrize(("won", "lost"), [(0, 0), (3, 0), (2, 5), (40, 12), (300, 330)])
def test_evidence_is_the_mean_likelihood_ratio(won, lost):
    p = (np.arange(200_000) + 0.5) / 400_000 + 0.5
    mean = np.exp(won * np.log(2 * p) + lost * np.log(2 * (1 - p))).mean()
    assert log_evidence(won, lost) == pytest.approx(np.log(mean), abs=1e-6)


def test_evidence_is_expected_to_stay_at_one():
    """Over all 2^10 courses of a fair coin, and less than one for a coin that loses more often."""
    courses = [np.cumsum(course) for course in product([0, 1], repeat=10)]
    for n in (1, 4, 10):
        values = np.exp([log_evidence(int(course[n - 1]), n - int(course[n - 1])) for course in courses])
        assert values.mean() == pytest.approx(1)
        weights = np.array([0.3 ** course[9] * 0.7 ** (10 - course[9]) for course in courses])
        assert weights @ values < 1


def simulate_ties(seed, rounds):
    """Whether a favourite was dropped for two agents with two equal favourites, in coin-toss comparisons."""
    rng = np.random.default_rng(seed)
    learner = iso.ComparisonLearner(2, 3, error=0.5)
    for _ in range(rounds):
        for agent in (0, 1):
            pair = learner.propose_pair(agent)
            if pair:
                places = sorted(map(learner.arms.find, pair))
                chance = 0.5 if places == [0, 1] else 0.8
                better, worse = places if rng.random() < chance else places[::-1]
                learner.tell(agent, better, worse)
    return not learner.candidates[:, :2].all()


@pytest.mark.slow
def test_favourites_are_dropped_no_more_often_than_promised():
    dropped = sum(simulate_ties(seed, 150) for seed in range(60))
    assert dropped <= 30 + 4 * np.sqrt(15)  # error 1/2, and four standard deviations
    assert sum(simulate_ties(seed, 400) for seed in range(5)) < 5


def test_sets_shrink_to_the_favourite_and_the_policy_is_fair():
    rankings = np.array([[0, 1, 2], [2, 0, 1], [2, 1, 0]])
    learner, rng = iso.ComparisonLearner(3, 3, arms=["a", "b", "c"]), np.random.default_rng(1)
    asked = 0
    while any(pairs := [learner.propose_pair(agent) for agent in range(3)]):
        for agent, pair in enumerate(pairs):
            if pair:
                places = sorted(map(learner.arms.find, pair), key=rankings[agent].tolist().index)
                learner.tell(agent, *(places if rng.random() < 0.9 else places[::-1]))
                asked += 1
    assert learner.candidates.argmax(axis=1).tolist() == [0, 2, 2]
    assert learner.candidates.sum() == 3
    assert learner.policy == pytest.approx([1 / 3, 0, 2 / 3])
    assert asked == learner.wins.sum() < 400
    again = iso.ComparisonLearner(3, 3, arms=["a", "b", "c"], wins=learner.wins)
    assert np.array_equal(again.candidates, learner.candidates)


def test_nothing_is_known_before_anything_is_told():
    learner = iso.ComparisonLearner(2, 4)
    assert learner.candidates.all()
    assert learner.policy == pytest.approx([0.25] * 4)
    assert learner.leaders.all()
    assert learner.propose_pair(0) == ("Arm 1", "Arm 2")
    learner.tell(0, 0, 1)
    assert learner.leaders[0].tolist() == [True, False, False, False]
    assert learner.propose_pair(0) != ("Arm 1", "Arm 2")
    assert learner.propose_pair(1) == ("Arm 1", "Arm 2")


def test_wrong_comparisons_get_one_sentence():
    learner = iso.ComparisonLearner(2, 2, agents=["Ann", "Ben"])
    with pytest.raises(InputError, match="compared with itself"):
        learner.tell("Ann", 1, 1)
    with pytest.raises(InputError, match="Ben"):
        learner.tell("Bne", 0, 1)
    for error in (0, 1, "x"):
        with pytest.raises(InputError, match="error"):
            iso.ComparisonLearner(2, 2, error=error)
    with pytest.raises(InputError, match="wins have shape"):
        iso.ComparisonLearner(2, 2, wins=np.zeros((2, 2)))


@pytest.mark.parametrize(("agents", "arms", "error"), [(1, 2, 0.05), (5, 4, 0.01)])
def test_arm_is_dropped_when_evidence_reaches_the_limit(agents, arms, error):
    learner, limit = iso.ComparisonLearner(agents, arms, error=error), np.log(agents * arms * (arms - 1) / error)
    for count in range(1, 60):
        learner.tell(0, 1, 0)
        assert learner.candidates[0, 0] == (log_evidence(count, 0) < limit)
    assert not learner.candidates[0, 0]
    assert learner.candidates[0, 1:].all()
    assert learner.candidates[1:].all()
