"""Run a learner in an environment and see how it does: `simulate`, and a `Simulation` that can be saved midway."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

import numpy as np

from isegoria.errors import InputError, StateError
from isegoria.learning.protocol.binary import frozen
from isegoria.learning.protocol.checks import whole
from isegoria.learning.protocol.learner import Learner
from isegoria.learning.protocol.sealing import packed, unpacked
from isegoria.learning.runs.delays import Delay, Delays
from isegoria.learning.runs.heard import Heard
from isegoria.learning.runs.player import Available, Player
from isegoria.learning.runs.recorder import Recorder
from isegoria.learning.runs.regret import REGRETS
from isegoria.learning.runs.resuming import CHUNK, kept_records
from isegoria.learning.runs.trace import Trace
from isegoria.learning.worlds.environment import Environment, truth_round
from isegoria.rules import OBJECTIVES, Objective
from isegoria.seeds import Seed, checked_seed
from isegoria.wording import counted


def simulate(learner: Learner, environment: Environment, rounds: int, seed: Seed = None, records: int = 2000,
             keep_arms: bool = False, available: Available | None = None,
             watch: Callable[[Simulation], None] | None = None, delay: Delay = 0,
             objectives: Sequence[str | Objective] = ()) -> Trace:  # fmt: skip
    """The `Trace` of `rounds` rounds of a copy of `learner` in `environment`, whose rewards come from `seed`.

    `available(round)` may name the arms that are possible in each round; regret is then counted against the true
    favourites among them. `watch(simulation)` is called now and then while it runs. Rewards of round t are told before
    round t + 1 + `delay`: a number of rounds, or `delay(rng, arm, round)`, which gives one for each agent and must not
    know the rewards; what was not told by the end is in the trace all the same. `objectives` of one's own, by name or
    as they are, have their regrets in the trace too. Algorithm 1 and the guided learner are
    played by a compiled loop, the others by ask and tell; it gives what they give, bit for bit.

    >>> import isegoria as iso
    >>> learner = iso.ProceduralLearner(2, 2, seed=1)
    >>> trace = simulate(learner, iso.PointRewards([[1.0, 0.0], [0.0, 1.0]]), rounds=2000, seed=1)
    >>> trace.policy.tolist(), trace.regret == trace.last_mismatch, learner.rounds
    ([0.5, 0.5], True, 0)
    """
    simulation = Simulation(learner, environment, rounds, seed, records, keep_arms, available, delay, objectives)
    while simulation.advance():
        if watch is not None:
            watch(simulation)
    return simulation.trace()


class Simulation:
    """A run in the making: `advance` plays some more rounds, `state` and `resume` let it survive its process."""

    def __init__(self, learner: Learner, environment: Environment, rounds: int, seed: Seed = None,
                 records: int = 2000, keep_arms: bool = False, available: Available | None = None,
                 delay: Delay = 0, objectives: Sequence[str | Objective] = ()):  # fmt: skip
        check_meeting(learner, environment)
        self.learner, self.environment = learner.copy(), environment
        self.rounds, self.records = whole(rounds, "rounds"), whole(records, "records")
        self.seed, self.available = checked_seed(seed), available
        self.first = learner.rounds + 1
        self.done = 0
        self._sums = learner.sums.copy()
        chosen = [OBJECTIVES[one] if isinstance(one, str) else one for one in objectives]
        self.objectives = tuple(one for one in chosen if one.id not in REGRETS)
        self._recorder = Recorder(self.first, self.rounds, self.records, environment.n_arms, self.objectives)
        self._kept: list[tuple[np.ndarray, np.ndarray]] | None = [] if keep_arms else None
        self._heard = Heard(environment.n_agents, environment.n_arms)
        self._delays = Delays(delay, environment.n_agents, self.seed) if callable(delay) or delay else None
        self._begin()

    def advance(self) -> bool:
        """Play the next chunk of rounds; False when none were left."""
        if self.done == self.rounds:
            return False
        chunk = self._player.play(self._length())
        self._recorder.take(chunk)
        self._heard.take(chunk.arms)
        if self._kept is not None:
            self._kept.append((chunk.arms, chunk.exploring))
        self.done += len(chunk.arms)
        self._turn()
        return True

    def trace(self) -> Trace:
        """The trace of the rounds played so far."""
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
            realised_voice=self._heard.hits / max(self.done, 1),
            resolved_at=np.array(getattr(self.learner, "resolved_at", np.full(self.environment.n_agents, -1))),
            longest_wait=self._heard.longest.copy(),
            voice_lost=self._heard.lost,
            rewards=self._received(),
            agent_names=self.learner.agents,
            arm_names=self.learner.arms,
            about=self.about(),
            arms=arms,
            exploring=exploring,
        )

    def _received(self) -> np.ndarray:
        """(N,) all rewards so far, told or not."""
        told = (self.learner.sums - self._sums)[self.learner._present].sum(axis=1)
        return told if self._delays is None else told + self._delays.untold()

    def _regrets(self) -> tuple[str, ...]:
        """The objectives whose regrets are counted, in order."""
        return *REGRETS, *(one.id for one in self.objectives)

    def about(self) -> dict[str, Any]:
        """What ran: the learner with its settings, the environment, rounds and seed."""
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
        """The run so far as plain data, its learner included."""
        if self._kept is not None or self.available is not None or self._delays is not None:
            raise StateError("a run with keep_arms, available or delay cannot be saved; leave them out.")
        sets = self._player.sets
        return {
            "learner": frozen(self.learner._state()),
            "run": self._run(),
            "done": self.done,
            "records": self._recorder.state(),
            "stream": self._player.stream.state(),
            "sums": packed(self._sums),
            "heard": self._heard.state(),
            "sets": None if sets is None else packed(sets),
        }

    def resume(self, state: dict[str, Any]) -> None:
        """Go on from what `state` said; it must be of the same run, though the number of rounds may be another where
        that gives what a whole run of as many rounds gives, bit for bit."""
        try:
            kept = kept_records(state["run"], self._run(), int(state["done"]))
            self.learner = _restored(type(self.learner), state["learner"])
            self.done = int(state["done"])
            self._sums = unpacked(state["sums"])
            self._recorder.resume(state["records"], kept)
            self._begin()
            self._heard.resume(state["heard"])
            self._player.stream.resume(state["stream"])
            self._player.sets = None if state["sets"] is None else unpacked(state["sets"])
        except StateError:
            raise
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise StateError(f"the saved run does not fit together ({error}); use the last complete copy.") from error

    def now(self) -> tuple[np.ndarray, np.ndarray, int]:
        """(policy (K,), its three scores, PF regret so far) at the last round played; some round must have been."""
        return *self._recorder.latest(), int(self._recorder.totals["regret"])

    @property
    def ending(self) -> bool:
        """Whether the next chunk is the last one: only up to here does a longer run go the same way, bit for bit."""
        return 0 < self.rounds - self.done <= CHUNK - self.done % CHUNK

    def _run(self) -> list[Any]:
        """What tells this run from others: rounds, records, seed, first round, and a digest of all else."""
        return [self.rounds, self.records, str(self.seed), self.first, self._fingerprint()]

    def _fingerprint(self) -> str:
        """What tells this run's learner and environment from others."""
        names = [*self.learner.arms, *self.learner.agents]
        about = json.dumps({**self.about(), "rounds": 0, "regrets": self._regrets(), "names": names})
        return sha256(about.encode() + self.environment.fingerprint()).hexdigest()

    def _begin(self) -> None:
        """Meet the environment at the next round."""
        stream = self.environment.stream(self.seed)
        self._player = Player(self.learner, self.environment, stream, self.available, self._delays)
        self._true_means = self.environment.means
        self._recorder.meet(self.environment.instance)
        self._heard.meet(self.environment.instance)
        self._turn()

    def _turn(self) -> None:
        """Meet the truth of the next round, if it is another than before."""
        now = self.first + self.done
        if self._changes(now):
            truth = self.environment.truth_at(now)
            self._true_means = truth.means
            self._player.meet(truth)
            self._recorder.meet(truth)
            self._heard.meet(truth)

    def _changes(self, t: int) -> bool:
        """Whether the truth of round `t` has other means than that of today."""
        if not self.environment.by_round:
            return False
        means = self.environment.means_at(truth_round(self.environment, t))
        return means is not self._true_means and not np.array_equal(means, self._true_means)

    def _length(self) -> int:
        """Rounds of the next chunk: up to the next multiple of CHUNK, truth or end; forced rounds come alone."""
        forced = self.learner._asked.count(0) if self.available is None else 0
        ahead = [CHUNK - self.done % CHUNK, self.rounds - self.done, forced]
        most = min(length for length in ahead if length > 0)
        if not self.environment.by_round:
            return most
        now, every = self.first + self.done, self.environment.truth_every
        looks = range(truth_round(self.environment, now) + every, now + most, every)
        return next((t - now for t in looks if self._changes(t)), most)


