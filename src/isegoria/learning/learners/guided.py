"""A learner that explores where doubt is: it bets against favourites in sweeps, and drops those that lose."""

from __future__ import annotations

from typing import Any

import numpy as np

from isegoria.errors import InputError, StateError
from isegoria.instance.names import GivenNames
from isegoria.learning.learners.guided_step import GuidedStep
from isegoria.learning.learners.procedural import checked_gamma
from isegoria.learning.protocol.checks import checked_share, whole
from isegoria.learning.protocol.roster import GivenWeights
from isegoria.learning.protocol.sealing import packed, unpacked
from isegoria.learning.sets.betting_sets import CERTAIN, UNRESOLVED, BettingSets
from isegoria.learning.sets.favourite_sets import full
from isegoria.learning.sets.favourite_sets import packed as codes_of
from isegoria.learning.sets.set_learner import SetLearner

LARGEST_ERROR = 0.01
FADE_EVERY = 8
"""Rounds after which what was seen fades, by as much as in so many rounds: seldom enough to cost nothing."""


def _default(n_agents: int, n_arms: int) -> float:
    """The error of Algorithm 1's own bounds, 3/(NK)³, where that is small."""
    pairs = whole(n_agents, "the number of agents") * whole(n_arms, "the number of arms")
    return min(LARGEST_ERROR, 3.0 / pairs**3)


