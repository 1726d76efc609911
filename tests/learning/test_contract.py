"""What holds for every learner in the table, the day it is born."""

import math

import numpy as np
import pytest

from isegoria import LEARNERS, InputError, TicketError, learner_from_json

N, K, ROUNDS = 7, 3, 60
RNG = np.random.default_rng(11)
MEANS = np.array([RNG.permutation([0.85, 0.5, 0.15]) for _ in range(N)])
TABLE = np.clip(MEANS.T + RNG.normal(0, 0.15, (ROUNDS, K, N)), 0, 1)  # the rewards of pull t, arm k, agent i

every_learner = pytest.mark.parametrize("kind", LEARNERS.values(), ids=LEARNERS)


def play(learner, rounds=ROUNDS, table=TABLE, **ask):
    """The tickets of some rounds; the n-th pull of an arm always brings the same rewards."""
    tickets = []
    for _ in range(rounds):
        ticket = learner.ask(**ask)
        learner.tell(ticket, table[learner.pulls[ticket.arm] - 1, ticket.arm])
        tickets.append(ticket)
    return tickets


@every_learner
def test_the_table_says_what_it_is(kind):
    assert LEARNERS[kind.id] is kind
    assert kind.label
    assert kind.summary
    assert kind.citation
    assert kind.__doc__
    assert ">>>" in kind.__doc__


@every_learner
@pytest.mark.parametrize("size", [(0, 2), (2, 0), (2.5, 2), (2, "a")])
def test_a_group_without_agents_or_arms_is_refused(kind, size):
    with pytest.raises(InputError, match="number of"):
        kind(*size)


@every_learner
def test_a_seed_gives_one_trajectory(kind):
    assert play(kind(N, K, seed=5)) == play(kind(N, K, seed=5))


@every_learner
@pytest.mark.parametrize("waiting", [0, 2])
def test_a_saved_learner_continues_bit_for_bit(kind, waiting):
    learner = kind(N, K, seed=5)
    play(learner, 17)
    open_tickets = [learner.ask() for _ in range(waiting)]
    twin = learner_from_json(learner.to_json())
    for ticket in open_tickets:
        learner.tell(ticket, TABLE[0, ticket.arm])
        twin.tell(ticket.to_dict(), TABLE[0, ticket.arm])
    assert twin.to_json() == learner.to_json()
    assert play(twin, 20) == play(learner, 20)
    assert twin.to_json() == learner.to_json()


@every_learner
def test_silence_is_no_reward_however_it_is_told(kind):
    by_array, by_name = kind(N, K, seed=5), kind(N, K, seed=5)
    for t in range(40):
        first, second = by_array.ask(), by_name.ask()
        assert first == second
        rewards = TABLE[t, first.arm].copy()
        rewards[[t % N, (t + 2) % N]] = math.nan
        by_array.tell(first, rewards)
        by_name.tell(second, {name: r for name, r in zip(by_name.agents, rewards, strict=True) if not math.isnan(r)})
    assert by_array.to_json() == by_name.to_json()
    silent = kind(N, K, seed=5)
    for _ in range(10):
        silent.tell(silent.ask(), np.full(N, math.nan))
    assert not silent.counts.any()


@every_learner
def test_a_refused_tell_changes_nothing(kind):
    learner = kind(N, K, seed=5)
    play(learner, 10)
    ticket = learner.ask()
    before = learner.to_json()
    for wrong in (np.full(N, 1.5), np.zeros(N + 1), {"nobody": 0.5}):
        with pytest.raises(InputError):
            learner.tell(ticket, wrong)
    assert learner.to_json() == before
    learner.tell(ticket, TABLE[0, ticket.arm])
    with pytest.raises(TicketError):
        learner.tell(ticket, TABLE[0, ticket.arm])


@every_learner
def test_only_available_arms_are_played(kind):
    learner = kind(N, K, seed=5)
    for t in range(40):
        mask = [[0, 1, 2], [0, 2], [1]][t % 3]
        ticket = learner.ask(available=mask)
        outside = [k for k in range(K) if k not in mask]
        assert ticket.arm in mask
        assert all(ticket.policy[k] == 0 and ticket.propensities[k] == 0 for k in outside)
        learner.tell(ticket, TABLE[t, ticket.arm])


@every_learner
def test_policies_and_propensities_are_probabilities(kind):
    for ticket in play(kind(N, K, seed=5)):
        for chances in (ticket.policy, ticket.propensities):
            assert min(chances) >= 0
            assert math.fsum(chances) == pytest.approx(1, abs=1e-12)
        assert ticket.propensities[ticket.arm] > 0


@every_learner
@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_agents_does_not_matter(kind, seed):
    order = np.random.default_rng(seed).permutation(N)
    tickets, relabelled = play(kind(N, K, seed=seed)), play(kind(N, K, seed=seed), table=TABLE[:, :, order])
    assert [(t.arm, t.policy, t.propensities) for t in tickets] == [
        (t.arm, t.policy, t.propensities) for t in relabelled
    ]


