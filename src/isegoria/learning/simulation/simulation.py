"""Run a learner in an environment: `simulate`, and `Simulation`, which can be saved midway."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any

import numpy as np

from isegoria.errors import InputError, StateError
from isegoria.learning.base.binary_format import copy_arrays
from isegoria.learning.base.learner import Learner
from isegoria.learning.base.state_format import decode_array, encode_array
from isegoria.learning.base.validation import require_integer
from isegoria.learning.environments.environment import Environment, truth_round
from isegoria.learning.simulation.delays import DelayLike, DelayQueue
from isegoria.learning.simulation.metrics.policy_regret import REGRET_NAMES
from isegoria.learning.simulation.metrics.voice_metrics import VoiceMetrics
from isegoria.learning.simulation.player import AvailableArms, Player
from isegoria.learning.simulation.recorder import Recorder
from isegoria.learning.simulation.resume import CHUNK_ROUNDS, match_records
from isegoria.learning.simulation.trace import Trace
from isegoria.rules import Objective, get_objective
from isegoria.rules.literals import RuleName
from isegoria.utils.arguments import explain_keywords
from isegoria.utils.formatting import pluralise
from isegoria.utils.notebook import NotebookView
from isegoria.utils.seeds import Seed, resolve_seed


@explain_keywords
def simulate(
    learner: Learner,
    environment: Environment,
    rounds: int,
    seed: Seed = None,
    records: int = 2000,
    keep_arms: bool = False,
    available: AvailableArms | None = None,
    callback: Callable[[Simulation], None] | None = None,
    delay: DelayLike = 0,
    extra_rules: Sequence[RuleName | Objective] = (),
) -> Trace:
    """Run a copy of `learner` in `environment` for `rounds` rounds and return its `Trace`.

    Algorithm 1 and the elimination learner run in a compiled loop, the others by ask and tell; both give the same
    results, bit for bit.

    Parameters
    ----------
    learner : Learner
        The learner; it is copied and does not change. The trace's `learner` is the one that has learned.
    environment : Environment
        The source of the rewards, for as many agents and arms as the learner has.
    rounds : int
        The number of rounds.
    seed : optional
        The seed of the rewards.
    records : int
        The maximum number of records in the trace.
    keep_arms : bool
        Whether the trace keeps the arm of every round.
    available : callable, optional
        `available(round)` returns the arms available in a round. Regret is then measured against the true favourites
        among them.
    callback : callable, optional
        Called now and then as `callback(simulation)` while the run is in progress.
    delay : int or callable
        Rewards of round t are told before round t + 1 + `delay`: a number of rounds, or `delay(rng, arm, round)`, which
        returns one for each agent and must not depend on the rewards. Rewards not told by the end are in the trace
        anyway.
    extra_rules : sequence of str or Objective
        Additional rules with a value, by name or as objects, whose regrets are recorded in the trace.

    Returns
    -------
    Trace

    Raises
    ------
    InputError
        If the learner does not fit the environment, or an argument is out of range.

    Examples
    --------
    >>> import isegoria as iso
    >>> learner = iso.ProceduralLearner(2, 2, seed=1)
    >>> trace = simulate(learner, iso.PointRewards([[1.0, 0.0], [0.0, 1.0]]), rounds=2000, seed=1)
    >>> trace.policy.tolist(), trace.regret == trace.last_mismatch, learner.rounds
    ([0.5, 0.5], True, 0)
    """
    simulation = Simulation(learner, environment, rounds, seed, records, keep_arms, available, delay, extra_rules)
    while simulation.advance():
        if callback is not None:
            callback(simulation)
    return simulation.trace()


class Simulation(NotebookView):
    """A run in progress: `advance` plays more rounds; `state` and `resume` let it survive its process.

    The parameters are those of `simulate`.
    """

    def __init__(
        self,
        learner: Learner,
        environment: Environment,
        rounds: int,
        seed: Seed = None,
        records: int = 2000,
        keep_arms: bool = False,
        available: AvailableArms | None = None,
        delay: DelayLike = 0,
        extra_rules: Sequence[RuleName | Objective] = (),
    ):
        environment = as_environment(environment, learner)
        require_compatible(learner, environment)
        self.learner, self.environment = learner.copy(), environment
        self.rounds, self.records = require_integer(rounds, "rounds"), require_integer(records, "records")
        self.seed, self.available = resolve_seed(seed), available
        self.first = learner.rounds + 1
        self.done = 0
        self._sums = learner.sums.copy()
        chosen = [get_objective(one) if isinstance(one, str) else one for one in extra_rules]
        self.objectives = tuple(one for one in chosen if one.id not in REGRET_NAMES)
        self._recorder = Recorder(self.first, self.rounds, self.records, environment.n_arms, self.objectives)
        self._kept: list[tuple[np.ndarray, np.ndarray]] | None = [] if keep_arms else None
        self._notify_observer = VoiceMetrics(environment.n_agents, environment.n_arms)
        self._delays = DelayQueue(delay, environment.n_agents, self.seed) if callable(delay) or delay else None
        self._begin()

    def __repr__(self) -> str:
        return f"<Simulation of {self.learner.id}: {self.done:,} of {pluralise(self.rounds, 'round')}>"

    @classmethod
    def from_state(
        cls, state: Mapping[str, Any], environment: Environment, extra_rules: Sequence[RuleName | Objective] = ()
    ) -> Simulation:
        """Create the run that `state` returned, with its learner.

        Parameters
        ----------
        state : mapping
            What `state` returned.
        environment : Environment
            The environment of that run.
        extra_rules : sequence of str or Objective
            The additional objectives of that run.

        Returns
        -------
        Simulation

        Raises
        ------
        StateError
            If the state is of another environment, or its parts do not fit together.
        """
        rounds, records, seed, first, _ = state["run"]
        learner = Learner._find_class(state["learner"])._from_state(state["learner"])
        run = cls(learner, environment, rounds, int(seed), records, extra_rules=extra_rules)
        run.first = first
        run._recorder = Recorder(first, rounds, records, environment.n_arms, run.objectives)
        run.resume(dict(state))
        return run

    def advance(self) -> bool:
        """Play the next chunk of rounds and return True, or return False if none are left."""
        if self.done == self.rounds:
            return False
        chunk = self._player.play(self._length())
        self._recorder.take(chunk)
        self._notify_observer.take(chunk.arms)
        if self._kept is not None:
            self._kept.append((chunk.arms, chunk.exploring))
        self.done += len(chunk.arms)
        self._turn()
        return True

    def trace(self) -> Trace:
        """Return the trace of the rounds played so far."""
        kept, k = self._recorder, self.environment.n_arms
        curves = {name: curve[: kept.done].copy() for name, curve in kept.curves.items()}
        values, means, sds = curves["values"], curves["means"], curves["sds"]
        arms, exploring = (None, None) if self._kept is None else map(np.concatenate, zip(*self._kept, strict=True))
        return Trace(
            rounds=kept.marks[: kept.done].copy(),
            policies=values[:, :k],
            scores=values[:, k:],
            policy_means=means[:, :k],
            policy_sds=sds[:, :k],
            score_means=means[:, k:],
            score_sds=sds[:, k:],
            pulls=curves["pulls"],
            exploring_curve=curves["exploring"],
            regret_curve=curves["regret"],
            regrets={name: curves["regrets"][:, j] for j, name in enumerate(self._regrets())},
            wrong_policy_curve=curves["regrets"][:, -1],
            regret=int(kept.totals["regret"]),
            last_mismatch=kept.last_mismatch,
            exploring_rounds=int(kept.totals["exploring"]),
            patterns=len(kept.patterns),
            changes=kept.changes,
            realised_voice=self._notify_observer.hits / max(self.done, 1),
            resolved_at=np.array(getattr(self.learner, "resolved_at", np.full(self.environment.n_agents, -1))),
            longest_wait=self._notify_observer.longest.copy(),
            voice_lost=self._notify_observer.lost,
            rewards=self._sum_rewards(),
            agent_names=self.learner.agents,
            arm_names=self.learner.arms,
            about=self.about(),
            arms=arms,
            exploring=exploring,
            learner=self.learner.copy(),
        )

    def _sum_rewards(self) -> np.ndarray:
        """Return all rewards so far (N,), told or not."""
        told = (self.learner.sums - self._sums)[self.learner._present].sum(axis=1)
        return told if self._delays is None else told + self._delays.untold()

    def _regrets(self) -> tuple[str, ...]:
        """Return the names of the objectives whose regrets are recorded, in order."""
        return *REGRET_NAMES, *(one.id for one in self.objectives)

    def about(self) -> dict[str, Any]:
        """Return what ran: the learner with its settings, the environment, rounds and seed."""
        settings = {name: getattr(self.learner, name) for name in self.learner.settings}
        return {
            "learner": self.learner.id,
            "settings": settings,
            "environment": self.environment.id,
            "rounds": self.done,
            "first": self.first,
            "seed": self.seed,
        }

    def state(self) -> dict[str, Any]:
        """Return the run so far as plain data, including its learner.

        Raises
        ------
        StateError
            If the run uses `keep_arms`, `available` or `delay`.
        """
        if self._kept is not None or self.available is not None or self._delays is not None:
            raise StateError("a run with keep_arms, available or delay cannot be saved; leave them out.")
        sets = self._player.sets
        return {
            "learner": copy_arrays(self.learner._state()),
            "run": self._run(),
            "done": self.done,
            "records": self._recorder.state(),
            "stream": self._player.stream.state(),
            "sums": encode_array(self._sums),
            "heard": self._notify_observer.state(),
            "sets": None if sets is None else encode_array(sets),
        }

    def resume(self, state: dict[str, Any]) -> None:
        """Continue from what `state` returned.

        It must be of the same run. The number of rounds may differ if the result is then the same, bit for bit, as that
        of an uninterrupted run of the new length.

        Raises
        ------
        StateError
            If the state is of another run or its parts do not fit together.
        """
        try:
            kept = match_records(state["run"], self._run(), int(state["done"]))
            self.learner = type(self.learner)._from_state(state["learner"])
            self.done = int(state["done"])
            self._sums = decode_array(state["sums"])
            self._recorder.resume(state["records"], kept)
            self._begin()
            self._notify_observer.resume(state["heard"])
            self._player.stream.resume(state["stream"])
            self._player.sets = None if state["sets"] is None else decode_array(state["sets"])
        except StateError:
            raise
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise StateError(f"the saved run does not fit together ({error}); use the last complete copy.") from error

    def now(self) -> tuple[np.ndarray, np.ndarray, int]:
        """Return (policy (K,), its three scores, PF regret so far) at the last round; it needs at least one round."""
        return *self._recorder.latest(), int(self._recorder.totals["regret"])

    @property
    def ending(self) -> bool:
        """Whether the next chunk is the last: only up to here does a longer run have the same course, bit for bit."""
        return 0 < self.rounds - self.done <= CHUNK_ROUNDS - self.done % CHUNK_ROUNDS

    def _run(self) -> list[Any]:
        """Return what identifies this run: rounds, records, seed, first round, and a digest of everything else."""
        return [self.rounds, self.records, str(self.seed), self.first, self._fingerprint()]

    def _fingerprint(self) -> str:
        """Return a digest that identifies this run's learner and environment."""
        names = [*self.learner.arms, *self.learner.agents]
        about = json.dumps({**self.about(), "rounds": 0, "regrets": self._regrets(), "names": names})
        return sha256(about.encode() + self.environment.fingerprint()).hexdigest()

    def _begin(self) -> None:
        """Connect the learner to the environment at the next round."""
        stream = self.environment.stream(self.seed)
        self._player = Player(self.learner, self.environment, stream, self.available, self._delays)
        self._true_means = self.environment.means
        self._recorder.meet(self.environment.instance)
        self._notify_observer.meet(self.environment.instance)
        self._turn()

    def _turn(self) -> None:
        """Switch to the true means of the next round, if they differ from the current ones."""
        now = self.first + self.done
        if self._changes(now):
            truth = self.environment.truth_at(now)
            self._true_means = truth.means
            self._player.meet(truth)
            self._recorder.meet(truth)
            self._notify_observer.meet(truth)

    def _changes(self, t: int) -> bool:
        """Return whether the true means of round `t` differ from the current ones."""
        if not self.environment.by_round:
            return False
        means = self.environment.means_at(truth_round(self.environment, t))
        return means is not self._true_means and not np.array_equal(means, self._true_means)

    def _length(self) -> int:
        """Return the length of the next chunk: up to the next multiple of CHUNK, change of means or end.

        Forced rounds form a chunk of their own.
        """
        forced = self.learner._asked.count(0) if self.available is None else 0
        ahead = [CHUNK_ROUNDS - self.done % CHUNK_ROUNDS, self.rounds - self.done, forced]
        most = min(length for length in ahead if length > 0)
        if not self.environment.by_round:
            return most
        now, every = self.first + self.done, self.environment.truth_every
        looks = range(truth_round(self.environment, now) + every, now + most, every)
        return next((t - now for t in looks if self._changes(t)), most)