def _restored(kind: type[Learner], saved: dict[str, Any] | str) -> Learner:
    """The learner of a saved run; version 1 kept it as text of its own."""
    return kind.from_json(saved) if isinstance(saved, str) else kind._from_state(saved)


def check_meeting(learner: Learner, environment: Environment) -> None:
    """Raise unless `learner` is a learner, `environment` is one, and they are about as many agents and arms."""
    if not isinstance(learner, Learner):
        raise InputError(
            f"the learner is of type {type(learner).__name__}; make one: iso.ProceduralLearner(n_agents, n_arms)."
        )
    if not isinstance(environment, Environment):
        raise InputError(
            f"the environment is of type {type(environment).__name__}, which gives no rewards; wrap the true means "
            "in one that does: iso.BetaRewards(instance), or another environment."
        )
    if (len(learner.agents), len(learner.arms)) != (environment.n_agents, environment.n_arms):
        size = f"{counted(len(learner.agents), 'agent')} and {counted(len(learner.arms), 'arm')}"
        raise InputError(
            f"the learner has {size}, but the environment has "
            f"{environment.n_agents} and {environment.n_arms}; make one for the other."
        )
    if not np.array_equal(learner.weights, environment.weights):
        raise InputError(
            "the agents have other weights in the learner than in the environment; make it with "
            "weights=environment.weights."
        )
