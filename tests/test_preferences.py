"""Every preference model follows its law: exact probabilities for few arms, and prefsampling as an oracle.

Each comparison is a chi-square test that fails on a correct sampler with probability FALSE_ALARM, once for all, since
the seeds are fixed. A planted fault must fail the same test.
"""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from isegoria import preferences
from isegoria.errors import InputError, UnknownNameError

FALSE_ALARM = 1e-4
INSTANCES = 20_000
LAWS = [
    "uniform",
    "impartial",
    "single-peaked",
    "single-peaked-walsh",
    "mallows:0.3",
    "mallows:1",
    "iac",
    "urn:0.5",
    "plackett-luce:0.4",
    "euclidean:2",
]


def orders(arms):
    return list(itertools.permutations(range(arms)))


def kendall(one, two):
    place = {arm: spot for spot, arm in enumerate(two)}
    return sum(place[a] > place[b] for a, b in itertools.combinations(one, 2))


def single_peaked(order):
    return all(max(order[:place]) - min(order[:place]) == place - 1 for place in range(1, len(order) + 1))


def walk_probability(order):
    chance = 1 / len(order)
    for place in range(1, len(order)):
        seen = order[:place]
        if min(seen) > 0 and max(seen) < len(order) - 1:
            chance /= 2
    return chance if single_peaked(order) else 0.0


def luce_probability(order, weights):
    return math.prod(weights[arm] / sum(weights[other] for other in order[i:]) for i, arm in enumerate(order))


def pair_law(name, arms):
    """Exact probabilities (K!, K!) of the rankings of two agents of one group."""
    every = orders(arms)
    count = len(every)
    apart = np.full((count, count), 1 / count**2)
    id, _, parameter = name.partition(":")
    if id in ("iac", "urn"):
        alpha = 1 / count if id == "iac" else float(parameter)
        return (apart + np.eye(count) / count * alpha) / (1 + alpha)
    if id == "single-peaked":
        one = np.array([walk_probability(order) for order in every])
        return np.outer(one, one)
    if id == "single-peaked-walsh":
        one = np.array([single_peaked(order) for order in every]) / 2 ** (arms - 1)
        return np.outer(one, one)
    if id in ("mallows", "plackett-luce"):
        given = np.array([[_given(id, float(parameter), order, centre) for order in every] for centre in every])
        given /= given.sum(axis=1, keepdims=True)
        return given.T @ given / count
    return apart


def _given(id, parameter, order, centre):
    if id == "mallows":
        return parameter ** kendall(order, centre)
    weights = {arm: parameter**place for place, arm in enumerate(centre)}
    return luce_probability(order, weights)


def pair_counts(rankings, arms):
    index = {order: spot for spot, order in enumerate(orders(arms))}
    codes = np.array([[index[tuple(row)] for row in group] for group in rankings.tolist()])
    return np.bincount(codes[:, 0] * len(index) + codes[:, -1], minlength=len(index) ** 2)


def misfit(counts, probabilities):
    """The p-value of the chi-square test; a ranking that cannot occur but does gives 0."""
    probabilities = probabilities.ravel()
    if counts[probabilities == 0].any():
        return 0.0
    possible = probabilities > 0
    return stats.chisquare(counts[possible], counts.sum() * probabilities[possible]).pvalue


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in LAWS if "euclidean" not in name])
@pytest.mark.parametrize("arms", [2, 3])
def test_two_agents_follow_the_exact_joint_law(name, arms):
    rankings = preferences.sample(name, agents=3, arms=arms, seed=50 + arms, instances=INSTANCES)
    assert misfit(pair_counts(rankings, arms), pair_law(name, arms)) > FALSE_ALARM


@pytest.mark.parametrize("name", [name for name in LAWS if "euclidean" not in name])
def test_one_agent_follows_the_exact_law_over_four_arms(name):
    rankings = preferences.sample(name, agents=1, arms=4, seed=8, instances=INSTANCES)
    index = {order: spot for spot, order in enumerate(orders(4))}
    counts = np.bincount([index[tuple(row)] for row in rankings[:, 0].tolist()], minlength=24)
    assert misfit(counts, pair_law(name, 4).sum(axis=1)) > FALSE_ALARM