@every_learner
def test_rewards_that_were_not_shown_change_nothing(kind):
    learner = kind(N, K, seed=5)
    tickets = play(learner)
    hidden = np.random.default_rng(1).random(TABLE.shape)
    for arm, pulls in enumerate(learner.pulls):
        hidden[:pulls, arm] = TABLE[:pulls, arm]
    assert play(kind(N, K, seed=5), table=hidden) == tickets


@every_learner
def test_agents_come_and_go_and_arms_are_added(kind):
    open_group = {"may_join": True} if "may_join" in kind.settings else {}
    learner = kind(N, K, seed=5, agents=[f"a{i}" for i in range(N)], **open_group)
    play(learner, 20)
    learner.leave("a2")
    learner.join("late")
    learner.add_arm("new")
    for t in range(30):
        ticket = learner.ask()
        assert ticket.forced == (t == 0)
        learner.tell(ticket, np.linspace(0, 1, N))
        if t == 10:
            learner = learner_from_json(learner.to_json())
    learner.join("a2")
    assert len(learner.ask().policy) == K + 1
    assert learner.sets.shape == (N + 1, K + 1)


@every_learner
def test_proposing_changes_nothing_that_anyone_could_see(kind):
    """However often, with whatever arms, and also while answers come in: the learner goes on as if nobody had asked."""
    plain, curious = kind(N, K, seed=5), kind(N, K, seed=5)
    for t in range(30):
        curious.propose([t % K])
        first, second = curious.propose(), curious.propose()
        assert first == second
        ticket, twin = plain.ask(), curious.ask()
        assert ticket == twin
        assert first.policy == ticket.policy
        assert (first.round, first.forced) == (ticket.round, ticket.forced)
        if "catch_up" not in kind.settings or not curious.catch_up or ticket.forced:
            assert first.propensities == ticket.propensities
        plain.tell(ticket, TABLE[t, ticket.arm])
        curious.tell(twin, TABLE[t, ticket.arm])
        assert curious.to_json() == plain.to_json()


@every_learner
def test_asking_is_proposing_a_coin_and_settling(kind):
    asked, settled = kind(N, K, seed=5), kind(N, K, seed=5)
    coin = settled._stream("play")
    for t in range(40):
        mask = [0, 2] if t % 6 == 5 else None
        ticket, proposal = asked.ask(mask), settled.propose(mask)
        if not proposal.forced:
            coin.random(2)
        if t == 20:
            settled = learner_from_json(settled.to_json())
            coin, proposal = settled._stream("play"), proposal.to_dict()
        twin = settled.settle(proposal, ticket.arm, ticket.exploring, ticket.propensities)
        assert twin == ticket
        asked.tell(ticket, TABLE[t, ticket.arm])
        settled.tell(twin, TABLE[t, ticket.arm])
        assert settled.to_json() == asked.to_json()


@every_learner
def test_a_proposal_says_whose_voice_carries_what(kind):
    learner = kind(N, K, seed=5)
    play(learner, 20)
    proposal = learner.propose()
    assert proposal.sets.shape == proposal.attribution.shape == (N, K)
    assert proposal.sets.any(axis=1).all()
    assert not proposal.attribution[~proposal.sets].any()
    assert (proposal.attribution.sum(axis=1) <= 1 / N + 1e-9).all()
    assert (proposal.attribution.sum(axis=0) <= np.array(proposal.policy) + 1e-9).all()
    assert type(proposal).from_dict(proposal.to_dict()) == proposal


@every_learner
def test_within_a_ticket_the_order_of_answers_does_not_matter(kind):
    at_once, one_by_one = kind(N, K, seed=5), kind(N, K, seed=5)
    rng = np.random.default_rng(7)
    for t in range(30):
        ticket, twin = at_once.ask(), one_by_one.ask()
        assert ticket == twin
        rewards = TABLE[t, ticket.arm].copy()
        rewards[rng.random(N) < 0.2] = math.nan
        at_once.tell(ticket, rewards)
        for i in rng.permutation(N):
            if not math.isnan(rewards[i]):
                one_by_one.tell(twin, {int(i): rewards[i]}, close=False)
                if i % 3 == 0:
                    one_by_one = learner_from_json(one_by_one.to_json())
        one_by_one.close(twin)
        assert one_by_one.to_json() == at_once.to_json()


@every_learner
def test_a_late_answer_is_taken_once_and_counts_in_the_means(kind):
    learner = kind(N, K, seed=5, agents=[f"a{i}" for i in range(N)])
    play(learner, 5)
    ticket = learner.ask()
    learner.tell(ticket, {"a1": 0.5})
    before = learner.counts[3, ticket.arm]
    play(learner, 5)
    learner = learner_from_json(learner.to_json())
    counted = learner.counts[3, ticket.arm]
    assert counted >= before
    learner.tell(ticket, {"a3": 0.25})
    assert learner.counts[3, ticket.arm] == counted + 1
    state = learner.to_json()
    for name in ("a1", "a3"):
        with pytest.raises(TicketError, match="taken once"):
            learner.tell(ticket, {name: 0.5, "a4": 0.5}, replace=True)
    assert learner.to_json() == state
