"""Environments draw what they say they draw, and give every learner the same rewards.

The distribution tests are Kolmogorov-Smirnov tests of 20,000 draws (chi-square for Bernoulli). Each fails a right
sampler with probability 1e-6; the seeds are fixed, so a pass stays a pass. A wrong sampler must fail: planted faults
below are told apart with p-values far smaller still.
"""

import json

import numpy as np
import pytest
from scipy import stats

import isegoria as iso
from isegoria.errors import InputError
from isegoria.learning.registry import NOISE_MODELS

FALSE_ALARM = 1e-6
DRAWS = 20_000
MEANS = [0.9, 0.63, 0.37, 0.1]


def draw_rewards(environment, arm=0, count=DRAWS, seed=5):
    stream = environment.stream(seed)
    return np.concatenate([stream.pull(arm) for _ in range(count)])


def beta_cdf(mean, sd):
    size = mean * (1 - mean) / sd**2 - 1
    return stats.beta(mean * size, (1 - mean) * size).cdf


@pytest.mark.parametrize("mean", [*MEANS, 0.5, 0.02])
@pytest.mark.parametrize("sd", [0.1, 0.03])
def test_beta_rewards_have_the_beta_law(mean, sd):
    sample = draw_rewards(iso.BetaRewards([[mean]], sd))
    assert stats.kstest(sample, beta_cdf(mean, sd)).pvalue > FALSE_ALARM
    assert stats.kstest(sample, beta_cdf(mean, 1.1 * sd)).pvalue < FALSE_ALARM


@pytest.mark.parametrize("mean", [*MEANS, 0.005])
def test_bernoulli_rewards_have_their_probability(mean):
    ones = int(draw_rewards(iso.BernoulliRewards([[mean]])).sum())
    assert stats.binomtest(ones, DRAWS, mean).pvalue > FALSE_ALARM
    assert stats.binomtest(ones, DRAWS, min(1, mean + 0.05)).pvalue < FALSE_ALARM


@pytest.mark.parametrize("mean", [*MEANS, 0.02, 0.985])
def test_truncated_normals_keep_their_mean_and_law(mean):
    sd = 0.2
    environment = iso.TruncatedNormalRewards([[mean]], sd)
    centre = environment._centre[0, 0] if mean <= 0.5 else 1 - environment._centre[0, 0]
    law = stats.truncnorm(-centre / sd, (1 - centre) / sd, loc=centre, scale=sd)
    assert law.mean() == pytest.approx(mean, abs=1e-9)
    sample = draw_rewards(environment)
    assert stats.kstest(sample, law.cdf).pvalue > FALSE_ALARM
    clipped = np.clip(np.random.default_rng(5).normal(centre, sd, DRAWS), 0, 1)
    assert stats.kstest(clipped, law.cdf).pvalue < FALSE_ALARM


def test_agents_draw_independently():
    rewards = draw_rewards(iso.BetaRewards([[0.5], [0.5]])).reshape(DRAWS, 2)
    assert stats.pearsonr(*rewards.T).pvalue > FALSE_ALARM
    lagged = rewards[:-1, 0], rewards[1:, 0]
    assert stats.pearsonr(*lagged).pvalue > FALSE_ALARM


@pytest.mark.parametrize("kind", NOISE_MODELS.values())
def test_means_of_zero_and_one_are_point_masses(kind):
    stream = kind([[0.0, 1.0], [1.0, 0.5]]).stream(seed=3)
    assert [stream.pull(0).tolist() for _ in range(3)] == [[0.0, 1.0]] * 3
    assert all(stream.pull(1)[0] == 1 for _ in range(50))


