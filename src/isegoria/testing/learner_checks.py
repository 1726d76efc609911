"""Checks that every learner must pass: ask and tell, saved states, and invariances."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from isegoria.errors import InputError, TicketError
from isegoria.learning.base.learner import Learner
from isegoria.testing.check_suite import demand, named, refuses, run

N_AGENTS, N_ARMS, N_ROUNDS = 7, 3, 60
FLOAT_TOLERANCE = 1e-9


def check_learner(kind: type[Learner], **settings: Any) -> list[str]:
    """Run all checks on the learner class `kind`.

    Parameters
    ----------
    kind : type
        A subclass of `Learner`.
    **settings
        Keywords that its constructor needs besides `n_agents`, `n_arms`, `seed`, `agents`, `arms` and `weights`.

    Returns
    -------
    list of str
        The names of the checks, all of which passed.

    Raises
    ------
    AssertionError
        If a check fails; the message says which requirement is broken.
    """
    return run(LEARNER_CHECKS, kind, settings)


def rewards() -> np.ndarray:
    """Return the rewards (rounds, arms, agents) of each pull of an arm, the same for every learner under test."""
    rng = np.random.default_rng(11)
    means = np.array([rng.permutation([0.85, 0.5, 0.15]) for _ in range(N_AGENTS)])
    return np.clip(means.T + rng.normal(0, 0.15, (N_ROUNDS, N_ARMS, N_AGENTS)), 0, 1)


REWARD_TABLE = rewards()


def play(learner: Learner, rounds: int = N_ROUNDS, table: np.ndarray = REWARD_TABLE) -> list[Any]:
    """Play some rounds and return the tickets; the n-th pull of an arm always gives the same rewards."""
    tickets = []
    for _ in range(rounds):
        ticket = learner.ask()
        learner.tell(ticket, table[(learner.pulls[ticket.arm] - 1) % N_ROUNDS, ticket.arm])
        tickets.append(ticket)
    return tickets


def it_says_what_it_is(kind: type[Learner], settings: dict[str, Any]) -> None:
    demand(isinstance(kind, type) and issubclass(kind, Learner), f"expected a subclass of iso.Learner, not {kind!r}")
    for name in ("id", "label", "summary"):
        demand(isinstance(getattr(kind, name), str) and getattr(kind, name), f"the class has no {name}")
    made = kind(N_AGENTS, N_ARMS, seed=5, **settings)
    for name in kind.settings:
        demand(hasattr(made, name), f"the setting {name!r} is not kept as an attribute of that name")


def a_group_without_agents_or_arms_is_refused(kind: type[Learner], settings: dict[str, Any]) -> None:
    for size in ((0, 2), (2, 0), (2.5, 2), (2, "a")):
        refuses(InputError, f"it takes {size} for numbers of agents and arms", lambda s=size: kind(*s, **settings))


def policies_and_propensities_are_probabilities(kind: type[Learner], settings: dict[str, Any]) -> None:
    for ticket in play(kind(N_AGENTS, N_ARMS, seed=5, **settings)):
        for name in ("policy", "propensities"):
            chances = getattr(ticket, name)
            right = min(chances) >= 0 and abs(math.fsum(chances) - 1) <= FLOAT_TOLERANCE
            demand(right, f"in round {ticket.round} its {name} are {chances}")
        demand(ticket.propensities[ticket.arm] > 0, f"round {ticket.round} plays an arm of propensity 0")


def every_arm_is_tried_first(kind: type[Learner], settings: dict[str, Any]) -> None:
    forced = play(kind(N_AGENTS, N_ARMS, seed=5, **settings), N_ARMS + 1)
    said = "the first rounds must try each arm once, lowest index first, and no later one be forced"
    demand([(each.arm, each.forced) for each in forced[:N_ARMS]] == [(k, True) for k in range(N_ARMS)], said)
    demand(not forced[N_ARMS].forced, said)


def a_seed_gives_one_trajectory(kind: type[Learner], settings: dict[str, Any]) -> None:
    same = play(kind(N_AGENTS, N_ARMS, seed=5, **settings)) == play(kind(N_AGENTS, N_ARMS, seed=5, **settings))
    demand(same, "two learners with one seed play differently; take random draws from self._stream")


def a_saved_learner_continues_bit_for_bit(kind: type[Learner], settings: dict[str, Any]) -> None:
    learner = kind(N_AGENTS, N_ARMS, seed=5, **settings)
    play(learner, 17)
    waiting = learner.ask()
    twin = kind.from_json(learner.to_json())
    for each in (learner, twin):
        each.tell(waiting, REWARD_TABLE[0, waiting.arm])
    demand(twin.to_json() == learner.to_json(), "restored, its state differs; see extra_state and restore_extra")
    demand(play(twin, 20) == play(learner, 20), "restored, it plays on differently")


def proposing_changes_nothing(kind: type[Learner], settings: dict[str, Any]) -> None:
    plain, curious = (kind(N_AGENTS, N_ARMS, seed=5, **settings) for _ in range(2))
    for t in range(30):
        curious.propose([t % N_ARMS])
        demand(curious.propose() == curious.propose(), f"before round {t + 1} it proposes differently when asked again")
        ticket, twin = plain.ask(), curious.ask()
        demand(ticket == twin, f"round {ticket.round} depends on whether somebody asked for a proposal before")
        for each in (plain, curious):
            each.tell(ticket, REWARD_TABLE[t, ticket.arm])
        said = "a proposal changed its state; assign new attributes in compute_policy instead of changing them in place"
        demand(curious.to_json() == plain.to_json(), said)


def a_proposal_says_whose_voice_carries_what(kind: type[Learner], settings: dict[str, Any]) -> None:
    learner = kind(N_AGENTS, N_ARMS, seed=5, **settings)
    play(learner, 20)
    proposal = learner.propose()
    demand(
        proposal.candidate_sets.shape == proposal.attribution.shape == (N_AGENTS, N_ARMS),
        "sets and attribution are not (n, K)",
    )
    demand(proposal.candidate_sets.any(axis=1).all(), "an agent has no favourite at all")
    demand(not proposal.attribution[~proposal.candidate_sets].any(), "a voice went to an arm that is no favourite")
    demand(
        (proposal.attribution.sum(axis=1) <= 1 / N_AGENTS + FLOAT_TOLERANCE).all(),
        "an agent carries more than its share",
    )
    demand(
        (proposal.attribution.sum(axis=0) <= np.array(proposal.policy) + FLOAT_TOLERANCE).all(), "an arm is overspent"
    )


def only_available_arms_are_played(kind: type[Learner], settings: dict[str, Any]) -> None:
    learner = kind(N_AGENTS, N_ARMS, seed=5, **settings)
    for t in range(40):
        mask = [[0, 1, 2], [0, 2], [1]][t % 3]
        ticket = learner.ask(available=mask)
        outside = [k for k in range(N_ARMS) if k not in mask]
        right = ticket.arm in mask and not any(ticket.policy[k] or ticket.propensities[k] for k in outside)
        demand(right, f"with the arms {mask} available, round {ticket.round} gives {ticket.propensities}")
        learner.tell(ticket, REWARD_TABLE[t, ticket.arm])


def silence_is_no_reward(kind: type[Learner], settings: dict[str, Any]) -> None:
    by_array, by_name = (kind(N_AGENTS, N_ARMS, seed=5, **settings) for _ in range(2))
    for t in range(40):
        ticket = by_array.ask()
        demand(by_name.ask() == ticket, "rewards told by array or by name lead to different rounds")
        told = REWARD_TABLE[t, ticket.arm].copy()
        told[[t % N_AGENTS, (t + 2) % N_AGENTS]] = math.nan
        by_array.tell(ticket, told)
        names = zip(by_name.agents, told, strict=True)
        by_name.tell(ticket, {name: reward for name, reward in names if not math.isnan(reward)})
    demand(by_array.to_json() == by_name.to_json(), "an agent that said nothing was counted")


def a_refused_tell_changes_nothing(kind: type[Learner], settings: dict[str, Any]) -> None:
    learner = kind(N_AGENTS, N_ARMS, seed=5, **settings)
    play(learner, 10)
    ticket = learner.ask()
    before = learner.to_json()
    for wrong in (np.full(N_AGENTS, 1.5), np.zeros(N_AGENTS + 1), {"nobody": 0.5}):
        refuses(InputError, f"it takes the rewards {wrong}", learner.tell, ticket, wrong)
    demand(learner.to_json() == before, "a tell that was refused changed its state")
    learner.tell(ticket, REWARD_TABLE[0, ticket.arm])
    refuses(TicketError, "it takes one ticket twice", learner.tell, ticket, REWARD_TABLE[0, ticket.arm])


def the_order_of_agents_does_not_matter(kind: type[Learner], settings: dict[str, Any]) -> None:
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(N_AGENTS)
        plain = play(kind(N_AGENTS, N_ARMS, seed=seed, **settings))
        moved = play(kind(N_AGENTS, N_ARMS, seed=seed, **settings), table=REWARD_TABLE[:, :, order])
        pairs = zip(plain, moved, strict=True)
        same = all(np.allclose(one.policy, two.policy, rtol=0, atol=FLOAT_TOLERANCE) for one, two in pairs)
        demand(same, "its policy depends on the order of the agents")


def rewards_that_were_not_shown_change_nothing(kind: type[Learner], settings: dict[str, Any]) -> None:
    learner = kind(N_AGENTS, N_ARMS, seed=5, **settings)
    tickets = play(learner)
    hidden = np.random.default_rng(1).random(REWARD_TABLE.shape)
    for arm, pulls in enumerate(learner.pulls):
        hidden[:pulls, arm] = REWARD_TABLE[:pulls, arm]
    demand(
        play(kind(N_AGENTS, N_ARMS, seed=5, **settings), table=hidden) == tickets,
        "it knows rewards that nobody told it",
    )


def agents_come_and_go_and_arms_are_added(kind: type[Learner], settings: dict[str, Any]) -> None:
    open_group = {"may_join": True} if "may_join" in kind.settings else {}
    learner = kind(N_AGENTS, N_ARMS, seed=5, agents=[f"a{i}" for i in range(N_AGENTS)], **(open_group | settings))
    play(learner, 20)
    learner.leave("a2")
    learner.join("late")
    learner.add_arm("new")
    for t in range(30):
        ticket = learner.ask()
        demand(ticket.forced == (t == 0), "an arm that is new must be tried first, once")
        learner.tell(ticket, np.linspace(0, 1, N_AGENTS))
        if t == 10:
            learner = kind.from_json(learner.to_json())
    learner.join("a2")
    demand(len(learner.ask().policy) == N_ARMS + 1, "after an arm was added its policy has the wrong length")
    demand(
        learner.sets.shape == (N_AGENTS + 1, N_ARMS + 1), "after agents and arms joined its sets have the wrong shape"
    )


def the_order_of_answers_does_not_matter(kind: type[Learner], settings: dict[str, Any]) -> None:
    at_once, one_by_one = (kind(N_AGENTS, N_ARMS, seed=5, **settings) for _ in range(2))
    rng = np.random.default_rng(7)
    for t in range(30):
        ticket = at_once.ask()
        one_by_one.ask()
        told = REWARD_TABLE[t, ticket.arm].copy()
        told[rng.random(N_AGENTS) < 0.2] = math.nan
        at_once.tell(ticket, told)
        for i in rng.permutation(N_AGENTS):
            if not math.isnan(told[i]):
                one_by_one.tell(ticket, {int(i): told[i]}, close=False)
        one_by_one.close(ticket)
        demand(one_by_one.to_json() == at_once.to_json(), "answers given one by one count differently")


def weights_are_numbers_of_voices(kind: type[Learner], settings: dict[str, Any]) -> None:
    plain, ones = (
        kind(N_AGENTS, N_ARMS, seed=5, **settings),
        kind(N_AGENTS, N_ARMS, seed=5, weights=[1] * N_AGENTS, **settings),
    )
    demand(play(plain) == play(ones), "weights of 1 are not what it takes without weights")
    weights, order = np.arange(1, N_AGENTS + 1), np.random.default_rng(2).permutation(N_AGENTS)
    learner = kind(N_AGENTS, N_ARMS, seed=5, weights=weights, **settings)
    moved = kind(N_AGENTS, N_ARMS, seed=5, weights=weights[order], **settings)
    pairs = zip(play(learner), play(moved, table=REWARD_TABLE[:, :, order]), strict=True)
    same = all(np.allclose(one.policy, two.policy, rtol=0, atol=FLOAT_TOLERANCE) for one, two in pairs)
    demand(same, "with weights, its policy depends on the order of the agents")
    spent = learner.propose().attribution.sum(axis=1)
    demand(
        (spent <= weights / weights.sum() + FLOAT_TOLERANCE).all(),
        "an agent carries more than its share of the weights",
    )
    twin = kind.from_json(learner.to_json())
    demand(twin.weights.tolist() == weights.tolist(), "its state does not keep the weights")
    demand(play(twin, 20) == play(learner, 20), "restored, it plays on with other weights")
    for wrong in ([1] * (N_AGENTS - 1), [0] * N_AGENTS, [1.5] * N_AGENTS):
        refuses(
            InputError, f"it takes the weights {wrong}", lambda w=wrong: kind(N_AGENTS, N_ARMS, weights=w, **settings)
        )


def a_weight_acts_from_the_next_round(kind: type[Learner], settings: dict[str, Any]) -> None:
    learner = kind(N_AGENTS, N_ARMS, seed=5, agents=[f"a{i}" for i in range(N_AGENTS)], **settings)
    play(learner, 20)
    before = learner.to_json()
    for wrong in (0, -1, 1.5, "2"):
        refuses(InputError, f"it takes the weight {wrong!r}", learner.set_weight, "a1", wrong)
    demand(learner.to_json() == before, "a weight that was refused changed its state")
    waiting, proposal = learner.ask(), learner.propose()
    learner.set_weight("a1", 4)
    demand(learner.weights.tolist() == [1, 4, *[1] * (N_AGENTS - 2)], "set_weight did not set the weight")
    refuses(TicketError, "it settles a proposal made for other weights", learner.accept, proposal, 0)
    learner.tell(waiting, REWARD_TABLE[0, waiting.arm])
    twin = kind.from_json(learner.to_json())
    demand(play(twin, 20) == play(learner, 20), "restored after a weight was set, it plays on differently")


LEARNER_CHECKS = named(
    it_says_what_it_is,
    a_group_without_agents_or_arms_is_refused,
    policies_and_propensities_are_probabilities,
    every_arm_is_tried_first,
    a_seed_gives_one_trajectory,
    a_saved_learner_continues_bit_for_bit,
    proposing_changes_nothing,
    a_proposal_says_whose_voice_carries_what,
    only_available_arms_are_played,
    silence_is_no_reward,
    a_refused_tell_changes_nothing,
    the_order_of_agents_does_not_matter,
    rewards_that_were_not_shown_change_nothing,
    agents_come_and_go_and_arms_are_added,
    the_order_of_answers_does_not_matter,
    weights_are_numbers_of_voices,
    a_weight_acts_from_the_next_round,
)
"""The checks of `check_learner` by name; each takes the class and the settings to construct it with."""
