"""Three fairness scores of a policy: equal voice, equal outcomes, large outcomes (Sections 3 and 5 of the paper)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isegoria.analysis.attribution import Attribution, attribute_valid_policy
from isegoria.profiles import Instance, Profile
from isegoria.profiles.policies import PolicyLike
from isegoria.rules import solve
from isegoria.rules.builtin.inequality import arm_inequalities, evaluate, evaluate_batch
from isegoria.rules.inputs import flow_network, support_graph
from isegoria.solvers.flow.push_relabel import max_flow, procedural_score, procedural_scores
from isegoria.utils import tolerances
from isegoria.utils.arguments import explain_keywords, require_profile
from isegoria.utils.caching import cached_per_object, lazy_property
from isegoria.utils.formatting import SCORE_LABELS, format_number
from isegoria.utils.tabular import TabularResult

if TYPE_CHECKING:
    from isegoria.rules import Rule, Solution
    from isegoria.rules.literals import RuleName


class BestValues(NamedTuple):
    """Optima that the outcome scores are measured against: the minimum of D and the maximum mean utility."""

    inequality: float
    utility: float


@dataclass(frozen=True, eq=False)
class Scores(TabularResult):
    """The three scores of `policy`, each at most 1 and computed at first use.

    - `procedural`: the fraction of all shares that the policy can carry, PF(μ, P); 1 exactly when it is fair.
    - `procedural_interval`: (flow, cut), the proof of that score: a flow reaches the first, and no flow exceeds the
      second.
    - `attribution_matrix`: (N, K) the mass of each arm that each agent carries, in a decomposition that reaches the
      score; `ratios` (N,) the fraction of its share that each agent carries. `attribution` is the full `Attribution`.
    - `equality`: 1 − (D(P) − D*), with D twice the sample variance of utilities and D* its minimum.
    - `utilitarian`: the total utility divided by the maximum total utility; 1 if that is 0.
    - `lower_bounds`: (3,) the minimum that any policy can score on this instance.
    - `relative`: (3,) the scores rescaled so that the lower bound is 0 and the maximum 1; `min_relative`: the least of
      the three, a measure of balance.

    `best` are the optima that the outcome scores are measured against, and `known` the procedural score and D(P), where
    they were computed before.
    """

    instance: Profile = field(repr=False)
    policy: np.ndarray
    best: BestValues | None = field(default=None, repr=False)
    known: tuple[float, float] | None = field(default=None, repr=False)

    @lazy_property
    def procedural(self) -> float:
        """The maximum mass of the policy that can be attributed to agents who have that arm as a favourite."""
        return self.known[0] if self.known else float(procedural_score(*flow_network(self.instance), self.policy))

    @lazy_property
    def procedural_interval(self) -> tuple[float, float]:
        """(flow, cut): a lower and an upper bound on the procedural score, equal to within 1e-12."""
        flow, cut, *_ = max_flow(*flow_network(self.instance), self.policy)
        return flow, cut

    @lazy_property
    def attribution(self) -> Attribution:
        """The fairest attribution of the policy to agents, with its evidence."""
        return attribute_valid_policy(self.instance, self.policy)

    @property
    def attribution_matrix(self) -> np.ndarray:
        """(N, K) the mass `y_ik` of arm k that agent i carries; a row sums to at most `w_i/W`."""
        return self.attribution.y

    @property
    def ratios(self) -> np.ndarray:
        """(N,) the fraction of its share that each agent carries."""
        return self.attribution.ratios

    @lazy_property
    def equality(self) -> float:
        """1 − (D(P) − D*): 1 minus the excess of the mean squared difference of utilities over its minimum."""
        inequality = self.known[1] if self.known else evaluate(self.instance, self.policy)
        least = self.best.inequality if self.best else _min_inequality(self.instance)
        return min(1.0, float(1.0 - (inequality - least)))

    @lazy_property
    def utilitarian(self) -> float:
        """The mean utility as a fraction of the maximum mean utility."""
        utility = self.instance.arm_means @ self.policy
        most = self.best.utility if self.best else _max_mean_utility(self.instance)
        return min(1.0, float(utility / most)) if most > 0 else 1.0

    @lazy_property
    def lower_bounds(self) -> np.ndarray:
        """(3,) the minimum of each score over all policies on this instance.

        Each score is concave in the policy, so a single arm attains its minimum: `min s_k/W`;
        `1 − (max_k D(e_k) − D*)`; `min c_k / max c_k`.
        """
        least = self.best.inequality if self.best else _min_inequality(self.instance)
        heard = float(support_graph(self.instance).supporters().min()) / self.instance.total_weight
        means = self.instance.arm_means
        total = float(means.min() / means.max()) if means.max() > 0 else 1.0
        found = np.array([heard, 1.0 - (float(arm_inequalities(self.instance).max()) - least), total])
        found.setflags(write=False)
        return found

    @property
    def relative(self) -> np.ndarray:
        """(3,) the scores rescaled to (score − bound)/(1 − bound); 1 where all policies score 1.

        >>> import isegoria as iso
        >>> iso.score(iso.Instance([[1, 0], [1, 0], [0, 1]]), [0.5, 0.5]).relative.round(3).tolist()
        [0.75, 1.0, 0.5]
        """
        room = 1.0 - self.lower_bounds
        kept = np.divide(self.values - self.lower_bounds, room, out=np.ones(3), where=room > tolerances.OPTIMUM_TIE)
        return np.clip(kept, 0.0, 1.0)

    @property
    def min_relative(self) -> float:
        """The minimum of the three relative scores."""
        return float(self.relative.min())

    @property
    def values(self) -> tuple[float, float, float]:
        """The three scores, in the order of `SCORE_LABELS`."""
        return self.procedural, self.equality, self.utilitarian

    def to_dict(self) -> dict[str, Any]:
        """Return the three scores by name."""
        return {name: getattr(self, name) for name in SCORE_LABELS}

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one row per score: its name and its value.

        >>> import isegoria as iso
        >>> iso.score(iso.Instance([[1, 0], [0, 1]]), [0.5, 0.5]).to_rows()[0]
        {'score': 'procedural', 'value': 1.0}
        """
        return [{"score": name, "value": value} for name, value in self.to_dict().items()]

    def __str__(self) -> str:
        """Return the three scores in one line.

        >>> import isegoria as iso
        >>> print(iso.score(iso.Instance([[1, 0], [1, 0], [0, 1]]), [0.5, 0.5]))
        procedural 0.833, equality 1.000, utilitarian 0.750
        """
        return ", ".join(f"{id} {format_number(getattr(self, id))}" for id in SCORE_LABELS)

    def _repr_html_(self) -> str:
        """Return the three scores as an HTML table for a notebook."""
        from isegoria.utils import notebook

        said = {
            "procedural": "how far every agent's voice counts the same",
            "equality": "how equal the agents' utilities are",
            "utilitarian": "how large they are in total",
        }
        rows = [[f"{label} score", said[id], format_number(getattr(self, id))] for id, label in SCORE_LABELS.items()]
        return notebook.html_box(
            notebook.html_line("1 is best", "Scores"), notebook.html_table(["", "", "score"], rows, words=2)
        )


