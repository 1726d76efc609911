"""Exact voices: every row is w·U units on its owner's favourites, and together they are the certified policy."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import isegoria as iso
from isegoria.record.format.voice_units import UNITS_PER_VOICE, round_rows
from record.hostile_voices import list_hostile_violations, list_violations


@pytest.mark.parametrize("first", range(0, 10_000, 2_500))
def test_voices_of_hostile_instances_are_exact(first):
    for number in range(first, first + 2_500, 50):
        assert list_hostile_violations(number) == []


def test_a_check_of_voices_can_fail():
    """The checker is worth something only if it notices a stolen unit."""
    instance = iso.Instance([[1, 0], [1, 0], [0, 1]])
    voices = iso.voices(instance)
    rows = voices.rows.copy()
    rows[0, 0] -= 1
    stolen = iso.Voices(voices.arms, voices.agents, voices.sets, voices.weights, voices.counts, rows, voices.member)
    assert list_violations(instance, stolen) == ["a row is not w·U"]


def test_relabelling_arms_moves_at_most_one_unit():
    means = np.random.default_rng(5).integers(0, 3, (12, 6)) / 2
    turned = iso.voices(iso.Instance(means[:, ::-1])).units[:, ::-1]
    assert abs(iso.voices(iso.Instance(means)).units - turned).max() <= 1


def test_a_weighted_row_is_as_many_members():
    means = [[1, 1, 0], [0, 1, 1], [1, 0, 0]]
    weighted = iso.voices(iso.Instance(means, weights=[2, 3, 1]))
    single = iso.voices(iso.Instance([means[i] for i in (0, 0, 1, 1, 1, 2)]))
    assert weighted.units.sum(axis=1).tolist() == [2 * UNITS_PER_VOICE, 3 * UNITS_PER_VOICE, UNITS_PER_VOICE]
    assert abs(weighted.voices - single.voices).max() <= 6


def test_ties_of_up_to_twenty_arms_split_evenly():
    for k in range(1, 21):
        assert set(iso.voices(iso.Instance([[1.0] * k])).units[0].tolist()) == {UNITS_PER_VOICE // k}


def test_a_policy_that_is_not_fair_is_refused_with_those_it_neglects():
    instance = iso.Instance([[1, 0], [1, 0], [0, 1]], agents=["Ann", "Bob", "Cid"], arms=["tea", "coffee"])
    with pytest.raises(iso.InputError, match=r"Ann, Bob deserve 0\.666667 .* \(tea\) gets 0\.5"):
        iso.voices(instance, [0.5, 0.5])


def test_a_fair_policy_of_ones_own_is_taken():
    instance = iso.Instance([[1, 1, 0], [0, 1, 1]])
    voices = iso.voices(instance, [0.5, 0, 0.5])
    assert list_violations(instance, voices, [0.5, 0, 0.5]) == []


@pytest.mark.parametrize(("weight", "fits"), [(2_418_247, True), (2_418_248, False)])
def test_a_group_past_two_to_the_53_gets_one_sentence(weight, fits):
    instance = iso.Instance([[1, 0], [0, 1]], weights=[weight - 1, 1])
    if fits:
        assert iso.voices(instance).total == weight * UNITS_PER_VOICE < 2**53
    else:
        with pytest.raises(iso.InputError, match="too large for exact voices"):
            iso.voices(instance)


def test_largest_remainder_gives_the_missing_units_to_the_lower_arm():
    assert round_rows(np.array([[1.0, 1.0, 1.0, 0.0]]), np.array([5])).tolist() == [[2, 2, 1, 0]]


def test_sparse_means_have_the_same_voices():
    means = np.random.default_rng(3).integers(0, 4, (30, 90)) / 3 * (np.random.default_rng(4).random((30, 90)) < 0.1)
    means[7] = 0  # indifferent: every arm is her favourite
    assert (iso.voices(iso.Instance(csr_array(means))).units == iso.voices(iso.Instance(means)).units).all()


def test_a_proposal_that_explores_with_everybody_s_rounds_has_more_than_voices():
    learner = iso.ProceduralLearner(3, 3, seed=5, gamma=0.1)
    with pytest.raises(iso.InputError, match="first trial"):
        iso.voices(learner.propose())
    for k in range(3):
        learner.tell(learner.accept(learner.propose(), k), [0.1 * k, 0.9, 0.5])
    assert learner.propose().exploration_rate > 0
    with pytest.raises(iso.InputError, match="nobody's voice"):
        iso.voices(learner.propose())


def test_of_a_guided_proposal_every_ball_is_somebodys():
    learner = iso.EliminationLearner(3, 3, seed=5, weights=[2, 1, 1])
    for k in range(3):
        learner.tell(learner.accept(learner.propose(), k), [0.1 * k, 0.9, 0.5])
    proposal = learner.propose()
    voices = iso.voices(proposal)
    assert voices.total == 4 * UNITS_PER_VOICE
    assert abs(np.array([float(p) for p in voices.policy]) - proposal.propensities).max() < 1e-8
