"""The searches of the axioms where a small error would go unseen: climbing, losing members, many arms, long waits."""

import numpy as np
import pytest

import isegoria as iso
from isegoria.analysis.axioms.manipulation import PayoffMeasure, SearchBudget, find_best_manipulations
from isegoria.analysis.axioms.report_space import build_report_space
from isegoria.analysis.axioms.rule_evaluator import RuleEvaluator
from isegoria.record.format.voice_units import UNITS_PER_VOICE
from isegoria.record.turns.deterministic import score_deterministic
from isegoria.record.turns.ledger import Ballots


class PairRule(iso.Rule):
    """A voice is spent evenly on an agent's favourites, and counts most if there are two of them."""

    id, label, citation, input_kind = "pair", "PAIR", "none", "favourites"

    def policy(self, instance):
        sets = instance.favourites.astype(float)
        sizes = sets.sum(axis=1)
        voices = np.array([0, 0.5, 8, 4, 1, 1])[sizes.astype(int)] / sizes
        policy = (instance.weights * voices) @ sets
        return policy / policy.sum()


class PactRule(iso.Rule):
    """Random dictatorship, but two agents who both name the third arm alone move 0.04 from one to the other."""

    id, label, citation, input_kind = "pact", "PACT", "none", "favourites"

    def policy(self, instance):
        sets = instance.favourites.astype(float)
        policy = instance.weights @ (sets / sets.sum(axis=1, keepdims=True)) / instance.total_weight
        return np.array([0.54, 0.46, 0.0]) if policy[2] == 1 else policy


class FirstArmRule(iso.Rule):
    """All on the first of the arms with most supporters, so that the order of arms decides."""

    id, label, citation, input_kind = "first-arm", "FIRST", "none", "favourites"

    def policy(self, instance):
        supporters = instance.weights @ instance.favourites
        return np.eye(len(instance.arms))[int(np.argmax(supporters))]


def test_climbing_takes_more_than_one_step():
    group = iso.Instance.from_approvals(["abcd", "e", "de"])
    people = RuleEvaluator.of(group, PairRule())
    reports = build_report_space(people)
    measure = PayoffMeasure(people.values(0, "shares"))
    [every] = find_best_manipulations(people, 0, [measure], SearchBudget.of(10**6, 60), reports)
    [climbed] = find_best_manipulations(people, 0, [measure], SearchBudget.of(1, 60), reports)
    assert sum(np.array(every.report) != people.rows[0]) == 2
    assert climbed.gain == pytest.approx(every.gain, abs=1e-9)


def test_joint_report_counts_only_if_no_member_loses():
    group = iso.Instance.from_approvals(["a", "b"], arms=["a", "b", "c"])
    assert iso.axioms.check(group, PactRule(), "group-strategyproof", search=True).holds is not False


@pytest.mark.parametrize("arms", ["abcdef", "abcdefgh"])
def test_neutrality_is_tried_beyond_five_arms(arms):
    group = iso.Instance.from_approvals(list(arms))
    assert iso.axioms.check(group, FirstArmRule(), "neutral", search=True).holds is False


@pytest.mark.parametrize(("waited", "counted"), [(3, 3), (12, 12), (13, 12), (40, 12)])
def test_waiting_counts_up_to_twelve_rounds(waited, counted):
    wants = np.array([[True, False], [False, True], [False, True]])
    weights = np.array([1, 1, 1])
    voices = np.array([UNITS_PER_VOICE, 2 * UNITS_PER_VOICE])
    ballots = Ballots(("Ann", "Bob", "Cem"), weights, wants, voices)
    debts = np.array([[7], [-3], [-4]])
    credit = [int(voices[0]) // 3, int(voices[1]) // 3, int(voices[1]) // 3]
    expected = [
        2 * int(voices[0]) + 4 * (7 + credit[0]) + counted * UNITS_PER_VOICE,
        2 * int(voices[1]) + 4 * (-7 + credit[1] + credit[2]),
    ]
    assert score_deterministic(ballots, debts, [waited, 0, 0]) == expected
