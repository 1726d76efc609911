"""Off-policy estimates from a log: against the truth, a hand computation and the propensities of tickets."""

import numpy as np
import pytest

import isegoria as iso
from isegoria.errors import InputError

MEANS = np.array([[0.9, 0.2, 0.5], [0.1, 0.8, 0.5]])
LOGGING_POLICY = np.array([0.5, 0.3, 0.2])
POLICY = np.array([0.1, 0.6, 0.3])


def make_log(seed, rounds=2000):
    rng = np.random.default_rng(seed)
    arms = rng.choice(3, rounds, p=LOGGING_POLICY)
    return arms, (rng.random((rounds, 2)) < MEANS[:, arms].T).astype(float), LOGGING_POLICY[arms]


def test_estimates_match_their_definitions():
    arms, rewards, odds = make_log(1, 300)
    log = iso.ReplayRewards.from_log(arms, rewards, odds)
    weight = (POLICY[arms] / odds)[:, None]
    model = np.array([rewards[arms == k].mean(axis=0) for k in range(3)])
    expected = {
        "ips": (weight * rewards).mean(axis=0),
        "snips": (weight * rewards).sum(axis=0) / weight.sum(),
        "dr": POLICY @ model + (weight * (rewards - model[arms])).mean(axis=0),
    }
    for method, utilities in expected.items():
        assert log.evaluate(POLICY, method).utilities == pytest.approx(utilities, abs=1e-12)
    assert log.evaluate(POLICY).effective_rounds == pytest.approx(weight.sum() ** 2 / (weight**2).sum())


@pytest.mark.parametrize("method", ["ips", "snips", "dr"])
def test_intervals_cover_the_truth(method):
    truth = MEANS @ POLICY
    found = [iso.ReplayRewards.from_log(*make_log(seed, 400)).evaluate(POLICY, method) for seed in range(25)]
    covered = np.mean([(one.low <= truth) & (truth <= one.high) for one in found])
    assert covered > 0.85
    assert abs(np.mean([one.utilities - truth for one in found])) < 0.02


def test_scores_are_those_of_the_estimated_means():
    found = iso.ReplayRewards.from_log(*make_log(3)).evaluate(POLICY)
    judged = iso.score(iso.Instance(MEANS), POLICY)
    for name, (value, low, high) in found.scores.items():
        assert low <= value <= high
        assert value == pytest.approx(getattr(judged, name), abs=0.1)


def test_tickets_make_a_log():
    learner, environment = iso.UniformLearner(2, 3, seed=1), iso.BernoulliRewards(MEANS).stream(1)
    tickets, rewards = [], []
    for _ in range(200):
        tickets.append(learner.ask())
        rewards.append(environment.pull(tickets[-1].arm).copy())
        learner.tell(tickets[-1], rewards[-1])
    log = iso.ReplayRewards.from_log([t.arm for t in tickets], rewards, [t.propensities for t in tickets])
    estimate = log.evaluate([0, 1, 0])
    assert (estimate.low <= MEANS[:, 1]).all()
    assert (MEANS[:, 1] <= estimate.high).all()
    assert log.stream(0).pull(tickets[0].arm).tolist() == rewards[0].tolist()


def test_unanswered_rounds_are_left_out():
    arms, rewards, odds = make_log(4)
    rewards[::3, 0] = np.nan
    found = iso.ReplayRewards.from_log(arms, rewards, odds).evaluate(POLICY, "snips")
    assert found.utilities == pytest.approx(MEANS @ POLICY, abs=0.06)


@pytest.mark.parametrize(
    ("log", "advice"),
    [
        (([0, 1], [[0.5]]), "one row for each"),
        (([0, 2], [[0.5], [0.5]]), "arm 1 was never played"),
        (([0, 1], [[0.5], [1.5]]), r"must lie in \[0, 1\]"),
        (([0, 1], [[0.5], [0.5]], [0.5, 0.0]), "propensities"),
        (([0.5, 1], [[0.5], [0.5]]), "arm numbers"),
    ],
)
def test_wrong_logs_are_refused(log, advice):
    with pytest.raises(InputError, match=advice):
        iso.ReplayRewards.from_log(*log)


def test_a_log_without_propensities_evaluates_nothing():
    with pytest.raises(InputError, match="propensities"):
        iso.ReplayRewards.from_log([0, 1], [[0.5], [0.5]]).evaluate([1, 0])
    with pytest.raises(InputError, match="from_log"):
        iso.ReplayRewards([[[0.5]], [[0.5]]]).evaluate([1, 0])


def test_rounds_without_support_are_left_out():
    arms = np.array([0, 1, 2, 0, 1, 2])
    rewards = MEANS[:, arms].T
    odds = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], *[[0.5, 0.3, 0.2]] * 3])
    found = iso.ReplayRewards.from_log(arms, rewards, odds).evaluate(POLICY, "ips")
    assert found.rounds_left_out == 3
    own = iso.ReplayRewards.from_log(arms[3:], rewards[3:], odds[3:], means=MEANS).evaluate(POLICY, "ips")
    assert found.utilities.tolist() == own.utilities.tolist()
    played = odds[np.arange(6), arms]
    assert iso.ReplayRewards.from_log(arms, rewards, played).evaluate(POLICY).rounds_left_out == 3
    assert iso.ReplayRewards.from_log(arms, rewards, odds).evaluate([1, 0, 0]).rounds_left_out == 2
    with pytest.raises(InputError, match="in every round of the log some arm"):
        iso.ReplayRewards.from_log(arms[:3], rewards[:3], odds[:3]).evaluate(POLICY)