@explain_keywords
def score(instance: Profile, policy: PolicyLike | RuleName | Rule | Solution) -> Scores:
    """Return the `Scores` of `policy` on `instance`; each score is computed at first use.

    Parameters
    ----------
    instance : Instance
        The profile.
    policy : array (K,) or mapping by arm
        The policy.

    Returns
    -------
    Scores

    Raises
    ------
    InputError
        If `instance` is not a profile, or `policy` is not near the simplex.

    Examples
    --------
    >>> import isegoria as iso
    >>> scores = iso.score(iso.Instance([[1, 0], [1, 0], [0, 1]]), [0.5, 0.5])
    >>> round(scores.procedural, 6), scores.utilitarian
    (0.833333, 0.75)
    """
    checked = require_profile(instance, "score").validate_policy(policy)
    checked.setflags(write=False)
    return Scores(instance, checked)


def score_solutions(instance: Profile, solutions: Mapping[str, Solution], best: BestValues | None) -> dict[str, Scores]:
    """Return the `Scores` of some solutions by name; what they share is computed for all of them at once."""
    if not solutions:
        return {}
    policies = np.array([each.policy for each in solutions.values()])
    fair = procedural_scores(*flow_network(instance), policies).tolist()
    known = zip(fair, evaluate_batch(instance, policies).tolist(), strict=True)
    return {name: Scores(instance, each.policy, best, next(known)) for name, each in solutions.items()}


def score_batch(
    instances: Sequence[Instance], policies: Sequence[np.ndarray], best: Sequence[BestValues] | None = None
) -> np.ndarray:
    """Compute the procedural, equality and utilitarian scores of many policies, as an array (instances, P, 3).

    `policies` has an array (P, K) for each instance. Its rows must be exact points of the simplex, such as the policies
    of solutions; this is not checked. `best` of each instance is solved for unless given.

    >>> import isegoria as iso
    >>> instance = iso.Instance([[1, 0], [1, 0], [0, 1]])
    >>> score_batch([instance], [np.array([[0.5, 0.5], [1, 0]])]).round(3).tolist()
    [[[0.833, 1.0, 0.75], [0.667, 0.333, 1.0]]]
    """
    tables = np.empty((len(instances), len(policies[0]), 3))
    for table, instance, rows in zip(tables, instances, policies, strict=True):
        rows = np.ascontiguousarray(rows, dtype=float)
        table[:, 0] = procedural_scores(*flow_network(instance), rows)
        table[:, 1] = evaluate_batch(instance, rows)
        table[:, 2] = rows.dot(instance.arm_means)
    known = best or [BestValues(_min_inequality(instance), _max_mean_utility(instance)) for instance in instances]
    least, most = np.array(known).T[:, :, None]
    tables[:, :, 1] = _equality_scores(tables[:, :, 1], least)
    tables[:, :, 2] = _utilitarian_scores(tables[:, :, 2], most)
    return tables


def _equality_scores(inequality: np.ndarray, least: np.ndarray) -> np.ndarray:
    """Return the equality scores of an array of inequalities."""
    return np.minimum(1.0, 1.0 - (inequality - least))


def _utilitarian_scores(utility: np.ndarray, most: np.ndarray) -> np.ndarray:
    """Return the utilitarian scores of an array of mean utilities."""
    return np.minimum(1.0, np.divide(utility, most, out=np.ones_like(utility), where=most > 0))


@cached_per_object
def _min_inequality(instance: Profile) -> float:
    return solve(instance, "inequality").value


@cached_per_object
def _max_mean_utility(instance: Profile) -> float:
    return solve(instance, "utilitarian").value
