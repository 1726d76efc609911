"""The guided learner: what it believes, what it explores, what it promises and to whom."""

import numpy as np
import pytest

from isegoria import InputError
from isegoria.learning.learners.guided import GuidedLearner
from isegoria.learning.registry import learner_from_json

MEANS = np.array([[0.9, 0.6, 0.1], [0.1, 0.8, 0.5], [0.7, 0.7, 0.2]])
FAVOURITES = MEANS.max(axis=1, keepdims=True) <= MEANS


def play(learner, means=MEANS, rounds=1000, seed=0, each=lambda learner, ticket: None, sd=0.1):
    """Run the learner on Beta rewards, calling `each` after every ask."""
    rng = np.random.default_rng(seed)
    nu = means * (1 - means) / sd**2 - 1
    for _ in range(rounds):
        ticket = learner.ask()
        each(learner, ticket)
        m, v = means[:, ticket.arm], nu[:, ticket.arm]
        learner.tell(ticket, rng.beta(m * v, (1 - m) * v))
    return learner


def test_the_sets_are_found_and_ties_kept():
    learner = play(GuidedLearner(3, 3, seed=1), rounds=3000)
    assert learner.sets.tolist() == FAVOURITES.tolist()
    np.testing.assert_allclose(learner.policy, [0.5, 0.5, 0.0])


def test_candidates_are_the_arms_whose_upper_bound_reaches_the_largest_lower_bound():
    def check(learner, ticket):
        if not ticket.forced:
            rule = learner.upper >= learner.lower.max(axis=1, keepdims=True)
            assert learner.sets.tolist() == rule.tolist()

    play(GuidedLearner(3, 3, seed=1), rounds=600, each=check)


