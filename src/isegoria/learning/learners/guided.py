"""A learner in which everyone's voice is its own: whoever is in doubt explores with it, and nobody else pays."""

from __future__ import annotations

import inspect
from typing import Any, Self

import numpy as np

from isegoria.errors import InputError, StateError, unknown
from isegoria.instance.names import GivenNames
from isegoria.learning.learners import guided_notes, guided_state
from isegoria.learning.learners.guided_step import GuidedStep
from isegoria.learning.protocol.checks import checked_flag, checked_share
from isegoria.learning.protocol.roster import GivenWeights
from isegoria.learning.sets.betting_sets import BettingSets
from isegoria.learning.sets.favourite_sets import unpacked as sets_of
from isegoria.learning.sets.own_voices import OwnVoices
from isegoria.learning.sets.prices import Prices, prices_of
from isegoria.learning.sets.set_learner import SetLearner
from isegoria.learning.sets.voices import Doubts, Voicing
from isegoria.rows.views import read_only

GONE = {
    "rate": "exploration is paid by those in doubt. Use `lend` to explore faster at everyone's cost.",
    "gamma": "exploration is paid by those in doubt, and ends with their doubt.",
    "discount": "an agent whose tastes change starts anew. Use `trickle`; alarms are on.",
    "catch_up": "what is promised is always played.",
}
"""Settings of the guided learner that was, and what to do without them."""


