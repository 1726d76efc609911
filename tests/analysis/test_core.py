"""The core: verdicts agree with the definition, every block can be checked by hand, and nothing is guessed."""

from time import monotonic, sleep

import numpy as np
import pytest

import isegoria as iso
from isegoria.solvers.coalition.blocking import CoalitionSearchResult
from isegoria.solvers.coalition.enumeration import MAX_ENUMERATED_TYPES
from isegoria.solvers.coalition.mixed_integer import search_by_milp
from isegoria.solvers.coalition.timed_process import run_with_timeout
from isegoria.utils.tolerances import CORE_CLEAR_GAIN
from oracles.brute_force_core import GAIN_TOLERANCE, largest_gain, random_question

KINDS = ("shares", "utilities")


def values_of(instance, payoff):
    return instance.favourites.astype(float) if payoff == "shares" else instance.means


def assert_blocks(instance, policy, verdict):
    """The returned coalition, deviation and gains satisfy Definition 8 or 9, in the plainest arithmetic."""
    values, members, deviation = values_of(instance, verdict.payoff), verdict.coalition, verdict.deviation
    share = instance.weights[members].sum() / instance.weights.sum()
    gains = share * (values[members] @ deviation) - values[members] @ policy
    assert deviation.min() >= 0
    assert deviation.sum() == pytest.approx(1, abs=1e-15)
    assert verdict.gains == pytest.approx(gains, abs=1e-15)
    assert gains.min() >= -1e-12
    assert gains.max() > 0
    assert verdict.agents == tuple(instance.agents[i] for i in members)


@pytest.mark.parametrize("seed", range(30))
def test_verdicts_agree_with_every_coalition_tried_in_turn(seed):
    means, weights, policy = random_question(np.random.default_rng(seed), most_agents=6)
    instance = iso.Instance(means, weights=weights)
    for payoff in KINDS:
        verdict = iso.core(instance, policy, payoff=payoff)
        assert verdict.stable is (largest_gain(values_of(instance, payoff), weights, policy) <= GAIN_TOLERANCE)
        if not verdict.stable:
            assert_blocks(instance, instance.validate_policy(policy), verdict)


def test_a_nash_optimum_is_stable_by_proof():
    instance = iso.Instance([[1, 0, 0.2], [1, 0.5, 0], [0, 1, 0.3], [0.2, 0.1, 1]], weights=[3, 1, 2, 2])
    for objective, payoff in (("procedural", "shares"), ("nash", "utilities")):
        verdict = iso.core(instance, iso.solve(instance, objective).policy, payoff=payoff)
        assert verdict.stable is True
        assert "Nash product" in verdict.proof
        assert verdict.coalition is verdict.deviation is verdict.gains is None


@pytest.mark.parametrize(("weight", "wasted"), [(10**4, 0.9e-5), (10**6, 0.9e-3), (10**9, 0.4), (10**12, 1e-4)])
def test_a_nash_optimum_that_leaves_a_small_share_something_to_gain_is_not_called_stable(weight, wasted):
    """The grand coalition takes back what is `wasted`, which costs the rest nothing and the Nash product next to it."""
    instance = iso.Instance([[1, 1], [0, 1]], weights=[weight - 1, 1])
    for payoff in KINDS:
        verdict = iso.core(instance, [wasted, 1 - wasted], payoff=payoff)
        assert verdict.stable is False
        assert verdict.gains.max() == pytest.approx(wasted)
        assert_blocks(instance, instance.validate_policy([wasted, 1 - wasted]), verdict)


def test_what_the_nash_condition_proves_only_to_a_bound_is_said_with_it():
    instance = iso.Instance([[1, 1], [0, 1]], weights=[999, 1])
    verdict = iso.core(instance, [2e-7, 1 - 2e-7])
    assert verdict.stable is True
    assert 2e-7 <= verdict.bound <= 1e-6
    assert "no coalition can gain more than 2.0e-07" in verdict.proof


@pytest.mark.parametrize("seed", range(20))
def test_no_coalition_gains_more_than_the_bound_beside_a_nash_verdict(seed):
    """Policies near a Nash optimum, with weights over seven decades; every coalition is tried in turn."""
    rng = np.random.default_rng([26, seed])
    means = rng.integers(0, 4, (4, 3)) / 3
    means[np.arange(4), rng.integers(0, 3, 4)] = 1
    weights = np.ceil(10 ** rng.uniform(0, 7, 4)).astype(int)
    instance = iso.Instance(means, weights=weights)
    policy = iso.solve(instance, "nash").policy
    policy = instance.validate_policy((1 - 1e-8) * policy + 1e-8 * rng.dirichlet(np.ones(3)))
    verdict = iso.core(instance, policy, payoff="utilities")
    worst = largest_gain(values_of(instance, "utilities"), weights, policy)
    if verdict.stable is True:
        assert worst <= (verdict.bound or 1e-9) + 1e-12
    else:
        assert verdict.stable is False
        assert_blocks(instance, policy, verdict)