class GuidedLearner(SetLearner):
    """Learns the procedurally fair policy, and with probability 1 - `error` never drops a true favourite.

    It explores in sweeps over the arms in doubt. At the start of a sweep each agent bets, for every candidate, that its
    empirically best one will bring it more; the bets are paid when each arm of the sweep was pulled once, and a
    candidate is dropped when the capital won against it reaches 2NK/`error` (see `betting_sets`). An agent is resolved
    when it has one candidate, or when all of them are known to be within `resolution` of its best. While anyone is
    unresolved, rounds explore with probability `rate`; after that with probability t^-(1-gamma), among the candidates
    of agents that have several; and not at all when every set is one arm.

    - `error`: the probability of ever losing a true favourite, or of taking candidates for close that are not;
      min(0.01, 3/(NK)³) unless given.
    - `may_join`: agents or arms may join later. Half of `error` then goes to the first pairs, and error/2 · 1/(j(j+1))
      to the j-th later one.
    - `discount`: below 1, what was observed fades by this factor each round, for tastes that change. Sets may then grow
      again, and nothing is guaranteed.
    - `catch_up` (on), `floor`: the arms played make up for exploration, see `SetLearner`.

    An agent that never answers stays unresolved, so that the group keeps exploring on its behalf: let it `leave`, or
    set `rate` below 1.

    >>> learner = GuidedLearner(2, 2, arms=["tea", "coffee"], seed=7)
    >>> for _ in range(200):
    ...     ticket = learner.ask()
    ...     learner.tell(ticket, [[0.9, 0.1], [0.2, 0.8]][ticket.arm])
    >>> learner.sets.tolist(), learner.policy.tolist(), learner.propose().propensities
    ([[True, False], [False, True]], [0.5, 0.5], (0.5, 0.5))
    """

    id = "guided"
    label = "Guided"
    summary = "bets in sweeps over the arms in doubt, dropping what is no favourite"
    citation = "testing by betting (Shafer 2021; Waudby-Smith and Ramdas 2024), against each agent's empirical leader"
    _candidates: BettingSets
    settings = ("error", "resolution", "gamma", "rate", "may_join", "discount", "catch_up", "floor")

    def __init__(self, n_agents: int, n_arms: int, error: float | None = None, resolution: float = 0.05,
                 gamma: float = 0.7, seed: int | None = None, rate: float = 1.0, may_join: bool = False,
                 discount: float | None = None, agents: GivenNames = None, arms: GivenNames = None, *,
                 catch_up: bool = True, floor: float = 0.0, weights: GivenWeights = None):  # fmt: skip
        self.error = checked_share("error", _default(n_agents, n_arms) if error is None else error, "a probability")
        self.resolution = checked_share("resolution", resolution, "a difference of mean rewards", zero=True)
        self.gamma = checked_gamma(gamma)
        self.rate = checked_share("rate", rate, "the probability of exploring while in doubt", one=True)
        self.may_join = bool(may_join)
        self.discount = discount if discount is None else checked_share("discount", discount, "a factor", one=True)
        self._shapes = [(n_agents, n_arms)]
        super().__init__(
            n_agents, n_arms, catch_up=catch_up, floor=floor, seed=seed, agents=agents, arms=arms, weights=weights
        )

    # -- the idea ------------------------------------------------------------------------------------------------------

    def _update(self, arms: np.ndarray) -> bool:
        return self._candidates.update(arms)

    def _exploration(self, arms: tuple[int, ...]) -> tuple[float, tuple[int, ...]]:
        """The rate, and the arms of the sweep that were not pulled in it yet."""
        state, doubtful = self._candidates.exploration(self._columns)
        if state == CERTAIN:
            return 0.0, arms
        return (self.rate if state == UNRESOLVED else self.rounds ** (self.gamma - 1.0)), doubtful

    def _settled(self, arms: tuple[int, ...], arm: int, exploring: bool) -> None:
        super()._settled(arms, arm, exploring)
        if self.discount is not None and self.rounds % FADE_EVERY == 0:
            self._candidates.fade(self.discount**FADE_EVERY)
        columns = self._columns if arms is self._over else np.array(arms, dtype=np.intp)
        self._candidates.settled(columns, self.rounds, arm, self._asked[arm] == 1)

    def _heard(self, arm: int, rows: np.ndarray, values: np.ndarray) -> None:
        self._candidates.heard(arm, values, rows)

    def _closed(self, round_: int, arm: int, rows: np.ndarray, values: np.ndarray) -> None:
        self._candidates.closed(round_, arm, values, rows)

    def step(self, truth: np.ndarray) -> GuidedStep:
        share = 1.0 if self.discount is None else self.discount**FADE_EVERY
        every = 0 if self.discount is None else FADE_EVERY
        here = self._candidates, truth, self._tally, self._present
        self._notes.clear()  # they go on the first ticket, which nobody keeps
        return GuidedStep(*here, self.gamma, self.rate, share, every)

    # -- what it knows -------------------------------------------------------------------------------------------------

    @property
    def lower(self) -> np.ndarray:
        """(N, K) lower bounds on the mean rewards, of everyone who ever joined."""
        return self._candidates.intervals()[0]

    @property
    def upper(self) -> np.ndarray:
        """(N, K) upper bounds on the mean rewards, of everyone who ever joined."""
        return self._candidates.intervals()[1]

    @property
    def capital(self) -> np.ndarray:
        """(N, K) what was won against each arm's being a favourite, starting from 1."""
        return self._candidates.capital.T.copy()

    @property
    def resolved(self) -> np.ndarray:
        """(n,) booleans: whose candidates, of those present, are one arm or known to be close to the best."""
        single = self._kept()[self._present].sum(axis=1) == 1
        return self._candidates.resolved[self._present].astype(bool) | single

    @property
    def pair_errors(self) -> np.ndarray:
        """(N, K) the share of `error` that each pair was given: half for its bets, half for its bounds."""
        return 2.0 / self._candidates.price.T

    def _kept(self) -> np.ndarray:
        from isegoria.learning.sets.favourite_sets import unpacked as sets_of

        return sets_of(self._candidates.kept, len(self._arms))

    # -- who takes part ------------------------------------------------------------------------------------------------

    def join(self, name: str) -> int:
        """Let an agent join, and return its index; a new one needs `may_join=True`, which sets error aside for it."""
        if name not in self._agents.index:
            self._admit(f"agent {name!r}")
        return super().join(name)

    def add_arm(self, name: str) -> int:
        """Add an arm, and return its index; it needs `may_join=True`, which sets error aside for it."""
        self._admit(f"arm {name!r}")
        return super().add_arm(name)

    def _admit(self, newcomer: str) -> None:
        if not self.may_join:
            raise InputError(
                f"{newcomer} cannot join: the whole error of this learner was promised to the first "
                "agents and arms. Make it with may_join=True, which keeps half of the error for those who join later."
            )

    def _new_sets(self) -> BettingSets:
        """The sets of those who take part now: newcomers have all arms, and new arms are everyone's candidates."""
        shape = len(self._agents), len(self._arms)
        if shape != self._shapes[-1]:
            self._shapes.append(shape)
        new = self._fresh_sets()
        if hasattr(self, "_candidates"):
            new.grow_from(self._candidates)
        return new

    def _fresh_sets(self) -> BettingSets:
        """Sets of all arms, before anybody bet."""
        prices = _prices(self._shapes, self.error, self.may_join)
        here = len(self._present), len(self._arms), self._present
        return BettingSets(*here, self._tally, prices, self.resolution, self.discount is not None)

    # -- state ---------------------------------------------------------------------------------------------------------

    def _extra_state(self) -> dict[str, Any]:
        sets = self._candidates
        return {
            **super()._extra_state(),
            "shapes": [list(shape) for shape in self._shapes],
            "spread": sets.spread,
            "capital": sets.capital,
            "kept": sets.kept,
            "resolved": np.packbits(sets.resolved),
            "faded": sets.faded,
            "sweep": sets.sweep_state(),
        }

    def _restore_extra(self, state: dict[str, Any]) -> None:
        self._shapes = [(int(agents), int(arms)) for agents, arms in state["shapes"]]
        if self._shapes[-1] != (len(self._agents), len(self._arms)):
            raise StateError("the state's 'shapes' do not fit its agents and arms; use the last complete copy.")
        self._candidates = sets = self._fresh_sets()
        sets.weigh(self._weights)
        super()._restore_extra(state)
        if state["faded"] is not None:
            sets.faded[:] = unpacked(state["faded"])
        resolved = np.unpackbits(unpacked(state["resolved"]), count=len(self._agents))
        sets.take(unpacked(state["spread"]), unpacked(state["capital"]), unpacked(state["kept"]), resolved)
        sets.resume_sweep(state["sweep"], unpacked)

    @classmethod
    def _upgraded(cls, body: dict[str, Any]) -> dict[str, Any]:
        """Version 1 dropped by intervals: tallies and dropped arms are kept, and every capital starts at 1."""
        body, old = super()._upgraded(body), body["extra"]
        pairs, kept = np.array(old["pairs"], dtype=float), np.array(old["kept"], dtype=bool)
        arms, agents = pairs.shape[:2]
        note = (
            "this learner was saved by an earlier version, which dropped arms by intervals: what it had dropped stays "
            "dropped, bets start anew with half of the error, and in all its promise holds with probability "
            f"1 - {1.5 * float(body['settings']['error']):.3g}"
        )
        fading = body["settings"]["discount"] is not None
        extra = {
            "codes": packed(codes_of(np.array(old["sets"], dtype=bool))) if np.any(old["sets"]) else None,
            "learned": old["learned"],
            "shapes": _shapes_of(old["initial_pairs"], agents, arms),
            "spread": packed(_spread_of_version_1(pairs[..., 0], pairs[..., 2])),
            "capital": packed(np.ones((arms, agents))),
            "kept": packed(codes_of(kept) if not fading else full(agents, arms)),
            "resolved": packed(np.packbits(np.zeros(agents, dtype=np.uint8))),
            "faded": packed(np.stack([pairs[..., 0], pairs[..., 1]])) if fading else None,
            "sweep": None,
        }
        return {**body, "extra": extra, "notes": [*body["notes"], note]}


