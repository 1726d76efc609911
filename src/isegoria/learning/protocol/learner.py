"""What every learner shares: propose, settle, ask and tell. A learner writes only its policy and how it explores."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from itertools import accumulate
from typing import Any, Self, overload

import numpy as np

from isegoria.errors import InputError, TicketError
from isegoria.instance.names import GivenNames
from isegoria.learning.protocol.answers import RoundAnswers
from isegoria.learning.protocol.listener import Listener
from isegoria.learning.protocol.proposal import Proposal
from isegoria.learning.protocol.roster import GivenWeights
from isegoria.learning.protocol.ticket import Ticket
from isegoria.rows.views import read_only
from isegoria.seeds import Seed
from isegoria.wording import counted


def _born(init: Callable[..., None]) -> Callable[..., None]:
    """`init`, after the outermost of which a learner calls `_resized`: a subclass may call the base first or last."""

    @wraps(init)
    def made(self: Learner, *args: Any, **keywords: Any) -> None:
        outermost = "_unborn" not in self.__dict__
        self._unborn = True
        init(self, *args, **keywords)
        if outermost:
            del self._unborn
            self._resized()
            if not self.__dict__.pop("_returning", False):
                self._announce()

    return made


Block = list[str] | list[int] | tuple[str | int, ...] | np.ndarray
"""The arms of several rounds that were drawn from one proposal."""
Flags = bool | list[bool] | tuple[bool, ...] | np.ndarray
"""Whether a round explored: one answer for each, or one for all."""


class Learner(Listener):
    """Ask for an arm, tell its rewards: the base of all learners, which owns everything but the idea.

    A subclass sets `id`, `label`, `summary` and `citation`, names its own keywords in `settings` (each kept as an
    attribute of that name) and writes

    - `_policy(arms)`: the learned policy, (K,) and zero outside the available `arms`, from `self._tally` and the
      weights `self._weights` (n,) of the agents present. Returning the very same array as the round before says that
      nothing changed.
    - `_exploration(arms)`: the probability of exploring in this round, and the arms among which it is then uniform.
      The default never explores.
    - `_sets()`: the (n, K) favourite sets it believes in, of the agents present; by default each agent's empirically
      best arms.

    and, where it keeps more than sums and counts: `_observe(arm, rows, rewards)` when a ticket is closed, or answered
    late, `_resized()` once at the start and whenever agents or arms joined or left or a weight was set,
    `_extra_state()` and `_restore_extra(state)`, and `_stream(purpose)` for random draws of its own (saved with the
    state). `self._notes` is a list whose lines go on the next ticket, `self._explored` the number of rounds that
    explored so far. Learners that follow single tickets also have `_settled(arms, arm, exploring)` and
    `_closed(round, arm, rows, values)`.

    `_policy` and `_exploration` are also called by `propose`, which puts back every attribute that they set and the
    place in every stream: what they change must be set anew (`self.x = …`), never changed in place. While they run,
    `self.rounds` is the round t that is being decided.

    What stays true for every learner: an arm that was never asked for is forced first, lowest index first; agents and
    arms keep their index for ever, so those who left still count in N; a tell that is refused changes nothing; nothing
    depends on the order in which the agents answer a ticket.
    """

    label = summary = citation = ""
    _unborn: bool

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if "__init__" in vars(cls):
            type.__setattr__(cls, "__init__", _born(cls.__init__))

    @_born
    def __init__(self, n_agents: int, n_arms: int, *, seed: Seed = None, agents: GivenNames = None,
                 arms: GivenNames = None, weights: GivenWeights = None):  # fmt: skip
        super().__init__(n_agents, n_arms, seed, agents, arms, weights)

    @classmethod
    def _remade(cls, *args: Any, **keywords: Any) -> Self:
        learner = cls.__new__(cls)
        learner.__dict__["_returning"] = True
        learner.__init__(*args, **keywords)  # type: ignore[misc]
        return learner

    def __repr__(self) -> str:
        """The class, its size and its settings, and how far it is."""
        size = f"{counted(len(self._present), 'agent')}, {counted(len(self._arms), 'arm')}"
        settings = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.settings)
        return f"{type(self).__name__}({size}{', ' if settings else ''}{settings}; {counted(self.rounds, 'round')})"

    # -- what a subclass writes ----------------------------------------------------------------------------------------

    def _policy(self, arms: tuple[int, ...]) -> np.ndarray:
        raise NotImplementedError

    def _exploration(self, arms: tuple[int, ...]) -> tuple[float, tuple[int, ...]]:
        return 0.0, arms

    def _sets(self) -> np.ndarray:
        means = self._tally.means if len(self._present) == len(self._agents) else self._tally.means[:, self._present]
        return (means == means.max(axis=0)).T

    def _announce(self) -> None:
        """Called once for a new learner, not for a copy or a restored one: the place for a warning."""

    def _settled(self, arms: tuple[int, ...], arm: int, exploring: bool) -> None:
        """Called when round `self.rounds`, with these arms available, was settled on `arm`."""

    # -- propose and settle, or ask ------------------------------------------------------------------------------------

    def propose(self, available: Iterable[str | int] | None = None) -> Proposal:
        """How the next round would be decided, for a coin from outside: draws nothing and changes nothing.

        >>> from isegoria import ProceduralLearner
        >>> learner = ProceduralLearner(2, 2, arms=["tea", "coffee"], seed=1)
        >>> proposal = learner.propose()
        >>> proposal.forced, proposal.propensities
        (True, (1.0, 0.0))
        >>> learner.settle(proposal, "tea").round
        1
        """
        arms = self._possible(available)
        before = self._mark()
        try:
            self.rounds += 1
            policy, rate, doubtful, forced = self._decide(arms)
            plain = self._prepared(policy)[0]
            chances = self._propensities(plain, rate, doubtful) if forced is None else self._only(forced)
            sets = read_only(np.array(self._sets(), dtype=bool))
            weights = tuple(self._weights.tolist())
            here = arms, self.run, weights, sets
            return Proposal(self.rounds, plain, rate, doubtful, chances, forced is not None, *here)
        finally:
            self._return(before)

    @overload
    def settle(self, proposal: Proposal | Mapping[str, Any], arm: str | int, exploring: bool = False,
               propensities: Sequence[float] | None = None) -> Ticket: ...  # fmt: skip
    @overload
    def settle(self, proposal: Proposal | Mapping[str, Any], arm: Block, exploring: Flags = False,
               propensities: Sequence[float] | None = None) -> tuple[Ticket, ...]: ...  # fmt: skip
    def settle(self, proposal: Proposal | Mapping[str, Any], arm: str | int | Block, exploring: Flags = False,
               propensities: Sequence[float] | None = None) -> Ticket | tuple[Ticket, ...]:  # fmt: skip
        """The `Ticket` of a round that a coin from outside decided: `arm` was drawn from that `proposal`.

        `exploring` says that it was drawn to learn, not from the policy. `propensities` are the proposal's, unless the
        coin used others. With a list of arms (a block drawn from one proposal), and a list of `exploring` or one for
        all, a tuple of tickets comes back, one round each.
        """
        if not isinstance(proposal, Proposal):
            proposal = Proposal.from_dict(proposal)
        self._check_proposal(proposal)
        arms = arm if isinstance(arm, list | tuple | np.ndarray) else [arm]
        drawn = [self._drawn_arm(one, proposal) for one in arms]
        flags = list(exploring) if isinstance(exploring, list | tuple | np.ndarray) else [exploring] * len(drawn)
        if not drawn or len(flags) != len(drawn):
            raise InputError(f"{len(drawn)} arms and {len(flags)} exploring flags were settled; give one for each.")
        chances = proposal.propensities if propensities is None else self._checked_chances(propensities)
        tickets = tuple(
            self._settle(proposal, one, bool(flag), chances) for one, flag in zip(drawn, flags, strict=True)
        )
        return tickets if arms is arm else tickets[0]

    def ask(self, available: Iterable[str | int] | None = None) -> Ticket:
        """The decision of the next round, by the learner's own coin; `available` restricts it to the arms of today.

        It is `propose`, a coin, and `settle`.

        >>> from isegoria import ProceduralLearner
        >>> learner = ProceduralLearner(2, 2, arms=["tea", "coffee"], seed=1)
        >>> learner.ask().name, learner.ask(available=["tea"]).propensities
        ('tea', (1.0, 0.0))
        """
        arms = self._possible(available)
        self.rounds += 1
        try:
            policy, rate, doubtful, forced = self._decide(arms)
            plain = self._prepared(policy)[0]
            if forced is None:
                chances, cumulative, final = self._coin(policy)
                arm, exploring = self._toss(rate, doubtful, cumulative, final)
                chances = self._propensities(chances, rate, doubtful)
            else:
                arm, exploring, chances = forced, False, self._only(forced)
        except BaseException:
            self.rounds -= 1
            raise
        self._last = policy
        return self._ticket(arms, plain, chances, arm, exploring, forced is not None)

    @property
    def sets(self) -> np.ndarray:
        """(n, K) booleans: the favourite sets that the agents present are believed to have, as of the last round."""
        return read_only(self._sets())

    # -- deciding ------------------------------------------------------------------------------------------------------

    def _possible(self, available: Iterable[str | int] | None) -> tuple[int, ...]:
        return self._every_arm if available is None else self._arms.indices(available)

    def _decide(self, arms: tuple[int, ...]) -> tuple[np.ndarray, float, tuple[int, ...], int | None]:
        """(policy, rate of exploring, arms to explore, forced arm or None) of round `self.rounds`."""
        forced = next((arm for arm in arms if not self._asked[arm]), None) if 0 in self._asked else None
        if forced is not None:
            policy = np.zeros(len(self._arms))
            policy[list(arms)] = 1.0 / len(arms)
            return policy, 0.0, (forced,), forced
        policy = self._policy(arms)
        return policy, *self._exploration(arms), None

    def _coin(self, policy: np.ndarray) -> tuple[tuple[Any, ...], list[Any], int]:
        """(chances, their running sums, the last possible arm) of the learner's own coin: here, the policy itself."""
        return self._prepared(policy)

    def _toss(self, rate: float, doubtful: tuple[int, ...], cumulative: list[Any], final: int) -> tuple[int, bool]:
        """Draw E_t and the arm (two uniforms, always both, so that the streams of learners stay in step)."""
        explore, pick = self._uniform(), self._uniform()
        if explore < rate:
            return doubtful[int(pick * len(doubtful))], True
        return min(bisect_right(cumulative, pick * cumulative[-1]), final), False

    def _settle(self, proposal: Proposal, arm: int, exploring: bool, chances: tuple[Any, ...]) -> Ticket:
        """Settle a round as proposed; the learner decides it again, so that it goes on as if it had been asked."""
        self.rounds += 1
        try:
            self._decide(proposal.available)
        except BaseException:
            self.rounds -= 1
            raise
        self._last = np.array(proposal.policy)
        return self._ticket(proposal.available, proposal.policy, chances, arm, exploring, proposal.forced)

    def _ticket(self, arms: tuple[int, ...], policy: tuple[float, ...], chances: tuple[float, ...], arm: int,
                exploring: bool, forced: bool) -> Ticket:  # fmt: skip
        self._answers.open[self.rounds] = RoundAnswers(arm, self._present)
        self._asked[arm] += 1
        self._explored += exploring
        self._settled(arms, arm, exploring)
        notes, self._notes = tuple(self._notes), []
        return Ticket(self.rounds, arm, self._arm_names[arm], policy, chances, exploring, forced, notes, self.run)

    def _only(self, arm: int) -> tuple[float, ...]:
        return tuple([float(one == arm) for one in self._every_arm])

    def _propensities(self, policy: tuple[float, ...], rate: float, doubtful: tuple[int, ...]) -> tuple[float, ...]:
        """The marginal ε/|D| + (1 − ε) p_k on the arms D of exploration, (1 − ε) p_k elsewhere."""
        if rate == 0.0:
            return policy
        each, rest = rate / len(doubtful), 1.0 - rate
        if len(doubtful) == len(policy):
            return tuple([each + rest * p for p in policy])
        mixed = [rest * p for p in policy]
        for arm in doubtful:
            mixed[arm] += each
        return tuple(mixed)

    def _prepared(self, policy: np.ndarray) -> tuple[tuple[float, ...], list[float], int]:
        """The policy as plain numbers, its running sums, and its last arm; kept while the policy stays the same."""
        if not self._drawn or self._drawn[0] is not policy:
            plain = tuple(policy.tolist())
            cumulative = list(accumulate(plain))
            self._drawn = policy, plain, cumulative, cumulative.index(cumulative[-1])
        return self._drawn[1:]

    def _mark(self) -> tuple[Any, ...]:
        """What `propose` must find again when it is done."""
        places = {purpose: rng.bit_generator.state for purpose, rng in self._streams.items()}
        return dict(self.__dict__), dict(self._streams), places, list(self._notes)

    def _return(self, before: tuple[Any, ...]) -> None:
        """Go back to a `_mark`."""
        attributes, streams, places, notes = before
        self.__dict__.clear()
        self.__dict__.update(attributes)
        self._streams, self._notes = streams, notes
        for purpose, place in places.items():
            streams[purpose].bit_generator.state = place

    # -- checks --------------------------------------------------------------------------------------------------------

    def _check_proposal(self, proposal: Proposal) -> None:
        if proposal.learner != self.run:
            raise TicketError("this proposal was made by another learner; settle it with that one.")
        same = proposal.weights == tuple(self._weights.tolist()) and proposal.sets.shape[1] == len(self._arms)
        if proposal.round != self.rounds + 1 or not same:
            raise TicketError(
                f"this proposal was for round {proposal.round}, and the learner has settled {self.rounds} "
                "since or the group has changed; propose again."
            )

    def _drawn_arm(self, arm: str | int, proposal: Proposal) -> int:
        found = self._arms.find(arm)
        if found not in proposal.available:
            raise InputError(f"arm {self._arm_names[found]!r} was not available in this proposal; settle one that was.")
        return found

    def _checked_chances(self, propensities: Sequence[float]) -> tuple[float, ...]:
        chances = np.asarray(propensities, dtype=float)
        if chances.shape != (len(self._arms),) or not (chances >= 0).all() or abs(chances.sum() - 1) > 1e-9:
            raise InputError(f"propensities are {propensities!r}; expected {len(self._arms)} numbers that sum to 1.")
        return tuple(chances.tolist())
