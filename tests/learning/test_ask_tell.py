"""The protocol that every learner inherits: tickets, refusals that change nothing, who takes part, saved state."""

import json

import numpy as np
import pytest

import isegoria as iso
from isegoria.errors import InputError, StateError, TicketError, UnknownNameError
from isegoria.learning.base.learner import Learner
from isegoria.learning.base.ticket import Ticket


class ToyLearner(Learner):
    """Plays arms in proportion to one plus their pulls, and explores a third of the time."""

    id = "toy"

    def compute_policy(self, state, arms):
        policy = np.zeros(len(self._arms))
        policy[list(arms)] = 1.0 + self.pulls[list(arms)]
        return policy / policy.sum()

    def plan_exploration(self, state, arms):
        return 1 / 3, arms


NAMES = ["Ann", "Bob", "Cem"]
ARMS = ["tea", "coffee"]


@pytest.fixture
def toy():
    return ToyLearner(3, 2, seed=4, agents=NAMES, arms=ARMS)


def play(learner, rounds, seed=0, **ask):
    """The arms of some rounds of full feedback."""
    rng = np.random.default_rng(seed)
    arms = []
    for _ in range(rounds):
        ticket = learner.ask(**ask)
        arms.append(ticket.arm)
        learner.tell(ticket, rng.random(len(learner.agents)))
    return arms


def test_every_arm_is_forced_first_and_propensities_are_the_marginal(toy):
    first, second = toy.ask(), toy.ask()
    assert (first.round, first.arm, first.arm_name, first.forced, first.exploring) == (1, 0, "tea", True, False)
    assert (second.arm, second.propensities, second.policy) == (1, (0.0, 1.0), (0.5, 0.5))
    third = toy.ask()
    assert not third.forced
    assert third.propensities == pytest.approx([1 / 6 + 2 / 3 * p for p in third.policy])


def test_restored_learner_accepts_ticket_dict(toy):
    stored = json.dumps(toy.ask().to_dict())
    twin = ToyLearner._from_state(toy._state())
    twin.tell(json.loads(stored), {"Bob": 0.25})
    assert twin.sums[1, 0] == 0.25
    assert twin.counts.tolist() == [[0, 0], [1, 0], [0, 0]]


def test_rewards_may_be_late_out_of_order_and_missing(toy):
    one, two, three = toy.ask(), toy.ask(), toy.ask()
    toy.tell(three, [0.1, np.nan, 0.3])
    toy.tell(one, {"Cem": 1, "Ann": None})
    toy.tell(two, [np.nan] * 3)
    assert toy.pending == ()
    assert toy.counts.sum() == 3
    assert toy.pulls.sum() == 3


@pytest.mark.parametrize(
    ("rewards", "error"),
    [
        ([0.1, 0.2, 1.2], InputError),
        ([0.1, -1e-9, 0.2], InputError),
        ([0.1, float("inf"), 0.2], InputError),
        ([0.1, 0.2], InputError),
        ([[0.1, 0.2, 0.3]], InputError),
        (0.5, InputError),
        (["a", "b", "c"], InputError),
        ({"Ann": 0.5, "Bb": 0.5}, UnknownNameError),
        ({"Ann": 0.5, "Bob": 7}, InputError),
        ({"Ann": "much"}, InputError),
        ({True: 0.5}, InputError),
    ],
)
def test_a_refused_tell_changes_nothing(toy, rewards, error):
    ticket = toy.ask()
    before = toy.to_json()
    with pytest.raises(error):
        toy.tell(ticket, rewards)
    assert toy.to_json() == before
    toy.tell(ticket, [0.1, 0.2, 0.3])


def test_only_open_tickets_of_this_learner_are_taken(toy):
    ticket = toy.ask()
    other = ToyLearner(3, 2, seed=5, agents=NAMES, arms=ARMS).ask()
    forged = [other, {**ticket.to_dict(), "round": 9}, {**ticket.to_dict(), "arm": 1}, {"round": 1}]
    toy.tell(ticket, [0.1, 0.2, 0.3])
    before = toy.to_json()
    for wrong in [ticket, *forged]:
        with pytest.raises(TicketError):
            toy.tell(wrong, [0.1, 0.2, 0.3])
    assert toy.to_json() == before


def test_the_error_names_the_agent_the_arm_and_the_way_out(toy):
    with pytest.raises(InputError, match=r"agent 'Bob' for arm 'tea' is 1\.4.*\[0, 1\].*Rescale"):
        toy.tell(toy.ask(), {"Bob": 1.4})