def _prices(shapes: list[tuple[int, int]], error: float, may_join: bool) -> np.ndarray:
    """(K, N) 1/α of each pair, where bets and bounds have α each: error/2 in all, of which those who join have half.

    `shapes` (N, K) are those of the first group and of all that it grew to; the j-th later pair has error/4 / (j(j+1)).
    """
    (agents, arms), later = shapes[0], 0
    prices = np.full((arms, agents), agents * arms / (0.5 * error * (0.5 if may_join else 1.0)))
    for agents, arms in shapes[1:]:
        grown = np.zeros((arms, agents))
        grown[: prices.shape[0], : prices.shape[1]] = prices
        new = grown == 0
        place = later + np.arange(1, new.sum() + 1)
        grown[new] = place * (place + 1.0) / (0.25 * error)
        prices, later = grown, later + int(new.sum())
    return prices


def _shapes_of(initial: int, agents: int, arms: int) -> list[list[int]]:
    """Shapes that lead to `agents` and `arms` from a first group of `initial` pairs: all that version 1 kept."""
    if initial == agents * arms:
        return [[agents, arms]]
    fits = [(n, initial // n) for n in range(agents, 0, -1) if initial % n == 0 and initial // n <= arms]
    return [list(fits[0]), [agents, arms]]


def _spread_of_version_1(counts: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """An upper bound on V = Σ (x − μ̂ before it)² from version 1's Σ (x − μ̂ with it)²: larger V only widens bounds.

    The t-th distance was (t/(t+1)) of today's, which is at most 1: each square lacks a factor of at most 4, and at most
    1 − (t/(t+1))², whose sum up to n is below 2 ln(1 + n).
    """
    return np.minimum(4.0 * spread, spread + 2.0 * np.log1p(counts))