class GuidedLearner(SetLearner):
    """Learns the procedurally fair policy, and keeps equal voice while it learns.

    Every agent owns its share of every round, w_i/W. One that knows its favourites spends it on them; one in doubt
    spends its own on its own candidates, 1 − `explore` on its leader (the candidate of the best mean so far) and the
    rest evenly on the others. In a world that does not change, and if whether an answer comes does not depend on what
    it says, then with probability at least 1 − `error`, at all times: no true favourite is ever dropped, no agent is
    called close that is not, and there is no alarm. `docs/explanation/guided.md` has the proofs.

    - `resolution`: an agent all of whose candidates are known to be within it of each other is called close, and
      resolved as one with a single candidate is.
    - `lend`: the share of every round that all give to those in doubt while there are any; they find out sooner, and
      everyone keeps 1 − `lend` of its voice.
    - `watch`: someone resolved whose answers no longer fit is in doubt again (an alarm). `trickle`: the share of its
      own voice that a resolved agent spends on arms it has dropped, so that a change is seen for arms nobody plays.
    - `may_join`: agents or arms may join later. Half of `error` then goes to the first agents, and error/2 · 1/(j(j+1))
      to the j-th later one; each join of arms makes a drop dearer.
    - `floor`: the share of the policy in the coin, which else plays what was promised as evenly as it can.

    An agent that never answers stays in doubt, at nobody else's cost unless you `lend`.

    >>> learner = GuidedLearner(2, 2, arms=["tea", "coffee"], seed=7)
    >>> for _ in range(200):
    ...     ticket = learner.ask()
    ...     learner.tell(ticket, [[0.9, 0.1], [0.2, 0.8]][ticket.arm])
    >>> learner.sets.tolist(), learner.policy.tolist(), learner.voices.tolist()
    ([[True, False], [False, True]], [0.5, 0.5], [[0.5, 0.0], [0.0, 0.5]])
    """

    id = "guided"
    label = "Guided"
    summary = "whoever is in doubt explores with its own voice, and drops what loses to its best"
    citation = "testing by betting (Shafer 2021; Waudby-Smith and Ramdas 2024), Holm (1979) inside an agent"
    _candidates: BettingSets
    settings = ("error", "resolution", "explore", "lend", "trickle", "watch", "may_join", "floor")
    gone = GONE

    def __init__(self, n_agents: int, n_arms: int, error: float = 0.01, resolution: float = 0.05,
                 explore: float = 0.25, seed: int | None = None, *, lend: float = 0.0, trickle: float = 0.0,
                 watch: bool = True, may_join: bool = False, floor: float = 0.0, weights: GivenWeights = None,
                 agents: GivenNames = None, arms: GivenNames = None, **gone: Any):  # fmt: skip
        _refuse(gone)
        self.error = checked_share("error", error, "a probability")
        self.resolution = checked_share("resolution", resolution, "a difference of mean rewards", zero=True)
        self.explore = checked_share("explore", explore, "the share of its voice that one in doubt explores", one=True)
        self.lend = checked_share("lend", lend, "the share of a round lent to those in doubt", zero=True, one=True)
        self.trickle = checked_share("trickle", trickle, "a share of one's own voice", zero=True, one=True)
        self.watch, self.may_join = checked_flag("watch", watch), checked_flag("may_join", may_join)
        self._first, self._joins = n_agents, 0
        self._since: dict[int, tuple[int, tuple[int, ...]]] = {}
        self._whole: tuple[int, np.ndarray] | None = None
        self._announced, self._all_resolved = np.zeros(0, dtype=np.int64), False
        self._alarms: list[tuple[int, str]] = []
        super().__init__(
            n_agents, n_arms, catch_up=True, floor=floor, seed=seed, agents=agents, arms=arms, weights=weights
        )
        self._played_at = [0] * n_arms

    # -- the idea ------------------------------------------------------------------------------------------------------

    def _policy(self, arms: tuple[int, ...]) -> np.ndarray:
        """Σ (w_i/W) y_i: kept up from round to round while every arm is available, else computed for the round."""
        if arms is not self._over:
            self._over, self._columns = arms, np.array(arms, dtype=np.intp)
        self._candidates.update(self._columns)
        if len(arms) == len(self._arms):
            self._learned = self.solve()
        else:
            self._learned = self._voicing.policy(self._doubts(self._columns), self._columns)
        return self._learned

    def solve(self) -> np.ndarray:
        self._voices.renew()
        if self._whole is None or self._whole[0] != self._voices.version:
            self._whole = self._voices.version, self._voices.policy.copy()
        return self._whole[1]

    def _exploration(self, arms: tuple[int, ...]) -> tuple[float, tuple[int, ...]]:
        """No round explores: exploration is inside the policy. The arms are those that someone in doubt may try."""
        if len(arms) == len(self._arms):
            return 0.0, self._voices.tried()
        group = self._doubts(self._columns)
        return 0.0, tuple(np.flatnonzero(group.sets[group.doubt].any(axis=0)).tolist())

    def _settled(self, arms: tuple[int, ...], arm: int, exploring: bool) -> None:
        super()._settled(arms, arm, exploring)
        self._played_at[arm] = self.rounds
        if self._candidates.news:
            self._notes += self._happened()

    def _heard(self, arm: int, rows: np.ndarray, values: np.ndarray) -> None:
        self._candidates.hear(self.rounds, arm, values, rows, self._last)

    def step(self, truth: np.ndarray) -> GuidedStep:
        self._notes.clear()  # they go on the first ticket, which nobody keeps
        version = -1 if self._whole is None or self._learned is not self._whole[1] else self._whole[0]
        here = self._voices, self._tally, self._present, version, self._happened
        return GuidedStep(self._candidates, truth, *here)

    def after(self, rounds: int, arms: np.ndarray, pulls: np.ndarray, explored: int) -> None:
        self._learned = self.solve() if len(arms) else self._learned
        super().after(rounds, arms, pulls, explored)
        for arm in np.flatnonzero(pulls).tolist():
            self._played_at[arm] = rounds - int(np.argmax(arms[::-1] == arm))

    # -- voices --------------------------------------------------------------------------------------------------------

    @property
    def _voicing(self) -> Voicing:
        return Voicing(self.explore, self.lend, self.trickle)

    def _doubts(self, columns: np.ndarray) -> Doubts:
        """What the agents present hold possible among these arms, as the sets were last brought up to date for them."""
        sets = self._candidates.matrix()
        means = np.where(sets, self._candidates.heard["mean"].T[self._present], -1.0)
        doubt = self._candidates.doubting[self._present].astype(bool)
        return Doubts(sets, means.argmax(axis=1), doubt, self._weights)

    def voices_over(self, available: Any = None) -> np.ndarray:
        """(n, K) where the voices of the agents present go in the next round, if these arms are available (all, if not
        said): the rows sum to the policy that `propose` gives, and row i to w_i/W (with `lend`, to what it keeps)."""
        arms = np.array(self._possible(available), dtype=np.intp)
        before = self._mark()
        try:
            self._candidates.update(arms)
            group = self._doubts(arms)
        finally:
            self._return(before)
        whole = len(arms) == len(self._arms) and self._voices.solved()
        fair = self._voices.resolved_policy if whole else group.resolved_policy
        return read_only(self._voicing.rows(group, fair, arms))

    @property
    def voices(self) -> np.ndarray:
        """(n, K) whose voice goes where in the next round: row i is (w_i/W) y_i, and the rows sum to its policy."""
        return self.voices_over()

    @property
    def due(self) -> np.ndarray:
        """(n,) w_i/W: the share of the rounds that each of the agents present owns."""
        return read_only(self._weights / self._weights.sum())

    # -- what it knows -------------------------------------------------------------------------------------------------

    @property
    def resolved(self) -> np.ndarray:
        """(n,) booleans: who of those present has one candidate, or candidates that are known to be close."""
        return read_only(self._candidates.doubting[self._present] == 0)

    @property
    def resolved_at(self) -> np.ndarray:
        """(n,) the rounds from which on the agents present are resolved, -1 for those in doubt."""
        return read_only(self._candidates.resolved_at[self._present])

    @property
    def alarms(self) -> list[tuple[int, str]]:
        """(round, agent) of every alarm so far: the agent's answers no longer fitted its favourite."""
        new = np.flatnonzero(self._candidates.alarmed_at)
        return [*self._alarms, *((int(self._candidates.alarmed_at[i]), self._agents[i]) for i in new.tolist())]

    @property
    def played(self) -> np.ndarray:
        """(n,) the share of the rounds since each agent joined that played an arm of its set of today; 0 of none."""
        sets, pulls = self._kept()[self._present], np.asarray(self._asked)
        hits, rounds = sets @ pulls, np.full(len(sets), self.rounds)
        for place, row in enumerate(self._present.tolist()):
            if row in self._since:
                since, before = self._since[row]
                hits[place] -= sets[place, : len(before)] @ np.array(before)
                rounds[place] -= since
        return read_only(hits / np.maximum(rounds, 1))

    @property
    def waiting(self) -> np.ndarray:
        """(n,) rounds since an arm of each agent's set of today was last played, or since it joined."""
        last = np.where(self._kept()[self._present], self._played_at, 0).max(axis=1)
        since = [self._since.get(row, (0,))[0] for row in self._present.tolist()]
        return read_only(self.rounds - np.maximum(last, since))

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
        """(N, K) what was won against each candidate's being a favourite, starting from 1; NaN for dropped arms."""
        return np.where(self._kept(), self._candidates.pairs["capital"].mean(axis=2).T, np.nan)

    def _kept(self) -> np.ndarray:
        return sets_of(self._candidates.kept, len(self._arms))

    def _happened(self) -> list[str]:
        """Notes on who was resolved or alarmed since the last look."""
        sets, found = self._candidates, []
        alarmed = np.flatnonzero(sets.alarmed_at).tolist()
        if alarmed:
            self._alarms += [(int(sets.alarmed_at[i]), self._agents[i]) for i in alarmed]
            found += guided_notes.alarms([(*self._alarms[k - len(alarmed)], self._arm_names[sets.unfit[i]])
                                          for k, i in enumerate(alarmed)])  # fmt: skip
            self._all_resolved = False
        fresh = np.flatnonzero((sets.resolved_at != self._announced) & (sets.resolved_at >= 0)).tolist()
        held = self._kept()[fresh]
        found += guided_notes.resolutions(
            [(int(sets.resolved_at[i]), self._agents[i], [self._arm_names[k] for k in np.flatnonzero(row)])
             for i, row in zip(fresh, held, strict=True)], self.resolution)  # fmt: skip
        if not self._all_resolved and not sets.doubting[self._present].any():
            self._all_resolved = True
            found.append(guided_notes.everyone(int(sets.resolved_at[self._present].max())))
        sets.alarmed_at[:], sets.news = 0, False
        self._announced = sets.resolved_at.copy()
        return found

    # -- who takes part ------------------------------------------------------------------------------------------------

    def join(self, name: str) -> int:
        """Let an agent join, and return its index; a new one needs `may_join=True`, which sets error aside for it."""
        if name not in self._agents.index:
            self._admit(f"agent {name!r}")
        row = super().join(name)
        self._since[row] = self.rounds, tuple(self._asked)
        return row

    def leave(self, name: str | int) -> None:
        """Let an agent leave; its open pairs are closed at their worst, and nothing of the others changes."""
        row = self._agents.find(name)
        super().leave(name)
        self._candidates.close_pairs(row)

    def add_arm(self, name: str) -> int:
        """Add an arm, and return its index; it needs `may_join=True`, which sets error aside for it."""
        self._admit(f"arm {name!r}")
        self._joins += 1
        self._played_at.append(0)
        return super().add_arm(name)

    def _admit(self, newcomer: str) -> None:
        if not self.may_join:
            raise InputError(
                f"{newcomer} cannot join: the whole error of this learner was promised to the first "
                "agents and arms. Make it with may_join=True, which keeps half of the error for those who join later."
            )

    def _prices(self) -> Prices:
        joins = self._joins if self.may_join else None
        return prices_of(self.error, self.watch, len(self._agents), len(self._arms), self._first, joins)

    def _new_sets(self) -> BettingSets:
        """The sets of those who take part now: newcomers have all arms, and new arms are everyone's candidates."""
        here = len(self._present), len(self._arms), self._present, len(self._agents)
        new = BettingSets(*here, self._prices(), self.resolution)
        if hasattr(self, "_candidates"):
            new.grow_from(self._candidates)
        more = len(self._agents) - len(self._announced)
        self._announced = np.append(self._announced, np.full(more, -1))
        return new

    def _resized(self) -> None:
        super()._resized()
        self._all_resolved &= not self._candidates.doubting[self._present].any()
        self._renew_voices()

    def _renew_voices(self) -> None:
        self._voices = OwnVoices(self._candidates, self._weights, self.explore, self.lend, self.trickle)
        self._whole = None

    # -- state ---------------------------------------------------------------------------------------------------------

    def _extra_state(self) -> dict[str, Any]:
        return {**super()._extra_state(), **guided_state.state(self)}

    def _restore_extra(self, state: dict[str, Any]) -> None:
        guided_state.restore(self, state)
        super()._restore_extra(state)

    @classmethod
    def _from_state(cls, body: dict[str, Any]) -> Self:
        if "pairs" not in body.get("extra", {}):
            raise StateError(
                "this state is of the guided learner that explored in sweeps, with everybody's rounds; what it had "
                "found cannot be taken over. Start a new one, or go on with the release that wrote it."
            )
        return super()._from_state(body)


def _offered(kind: type) -> inspect.Signature:
    """What editors show of a learner: its settings, and not those that are gone, which are refused with a sentence."""
    own = inspect.signature(kind)
    return own.replace(parameters=[one for one in own.parameters.values() if one.kind is not one.VAR_KEYWORD])


def _refuse(gone: dict[str, Any]) -> None:
    """Raise if a setting is given that the learner does not have."""
    for name in gone:
        if name in GONE:
            raise InputError(f"`{name}` is gone: {GONE[name]}")
        raise TypeError(str(unknown("setting of guided", name, GuidedLearner.settings)))


setattr(GuidedLearner, "__signature__", _offered(GuidedLearner))  # noqa: B010  (a class may have one)