def test_masks_restrict_policy_exploration_and_forced_pulls():
    learner = ToyLearner(2, 3, seed=1, arms=["a", "b", "c"])
    assert [learner.ask(available=["c", "b"]).arm for _ in range(2)] == [1, 2]
    tickets = [learner.ask(available=[1, 2]) for _ in range(50)]
    assert {ticket.arm for ticket in tickets} == {1, 2}
    assert all(ticket.propensities[0] == 0 and sum(ticket.propensities) == pytest.approx(1) for ticket in tickets)
    assert learner.ask().arm == 0
    with pytest.raises(UnknownNameError, match="Known: a, b, c"):
        learner.ask(available=["d"])
    for wrong in ([], [3], [False] * 3):
        with pytest.raises(InputError):
            learner.ask(available=wrong)
    assert learner.ask(available=[True, False, False]).arm == 0


def test_agents_join_and_leave_and_arms_are_added(toy):
    play(toy, 4)
    late = toy.ask()
    assert toy.join("Dee") == 3
    toy.leave("Ann")
    assert toy.agents == ("Bob", "Cem", "Dee")
    assert toy.add_arm("water") == 2
    now = toy.ask()
    assert (now.arm_name, now.forced) == ("water", True)
    toy.tell(now, {"Dee": 1.0})
    with pytest.raises(InputError, match="'Ann' was not present"):
        toy.tell(toy.ask(), {"Ann": 1.0})
    with pytest.raises(InputError, match="'Dee' was not present"):
        toy.tell(late, {"Dee": 1.0})
    toy.tell(late, [0.5, 0.5, 0.5])
    assert toy.counts.shape == (4, 3)
    assert toy.counts[3].tolist() == [0, 0, 1]
    assert toy.counts[0].sum() == 5
    with pytest.raises(InputError, match="left already"):
        toy.leave("Ann")
    assert toy.join("Ann") == 0
    with pytest.raises(InputError, match="there already"):
        toy.join("Ann")
    with pytest.raises(InputError, match="there already"):
        toy.add_arm("tea")


def test_the_last_agent_cannot_leave():
    learner = ToyLearner(1, 2)
    with pytest.raises(InputError, match="last one"):
        learner.leave(0)


@pytest.mark.parametrize("cut", [0, 1, 2, 3, 17])
def test_state_resumes_exactly_at_any_round(cut):
    whole, half = (ToyLearner(3, 2, seed=11) for _ in range(2))
    expected = play(whole, 40)
    rng = np.random.default_rng(0)
    arms = []
    for round_ in range(40):
        ticket = half.ask()
        if round_ == cut:
            half = ToyLearner.from_json(half.to_json())
        arms.append(ticket.arm)
        half.tell(ticket, rng.random(3))
    assert arms == expected
    assert half.to_json() == whole.to_json()


def test_copy_continues_independently(toy):
    play(toy, 5)
    twin = toy.copy()
    assert play(twin, 20, seed=3) == play(toy, 20, seed=3)
    twin.ask()
    assert twin.rounds == toy.rounds + 1


def test_seed_fixes_run():
    assert play(ToyLearner(3, 4, seed=1), 60) == play(ToyLearner(3, 4, seed=1), 60)
    assert play(ToyLearner(3, 4, seed=1), 60) != play(ToyLearner(3, 4, seed=2), 60)
    assert ToyLearner(3, 4).run != ToyLearner(3, 4).run


@pytest.mark.parametrize("wrong", [-1, 1.5, "seven", True])
def test_a_seed_that_is_not_a_whole_number_is_refused(wrong):
    with pytest.raises(InputError, match="seed"):
        ToyLearner(2, 2, seed=wrong)


@pytest.mark.parametrize(
    "wrong",
    [{"n_agents": 0}, {"n_arms": 0}, {"n_agents": 2.0}, {"agents": ["a"]}, {"arms": ["a", "a"]}, {"arms": ["a", ""]}],
)
def test_shapes_and_names_are_checked(wrong):
    with pytest.raises(InputError):
        ToyLearner(**{"n_agents": 2, "n_arms": 2, **wrong})


def test_means_are_running_sum_over_count(toy):
    rewards = [0.1, 0.7, 0.3, 1 / 3]
    for reward in rewards:
        toy.tell(toy.ask(available=["tea"]), {"Ann": reward})
    assert toy._tally.means[0, 0] == (((0.1 + 0.7) + 0.3) + 1 / 3) / 4
    assert toy._tally.means[0, 1] == -1


def test_ticket_entries_are_checked():
    with pytest.raises(TicketError, match="exactly the entries"):
        Ticket.from_dict({"round": 1})
    with pytest.raises(StateError, match="fit together"):
        ToyLearner._from_state({"agents": ["a"], "arms": ["b"]})


class BaseFirstLearner(Learner):
    """Calls `super().__init__` before it has anything of its own, as everyone does."""

    id = "first"
    settings = ("depth",)

    def __init__(self, n_agents, n_arms, depth=2, seed=None, agents=None, arms=None):
        super().__init__(n_agents, n_arms, seed=seed, agents=agents, arms=arms)
        self.depth = depth

    def on_roster_change(self):
        self.room = np.zeros((len(self.agents), self.depth))

    def compute_policy(self, state, arms):
        policy = np.zeros(len(self.arms))
        policy[list(arms)] = self.random_stream("own").dirichlet(np.ones(len(arms)))
        return policy


