"""How fair is a policy, three ways: equal voice, equal outcomes, large outcomes (Sections 3 and 5 of the paper)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from isegoria import tolerances
from isegoria.arguments import checked_instance
from isegoria.instance import Instance
from isegoria.instance.policies import PolicyLike
from isegoria.lazy import computed_once, once_for_each
from isegoria.objectives.inequality import arm_inequalities, evaluate_all
from isegoria.rules import OBJECTIVES, solve
from isegoria.rules.inputs import support
from isegoria.solvers.flow.dinic import max_flow, procedural_score, procedural_scores
from isegoria.voice import Attribution, attributed, flows
from isegoria.wording import SCORES, rounded


class Best(NamedTuple):
    """What the scores of outcomes are measured by: the least D there is, and the largest mean utility."""

    inequality: float
    utility: float


@dataclass(frozen=True, eq=False)
class Scores:
    """The three scores of `policy`, each at most 1 and computed when first asked for.

    - `procedural`: the share of all voices that the policy can carry, PF(μ, P); 1 exactly when it is fair.
    - `procedural_interval`: (flow, cut), the proof of that score: a decomposition reaches the first, none the second.
    - `attribution`: (N, K) who carried which arm, a decomposition that reaches the score; `ratios` (N,) how much of
      its share each agent carried. `voice` is the whole `Attribution`.
    - `equality`: 1 − (D(P) − D*), with D twice the sample variance of utilities and D* the least there is.
    - `utilitarian`: the total utility over the largest total utility; 1 when that is 0.
    - `floor`: (3,) the least that any policy can score here; `relative`: (3,) where the policy stands between that and
      1; `least_relative`: the smallest of the three, a measure of balance.
    """

    instance: Instance = field(repr=False)
    policy: np.ndarray
    best: Best | None = field(default=None, repr=False)

    @computed_once
    def procedural(self) -> float:
        """The largest mass of the policy that can be attributed to agents who have that arm as a favourite."""
        return float(procedural_score(*flows(self.instance), self.policy))

    @computed_once
    def procedural_interval(self) -> tuple[float, float]:
        """(flow, cut): a lower and an upper bound on the procedural score, equal to 1e-12."""
        flow, cut, *_ = max_flow(*flows(self.instance), self.policy)
        return flow, cut

    @computed_once
    def voice(self) -> Attribution:
        """The fairest attribution of the policy to agents, with what it rests on."""
        return attributed(self.instance, self.policy)

    @property
    def attribution(self) -> np.ndarray:
        """(N, K) the mass y_ik that agent i carried of arm k; a row sums to at most w_i/W."""
        return self.voice.y

    @property
    def ratios(self) -> np.ndarray:
        """(N,) the part of its share that each agent carried."""
        return self.voice.ratios

    @computed_once
    def equality(self) -> float:
        """1 − (D(P) − D*): the mean squared difference of utilities above the least one, taken from 1."""
        inequality = OBJECTIVES["inequality"].evaluate(self.instance, self.policy)
        least = self.best.inequality if self.best else _least_inequality(self.instance)
        return min(1.0, float(1.0 - (inequality - least)))

    @computed_once
    def utilitarian(self) -> float:
        """The mean utility as a fraction of the largest one."""
        utility = OBJECTIVES["utilitarian"].evaluate(self.instance, self.policy)
        most = self.best.utility if self.best else _largest_utility(self.instance)
        return min(1.0, float(utility / most)) if most > 0 else 1.0

    @computed_once
    def floor(self) -> np.ndarray:
        """(3,) the least score that a policy can have in this group: each score is concave in the policy, so its least
        value is that of a single arm. min s_k/W; 1 − (max_k D(e_k) − D*); min c_k / max c_k."""
        least = self.best.inequality if self.best else _least_inequality(self.instance)
        heard = float(support(self.instance).supporters().min()) / self.instance.total_weight
        means = self.instance.arm_means
        total = float(means.min() / means.max()) if means.max() > 0 else 1.0
        found = np.array([heard, 1.0 - (float(arm_inequalities(self.instance).max()) - least), total])
        found.setflags(write=False)
        return found

    @property
    def relative(self) -> np.ndarray:
        """(3,) the part kept of what this group could lose, (score − floor)/(1 − floor); 1 where nothing can be lost.

        >>> import isegoria as iso
        >>> iso.score(iso.Instance([[1, 0], [1, 0], [0, 1]]), [0.5, 0.5]).relative.round(3).tolist()
        [0.75, 1.0, 0.5]
        """
        room = 1.0 - self.floor
        kept = np.divide(self.point - self.floor, room, out=np.ones(3), where=room > tolerances.OPTIMUM_TIE)
        return np.clip(kept, 0.0, 1.0)

    @property
    def least_relative(self) -> float:
        """The smallest of the three relative scores."""
        return float(self.relative.min())

    @property
    def point(self) -> tuple[float, float, float]:
        """The three scores, in the order of `SCORES`."""
        return self.procedural, self.equality, self.utilitarian

    def __str__(self) -> str:
        """The three scores in a line.

        >>> import isegoria as iso
        >>> print(iso.score(iso.Instance([[1, 0], [1, 0], [0, 1]]), [0.5, 0.5]))
        procedural 0.833, equality 1.000, utilitarian 0.750
        """
        return ", ".join(f"{id} {rounded(getattr(self, id))}" for id in SCORES)

    def _repr_html_(self) -> str:
        """The three scores for a notebook."""
        from isegoria import display

        said = {
            "procedural": "how far every agent's voice counts the same",
            "equality": "how alike the agents' utilities are",
            "utilitarian": "how large they are in total",
        }
        rows = [[f"{label} score", said[id], rounded(getattr(self, id))] for id, label in SCORES.items()]
        return display.box(display.line("1 is best", "Scores"), display.table(["", "", "score"], rows, words=2))


def score(instance: Instance, policy: PolicyLike) -> Scores:
    """The `Scores` of `policy` (K,) on `instance`, each computed when first asked for.

    >>> import isegoria as iso
    >>> scores = iso.score(iso.Instance([[1, 0], [1, 0], [0, 1]]), [0.5, 0.5])
    >>> round(scores.procedural, 6), scores.utilitarian
    (0.833333, 0.75)
    """
    checked = checked_instance(instance, "score").check_policy(policy)
    checked.setflags(write=False)
    return Scores(instance, checked)


def score_tables(
    instances: Sequence[Instance], policies: Sequence[np.ndarray], best: Sequence[Best] | None = None
) -> np.ndarray:
    """(instances, P, 3) the procedural, equality and utilitarian score of each row of each instance's policies (P, K).

    The rows are trusted to be exact points of the simplex, such as policies of solutions; `best` of each instance is
    solved for unless it is known.

    >>> import isegoria as iso
    >>> instance = iso.Instance([[1, 0], [1, 0], [0, 1]])
    >>> score_tables([instance], [np.array([[0.5, 0.5], [1, 0]])]).round(3).tolist()
    [[[0.833, 1.0, 0.75], [0.667, 0.333, 1.0]]]
    """
    tables = np.empty((len(instances), len(policies[0]), 3))
    for table, instance, rows in zip(tables, instances, policies, strict=True):
        rows = np.ascontiguousarray(rows, dtype=float)
        table[:, 0] = procedural_scores(*flows(instance), rows)
        table[:, 1] = evaluate_all(instance, rows)
        table[:, 2] = rows.dot(instance.arm_means)
    known = best or [Best(_least_inequality(instance), _largest_utility(instance)) for instance in instances]
    least, most = np.array(known).T[:, :, None]
    tables[:, :, 1] = _equality(tables[:, :, 1], least)
    tables[:, :, 2] = _utilitarian(tables[:, :, 2], most)
    return tables


def _equality(inequality: np.ndarray, least: np.ndarray) -> np.ndarray:
    """The equality scores of an array of inequalities."""
    return np.minimum(1.0, 1.0 - (inequality - least))


def _utilitarian(utility: np.ndarray, most: np.ndarray) -> np.ndarray:
    """The utilitarian scores of an array of mean utilities."""
    return np.minimum(1.0, np.divide(utility, most, out=np.ones_like(utility), where=most > 0))


@once_for_each
def _least_inequality(instance: Instance) -> float:
    return solve(instance, "inequality").value


@once_for_each
def _largest_utility(instance: Instance) -> float:
    return solve(instance, "utilitarian").value
