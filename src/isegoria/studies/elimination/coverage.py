"""How often a true favourite is lost on exact ties, by the real learner and with planted faults."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from isegoria.learning import BernoulliRewards
from isegoria.learning.confidence_sets.betting_sets import BettingSets
from isegoria.learning.confidence_sets.error_budget import ErrorBudget
from isegoria.learning.environments.environment import Environment
from isegoria.learning.learners.elimination import EliminationLearner
from isegoria.learning.simulation.player import Player

COVERAGE_ERROR = 0.5
"""Error budget of the bets; alarms have none. Losses are then nearly as likely as allowed, so a fault is visible."""
MAX_LOSS_RATE, MIN_FAULT_RATE = 0.35, 0.45
"""The loss rate that no environment may exceed, and the rate that every planted fault must exceed with two or with ten
tied arms."""
COVERAGE_ROUNDS = 3_000


class AgainstConstant(Environment):
    """One agent and two arms of the same mean: a constant reward, and a 0/1 reward."""

    id = "against a constant"

    def draw(self, rng: np.random.Generator, arm: int, first: int, pulls: int) -> np.ndarray:
        mean = self.means[0, arm]
        return np.full((pulls, 1), mean) if arm == 0 else (rng.random((pulls, 1)) < mean).astype(float)


COVERAGE_ENVIRONMENTS: dict[str, Callable[[], Environment]] = {
    "two ties at .5": lambda: BernoulliRewards(np.full((1, 2), 0.5)),
    "two ties at .98": lambda: BernoulliRewards(np.full((1, 2), 0.98)),
    "four ties at .02": lambda: BernoulliRewards(np.full((1, 4), 0.02)),
    "ten ties at .5": lambda: BernoulliRewards(np.full((1, 10), 0.5)),
    "two agents, three ties": lambda: BernoulliRewards(np.full((2, 3), 0.5)),
    "five agents, three ties": lambda: BernoulliRewards(np.full((5, 3), 0.5)),
    "constant .02 against a jackpot": lambda: AgainstConstant(np.full((1, 2), 0.02)),
    "constant .98 against nearly 1": lambda: AgainstConstant(np.full((1, 2), 0.98)),
    ".501 against .5": lambda: BernoulliRewards([[0.501, 0.5]]),
    "a tie among others' votes": lambda: BernoulliRewards([[0.5, 0.5, 0.1], [0.9, 0.1, 0.1], [0.1, 0.1, 0.9]]),
}


def make_coverage_learner(
    world: Environment, seed: int, kind: type[EliminationLearner] = EliminationLearner
) -> EliminationLearner:
    """Return a learner with error budget `COVERAGE_ERROR` for its bets alone and resolution 0."""
    return kind(world.n_agents, world.n_arms, error=COVERAGE_ERROR / 0.9, resolution=0.0, watch=False, seed=seed)


def count_losses(world: Environment, runs: int, rounds: int = COVERAGE_ROUNDS, first: int = 0) -> int:
    """Count the runs in which some favourite was dropped; sets only shrink, so the final sets suffice."""
    found = 0
    for seed in range(first, first + runs):
        learner = make_coverage_learner(world, seed)
        player = Player(learner, world, world.stream(seed))
        player.play(world.n_arms)
        player.play(rounds - world.n_arms)
        found += _lost_favourite(learner, world)
    return found


def _lost_favourite(learner: EliminationLearner, world: Environment) -> bool:
    return bool((world.instance.favourites & ~learner._candidate_matrix()).any())


def count_losses_with_offers(
    offered: Callable[[int, float], list[int]], runs: int, rounds: int = COVERAGE_ROUNDS
) -> int:
    """Count the same for two arms tied at .5 and a third, where the available arms depend on rewards.

    `offered(arm, reward)` returns the arms that are available in the next round.
    """
    world, found = BernoulliRewards([[0.5, 0.5, 0.1]]), 0
    for seed in range(runs):
        learner, stream, open_arms = make_coverage_learner(world, seed), world.stream(seed), [0, 1, 2]
        for _ in range(rounds):
            ticket = learner.ask(open_arms)
            reward = float(stream.pull(ticket.arm)[0])
            learner.tell(ticket, [reward])
            open_arms = offered(ticket.arm, reward)
        found += _lost_favourite(learner, world)
    return found


ARM_OFFERS: dict[str, Callable[[int, float], list[int]]] = {
    "all arms, always": lambda arm, reward: [0, 1, 2],
    "no other arm after a good arm 0": lambda arm, reward: [0] if arm == 0 and reward > 0.5 else [0, 1, 2],
    "arm 1 only after a good arm 0": lambda arm, reward: [0, 1, 2] if arm == 0 and reward > 0.5 else [0, 2],
    "arm 0 closed after a bad one": lambda arm, reward: [1, 2] if arm == 0 and reward < 0.5 else [0, 1, 2],
}


# -- planted faults ----------------------------------------------------------------------------------------------------


class _UncorrectedLearner(EliminationLearner):
    """A fault: the error budget ignores the number of candidates."""

    def _prices(self) -> ErrorBudget:
        prices = super()._prices()
        return replace(prices, bet=prices.bet * len(self._arms))


def _no_fault(sets: BettingSets) -> None:
    """Do nothing: no fault."""


def _discard_bad_pairs(sets: BettingSets) -> None:
    """Discard a matched pair if its first reward was bad for the bet."""
    _close_pairs(sets, _bad_first_reward(sets))


def _bet_after_first_reward(sets: BettingSets) -> None:
    """Place the bet after the first reward is known: stake nothing if it was bad."""
    sets.pairs["bet"][_bad_first_reward(sets), 0] = 0.0


def _abandon_on_new_leader(sets: BettingSets) -> None:
    """Discard an incomplete pair, and open it again, when another arm has become the leader."""
    pairs = sets.pairs[:, 0]
    _close_pairs(sets, (pairs["leader"] >= 0) & (pairs["leader"] != sets.leaders[0]))


def _bad_first_reward(sets: BettingSets) -> np.ndarray:
    """Return the pairs (K,) with one reward so far: a low one of the leader or a high one of the other arm."""
    pairs = sets.pairs[:, 0]
    once = (pairs["leader"] >= 0) & (pairs["ahead_seen"].astype(int) + pairs["own_seen"] == 1)
    low, high = (pairs["ahead_seen"] == 1) & (pairs["ahead"] < 0.5), (pairs["own_seen"] == 1) & (pairs["own"] > 0.5)
    return np.asarray(once & (low | high))


def _close_pairs(sets: BettingSets, which: np.ndarray) -> None:
    if which.any():
        sets.pairs["leader"][which, 0] = -1
        sets.hold(sets.pairs, sets.heard, sets.kept)


PLANTED_FAULTS: dict[str, tuple[type[EliminationLearner], Callable[[BettingSets], None]]] = {
    "none": (EliminationLearner, _no_fault),
    "a half pair thrown away after a bad first reward": (EliminationLearner, _discard_bad_pairs),
    "a price without the count": (_UncorrectedLearner, _no_fault),
    "a bet placed after a look at the reward": (EliminationLearner, _bet_after_first_reward),
    "a half pair given up when the leader changes": (EliminationLearner, _abandon_on_new_leader),
}
"""The learner class of each fault, and the function applied to its candidate sets after every tell."""


def count_losses_with_fault(fault: str, arms: int, runs: int, rounds: int = COVERAGE_ROUNDS) -> int:
    """Count as `count_losses`, for one agent with `arms` arms of mean .5 and a planted fault, by ask/tell round by
    round."""
    world, (kind, plant), found = BernoulliRewards(np.full((1, arms), 0.5)), PLANTED_FAULTS[fault], 0
    for seed in range(runs):
        learner, stream = make_coverage_learner(world, seed, kind), world.stream(seed)
        for t in range(rounds):
            ticket = learner.ask()
            learner.tell(ticket, stream.pull(ticket.arm))
            plant(learner._candidates)
            if t % 50 == 0 and _lost_favourite(learner, world):
                break
        found += _lost_favourite(learner, world)
    return found