@pytest.mark.parametrize("kind", NOISE_MODELS.values())
def test_arm_streams_are_independent_of_pulls_and_blocks(kind, monkeypatch):
    means = np.random.default_rng(1).uniform(0.2, 0.8, (7, 3))
    alone = np.array([kind(means).stream(seed=9).pull(1)])
    stream = kind(means).stream(seed=9)
    for arm in (0, 2, 0, 2):
        stream.pull(arm)
    assert np.array_equal(stream.pull(1), alone[0])
    whole = kind(means).stream(seed=9)
    whole = [whole.pull(1) for _ in range(40)]
    monkeypatch.setattr("isegoria.learning.environments.environment.BLOCK_REWARDS", 25)
    small = kind(means).stream(seed=9)
    assert small.pulls_per_block == 3
    assert np.array_equal([small.pull(1) for _ in range(40)], whole)


def test_arms_and_seeds_have_streams_of_their_own():
    environment = iso.BetaRewards([[0.5, 0.5]] * 4)
    firsts = [environment.stream(seed).pull(arm) for seed in (1, 2) for arm in (0, 1)]
    assert len(np.unique(firsts, axis=0)) == 4


def test_a_stream_resumes_where_it_was():
    environment = iso.BetaRewards(np.full((5, 3), 0.4))
    stream, twin = environment.stream(3), environment.stream(3)
    for arm in [0, 1] * 700 + [1] * 30:
        stream.pull(arm)
    twin.resume(json.loads(json.dumps(stream.state())))
    for arm in [2, 1, 0, 1] * 800:
        assert np.array_equal(stream.pull(arm), twin.pull(arm))


def test_a_weighted_row_is_one_agent_with_so_many_voices():
    instance = iso.Instance([[0.3, 0.6], [0.5, 0.2]], agents=["Ann", "Bob"], weights=[1, 3])
    environment = iso.BetaRewards(instance)
    assert environment.n_agents == 2
    assert environment.agents == ("Ann", "Bob")
    assert environment.weights.tolist() == [1, 3]
    assert environment.stream(1).pull(0).shape == (2,)


def test_replay_follows_log_then_stops_or_cycles():
    log = [np.array([[0.1, np.nan], [0.3, 0.5]]), np.array([[1.0, 0.0]])]
    environment = iso.ReplayRewards(log)
    assert environment.means.tolist() == [[0.2, 1.0], [0.5, 0.0]]
    stream = environment.stream(seed=0)
    assert np.array_equal([stream.pull(0), stream.pull(0)], log[0], equal_nan=True)
    with pytest.raises(InputError, match=r"logged 2 times, and pull 3 .*cycle=True"):
        stream.pull(0)
    again = iso.ReplayRewards(log, cycle=True).stream(seed=0)
    assert [again.pull(1).tolist() for _ in range(2)] == [[1.0, 0.0]] * 2


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: iso.BetaRewards([[0.99, 0.5]], sd=0.1), r"for arm 'Arm 1' is 0.99 .*mean \* \(1 - mean\) > sd"),
        (lambda: iso.BetaRewards([[0.5]], sd=0), "sd"),
        (lambda: iso.BetaRewards([[0.5]], sd=[0.1, 0.2]), "sd"),
        (lambda: iso.TruncatedNormalRewards([[1e-6]], sd=0.1), "too near"),
        (lambda: iso.ReplayRewards([[[1.5]]]), r"log\[0\]\[0, 0\] is 1\.5"),
        (lambda: iso.ReplayRewards([[[0.5]], [[0.5, 0.5]]]), "different numbers of agents"),
        (lambda: iso.ReplayRewards([[0.5]]), r"log\[0\] has shape"),
        (lambda: iso.ReplayRewards([[[np.nan]]]), "said nothing"),
        (lambda: iso.ReplayRewards([[[0.5]]], means=[[0.5, 0.5]]), "means are for"),
        (lambda: iso.ChangingRewards(iso.PointRewards([[0.5]]), (1, iso.PointRewards([[0.5]]))), "rounds"),
        (lambda: iso.ChangingRewards(iso.PointRewards([[0.5]]), (9, iso.PointRewards([[0.5, 0.1]]))), "same number"),
    ],
)
def test_impossible_noise_raises_with_advice(make, says):
    with pytest.raises(InputError, match=says):
        make()
