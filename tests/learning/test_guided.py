"""The guided learner: what it believes, what it explores, what it promises and to whom."""

import json

import numpy as np
import pytest
from stored_traces import FOLDER, ROUNDS, live

from isegoria import GuidedLearner, InputError, Ticket, learner_from_json
from oracles.betting import Bettor

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


def toss(learner, means, rounds, seed=0):
    """Run the learner on rewards of 0 and 1."""
    rng = np.random.default_rng(seed)
    for _ in range(rounds):
        ticket = learner.ask()
        learner.tell(ticket, (rng.random(len(means)) < means[:, ticket.arm]).astype(float))
    return learner


def test_the_sets_are_found_and_ties_kept():
    learner = play(GuidedLearner(3, 3, seed=1), rounds=3000)
    assert learner.sets.tolist() == FAVOURITES.tolist()
    np.testing.assert_allclose(learner.policy, [0.5, 0.5, 0.0])


@pytest.mark.parametrize("seed", range(6))
def test_it_plays_by_its_rule_also_with_masks_late_answers_and_absent_agents(seed):
    """Round for round against a plain version of the rule: sets, arms in doubt, capitals, bounds, who is resolved."""
    rng = np.random.default_rng(seed)
    learner, oracle = GuidedLearner(3, 3, error=0.3, resolution=0.4, seed=seed), Bettor(3, 3, 0.3, 0.4)
    open_tickets, sweeps = [], 0
    for t in range(500):
        if t == 200:
            learner.leave("Agent 3")
        if t == 300:
            learner.join("Agent 3")
        present = [0, 1] if 200 <= t < 300 else [0, 1, 2]
        mask = [k for k in range(3) if rng.random() < 0.7] if rng.random() < 0.3 else [0, 1, 2]
        mask = mask or [1]
        proposal = learner.propose(mask)
        if not proposal.forced:
            expected = oracle.doubtful(present, set(mask))
            assert (set(proposal.doubtful) if proposal.rate else set()) == expected
            if all(oracle.sets[i] <= set(mask) for i in present):
                assert [set(np.flatnonzero(row)) for row in proposal.sets] == [oracle.sets[i] for i in present]
        ticket = learner.settle(proposal, int(rng.choice(mask)))
        oracle.settle(ticket.round, ticket.arm, present, set(mask))
        open_tickets.append((ticket, present))
        sweeps += oracle.sweep is not None
        while open_tickets and (len(open_tickets) > 3 or rng.random() < 0.7):
            ticket, asked = open_tickets.pop(int(rng.integers(len(open_tickets))))
            answers = {i: float(rng.random() < MEANS[i, ticket.arm]) for i in asked if rng.random() < 0.9}
            in_time = {i: x for i, x in answers.items() if rng.random() < 0.9}
            learner.tell(ticket, in_time)
            oracle.close(ticket.round, ticket.arm, in_time)
            late = {i: x for i, x in answers.items() if i not in in_time}
            learner.tell(ticket, late) if late else None
            oracle.late(ticket.arm, late)
        if t % 50 == 0:
            learner = learner_from_json(learner.to_json())
    capital = np.array([[oracle.capital[i, k] for k in range(3)] for i in range(3)])
    np.testing.assert_allclose(learner.capital, capital, rtol=1e-9)
    bounds = np.array([[oracle.bounds(i, k) for k in range(3)] for i in range(3)])
    np.testing.assert_allclose(np.stack([learner.lower, learner.upper], axis=2), bounds, atol=1e-9)
    assert learner.resolved.tolist() == [r or len(s) == 1 for r, s in zip(oracle.resolved, oracle.sets, strict=True)]
    assert capital.max() > 10
    assert sweeps > 100