def test_an_agent_that_values_nothing_joins_for_free_and_voids_the_nash_proof():
    instance = iso.Instance([[1, 0], [0, 1], [0, 0]])
    verdict = iso.core(instance, [0.5, 0.5], payoff="utilities")
    assert verdict.stable is False
    assert 2 in verdict.coalition
    assert_blocks(instance, np.array([0.5, 0.5]), verdict)


def test_a_neglected_coalition_blocks_in_the_procedural_core_but_need_not_in_the_outcome_core():
    instance = iso.Instance([[1, 0.99], [0, 1]])
    assert iso.core(instance, [0, 1], payoff="shares").stable is False
    assert iso.core(instance, [0, 1], payoff="utilities").stable is True


@pytest.mark.filterwarnings("ignore::isegoria.NearTieWarning")
def test_the_outcome_core_does_not_mind_the_scale_of_an_agents_means():
    rng = np.random.default_rng(5)
    for _ in range(8):
        means, weights, policy = random_question(rng, most_agents=6)
        scale = 2.0 ** -rng.integers(0, 30, size=(len(means), 1))
        verdict = iso.core(iso.Instance(means, weights=weights), policy, payoff="utilities")
        scaled = iso.core(iso.Instance(means * scale, weights=weights, tie_tolerance=0), policy, payoff="utilities")
        assert verdict.stable is scaled.stable


def test_splitting_a_weighted_row_changes_neither_verdict_nor_coalition():
    rng = np.random.default_rng(6)
    for _ in range(8):
        means, _, policy = random_question(rng, most_agents=5)
        weights = rng.integers(1, 4, len(means))
        origin = np.repeat(np.arange(len(means)), weights)
        for payoff in KINDS:
            whole = iso.core(iso.Instance(means, weights=weights), policy, payoff=payoff)
            split = iso.core(iso.Instance(means[origin]), policy, payoff=payoff)
            assert whole.stable is split.stable
            if whole.stable is False:
                assert set(origin[split.coalition]) == set(whole.coalition)
                assert len(split.coalition) == weights[whole.coalition].sum()


def hard_instance():
    rng = np.random.default_rng(0)
    return iso.Instance((rng.random((400, 12)) < 0.25) * rng.choice([0.5, 1.0], (400, 12)))


def test_too_little_time_is_said_to_be_undecided():
    instance = hard_instance()
    policy = 0.98 * iso.solve(instance, "nash").policy + 0.02 * iso.solve(instance, "procedural").policy
    verdict = iso.core(instance, policy, payoff="utilities", time_limit=0.05)
    assert verdict.stable is None
    assert verdict.coalition is None
    assert "raise time_limit" in verdict.proof


def test_an_undecided_bound_is_never_the_cap_of_the_search():
    instance = iso.Instance(np.random.default_rng(1).random((30, 6)))
    rows = instance.means / instance.means.max(axis=1, keepdims=True)
    bounds = [
        search_by_milp(rows, np.full(30, 1 / 30), rows @ np.full(6, 1 / 6), monotonic() + seconds).bound
        for seconds in (1e-9, 0.02, 0.1, 0.3)
    ]
    assert all(bound == np.inf or bound < CORE_CLEAR_GAIN / 2 for bound in bounds)


def two_communities(rng, each: int):
    """(means, policy): a Nash policy of two groups with nothing in common, of which one wastes up to 1e-6 on an arm
    that nobody wants; that group gains by leaving, by about as little."""
    means = np.zeros((2 * each, 7))
    means[:each, :3], means[each:, 4:] = rng.random((2, each, 3))
    means /= means.max(axis=1, keepdims=True)
    policy = iso.solve(iso.Instance(means), "nash").policy.copy()
    waste = 10 ** rng.uniform(-8, -6)
    policy[3] = waste * policy[:3].sum()
    policy[:3] *= 1 - waste
    return means, policy


