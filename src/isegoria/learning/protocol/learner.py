"""What every learner shares: the protocol of ask and tell. A learner writes only its policy and how it explores."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from itertools import accumulate

import numpy as np

from isegoria.errors import InputError, StateError, TicketError
from isegoria.learning.protocol.checks import checked_seed
from isegoria.learning.protocol.roster import Group, read_only
from isegoria.learning.protocol.state import describe, restore, seal, stream, unseal
from isegoria.learning.protocol.ticket import Ticket


class Learner(Group):
    """Ask for an arm, tell its rewards: the base of all learners, which owns everything but the idea.

    A subclass sets `id`, `label`, `summary` and `citation`, names its own keywords in `settings` (each kept as an
    attribute of that name) and writes

    - `_policy(arms)`: the learned policy, (K,) and zero outside the available `arms`, from `self._tally`. Returning the
      very same array as the round before says that nothing changed.
    - `_exploration(arms)`: the probability of exploring in this round, and the arms among which it is then uniform.
      The default never explores.
    - `_sets()`: the (n, K) favourite sets it believes in, of the agents present; by default each agent's empirically
      best arms.

    and, where it keeps more than sums and counts: `_observe(arm, rows, rewards)` after each accepted tell, `_resized()`
    after agents or arms joined or left, `_extra_state()` and `_restore_extra(state)`, and `_stream(purpose)` for random
    draws of its own (saved with the state). `self._notes` is a list whose lines go on the next ticket.
    During `_policy` and `_exploration`, `self.rounds` is the round t that is being asked.

    What stays true for every learner: an arm that was never asked for is forced first, lowest index first; agents and
    arms keep their index for ever, so those who left still count in N; a tell that is refused changes nothing.
    """

    id = label = summary = citation = ""
    settings: tuple[str, ...] = ()

    def __init__(self, n_agents: int, n_arms: int, *, seed: int | None = None, agents=None, arms=None):
        super().__init__(n_agents, n_arms, agents, arms)
        self._entropy = checked_seed(seed)
        self._streams: dict[str, np.random.Generator] = {}
        self._pending: dict[int, tuple[int, np.ndarray]] = {}
        self._notes: list[str] = []
        self.rounds = 0
        self._settle()

    # -- what a subclass writes ----------------------------------------------------------------------------------------

    def _policy(self, arms: tuple[int, ...]) -> np.ndarray:
        raise NotImplementedError

    def _exploration(self, arms: tuple[int, ...]) -> tuple[float, tuple[int, ...]]:
        return 0.0, arms

    def _sets(self) -> np.ndarray:
        means = self._tally.means.T[self._present]
        return means == means.max(axis=1, keepdims=True)

    def _observe(self, arm: int, rows: np.ndarray, rewards: np.ndarray) -> None:
        """Called with the agents who answered and their rewards, after these were counted."""

    def _resized(self) -> None:
        """Called after agents or arms joined or left."""

    def _extra_state(self) -> dict:
        return {}

    def _restore_extra(self, state: dict) -> None:
        """Take back what `_extra_state` gave."""

    # -- ask and tell --------------------------------------------------------------------------------------------------

    def ask(self, available: Iterable[str | int] | None = None) -> Ticket:
        """The decision of the next round, as a `Ticket`; `available` restricts it to the arms possible today.

        >>> from isegoria import ProceduralLearner
        >>> learner = ProceduralLearner(2, 2, arms=["tea", "coffee"], seed=1)
        >>> learner.ask().name, learner.ask(available=["tea"]).propensities
        ('tea', (1.0, 0.0))
        """
        arms = self._every_arm if available is None else self._arms.indices(available)
        forced = self._forced(arms)
        self.rounds += 1
        try:
            if forced is None:
                policy, propensities, arm, exploring = self._play(arms)
            else:
                policy, propensities, arm, exploring = *self._force(arms, forced), forced, False
        except BaseException:
            self.rounds -= 1
            raise
        self._pending[self.rounds] = (arm, self._present)
        self._asked[arm] += 1
        notes, self._notes = tuple(self._notes), []
        name = self._arm_names[arm]
        return Ticket(self.rounds, arm, name, policy, propensities, exploring, forced is not None, notes, self.run)

    def tell(self, ticket: Ticket | Mapping, rewards) -> None:
        """Count the `rewards` of a ticket's round: an array over the agents present when it was asked, or by name.

        NaN, or a name left out, is an agent who said nothing. Tickets may be told late and in any order, each once.
        A reward outside [0, 1], a wrong length, an unknown name or a ticket that is not open is refused, and then
        nothing has changed.
        """
        round_, arm, rows = self._open(ticket)
        values = self._by_name(rewards, rows) if isinstance(rewards, Mapping) else _array(rewards, len(rows))
        refused = self._tally.add(arm, values, rows)
        if refused >= 0:
            self._refuse(values[refused], int(rows[refused]), arm)
        del self._pending[round_]
        if self._listens:
            answered = ~np.isnan(values)
            self._observe(arm, rows[answered], values[answered])

    @property
    def sets(self) -> np.ndarray:
        """(n, K) booleans: the favourite sets that the agents present are believed to have, as of the last ask."""
        return read_only(self._sets())

    @property
    def pending(self) -> tuple[int, ...]:
        """The rounds whose tickets are open. Telling NaN for everyone closes one."""
        return tuple(self._pending)

    # -- state ---------------------------------------------------------------------------------------------------------

    def to_json(self) -> str:
        """The whole state as versioned JSON, random generators and open tickets included."""
        return seal(self._state())

    @classmethod
    def from_json(cls, text: str | bytes) -> Learner:
        """A learner of this class from what `to_json` gave."""
        return cls._from_state(unseal(text))

    def copy(self, seed: int | None = None) -> Learner:
        """An independent learner that continues exactly as this one would; with a `seed`, with other luck."""
        state = self._state()
        if seed is not None:
            state |= {"entropy": str(checked_seed(seed)), "streams": {}}
        return type(self)._from_state(state)

    def __reduce__(self):
        return type(self).from_json, (self.to_json(),)

    def _state(self) -> dict:
        """The state as plain data: what `describe` says of every learner, and what this one adds."""
        settings = {name: getattr(self, name) for name in self.settings}
        return {"learner": self.id, "settings": settings, **describe(self), "extra": self._extra_state()}

    @classmethod
    def _from_state(cls, body: dict) -> Learner:
        """A learner with that state; a body that does not fit together raises `StateError`."""
        try:
            shape = len(body["agents"]), len(body["arms"])
            learner = cls(
                *shape, seed=int(body["entropy"]), agents=body["agents"], arms=body["arms"], **body["settings"]
            )
            restore(learner, body)
            learner._settle()
            learner._restore_extra(body["extra"])
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise StateError(f"the state does not fit together ({error}); use the last complete copy.") from error
        return learner

    # -- inside --------------------------------------------------------------------------------------------------------

    def _settle(self) -> None:
        """Derive what follows from who takes part and from the streams."""
        self._every_arm = tuple(range(len(self._arms)))
        self._arm_names = tuple(self._arms)
        self._listens = type(self)._observe is not Learner._observe
        self._uniform = self._stream("play").random
        self._drawn: tuple = ()
        self.run = format(int(stream(self._entropy, f"run {self.id}").integers(2**63)), "016x")
        self._resized()

    def _stream(self, purpose: str) -> np.random.Generator:
        """The learner's random generator for one purpose; its place in the stream is part of the state."""
        if purpose not in self._streams:
            self._streams[purpose] = stream(self._entropy, purpose)
        return self._streams[purpose]

    def _forced(self, arms: tuple[int, ...]) -> int | None:
        """The lowest available arm that was never asked for."""
        if 0 not in self._asked:
            return None
        return next((arm for arm in arms if not self._asked[arm]), None)

    def _force(self, arms: tuple[int, ...], forced: int) -> tuple[tuple, tuple]:
        self._last = np.zeros(len(self._arms))
        self._last[list(arms)] = 1.0 / len(arms)
        return tuple(self._last.tolist()), tuple(float(arm == forced) for arm in self._every_arm)

    def _play(self, arms: tuple[int, ...]) -> tuple[tuple, tuple, int, bool]:
        """Draw E_t and the arm (two uniforms, always both, so that the streams of learners stay in step)."""
        explore, pick = self._uniform(), self._uniform()
        self._last = self._policy(arms)
        policy, cumulative, final = self._prepared(self._last)
        rate, doubtful = self._exploration(arms)
        exploring = explore < rate
        if exploring:
            arm = doubtful[int(pick * len(doubtful))]
        else:
            arm = min(bisect_right(cumulative, pick * cumulative[-1]), final)
        return policy, self._propensities(policy, rate, doubtful), arm, exploring

    def _propensities(self, policy: tuple[float, ...], rate: float, doubtful: tuple[int, ...]) -> tuple[float, ...]:
        """The marginal ε/|D| + (1 − ε) p_k on the arms D of exploration, (1 − ε) p_k elsewhere."""
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

    def _open(self, ticket: Ticket | Mapping) -> tuple[int, int, np.ndarray]:
        """The round, arm and agents of a ticket that waits for its rewards."""
        if not isinstance(ticket, Ticket):
            ticket = Ticket.from_dict(ticket)
        if ticket.learner != self.run:
            raise TicketError("this ticket was asked by another learner; tell it to that one.")
        arm, rows = self._pending.get(ticket.round, (None, None))
        if arm is None and isinstance(ticket.round, int) and 1 <= ticket.round <= self.rounds:
            raise TicketError(f"the ticket of round {ticket.round} was told before; each ticket is told once.")
        if arm is None or arm != ticket.arm:
            raise TicketError(
                f"no ticket of round {ticket.round!r} with arm {ticket.arm!r} was asked; pass on what ask() gave."
            )
        return ticket.round, arm, rows

    def _by_name(self, rewards: Mapping, rows: np.ndarray) -> np.ndarray:
        """Rewards by name (or index) as an array over `rows`, NaN where a name is missing or its value is None."""
        place = {int(row): position for position, row in enumerate(rows)}
        values = np.full(len(rows), np.nan)
        for name, reward in rewards.items():
            row = self._agents.find(name)
            if row not in place:
                raise InputError(f"agent {name!r} was not present when this ticket was asked; leave it out.")
            if reward is not None:
                values[place[row]] = _array([reward], 1)[0]
        return values

    def _refuse(self, reward: float, row: int, arm: int) -> None:
        agent = list(self._agents)[row]
        raise InputError(
            f"the reward of agent {agent!r} for arm {self._arm_names[arm]!r} is {reward:.6g}; rewards must lie in "
            "[0, 1]. Rescale with (x - low) / (high - low), or tell NaN for no answer."
        )


def _array(rewards, length: int) -> np.ndarray:
    try:
        values = np.ascontiguousarray(rewards, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f"rewards are not numbers ({error}); expected one number, or NaN, for each agent.") from None
    if values.shape != (length,):
        raise InputError(
            f"rewards have shape {values.shape}; expected ({length},), one for each agent present at the ask."
        )
    return values