def test_sets_only_shrink_and_never_become_empty_even_where_the_model_fails():
    learner, rng = GuidedLearner(3, 3, error=0.01, seed=1), np.random.default_rng(3)
    before = np.ones((3, 3), dtype=bool)
    for t in range(4000):
        ticket = learner.ask()
        if not ticket.forced:
            assert not (learner.sets & ~before).any()
            assert learner.sets.any(axis=1).all()
            before = learner.sets
        turned = MEANS if (t // 500) % 2 == 0 else 1 - MEANS
        learner.tell(ticket, np.clip(turned[:, ticket.arm] + rng.uniform(-0.05, 0.05, 3), 0, 1))


# -- the promise, clause by clause -----------------------------------------------------------------------------------


def promised(learner, means, resolution):
    """Every true favourite is there, and each candidate of a resolved agent is within the resolution of its best."""
    best = means.max(axis=1, keepdims=True)
    assert learner.sets[means == best].all()
    assert ((best - means <= resolution) | ~learner.sets)[learner.resolved].all()


def test_one_candidate_is_the_favourite():
    means = np.array([[0.9, 0.1], [0.2, 0.8]])
    for seed in range(20):
        learner = toss(GuidedLearner(2, 2, seed=seed), means, 400, seed)
        assert learner.resolved.all()
        assert learner.sets.tolist() == [[True, False], [False, True]]
        promised(learner, means, 0.05)


def test_several_candidates_are_close_to_the_best():
    means = np.array([[0.50, 0.48, 0.1], [0.1, 0.5, 0.49]])
    learner = play(GuidedLearner(2, 3, resolution=0.1, seed=1), means=means, rounds=4000)
    assert learner.sets.sum(axis=1).tolist() == [2, 2]
    assert learner.resolved.all()
    promised(learner, means, 0.1)


def test_candidates_that_scatter_differently_are_close_too():
    """The steady arm's bounds are narrow at once; the other one is resolved only when it is known as well."""
    means = np.array([[0.9, 0.75]])
    for seed in range(20):
        learner, rng = GuidedLearner(1, 2, seed=seed), np.random.default_rng(seed)
        for t in range(1500):
            ticket = learner.ask()
            learner.tell(ticket, [0.9 if ticket.arm == 0 else float(rng.random() < 0.75)])
            if t % 100 == 0 and t:
                promised(learner, means, 0.05)
        assert learner.resolved.all()


def test_an_absent_agent_keeps_the_group_exploring_until_it_leaves():
    learner = GuidedLearner(3, 3, seed=1, agents=["a", "b", "absent"])
    rng = np.random.default_rng(0)
    for _ in range(1500):
        ticket = learner.ask()
        learner.tell(ticket, {n: float(rng.random() < MEANS[i, ticket.arm]) for i, n in enumerate("ab")})
    assert learner.sets[:2].tolist() == FAVOURITES[:2].tolist()
    assert learner.sets[2].all()
    assert learner.resolved.tolist() == [True, True, False]
    assert learner.propose().rate == 1
    learner.leave("absent")
    assert learner.propose().rate == 0


def test_a_masked_leader_never_costs_another_favourite_its_place():
    """Where candidates are missing, an arm that was dropped for their sake may be the best of those that are left."""
    learner = play(GuidedLearner(3, 3, seed=1), rounds=3000)
    learner.ask(available=[1, 2])
    assert learner.sets[:, 1].all()
    assert not learner.sets[:, 0].any()
    learner.ask(available=[0, 2])
    assert learner.sets[:, 1].sum() == 0
    assert learner.sets[[0, 2], 0].all()
    assert learner.sets[1, 2]
    learner.ask()
    assert learner.sets.tolist() == FAVOURITES.tolist()


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


def test_a_new_arm_is_everyones_candidate_and_capitals_stay():
    learner = play(GuidedLearner(3, 3, seed=1, may_join=True), rounds=600)
    before, known = learner.capital, learner.sets
    learner.add_arm("new")
    learner.join("late")
    assert learner.capital[:3, :3].tolist() == before.tolist()
    assert learner.ask().forced
    learner.ask()
    assert learner.sets[:3, :3].tolist() == known.tolist()
    assert learner.sets[:, 3].all()
    assert learner.sets[3].all()
    assert not learner.resolved.any()


def test_a_fixed_group_stays_fixed_but_one_who_left_may_return():
    learner = GuidedLearner(2, 2, agents=["a", "b"])
    learner.leave("b")
    learner.join("b")
    with pytest.raises(InputError, match="may_join=True"):
        learner.join("c")
    with pytest.raises(InputError, match="may_join=True"):
        learner.add_arm("new")
    assert learner.agents == ("a", "b")


# -- rates, settings, states -----------------------------------------------------------------------------------------


def test_the_rate_while_in_doubt_is_the_users():
    learner = GuidedLearner(3, 3, rate=0.25, seed=1)
    for _ in range(3):
        learner.tell(learner.ask(), [0.5, 0.5, 0.5])
    proposal = learner.propose()
    assert (proposal.rate, proposal.doubtful) == (0.25, (0, 1, 2))
    np.testing.assert_allclose(proposal.propensities, np.full(3, 1 / 3))
    learner.settle(proposal, 1, exploring=True)
    assert learner.propose().doubtful == (0, 2)


def test_while_the_last_tickets_of_a_sweep_are_open_nothing_is_explored():
    learner = GuidedLearner(2, 2, seed=1)
    tickets = [learner.ask() for _ in range(4)]
    assert sorted(ticket.arm for ticket in tickets[2:]) == [0, 1]
    assert learner.propose().rate == 0
    for ticket in tickets:
        learner.close(ticket)
    assert learner.propose().rate == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"error": 0}, {"error": 1.5}, {"resolution": -0.1}, {"gamma": 1}, {"rate": 0}, {"discount": 0}, {"rate": "a"},
        {"floor": 1.5},
    ],
)  # fmt: skip
def test_settings_outside_their_range_are_refused(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        GuidedLearner(2, 2, **wrong)


def test_what_fades_is_noticed_when_tastes_change():
    turned = MEANS[:, [2, 1, 0]]
    fading = play(GuidedLearner(3, 3, discount=0.999, error=0.05, seed=1), rounds=3000)
    held = play(GuidedLearner(3, 3, seed=1), rounds=3000)
    assert fading.sets[:2][FAVOURITES[:2]].all()
    for learner in (fading, held):
        play(learner, means=turned, rounds=3000, seed=1)
    assert fading.sets[:2][FAVOURITES[:2, [2, 1, 0]]].all()
    assert fading.policy[0] < 0.5
    assert held.sets[:2].tolist() == FAVOURITES[:2].tolist()


def test_a_state_of_version_1_goes_on_and_says_what_changed():
    kept = json.loads((FOLDER / "guided.json").read_text())
    before = json.loads(kept["state"])
    learner = learner_from_json(kept["state"])
    assert learner.counts.tolist() == before["counts"]
    assert learner.sums.tolist() == before["sums"]
    assert (learner.capital == 1).all()
    assert learner._kept().tolist() == np.array(before["extra"]["kept"], dtype=bool).tolist()
    tickets = live(learner, [Ticket.from_dict(entry) for entry in kept["tickets"]], ROUNDS)
    notes = [note for ticket in tickets for note in ticket.notes]
    assert len(notes) == 1
    assert "earlier version" in notes[0]
    assert learner_from_json(learner.to_json()).to_json() == learner.to_json()


def test_the_state_of_a_large_group_is_small():
    """Between sweeps four numbers a pair are kept, of which two are packed."""
    learner = GuidedLearner(200, 20, seed=1)
    rng = np.random.default_rng(0)
    for _ in range(40):
        learner.tell(learner.ask(), rng.random(200))
    assert json.loads(learner.to_json())["extra"]["sweep"] is None
    assert len(learner.to_json()) < 60 * 200 * 20