@pytest.mark.parametrize("each", [2, 4, MAX_ENUMERATED_TYPES // 2 + 2])
def test_a_coalition_that_gains_less_than_a_millionth_is_found(each):
    rng = np.random.default_rng(each)
    for _ in range(6):
        means, policy = two_communities(rng, each)
        verdict = iso.core(iso.Instance(means), policy, payoff="utilities")
        assert verdict.stable is False
        assert_blocks(iso.Instance(means), policy, verdict)


def test_more_types_than_can_be_tried_are_proved_stable_to_the_same_tolerance():
    rng = np.random.default_rng(3)
    favourites = ((rng.choice(np.arange(1, 256), 30, replace=False)[:, None] >> np.arange(8)) & 1).astype(float)
    split = favourites * rng.random(favourites.shape)
    verdict = iso.core(iso.Instance(favourites), (split / split.sum(axis=1, keepdims=True)).mean(axis=0))
    assert verdict.stable is True
    assert verdict.bound is None
    assert "1.0e-09" in verdict.proof


def test_a_weaker_bound_is_said_wherever_the_verdict_is(monkeypatch):
    instance = iso.Instance([[1, 0.5], [0.2, 1], [0.7, 1]])
    monkeypatch.setattr(
        "isegoria.analysis.core.search_blocking_coalition", lambda *_: CoalitionSearchResult(None, None, 2.31e-8)
    )
    monkeypatch.setattr("isegoria.analysis.core.find_single_arm_block", lambda *_: None)
    audit = iso.audit(instance, [0.5, 0.5])
    verdict = audit.core["utilities"]
    assert verdict.stable is True
    assert verdict.bound == 2.31e-8
    assert "2.3e-08" in verdict.proof
    assert "no group could do better by more than 0.00000003 of a member's best" in " ".join(audit.sentences)


def test_too_many_types_to_ask_are_said_to_be_undecided_at_once(monkeypatch):
    monkeypatch.setattr("isegoria.solvers.coalition.search.MAX_MILP_TYPES", 100)
    instance = hard_instance()
    policy = 0.98 * iso.solve(instance, "nash").policy + 0.02 * iso.solve(instance, "procedural").policy
    verdict = iso.core(instance, policy, payoff="utilities", time_limit=60)
    assert verdict.stable is None
    assert "too many" in verdict.proof


def test_a_process_that_does_not_answer_in_time_is_ended():
    begun = monotonic()
    assert run_with_timeout(sleep, (60,), 0.5) is None
    assert monotonic() - begun < 10
    assert run_with_timeout(max, (3, 4), 60) == 4


@pytest.mark.parametrize("limit", [0, -1, float("nan"), "soon", None, True])
def test_a_time_limit_must_be_a_positive_number(limit):
    with pytest.raises(iso.InputError, match="time_limit is"):
        iso.core(iso.Instance([[1, 0], [0, 1]]), [0.5, 0.5], time_limit=limit)


@pytest.mark.parametrize("payoff", KINDS)
@pytest.mark.parametrize("means", [[0.9, 0.5, 0.9], [0.0, 0.0, 0.0], [1e-9, 0.5, 0.2], [0.3]])
def test_a_single_agent_blocks_exactly_what_is_not_its_best(means, payoff):
    instance = iso.Instance([means])
    values = values_of(instance, payoff)[0]
    for policy in [*np.eye(len(means)), np.full(len(means), 1 / len(means))]:
        verdict = iso.core(instance, policy, payoff)
        assert verdict.stable is bool(values @ policy >= values.max() - 1e-12)
        if not verdict.stable:
            assert_blocks(instance, policy, verdict)


def test_questions_that_cannot_be_asked_are_refused_in_one_sentence():
    pair = iso.Instance([[1, 0], [0, 1]])
    with pytest.raises(iso.UnknownNameError, match="did you mean 'utilities'"):
        iso.core(pair, [0.5, 0.5], payoff="utility")


def test_a_policy_for_other_arms_is_refused():
    with pytest.raises(iso.InputError, match="policy"):
        iso.core(iso.Instance([[1, 0], [0, 1]]), [0.2, 0.3, 0.5])


def test_a_verdict_is_frozen_and_has_no_truth_value_of_its_own():
    verdict = iso.core(iso.Instance([[1, 0], [0, 1]]), [1, 0])
    with pytest.raises(ValueError, match="read-only"):
        verdict.deviation[0] = 1
    with pytest.raises(TypeError, match=r"\.stable"):
        bool(verdict)


def test_two_agents_of_one_row_are_a_group():
    assert iso.core(iso.Instance([[1, 0]], weights=[2]), [1, 0]).stable is True