@pytest.mark.slow
def test_a_wrong_parameter_is_noticed():
    for name, wrong in [
        ("mallows:0.3", "mallows:0.35"),
        ("urn:0.5", "urn:0.6"),
        ("iac", "urn:0.3"),
        ("plackett-luce:0.4", "plackett-luce:0.45"),
        ("single-peaked", "single-peaked-walsh"),
    ]:
        rankings = preferences.sample(wrong, agents=2, arms=3, seed=5, instances=INSTANCES)
        assert misfit(pair_counts(rankings, 3), pair_law(name, 3)) < FALSE_ALARM, name


def test_two_agents_on_a_line_agree_on_two_arms_in_seven_of_twelve_groups():
    rankings = preferences.sample("euclidean:1", agents=2, arms=2, seed=11, instances=INSTANCES)
    agreements = int((rankings[:, 0, 0] == rankings[:, 1, 0]).sum())
    assert stats.binomtest(agreements, INSTANCES, 7 / 12).pvalue > FALSE_ALARM


ORACLES = {
    "impartial": lambda o, n, k, s: o.impartial(n, k, seed=s),
    "single-peaked": lambda o, n, k, s: o.single_peaked_conitzer(n, k, seed=s),
    "single-peaked-walsh": lambda o, n, k, s: o.single_peaked_walsh(n, k, seed=s),
    "mallows:0.3": lambda o, n, k, s: o.mallows(n, k, phi=0.3, impartial_central_vote=True, seed=s),
    "iac": lambda o, n, k, s: o.impartial_anonymous(n, k, seed=s),
    "urn:0.5": lambda o, n, k, s: o.urn(n, k, alpha=0.5, seed=s),
    # The oracle's own points are drawn from one seed for agents and arms alike, so that they coincide: give them.
    "euclidean:2": lambda o, n, k, s: o.euclidean(n, k, 2, *np.random.default_rng(s).random((2, n, 2))),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ORACLES)
def test_prefsampling_draws_from_the_same_law(name):
    import prefsampling.ordinal as oracle

    theirs = np.array([ORACLES[name](oracle, 3, 3, seed) for seed in range(1500)])
    ours = preferences.sample(name, agents=3, arms=3, seed=21, instances=INSTANCES)
    counts = np.array([pair_counts(theirs, 3), pair_counts(ours, 3)])
    counts = counts[:, counts.sum(axis=0) > 0]
    assert stats.chi2_contingency(counts).pvalue > FALSE_ALARM


@pytest.mark.slow
def test_prefsampling_agrees_on_given_plackett_luce_weights():
    import prefsampling.ordinal as oracle

    from isegoria.preferences.plackett_luce import rank_by_exponential_clocks

    weights = [0.6, 0.1, 0.3]
    theirs = np.array([oracle.plackett_luce(2, 3, weights, seed=seed) for seed in range(1500)])
    ours = rank_by_exponential_clocks(np.random.default_rng(3).random((INSTANCES, 2, 3)), np.array(weights))
    counts = np.array([pair_counts(theirs, 3), pair_counts(ours, 3)])
    assert stats.chi2_contingency(counts[:, counts.sum(axis=0) > 0]).pvalue > FALSE_ALARM


@pytest.mark.parametrize("name", LAWS)
def test_an_instance_does_not_depend_on_its_company(name):
    law = preferences.parse_distribution(name)
    uniforms = np.random.default_rng(2).random((50, law.draws(7, 6)))
    together = law.rankings(uniforms, 7, 6)
    assert np.array_equal(np.sort(together, axis=2), np.broadcast_to(np.arange(6), together.shape))
    assert np.array_equal(law.rankings(uniforms[31:32], 7, 6)[0], together[31])


def test_extremes_are_what_their_names_say():
    consensus = preferences.sample("mallows:0", agents=20, arms=6, seed=1)
    assert (consensus == consensus[0]).all()
    contagion = preferences.sample("urn:1e9", agents=20, arms=6, seed=1)
    assert (contagion == contagion[0]).all()
    assert len(np.unique(preferences.sample("iac", agents=5, arms=25, seed=1), axis=0)) == 5


