"""What holds for every learner in the table, the day it is born."""

import re

import numpy as np
import pytest

from isegoria import LEARNERS, Learner, TicketError
from isegoria.testing import LEARNER_CHECKS

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


@pytest.mark.slow
@every_learner
@pytest.mark.parametrize("check", LEARNER_CHECKS)
def test_every_learner_keeps_the_contract(kind, check):
    LEARNER_CHECKS[check](kind, {})


@every_learner
def test_the_table_says_what_it_is(kind):
    assert LEARNERS[kind.id] is kind
    assert kind.label
    assert kind.summary
    assert kind.citation
    assert kind.__doc__
    assert ">>>" in kind.__doc__


@pytest.mark.slow
@every_learner
@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_agents_does_not_matter(kind, seed):
    order = np.random.default_rng(seed).permutation(N)
    tickets, relabelled = play(kind(N, K, seed=seed)), play(kind(N, K, seed=seed), table=TABLE[:, :, order])
    assert [(t.arm, t.policy, t.propensities) for t in tickets] == [
        (t.arm, t.policy, t.propensities) for t in relabelled
    ]


@every_learner
def test_asking_is_proposing_a_coin_and_settling(kind):
    asked, settled = kind(N, K, seed=5), kind(N, K, seed=5)
    coin = settled.random_stream("play")
    for t in range(40):
        mask = [0, 2] if t % 6 == 5 else None
        ticket, proposal = asked.ask(mask), settled.propose(mask)
        if not proposal.forced:
            coin.random(2)
        if t == 20:
            settled = Learner.from_json(settled.to_json())
            coin, proposal = settled.random_stream("play"), proposal.to_dict()
        twin = settled.accept(proposal, ticket.arm, ticket.exploring, ticket.propensities)
        assert twin == ticket
        asked.tell(ticket, TABLE[t, ticket.arm])
        settled.tell(twin, TABLE[t, ticket.arm])
        assert settled.to_json() == asked.to_json()


@every_learner
def test_a_late_answer_is_taken_once_and_counts_in_the_means(kind):
    learner = kind(N, K, seed=5, agents=[f"a{i}" for i in range(N)])
    play(learner, 5)
    ticket = learner.ask()
    learner.tell(ticket, {"a1": 0.5})
    before = learner.counts[3, ticket.arm]
    play(learner, 5)
    learner = Learner.from_json(learner.to_json())
    counted = learner.counts[3, ticket.arm]
    assert counted >= before
    learner.tell(ticket, {"a3": 0.25})
    assert learner.counts[3, ticket.arm] == counted + 1
    state = learner.to_json()
    for name in ("a1", "a3"):
        with pytest.raises(TicketError, match="taken once"):
            learner.tell(ticket, {name: 0.5, "a4": 0.5}, replace=True)
    assert learner.to_json() == state


def test_the_id_of_a_learner_is_its_class_in_kebab_case():
    for id, kind in LEARNERS.builtin.items():
        words = re.findall(r"[A-Z]+(?=[A-Z][a-z]|$)|[A-Z][a-z]+", kind.__name__.removesuffix("Learner"))
        assert id == "-".join(words).lower()