def as_environment(environment: Any, learner: Any) -> Any:
    """Return a simulator with `step(arm)` as an environment with the learner's arms; anything else unchanged."""
    own = not isinstance(environment, Environment | Learner) and callable(getattr(environment, "step", None))
    if not own or not isinstance(learner, Learner):
        return environment
    return Environment.from_simulator(environment, n_arms=len(learner.arms))


def require_compatible(learner: Learner, environment: Environment) -> None:
    """Raise `InputError` unless `learner` and `environment` are what they should be, with equal sizes and weights."""
    if not isinstance(learner, Learner):
        raise InputError(
            f"the learner is of type {type(learner).__name__}; make one: iso.ProceduralLearner(n_agents, n_arms)."
        )
    if not isinstance(environment, Environment):
        raise InputError(
            f"the environment is of type {type(environment).__name__}, which gives no rewards; wrap the true means "
            "in one that does: iso.BetaRewards(instance), or give an object with step(arm)."
        )
    if (len(learner.agents), len(learner.arms)) != (environment.n_agents, environment.n_arms):
        size = f"{pluralise(len(learner.agents), 'agent')} and {pluralise(len(learner.arms), 'arm')}"
        raise InputError(
            f"the learner has {size}, but the environment has "
            f"{environment.n_agents} and {environment.n_arms}; make one for the other."
        )
    if not np.array_equal(learner.weights, environment.weights):
        raise InputError(
            "the agents have other weights in the learner than in the environment; make it with "
            "weights=environment.weights."
        )
