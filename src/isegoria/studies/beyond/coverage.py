"""How often a true favourite is lost on exact ties, by the learner as it is and with faults planted in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from isegoria.learning import BernoulliRewards
from isegoria.learning.learners.guided import GuidedLearner
from isegoria.learning.runs.player import Player
from isegoria.learning.sets.betting_sets import BettingSets
from isegoria.learning.sets.prices import Prices
from isegoria.learning.worlds.environment import Environment

ERROR = 0.5
"""Of the bets, and nothing for alarms: then a loss is nearly as likely as it may be, and a fault shows."""
LIMIT, SEEN = 0.35, 0.45
"""What no world may exceed, and every planted fault must, with two tied arms or with ten."""
ROUNDS = 3_000


class AgainstConstant(Environment):
    """One agent and two arms of the same mean: a constant, and 1 with that probability, else 0."""

    id = "against a constant"

    def draw(self, rng: np.random.Generator, arm: int, first: int, pulls: int) -> np.ndarray:
        mean = self.means[0, arm]
        return np.full((pulls, 1), mean) if arm == 0 else (rng.random((pulls, 1)) < mean).astype(float)


WORLDS: dict[str, Callable[[], Environment]] = {
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


def learner_of(world: Environment, seed: int, kind: type[GuidedLearner] = GuidedLearner) -> GuidedLearner:
    """A learner of `ERROR` for its bets alone, that calls nobody close."""
    return kind(world.n_agents, world.n_arms, error=ERROR / 0.9, resolution=0.0, watch=False, seed=seed)


def lost(world: Environment, runs: int, rounds: int = ROUNDS, first: int = 0) -> int:
    """In how many runs some favourite was dropped; sets only shrink, so the last ones tell."""
    found = 0
    for seed in range(first, first + runs):
        learner = learner_of(world, seed)
        player = Player(learner, world, world.stream(seed))
        player.play(world.n_arms)
        player.play(rounds - world.n_arms)
        found += _misses(learner, world)
    return found


def _misses(learner: GuidedLearner, world: Environment) -> bool:
    return bool((world.instance.favourites & ~learner._kept()).any())


def lost_when_offered(offered: Callable[[int, float], list[int]], runs: int, rounds: int = ROUNDS) -> int:
    """The same for two arms tied at .5 and a third, where `offered(arm, reward)` says which arms are open in the next
    round: what is offered may depend on every reward so far."""
    world, found = BernoulliRewards([[0.5, 0.5, 0.1]]), 0
    for seed in range(runs):
        learner, stream, open_arms = learner_of(world, seed), world.stream(seed), [0, 1, 2]
        for _ in range(rounds):
            ticket = learner.ask(open_arms)
            reward = float(stream.pull(ticket.arm)[0])
            learner.tell(ticket, [reward])
            open_arms = offered(ticket.arm, reward)
        found += _misses(learner, world)
    return found


OFFERS: dict[str, Callable[[int, float], list[int]]] = {
    "all arms, always": lambda arm, reward: [0, 1, 2],
    "no other arm after a good arm 0": lambda arm, reward: [0] if arm == 0 and reward > 0.5 else [0, 1, 2],
    "arm 1 only after a good arm 0": lambda arm, reward: [0, 1, 2] if arm == 0 and reward > 0.5 else [0, 2],
    "arm 0 closed after a bad one": lambda arm, reward: [1, 2] if arm == 0 and reward < 0.5 else [0, 1, 2],
}


# -- planted faults ----------------------------------------------------------------------------------------------------


class _WithoutTheCount(GuidedLearner):
    """A price that forgets how many candidates there are."""

    def _prices(self) -> Prices:
        prices = super()._prices()
        return replace(prices, bet=prices.bet * len(self._arms))


def _as_it_is(sets: BettingSets) -> None:
    """Nothing is wrong."""


def _throws_away(sets: BettingSets) -> None:
    """A pair is thrown away when its first reward was bad for the bet."""
    _shut(sets, _badly_begun(sets))


def _looks_first(sets: BettingSets) -> None:
    """The bet is placed after a look at the first reward: nothing is staked when it was bad."""
    sets.pairs["bet"][_badly_begun(sets), 0] = 0.0


def _gives_up(sets: BettingSets) -> None:
    """A half pair is given up, and opened anew, when another arm has taken the lead."""
    pairs = sets.pairs[:, 0]
    _shut(sets, (pairs["leader"] >= 0) & (pairs["leader"] != sets.leaders[0]))


def _badly_begun(sets: BettingSets) -> np.ndarray:
    """(K,) pairs that have seen one reward, and that one low in front or high behind."""
    pairs = sets.pairs[:, 0]
    once = (pairs["leader"] >= 0) & (pairs["ahead_seen"].astype(int) + pairs["own_seen"] == 1)
    low, high = (pairs["ahead_seen"] == 1) & (pairs["ahead"] < 0.5), (pairs["own_seen"] == 1) & (pairs["own"] > 0.5)
    return np.asarray(once & (low | high))


def _shut(sets: BettingSets, which: np.ndarray) -> None:
    if which.any():
        sets.pairs["leader"][which, 0] = -1
        sets.hold(sets.pairs, sets.heard, sets.kept)


FAULTS: dict[str, tuple[type[GuidedLearner], Callable[[BettingSets], None]]] = {
    "none": (GuidedLearner, _as_it_is),
    "a half pair thrown away after a bad first reward": (GuidedLearner, _throws_away),
    "a price without the count": (_WithoutTheCount, _as_it_is),
    "a bet placed after a look at the reward": (GuidedLearner, _looks_first),
    "a half pair given up when the leader changes": (GuidedLearner, _gives_up),
}
"""By name: the learner, and what is done to it after every tell."""


def lost_with(fault: str, arms: int, runs: int, rounds: int = ROUNDS) -> int:
    """`lost` for one agent whose `arms` arms all have mean .5, with a fault planted; asked and told one by one."""
    world, (kind, plant), found = BernoulliRewards(np.full((1, arms), 0.5)), FAULTS[fault], 0
    for seed in range(runs):
        learner, stream = learner_of(world, seed, kind), world.stream(seed)
        for t in range(rounds):
            ticket = learner.ask()
            learner.tell(ticket, stream.pull(ticket.arm))
            plant(learner._candidates)
            if t % 50 == 0 and _misses(learner, world):
                break
        found += _misses(learner, world)
    return found
