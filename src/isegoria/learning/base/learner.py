"""`Learner`, the base class of all learners: propose, settle, ask and tell."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from itertools import accumulate
from typing import Any, Self, overload

import numpy as np

from isegoria.errors import InputError, TicketError
from isegoria.learning.base.feedback import FeedbackBase
from isegoria.learning.base.feedback_buffer import RoundFeedback
from isegoria.learning.base.learner_roster import WeightsLike
from isegoria.learning.base.proposal import Proposal
from isegoria.learning.base.state_view import StateView
from isegoria.learning.base.ticket import Ticket
from isegoria.profiles import Instance
from isegoria.profiles.names import NamesLike
from isegoria.utils.arguments import explain_keywords
from isegoria.utils.arrays import read_only_view
from isegoria.utils.formatting import pluralise
from isegoria.utils.notebook import NotebookView
from isegoria.utils.seeds import Seed


def _run_after_init(init: Callable[..., None]) -> Callable[..., None]:
    """Wrap `init` so that `on_roster_change` runs once, after the outermost call."""

    explained = explain_keywords(init)

    @wraps(init)
    def initialise(self: Learner, *args: Any, **keywords: Any) -> None:
        outermost = "_unborn" not in self.__dict__
        self._unborn = True
        explained(self, *args, **keywords)
        if outermost:
            del self._unborn
            self.on_roster_change()
            if not self.__dict__.pop("_returning", False):
                self._announce()

    return initialise


ArmBlock = list[str] | list[int] | tuple[str | int, ...] | np.ndarray
"""The arms of several rounds that were drawn from one proposal."""
ExploringFlags = bool | list[bool] | tuple[bool, ...] | np.ndarray
"""Whether a round explored: one answer for each, or one for all."""


class Learner(FeedbackBase, NotebookView):
    """Base class of all learners: it implements the ask/tell protocol, and subclasses implement the policy.

    A subclass sets `id`, `label`, `summary` and `citation`. It lists its own keyword arguments in `settings`, each kept
    as an attribute of that name. It implements

    - `compute_policy(state, arms)`: return the learned policy, (K,) and zero outside the available `arms` (indices),
      from the `StateView` of the agents present. To return the same array object as in the round before means that
      nothing changed.
    - `plan_exploration(state, arms)`: return the probability of exploring in this round, and the arms among which
      exploration is uniform. The default never explores.
    - `compute_sets(state)`: return the (n, K) estimated favourite sets of the agents present; by default each agent's
      empirically best arms.

    A learner that keeps more than sums and counts may also implement

    - `observe(arm, rows, rewards)`, called when a ticket is closed or answered late;
    - `on_roster_change()`, called once at the start and whenever agents, arms or weights change;
    - `extra_state()` and `restore_extra(state)`, to save and restore its own state;
    - `on_decision(arms, arm, exploring)` and `on_ticket_close(round, arm, rows, values)`, to follow single tickets.

    It uses `random_stream(purpose)` for its own random draws, which are saved with the state, and `add_note(text)` for
    a line on the next ticket.

    `propose` also calls `compute_policy` and `plan_exploration`, and then restores every attribute they set and the
    position in every stream. So they must assign new values (`self.x = …`) and never change a value in place. While
    they run, `state.round` is the round t that is being decided.

    These properties hold for every learner:

    - An arm that was never asked for is forced first, lowest index first.
    - Agents and arms keep their index, so those who left still count in N.
    - A `tell` that raises changes nothing.
    - Nothing depends on the order in which the agents answer a ticket.
    """

    label = summary = citation = ""
    _unborn: bool

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if "__init__" in vars(cls):
            type.__setattr__(cls, "__init__", _run_after_init(cls.__init__))

    @_run_after_init
    def __init__(
        self,
        n_agents: int,
        n_arms: int,
        *,
        seed: Seed = None,
        agents: NamesLike = None,
        arms: NamesLike = None,
        weights: WeightsLike = None,
    ):
        super().__init__(n_agents, n_arms, seed, agents, arms, weights)

    @classmethod
    def _find_class(cls, body: dict[str, Any]) -> type[Any]:
        from isegoria.learning.registry import LEARNERS

        return LEARNERS[str(body.get("learner"))] if cls is Learner else cls

    @classmethod
    def _remade(cls, *args: Any, **keywords: Any) -> Self:
        learner = cls.__new__(cls)
        learner.__dict__["_returning"] = True
        learner.__init__(*args, **keywords)  # type: ignore[misc]
        return learner

    def __repr__(self) -> str:
        """Return the class, its size and settings, and the number of rounds so far."""
        size = f"{pluralise(len(self._present), 'agent')}, {pluralise(len(self._arms), 'arm')}"
        settings = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.settings)
        return f"{type(self).__name__}({size}{', ' if settings else ''}{settings}; {pluralise(self.rounds, 'round')})"

    def view_rows(self) -> list[dict[str, Any]]:
        """Return the policy and the pulls of each arm."""
        rows = zip(self.arms, self.policy.tolist(), self.pulls.tolist(), strict=True)
        return [{"arm": arm, "policy": chance, "pulls": pulls} for arm, chance, pulls in rows]

    # -- what a subclass writes ----------------------------------------------------------------------------------------

    def compute_policy(self, state: StateView, arms: tuple[int, ...]) -> np.ndarray:
        """Return the learned policy (K,), zero outside the available `arms`."""
        raise NotImplementedError(f"{type(self).__name__} has no compute_policy(state, arms); write that method.")

    def plan_exploration(self, state: StateView, arms: tuple[int, ...]) -> tuple[float, tuple[int, ...]]:
        """Return the probability of exploring in this round, and the arms among which exploration is uniform."""
        return 0.0, arms

    def compute_sets(self, state: StateView) -> np.ndarray:
        """Return the (n, K) estimated favourite sets of the agents present."""
        means = state.means
        return np.asarray(means == means.max(axis=1, keepdims=True))

    def add_note(self, text: str) -> None:
        """Put a line on the next ticket."""
        self._notes.append(text)

    @classmethod
    def from_instance(cls, instance: Instance, **settings: Any) -> Self:
        """Create a learner for the agents, arms and weights of an instance; it does not see the ratings.

        Parameters
        ----------
        instance : Instance
            The instance whose names and weights are used.
        **settings
            The learner's own settings, and `seed`.

        Returns
        -------
        Learner

        Examples
        --------
        >>> import isegoria as iso
        >>> iso.UniformLearner.from_instance(iso.Instance([[1, 0]], arms=["tea", "coffee"]), seed=1).arms
        ('tea', 'coffee')
        """
        names = {"agents": list(instance.agents), "arms": list(instance.arms), "weights": instance.weights.tolist()}
        return cls(len(instance.agents), len(instance.arms), **names, **settings)

    def _announce(self) -> None:
        """Issue warnings for a new learner; called once, not for a copy or a restored learner."""

    def on_decision(self, arms: tuple[int, ...], arm: int, exploring: bool) -> None:
        """Handle a decided round; called when round `self.rounds`, with these arms available, was settled on `arm`."""

    # -- propose and settle, or ask ------------------------------------------------------------------------------------

    def propose(self, available: Iterable[str | int] | None = None) -> Proposal:
        """Return the decision of the next round without drawing an arm or changing the learner.

        Pass the proposal to `settle` with an arm drawn elsewhere.

        Parameters
        ----------
        available : iterable of str or int, optional
            The arms available in the round, by name or index; all arms by default.

        Returns
        -------
        Proposal

        Examples
        --------
        >>> from isegoria import ProceduralLearner
        >>> learner = ProceduralLearner(2, 2, arms=["tea", "coffee"], seed=1)
        >>> proposal = learner.propose()
        >>> proposal.forced, proposal.propensities
        (True, (1.0, 0.0))
        >>> learner.accept(proposal, "tea").round
        1
        """
        arms = self._possible(available)
        before = self._mark()
        try:
            self.rounds += 1
            policy, rate, doubtful, forced = self._decide(arms)
            plain = self._prepare_policy(policy)[0]
            chances = self._propensities(plain, rate, doubtful) if forced is None else self._only(forced)
            sets = read_only_view(np.array(self.compute_sets(self._view), dtype=bool))
            weights = tuple(self._weights.tolist())
            here = arms, self.run, weights, sets
            return Proposal(self.rounds, plain, rate, doubtful, chances, forced is not None, *here)
        finally:
            self._return(before)

    @overload
    def accept(
        self,
        proposal: Proposal | Mapping[str, Any],
        arm: str | int,
        exploring: bool = False,
        propensities: Sequence[float] | None = None,
    ) -> Ticket: ...
    @overload
    def accept(
        self,
        proposal: Proposal | Mapping[str, Any],
        arm: ArmBlock,
        exploring: ExploringFlags = False,
        propensities: Sequence[float] | None = None,
    ) -> tuple[Ticket, ...]: ...
    def accept(
        self,
        proposal: Proposal | Mapping[str, Any],
        arm: str | int | ArmBlock,
        exploring: ExploringFlags = False,
        propensities: Sequence[float] | None = None,
    ) -> Ticket | tuple[Ticket, ...]:
        """Record a round whose arm was drawn from `proposal` outside the learner, and return its `Ticket`.

        Parameters
        ----------
        proposal : Proposal or mapping
            The proposal for the next round, or the result of its `to_dict`.
        arm : str, int or sequence
            The arm that was drawn, or the arms of several rounds drawn from one proposal.
        exploring : bool or sequence of bool
            Whether the arm was drawn to explore instead of from the policy: one value for all rounds, or one for each.
        propensities : sequence of float, optional
            The probabilities that were used, if they are not those of the proposal.

        Returns
        -------
        Ticket or tuple of Ticket
            One ticket; for a sequence of arms, one for each round.

        Raises
        ------
        TicketError
            If the proposal is from another learner or out of date.
        InputError
            If an arm was not available, or the flags or propensities are not valid.
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
        """Decide the next round with the learner's own random draw and return its `Ticket`.

        It does what `propose`, a draw and `settle` do.

        Parameters
        ----------
        available : iterable of str or int, optional
            The arms available in the round, by name or index; all arms by default.

        Returns
        -------
        Ticket

        Examples
        --------
        >>> from isegoria import ProceduralLearner
        >>> learner = ProceduralLearner(2, 2, arms=["tea", "coffee"], seed=1)
        >>> learner.ask().arm_name, learner.ask(available=["tea"]).propensities
        ('tea', (1.0, 0.0))
        """
        arms = self._possible(available)
        self.rounds += 1
        try:
            policy, rate, doubtful, forced = self._decide(arms)
            plain = self._prepare_policy(policy)[0]
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
        """(n, K) Booleans: the estimated favourite sets of the agents present, as of the last round."""
        return read_only_view(self.compute_sets(self._view))

    # -- deciding ------------------------------------------------------------------------------------------------------

    def _possible(self, available: Iterable[str | int] | None) -> tuple[int, ...]:
        return self._every_arm if available is None else self._arms.indices(available)

    def _decide(self, arms: tuple[int, ...]) -> tuple[np.ndarray, float, tuple[int, ...], int | None]:
        """Return (policy, probability of exploring, arms to explore, forced arm or None) for round `self.rounds`."""
        forced = next((arm for arm in arms if not self._asked[arm]), None) if 0 in self._asked else None
        if forced is not None:
            policy = np.zeros(len(self._arms))
            policy[list(arms)] = 1.0 / len(arms)
            return policy, 0.0, (forced,), forced
        policy = self.compute_policy(self._view, arms)
        return policy, *self.plan_exploration(self._view, arms), None

    def _coin(self, policy: np.ndarray) -> tuple[tuple[Any, ...], list[Any], int]:
        """Return the probabilities of the learner's own draw, their running sums and the last possible arm.

        Here the probabilities are the policy.
        """
        return self._prepare_policy(policy)

    def _toss(self, rate: float, doubtful: tuple[int, ...], cumulative: list[Any], final: int) -> tuple[int, bool]:
        """Draw whether the round explores, and its arm.

        Two uniforms are always used, so that the streams of learners stay in step.
        """
        explore, pick = self._uniform(), self._uniform()
        if explore < rate:
            return doubtful[int(pick * len(doubtful))], True
        return min(bisect_right(cumulative, pick * cumulative[-1]), final), False

    def _settle(self, proposal: Proposal, arm: int, exploring: bool, chances: tuple[Any, ...]) -> Ticket:
        """Settle a round as proposed; decide it again, so that the learner continues as if it had been asked."""
        self.rounds += 1
        try:
            self._decide(proposal.available)
        except BaseException:
            self.rounds -= 1
            raise
        self._last = np.array(proposal.policy)
        return self._ticket(proposal.available, proposal.policy, chances, arm, exploring, proposal.forced)

    def _ticket(
        self,
        arms: tuple[int, ...],
        policy: tuple[float, ...],
        chances: tuple[float, ...],
        arm: int,
        exploring: bool,
        forced: bool,
    ) -> Ticket:
        self._answers.open[self.rounds] = RoundFeedback(arm, self._present)
        self._asked[arm] += 1
        self._explored += exploring
        self.on_decision(arms, arm, exploring)
        notes, self._notes = tuple(self._notes), []
        return Ticket(self.rounds, arm, self._arm_names[arm], policy, chances, exploring, forced, notes, self.run)

    def _only(self, arm: int) -> tuple[float, ...]:
        return tuple([float(one == arm) for one in self._every_arm])

    def _propensities(self, policy: tuple[float, ...], rate: float, doubtful: tuple[int, ...]) -> tuple[float, ...]:
        """Return the marginal probabilities: ε/|D| + (1 − ε) p_k on the exploration arms D, (1 − ε) p_k elsewhere."""
        if rate == 0.0:
            return policy
        each, rest = rate / len(doubtful), 1.0 - rate
        if len(doubtful) == len(policy):
            return tuple([each + rest * p for p in policy])
        mixed = [rest * p for p in policy]
        for arm in doubtful:
            mixed[arm] += each
        return tuple(mixed)

    def _prepare_policy(self, policy: np.ndarray) -> tuple[tuple[float, ...], list[float], int]:
        """Return the policy as plain numbers, its running sums and its last arm; cache them by policy object."""
        if not self._drawn or self._drawn[0] is not policy:
            plain = tuple(policy.tolist())
            cumulative = list(accumulate(plain))
            self._drawn = policy, plain, cumulative, cumulative.index(cumulative[-1])
        return self._drawn[1:]

    def _mark(self) -> tuple[Any, ...]:
        """Return what `propose` must restore when it is done."""
        places = {purpose: rng.bit_generator.state for purpose, rng in self._streams.items()}
        return dict(self.__dict__), dict(self._streams), places, list(self._notes)

    def _return(self, before: tuple[Any, ...]) -> None:
        """Restore what `_mark` returned."""
        attributes, streams, places, notes = before
        self.__dict__.clear()
        self.__dict__.update(attributes)
        self._streams, self._notes = streams, notes
        for purpose, place in places.items():
            streams[purpose].bit_generator.state = place

    # -- checks --------------------------------------------------------------------------------------------------------

    def _check_proposal(self, proposal: Proposal) -> None:
        if proposal.run_id != self.run:
            raise TicketError("this proposal was made by another learner; settle it with that one.")
        same = proposal.weights == tuple(self._weights.tolist()) and proposal.candidate_sets.shape[1] == len(self._arms)
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