def test_a_subclass_may_call_its_base_first():
    learner = BaseFirstLearner(2, 3, depth=5, seed=1)
    assert learner.room.shape == (2, 5)
    learner.join("more")
    assert learner.room.shape == (3, 5)
    assert BaseFirstLearner.from_json(learner.to_json()).depth == 5


def test_proposing_leaves_every_stream_where_it_was():
    learner = BaseFirstLearner(2, 3, seed=1)
    for arm in range(3):
        learner.accept(learner.propose(), arm)
    first = learner.propose()
    assert learner.propose([0, 1]).policy[2] == 0
    assert learner.propose() == first
    assert learner.accept(first, 1).policy == first.policy
    assert learner.propose() != first


def test_second_answer_needs_replace(toy):
    ticket = toy.ask()
    toy.tell(ticket, {"Ann": 0.2}, close=False)
    before = toy.to_json()
    with pytest.raises(TicketError, match=r"agent 'Ann' answered the ticket of round 1 before; pass replace=True"):
        toy.tell(ticket, {"Bob": 0.1, "Ann": 0.3}, close=False)
    assert toy.to_json() == before
    assert not toy.counts.any()
    toy.tell(ticket, {"Ann": 0.4}, close=False, replace=True)
    toy.tell(ticket, {"Bob": 0.5})
    assert toy.sums[:, 0].tolist() == [0.4, 0.5, 0.0]
    assert toy.pending == ()
    with pytest.raises(TicketError, match="closed already"):
        toy.close(ticket)
    toy.tell(ticket, {"Cem": 0.6})
    with pytest.raises(TicketError, match="no more answers"):
        toy.tell(ticket, {"Cem": 0.6})


def test_late_tickets_are_limited(toy, monkeypatch):
    monkeypatch.setattr("isegoria.learning.base.feedback_buffer.MAX_LATE_TICKETS", 3)
    tickets = [toy.ask() for _ in range(5)]
    for ticket in tickets:
        toy.close(ticket)
    with pytest.raises(TicketError, match="no more answers"):
        toy.tell(tickets[1], {"Ann": 0.5})
    toy.tell(tickets[2], {"Ann": 0.5})
    toy.forget_late()
    with pytest.raises(TicketError, match="no more answers"):
        toy.tell(tickets[2], {"Bob": 0.5})


def test_a_block_of_arms_is_settled_at_once(toy):
    play(toy, 2)
    tickets = toy.accept(toy.propose(), ["tea", 1, 0], [False, True, False])
    assert [(ticket.round, ticket.arm, ticket.exploring) for ticket in tickets] == [
        (3, 0, False),
        (4, 1, True),
        (5, 0, False),
    ]
    assert {ticket.policy for ticket in tickets} == {tickets[0].policy}


def test_a_proposal_that_does_not_fit_is_refused(toy):
    proposal = toy.propose()
    other = ToyLearner(3, 2, seed=5, agents=NAMES, arms=ARMS).propose()
    with pytest.raises(TicketError, match="another learner"):
        toy.accept(other, 0)
    with pytest.raises(TicketError, match="exactly the entries"):
        toy.accept({"round": 1}, 0)
    with pytest.raises(InputError, match="not available"):
        toy.accept(toy.propose(["tea"]), "coffee")
    with pytest.raises(InputError, match="propensities"):
        toy.accept(proposal, 0, propensities=[0.5, 0.6])
    with pytest.raises(InputError, match="one for each"):
        toy.accept(proposal, [0, 1], [True])
    toy.accept(proposal, 0)
    with pytest.raises(TicketError, match="propose again"):
        toy.accept(proposal, 0)
    proposal = toy.propose()
    toy.leave("Ann")
    with pytest.raises(TicketError, match="propose again"):
        toy.accept(proposal, 0)


def test_generator_as_seed_gives_independent_learners():
    rng, twin = np.random.default_rng(4), np.random.default_rng(4)
    one, two = iso.UniformLearner(2, 3, seed=rng), iso.UniformLearner(2, 3, seed=rng)
    same = iso.UniformLearner(2, 3, seed=twin)
    arms = [[learner.ask().arm for _ in range(40)] for learner in (one, two, same)]
    assert arms[0] == arms[2] != arms[1]
    world = iso.BernoulliRewards([[0.5, 0.2], [0.1, 0.7]])
    traces = [iso.simulate(iso.UniformLearner(2, 2, seed=1), world, 50, seed=np.random.default_rng(9)) for _ in "ab"]
    assert traces[0].rewards.tolist() == traces[1].rewards.tolist()