def test_truncated_normal_is_truncated_not_clipped():
    values = preferences.sample_rewards(np.tile([0, 1], (INSTANCES, 1)), seed=4).ravel()
    law = stats.truncnorm(-2, 2, loc=0.5, scale=0.25)
    assert stats.kstest(values, law.cdf).pvalue > FALSE_ALARM
    assert not np.isin(values, [0, 1]).any()


def test_favourites_share_the_largest_value_and_the_others_follow_in_order():
    rankings = preferences.sample("impartial", agents=40, arms=6, seed=3)
    sizes = np.arange(40) % 6 + 1
    strict = preferences.sample_rewards(rankings, seed=9)
    shared = preferences.sample_rewards(rankings, favourites=sizes, seed=9)
    for ranking, size, alone, tied in zip(rankings, sizes, strict, shared, strict=True):
        assert (np.diff(alone[ranking]) < 0).all()
        assert (tied[ranking[:size]] == alone[ranking[0]]).all()
        assert np.array_equal(tied[ranking[size:]], alone[ranking[1 : 7 - size]])


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mallow", "did you mean 'mallows'"),
        ("mallows:2", r"phi in \[0, 1\]"),
        ("urn:x", "alpha"),
        ("iac:3", "takes no parameter"),
        ("euclidean:1.5", "whole number"),
    ],
)
def test_a_bad_model_is_refused_with_the_way_out(name, words):
    with pytest.raises((InputError, UnknownNameError), match=words):
        preferences.sample(name, agents=2, arms=2)


def test_bad_shapes_are_refused():
    with pytest.raises(InputError, match="agents is 0"):
        preferences.sample("iac", agents=0, arms=2)
    with pytest.raises(InputError, match="each row all the arms"):
        preferences.sample_rewards([[0, 0]])
    with pytest.raises(InputError, match="between 1 and the number of arms, 2"):
        preferences.sample_rewards([[0, 1]], favourites=3)


GROUPS = 4000


def largest_correlation(model, rng=lambda seed: seed):
    """Over many seeds, between the agreement of two agents and what their rewards of the same seed are like."""
    seeds = range(GROUPS)
    rankings = np.array([preferences.sample(model, agents=2, arms=3, seed=rng(seed)) for seed in seeds])
    means = np.array(
        [preferences.sample_rewards(drawn, seed=rng(seed)) for drawn, seed in zip(rankings, seeds, strict=True)]
    )
    agree = (rankings[:, 0] == rankings[:, 1]).all(axis=1)
    falling = -np.sort(-means, axis=2)
    measures = [*falling[:, :, 0].T, falling[:, 0, 0] - falling[:, 0, 1], *means.mean(axis=2).T]
    return max(abs(np.corrcoef(agree, measure)[0, 1]) for measure in measures)


@pytest.mark.slow
@pytest.mark.parametrize("model", preferences.MODELS)
def test_rankings_and_rewards_of_one_seed_are_independent(model):
    assert largest_correlation(model) < 4 / np.sqrt(GROUPS)


def test_one_stream_for_both_would_be_noticed():
    assert largest_correlation("mallows:0.5", np.random.default_rng) > 8 / np.sqrt(GROUPS)


def test_no_two_models_draw_the_same_rankings():
    drawn = [preferences.sample(model, agents=6, arms=5, seed=3).tobytes() for model in preferences.MODELS]
    assert len(set(drawn)) == len(drawn)


def test_a_generator_is_used_as_it_stands_and_goes_on():
    rng, twin = np.random.default_rng(5), np.random.default_rng(5)
    first, second = (preferences.sample("impartial", agents=4, arms=4, seed=rng) for _ in range(2))
    assert not np.array_equal(first, second)
    assert np.array_equal(first, twin.random((4, 4)).argsort(axis=1, kind="stable"))
    assert np.array_equal(second, twin.random((4, 4)).argsort(axis=1, kind="stable"))


@pytest.mark.parametrize("wrong", [-1, 1.5, True, "7", [1, 2]])
def test_what_is_no_seed_is_refused(wrong):
    with pytest.raises(InputError, match="a NumPy Generator"):
        preferences.sample("impartial", agents=2, arms=2, seed=wrong)
