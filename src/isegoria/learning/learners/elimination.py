"""A learner in which agents in doubt explore with their own voice, so that nobody else pays for exploration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isegoria.errors import InputError
from isegoria.learning.base.learner_roster import WeightsLike
from isegoria.learning.base.set_learner import SetLearner
from isegoria.learning.base.state_view import StateView
from isegoria.learning.base.validation import require_bool, require_fraction
from isegoria.learning.confidence_sets.betting_sets import BettingSets
from isegoria.learning.confidence_sets.error_budget import ErrorBudget, allocate_error
from isegoria.learning.confidence_sets.favourite_sets import unpack_sets as sets_of
from isegoria.learning.confidence_sets.incremental_policy import OwnVoices
from isegoria.learning.confidence_sets.set_rules import resolve_set_rule
from isegoria.learning.confidence_sets.voice_allocation import DoubtState, VoiceAllocation
from isegoria.learning.learners import elimination_notes, elimination_state
from isegoria.learning.learners.elimination_step import GuidedStep
from isegoria.profiles.names import NamesLike
from isegoria.rules import Rule
from isegoria.utils.arrays import read_only_view

if TYPE_CHECKING:
    from isegoria.rules.literals import RuleName


class EliminationLearner(SetLearner):
    """Learner of the procedurally fair policy that keeps equal voice while it learns.

    Every agent owns its share `w_i/W` of every round. An agent that knows its favourites spends it on them. An agent in
    doubt spends it on its own candidates: 1 − `explore` on its leader (the candidate with the best mean so far), the
    rest evenly on the others.

    The guarantee needs rewards whose means do not change, and that whether an agent answers does not depend on its
    answer. Then, with probability at least 1 − `error`, at all times: no true favourite is ever dropped, no agent is
    wrongly called close, and there is no alarm. `docs/explanation/elimination.md` has the proofs.

    An agent that never answers stays in doubt, at nobody else's cost unless `lend` is set.

    Parameters
    ----------
    n_agents, n_arms : int
        The numbers of agents and arms.
    error : float
        The probability with which the guarantee may fail.
    resolution : float
        An agent whose candidates are all known to be within this distance of each other is called close. It counts as
        resolved, like an agent with a single candidate.
    explore : float
        The share of its voice that an agent in doubt spends on candidates other than its leader.
    seed : optional
        The seed of the learner's own draws.
    lend : float
        The share of every round that all agents give to those in doubt while there are any. These agents resolve
        sooner, and everyone keeps 1 − `lend` of its voice.
    trickle : float
        The share of its own voice that a resolved agent spends on arms it has dropped, so that changes are detected for
        arms that nobody plays.
    watch : bool
        Whether to detect changes: a resolved agent whose feedback no longer fits is in doubt again (an alarm).
    may_join : bool
        Whether agents or arms may join later. Half of `error` then goes to the first agents, and
        `error/2 · 1/(j(j+1))` to the j-th later one. Each time arms join, more evidence is needed to drop an arm.
    floor : float
        The share of the policy itself in the learner's own draw. The rest plays what was promised as evenly as
        possible.
    rule : str or Rule
        How the resolved agents share: "procedural" (the Nash product of decision shares), "conditional-utilitarian" or
        "random-dictatorship", which are strategyproof in shares, or any rule that reads favourite sets and is always
        fair. The guarantee holds for each.
    weights : sequence of int, optional
        The agents' weights; all 1 by default.
    agents, arms : sequence of str, optional
        Names; numbered by default.

    Examples
    --------
    >>> learner = EliminationLearner(2, 2, arms=["tea", "coffee"], seed=7)
    >>> for _ in range(200):
    ...     ticket = learner.ask()
    ...     learner.tell(ticket, [[0.9, 0.1], [0.2, 0.8]][ticket.arm])
    >>> learner.sets.tolist(), learner.policy.tolist(), learner.voices.tolist()
    ([[True, False], [False, True]], [0.5, 0.5], [[0.5, 0.0], [0.0, 0.5]])
    """

    id = "elimination"
    label = "Elimination"
    summary = "agents in doubt explore with their own voice, and drop what loses to their best"
    citation = "testing by betting (Shafer 2021; Waudby-Smith and Ramdas 2024), Holm (1979) inside an agent"
    _candidates: BettingSets
    settings = ("error", "resolution", "explore", "lend", "trickle", "watch", "may_join", "floor", "rule")

    def __init__(
        self,
        n_agents: int,
        n_arms: int,
        error: float = 0.01,
        resolution: float = 0.05,
        explore: float = 0.25,
        seed: int | None = None,
        *,
        lend: float = 0.0,
        trickle: float = 0.0,
        watch: bool = True,
        may_join: bool = False,
        floor: float = 0.0,
        rule: RuleName | Rule = "procedural",
        weights: WeightsLike = None,
        agents: NamesLike = None,
        arms: NamesLike = None,
    ):
        self.error = require_fraction("error", error, "a probability")
        self.resolution = require_fraction("resolution", resolution, "a difference of mean rewards", zero=True)
        self.explore = require_fraction(
            "explore", explore, "the share of its voice that one in doubt explores", one=True
        )
        self.lend = require_fraction("lend", lend, "the share of a round lent to those in doubt", zero=True, one=True)
        self.trickle = require_fraction("trickle", trickle, "a share of one's own voice", zero=True, one=True)
        self.watch, self.may_join = require_bool("watch", watch), require_bool("may_join", may_join)
        self._set_rule = resolve_set_rule(rule)
        self.rule = self._set_rule.id
        self._first, self._joins = n_agents, 0
        self._since: dict[int, tuple[int, tuple[int, ...]]] = {}
        self._whole: tuple[int, np.ndarray] | None = None
        self._announced, self._all_resolved = np.zeros(0, dtype=np.int64), False
        self._alarms: list[tuple[int, str]] = []
        super().__init__(
            n_agents, n_arms, catch_up=True, floor=floor, seed=seed, agents=agents, arms=arms, weights=weights
        )
        self._played_at = [0] * n_arms

    # -- policy --------------------------------------------------------------------------------------------------------

    def compute_policy(self, state: StateView, arms: tuple[int, ...]) -> np.ndarray:
        """Return `Σ (w_i/W) y_i`, updated incrementally while every arm is available, else computed for the round."""
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

    def plan_exploration(self, state: StateView, arms: tuple[int, ...]) -> tuple[float, tuple[int, ...]]:
        """Return probability 0, since exploration is inside the policy, and the arms that agents in doubt may try."""
        if len(arms) == len(self._arms):
            return 0.0, self._voices.tried()
        group = self._doubts(self._columns)
        return 0.0, tuple(np.flatnonzero(group.sets[group.doubt].any(axis=0)).tolist())

    def on_decision(self, arms: tuple[int, ...], arm: int, exploring: bool) -> None:
        super().on_decision(arms, arm, exploring)
        self._played_at[arm] = self.rounds
        if self._candidates.news:
            self._notes += self._collect_notes()

    def _notify_observer(self, arm: int, rows: np.ndarray, values: np.ndarray) -> None:
        self._candidates.hear(self.rounds, arm, values, rows, self._last)

    def step(self, truth: np.ndarray) -> GuidedStep:
        self._notes.clear()  # they go on the first ticket, which nobody keeps
        version = -1 if self._whole is None or self._learned is not self._whole[1] else self._whole[0]
        here = self._voices, self._tally, self._present, version, self._collect_notes
        return GuidedStep(self._candidates, truth, *here)

    def after(self, rounds: int, arms: np.ndarray, pulls: np.ndarray, explored: int) -> None:
        self._learned = self.solve() if len(arms) else self._learned
        super().after(rounds, arms, pulls, explored)
        for arm in np.flatnonzero(pulls).tolist():
            self._played_at[arm] = rounds - int(np.argmax(arms[::-1] == arm))

    # -- voices --------------------------------------------------------------------------------------------------------

    @property
    def _voicing(self) -> VoiceAllocation:
        return VoiceAllocation(self.explore, self.lend, self.trickle)

    def _doubts(self, columns: np.ndarray) -> DoubtState:
        """Return the candidates of the agents present among these arms, as of the last update of the sets."""
        sets = self._candidates.matrix()
        means = np.where(sets, self._candidates.heard["mean"].T[self._present], -1.0)
        doubt = self._candidates.doubting[self._present].astype(bool)
        return DoubtState(sets, means.argmax(axis=1), doubt, self._weights, self._set_rule)

    def voices_over(self, available: Any = None) -> np.ndarray:
        """Return how the agents present would spend their voices in the next round, (n, K), over the available arms.

        All arms are available by default. The rows sum to the policy that `propose` returns. Row i sums to `w_i/W`, or
        with `lend` to what the agent keeps.
        """
        arms = np.array(self._possible(available), dtype=np.intp)
        before = self._mark()
        try:
            self._candidates.update(arms)
            group = self._doubts(arms)
        finally:
            self._return(before)
        whole = len(arms) == len(self._arms) and self._voices.solved()
        fair = self._voices.resolved_policy if whole else group.resolved_policy
        return read_only_view(self._voicing.rows(group, fair, arms))

    @property
    def voices(self) -> np.ndarray:
        """(n, K) How the voices are spent in the next round: row i is `(w_i/W) y_i`, and the rows sum to the policy."""
        return self.voices_over()

    @property
    def due(self) -> np.ndarray:
        """(n,) `w_i/W`: the share of the rounds that each agent present owns."""
        return read_only_view(self._weights / self._weights.sum())

    @property
    def candidates(self) -> np.ndarray:
        """(n, K) Booleans: the arms that may still be favourites of each agent present, offered in the round or not."""
        return read_only_view(self._candidate_matrix()[self._present])

    # -- what it knows -------------------------------------------------------------------------------------------------

    @property
    def resolved(self) -> np.ndarray:
        """(n,) Booleans: which agents present have one candidate, or candidates known to be close."""
        return read_only_view(self._candidates.doubting[self._present] == 0)

    @property
    def resolved_at(self) -> np.ndarray:
        """(n,) The round since which each agent present is resolved, -1 for an agent in doubt."""
        return read_only_view(self._candidates.resolved_at[self._present])

    @property
    def alarms(self) -> list[tuple[int, str]]:
        """(round, agent) of every alarm so far: the agent's feedback no longer fitted its favourite."""
        new = np.flatnonzero(self._candidates.alarmed_at)
        return [*self._alarms, *((int(self._candidates.alarmed_at[i]), self._agents[i]) for i in new.tolist())]

    @property
    def played(self) -> np.ndarray:
        """(n,) The share of rounds since each agent joined that played an arm of its current set; 0 without rounds."""
        sets, pulls = self._candidate_matrix()[self._present], np.asarray(self._asked)
        hits, rounds = sets @ pulls, np.full(len(sets), self.rounds)
        for place, row in enumerate(self._present.tolist()):
            if row in self._since:
                since, before = self._since[row]
                hits[place] -= sets[place, : len(before)] @ np.array(before)
                rounds[place] -= since
        return read_only_view(hits / np.maximum(rounds, 1))

    @property
    def waiting(self) -> np.ndarray:
        """(n,) Rounds since an arm of each agent's current set was last played, or since the agent joined."""
        last = np.where(self._candidate_matrix()[self._present], self._played_at, 0).max(axis=1)
        since = [self._since.get(row, (0,))[0] for row in self._present.tolist()]
        return read_only_view(self.rounds - np.maximum(last, since))

    @property
    def lower(self) -> np.ndarray:
        """(N, K) Lower bounds on the mean rewards of everyone who ever joined."""
        return self._candidates.intervals()[0]

    @property
    def upper(self) -> np.ndarray:
        """(N, K) Upper bounds on the mean rewards of everyone who ever joined."""
        return self._candidates.intervals()[1]

    @property
    def capital(self) -> np.ndarray:
        """(N, K) The wealth of the bets that a candidate is no favourite, starting from 1; NaN for dropped arms."""
        return np.where(self._candidate_matrix(), self._candidates.pairs["capital"].mean(axis=2).T, np.nan)

    def _candidate_matrix(self) -> np.ndarray:
        return sets_of(self._candidates.kept, len(self._arms))

    def _collect_notes(self) -> list[str]:
        """Return notes on agents resolved or alarmed since the last call."""
        sets, found = self._candidates, []
        alarmed = np.flatnonzero(sets.alarmed_at).tolist()
        if alarmed:
            self._alarms += [(int(sets.alarmed_at[i]), self._agents[i]) for i in alarmed]
            found += elimination_notes.format_alarms(
                [(*self._alarms[k - len(alarmed)], self._arm_names[sets.unfit[i]]) for k, i in enumerate(alarmed)]
            )
            self._all_resolved = False
        fresh = np.flatnonzero((sets.resolved_at != self._announced) & (sets.resolved_at >= 0)).tolist()
        held = self._candidate_matrix()[fresh]
        found += elimination_notes.format_resolved_agents(
            [
                (int(sets.resolved_at[i]), self._agents[i], [self._arm_names[k] for k in np.flatnonzero(row)])
                for i, row in zip(fresh, held, strict=True)
            ],
            self.resolution,
        )
        if not self._all_resolved and not sets.doubting[self._present].any():
            self._all_resolved = True
            found.append(elimination_notes.format_completion(int(sets.resolved_at[self._present].max())))
        sets.alarmed_at[:], sets.news = 0, False
        self._announced = sets.resolved_at.copy()
        return found

    # -- who takes part ------------------------------------------------------------------------------------------------

    def join(self, name: str) -> int:
        """Add an agent and return its index; a new agent needs `may_join=True`, which reserves error for it."""
        if name not in self._agents.index:
            self._admit(f"agent {name!r}")
        row = super().join(name)
        self._since[row] = self.rounds, tuple(self._asked)
        return row

    def leave(self, name: str | int) -> None:
        """Remove an agent; its open pairs are closed with worst-case values, and nothing changes for the others."""
        row = self._agents.find(name)
        super().leave(name)
        self._candidates.close_pairs(row)

    def add_arm(self, name: str) -> int:
        """Add an arm and return its index; this needs `may_join=True`, which reserves error for it."""
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

    def _prices(self) -> ErrorBudget:
        joins = self._joins if self.may_join else None
        return allocate_error(self.error, self.watch, len(self._agents), len(self._arms), self._first, joins)

    def _new_sets(self) -> BettingSets:
        """Return the sets of the current group: newcomers have all arms, and new arms are everyone's candidates."""
        here = len(self._present), len(self._arms), self._present, len(self._agents)
        new = BettingSets(*here, self._prices(), self.resolution)
        if hasattr(self, "_candidates"):
            new.grow_from(self._candidates)
        more = len(self._agents) - len(self._announced)
        self._announced = np.append(self._announced, np.full(more, -1))
        return new

    def on_roster_change(self) -> None:
        super().on_roster_change()
        self._all_resolved &= not self._candidates.doubting[self._present].any()
        self._renew_voices()

    def _renew_voices(self) -> None:
        own = None if self.rule == "procedural" else self._set_rule.policy
        self._voices = OwnVoices(self._candidates, self._weights, self.explore, self.lend, self.trickle, own)
        self._whole = None

    # -- state ---------------------------------------------------------------------------------------------------------

    def extra_state(self) -> dict[str, Any]:
        return {**super().extra_state(), **elimination_state.dump_extra(self)}

    def restore_extra(self, state: dict[str, Any]) -> None:
        elimination_state.restore_extra(self, state)
        super().restore_extra(state)