def test_sets_only_shrink_and_never_become_empty_even_where_the_model_fails():
    learner, rng = GuidedLearner(3, 3, error=0.01, seed=1), np.random.default_rng(3)
    before, noted = np.ones((3, 3), dtype=bool), 0
    for t in range(4000):
        ticket = learner.ask()
        noted += len(ticket.notes)
        if not ticket.forced:
            assert not (learner.sets & ~before).any()
            assert learner.sets.any(axis=1).all()
            before = learner.sets
        turned = MEANS if (t // 500) % 2 == 0 else 1 - MEANS
        learner.tell(ticket, np.clip(turned[:, ticket.arm] + rng.uniform(-0.05, 0.05, 3), 0, 1))
    assert noted > 0


def test_an_empty_interval_restarts_the_pair_and_the_next_ticket_says_so():
    learner = GuidedLearner(1, 2, agents=["Ada"], arms=["tea", "coffee"], error=0.05, seed=1)
    notes = []
    for t in range(800):
        ticket = learner.ask(available=["tea"])
        notes += ticket.notes
        learner.tell(ticket, [0.1 if t < 400 else 0.9])
    assert len(notes) == 1
    assert "'Ada'" in notes[0]
    assert "'tea'" in notes[0]
    assert learner.lower[0, 0] > 0.8


def test_an_unresolved_set_pulls_its_least_pulled_candidate():
    def check(learner, ticket):
        if ticket.forced:
            return
        best = learner.lower.max(axis=1, keepdims=True)
        several = learner.sets.sum(axis=1) > 1
        unresolved = several & (np.where(learner.sets, learner.upper, -1).max(axis=1) - best[:, 0] > 0.05)
        pulls = learner.pulls - np.eye(3, dtype=int)[ticket.arm]
        if unresolved.any():
            doubtful = learner.sets[unresolved].any(axis=0)
            expected = int(np.where(doubtful, pulls, pulls.max() + 1).argmin())
            assert ticket.exploring
            assert ticket.arm == expected
            assert ticket.propensities == tuple(np.eye(3)[expected])
        elif several.any():
            rate = ticket.round ** (0.7 - 1.0)
            doubtful = learner.sets[several].any(axis=0)
            expected = int(np.where(doubtful, pulls, pulls.max() + 1).argmin())
            mixed = (1 - rate) * np.array(ticket.policy)
            mixed[expected] += rate
            np.testing.assert_allclose(ticket.propensities, mixed, rtol=0, atol=1e-12)
            assert not ticket.exploring or ticket.arm == expected
        else:
            assert ticket.propensities == ticket.policy
            assert not ticket.exploring
        states.add((bool(unresolved.any()), bool(several.any())))

    states = set()
    play(GuidedLearner(3, 3, seed=1), rounds=2500, each=check)
    assert states == {(True, True), (False, True)}
    without_ties = MEANS - [[0, 0, 0], [0, 0, 0], [0, 0.3, 0]]
    play(GuidedLearner(3, 3, seed=1), means=without_ties, rounds=2500, each=check)
    assert (False, False) in states


def test_the_surest_candidate_of_a_resolved_agent_is_within_the_resolution_of_its_best():
    near = np.array([[0.50, 0.48, 0.1], [0.1, 0.5, 0.49]])
    learner = play(GuidedLearner(2, 3, resolution=0.1, seed=1), means=near, rounds=4000)
    assert learner.sets.sum(axis=1).tolist() == [2, 2]
    assert (np.where(learner.sets, learner.upper, 0).max(axis=1) - learner.lower.max(axis=1) <= 0.1).all()
    surest = near[np.arange(2), learner.lower.argmax(axis=1)]
    assert (near.max(axis=1) - surest <= 0.1).all()


def test_the_rate_while_in_doubt_is_the_users():
    learner = GuidedLearner(3, 3, rate=0.25, seed=1)
    for _ in range(3):
        learner.tell(learner.ask(), [0.5, 0.5, 0.5])
    ticket = learner.ask()
    np.testing.assert_allclose(ticket.propensities, 0.75 / 3 + 0.25 * np.eye(3)[0])


def test_the_error_is_split_evenly_over_a_fixed_group():
    learner = GuidedLearner(3, 4, error=0.06)
    np.testing.assert_allclose(learner.pair_errors, 0.06 / 12)
    assert GuidedLearner(50, 4).error == pytest.approx(3 / 200**3)
    assert GuidedLearner(2, 2).error == 0.01


def test_those_who_join_have_error_set_aside_for_them():
    learner = GuidedLearner(2, 2, error=0.06, may_join=True)
    learner.join("late")
    learner.add_arm("new")
    learner = learner_from_json(learner.to_json())
    learner.join("last")
    shares = np.sort(learner.pair_errors.ravel())[::-1]
    first, later = np.full(4, 0.03 / 4), [0.03 / (j * (j + 1)) for j in range(1, 9)]
    np.testing.assert_allclose(shares, np.sort([*first, *later])[::-1])
    assert shares.sum() <= 0.06


def test_a_fixed_group_stays_fixed_but_one_who_left_may_return():
    learner = GuidedLearner(2, 2, agents=["a", "b"])
    learner.leave("b")
    learner.join("b")
    with pytest.raises(InputError, match="may_join=True"):
        learner.join("c")
    with pytest.raises(InputError, match="may_join=True"):
        learner.add_arm("new")
    assert learner.agents == ("a", "b")


def test_where_some_arms_are_missing_the_rule_runs_over_the_others():
    learner = play(GuidedLearner(3, 3, seed=1), rounds=3000)
    learner.ask(available=[1, 2])
    assert learner.sets.tolist() == [[False, True, False]] * 3
    learner.ask()
    assert learner.sets.tolist() == FAVOURITES.tolist()


@pytest.mark.parametrize(
    "wrong",
    [{"error": 0}, {"error": 1.5}, {"resolution": -0.1}, {"gamma": 1}, {"rate": 0}, {"discount": 0}, {"rate": "a"}],
)
def test_settings_outside_their_range_are_refused(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        GuidedLearner(2, 2, **wrong)


def test_what_fades_is_noticed_when_tastes_change():
    turned = MEANS[:, [2, 1, 0]]
    fading = play(GuidedLearner(3, 3, discount=0.999, error=0.05, seed=1), rounds=3000)
    held = play(GuidedLearner(3, 3, seed=1), rounds=3000)
    assert fading.sets[:2].tolist() == FAVOURITES[:2].tolist()
    for learner in (fading, held):
        play(learner, means=turned, rounds=3000, seed=1)
    assert fading.sets[:2].tolist() == FAVOURITES[:2, [2, 1, 0]].tolist()
    assert held.sets[:2].tolist() != FAVOURITES[:2, [2, 1, 0]].tolist()
