"""Attribution of a policy to agents: who carries which arm, who is neglected, and whether shares are proportional."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from isegoria.profiles import Profile, is_streamed, require_instance
from isegoria.profiles.policies import PolicyLike
from isegoria.rules.inputs import favourite_shares, flow_network
from isegoria.solvers import method_limits
from isegoria.solvers.flow.attribution import fair_flow
from isegoria.solvers.flow.network import split
from isegoria.utils import tolerances
from isegoria.utils.arrays import freeze
from isegoria.utils.caching import cached_per_object, lazy_property


@dataclass(frozen=True, eq=False)
class Attribution:
    """Attribution of a policy to agents: the fairest maximum flow of shares (Definition 5).

    - `by_type`: (m, K) the mass y_τk that all agents of one favourite set carry, in the order of
      `instance.favourite_types`; `type_ratios` (m,) that mass as a fraction of their share.
    - `closed_form`: whether it is y_ik = w_i p_k 1{k ∈ F_i} / (W d_i), which adds up to the policy at every optimum of
      the decision-share Nash welfare.
    - `unheard_types` (m,) and `wanted` (K,): the neglected types (ratio below 1) and all their favourite arms.
    """

    instance: Profile = field(repr=False)
    by_type: np.ndarray
    type_ratios: np.ndarray
    unheard_types: np.ndarray
    wanted: np.ndarray
    closed_form: bool

    @lazy_property
    def y(self) -> np.ndarray:
        """(N, K) the mass of arm k that agent i carries; rows sum to at most `w_i/W`, and equal agents are equal."""
        types = self.instance.favourite_types
        return split(self.by_type, types.weights, types.member, self.instance.given_weights)

    @lazy_property
    def ratios(self) -> np.ndarray:
        """(N,) the fraction of its share that each agent carries; the weighted mean is the procedural score."""
        return freeze(self.type_ratios[self.instance.favourite_types.member])

    @lazy_property
    def total(self) -> float:
        """The total mass that is carried: the procedural score."""
        return float(self.by_type.sum())


@dataclass(frozen=True, eq=False)
class NeglectedCoalition:
    """The coalition S with the largest shortfall, max over S of |S|/N − P(U_S); the smallest such coalition (Lemma 5).

    - `agents` and `arms`: the names of its members, and of the arms U_S that any of them wants.
    - `members` (N,) and `wanted` (K,): the same as booleans.
    - `deserves`: its fraction of all agents, |S|/N; `receives`: the probability P(U_S) of all the arms it wants.
    """

    agents: tuple[str, ...]
    arms: tuple[str, ...]
    members: np.ndarray = field(repr=False)
    wanted: np.ndarray = field(repr=False)
    deserves: float
    receives: float

    @property
    def shortfall(self) -> float:
        """deserves − receives: 1 minus the procedural score."""
        return self.deserves - self.receives


@dataclass(frozen=True, eq=False)
class Proportionality:
    """Each agent's payoff in N-ths of its maximum (Proposition 1): 1 or more is proportional.

    - `shares`: (N,) W · β_i(P), for the decision share, whose maximum is 1.
    - `utilities`: (N,) W · U_i(P) / max_k means[i, k] (W if all means of an agent are 0: it lacks nothing).
    - `lacking`: how many agents have less than 1 in either, where a row stands for different agents; else None.
    """

    shares: np.ndarray
    utilities: np.ndarray
    lacking: int | None = None

    @property
    def proportional(self) -> bool:
        """Whether every agent is at 1 or more in both."""
        return bool(min(self.shares.min(), self.utilities.min()) >= 1 - tolerances.FAIRNESS_GAP)


def compute_attribution(instance: Profile, policy: PolicyLike) -> Attribution:
    """Compute the fairest attribution of `policy` to agents, with `.y` (N, K), `.ratios` (N,) and `.total`.

    It is the closed form where that adds up to the policy. Otherwise it is the maximum flow whose ratios are
    lexicographically max-min, per unit of weight (Megiddo 1974); these ratios are unique. Among several such y, each
    agent spreads over its favourites in proportion to the policy; where an arm is overspent, all claims on it are cut
    by one factor. The result does not depend on the order or names of agents and arms, nor on splitting weights.

    >>> import isegoria as iso
    >>> told = compute_attribution(iso.Instance([[1, 0], [1, 0], [0, 1]]), [0.5, 0.5])
    >>> told.ratios.tolist(), told.y.round(3).tolist()
    ([0.75, 0.75, 1.0], [[0.25, 0.0], [0.25, 0.0], [0.0, 0.333]])
    """
    return attribute_valid_policy(instance, instance.validate_policy(policy))


def attribute_valid_policy(instance: Profile, policy: np.ndarray) -> Attribution:
    """Compute the `compute_attribution` of a policy that was validated before."""
    used = _favoured_arms(instance)
    told = (
        fair_flow(*flow_network(instance), policy)
        if used is None
        else _attribute_on_arms(*favourite_shares(instance), used, policy)
    )
    ratios, y, unheard, wanted, closed = told
    return Attribution(instance, y, ratios, unheard, wanted, closed)


@cached_per_object
def _favoured_arms(instance: Profile) -> np.ndarray | None:
    """Return the arms that are somebody's favourite, if there are many arms and at most half are; else None."""
    rows: Any = favourite_shares(instance)[0]
    if rows.shape[1] <= method_limits.MAX_CODE_SET_ARMS:
        return None
    used = np.flatnonzero(rows.any(axis=0)) if isinstance(rows, np.ndarray) else np.unique(rows.indices)
    return None if 2 * len(used) > rows.shape[1] else used


def _attribute_on_arms(rows: Any, parts: np.ndarray, used: np.ndarray, policy: np.ndarray) -> tuple[Any, ...]:
    """Run `fair_flow` on the favourite arms alone: with thousands of arms, most are nobody's favourite."""
    arms = len(policy)
    few = rows[:, used] if not isinstance(rows, np.ndarray) else np.ascontiguousarray(rows[:, used])
    ratios, y, unheard, wanted, closed = fair_flow(few, parts, np.ascontiguousarray(policy[used]))
    everywhere = np.zeros(arms, dtype=bool)
    everywhere[used] = wanted
    if isinstance(rows, np.ndarray):
        whole = np.zeros(rows.shape)
        whole[:, used] = y
    else:
        whole = type(y)((y.data, used[y.indices], y.indptr), shape=rows.shape)
    return ratios, freeze(whole) if isinstance(rows, np.ndarray) else whole, unheard, freeze(everywhere), closed


def find_neglected_coalition(instance: Profile, policy: PolicyLike) -> NeglectedCoalition | None:
    """Return the neglected coalition of `policy`, or None if the policy is procedurally fair.

    Its members are exactly the agents whose ratio in the `compute_attribution` is below 1.

    >>> import isegoria as iso
    >>> group = find_neglected_coalition(iso.Instance([[1, 0], [1, 0], [0, 1]]), [0.5, 0.5])
    >>> group.agents, round(group.deserves, 3), group.receives
    (('Agent 1', 'Agent 2'), 0.667, 0.5)
    """
    checked = instance.validate_policy(policy)
    return neglected_in(attribute_valid_policy(instance, checked), checked)


def neglected_in(told: Attribution, policy: np.ndarray) -> NeglectedCoalition | None:
    """Return the neglected coalition of an attribution of `policy`, or None."""
    instance, types = told.instance, told.instance.favourite_types
    deserves = float(types.weights[told.unheard_types].sum() / instance.total_weight)
    receives = float(policy[told.wanted].sum())
    if deserves - receives <= tolerances.FAIRNESS_GAP:
        return None
    members = told.unheard_types[types.member]
    return NeglectedCoalition(
        tuple(instance.agents[i] for i in np.flatnonzero(members).tolist()),
        tuple(instance.arms[k] for k in np.flatnonzero(told.wanted).tolist()),
        freeze(members),
        told.wanted,
        deserves,
        receives,
    )


def compute_proportionality(instance: Profile, policy: PolicyLike) -> Proportionality:
    """Compute each agent's decision share and utility in N-ths of its maximum: at least 1 under a fair policy.

    >>> import isegoria as iso
    >>> compute_proportionality(iso.Instance([[1, 0], [1, 0], [0, 1]]), [0.9, 0.1]).shares.round(3).tolist()
    [2.7, 2.7, 0.3]
    """
    return proportionality_of_valid(instance, instance.validate_policy(policy))


def proportionality_of_valid(instance: Profile, policy: np.ndarray) -> Proportionality:
    """Compute the `compute_proportionality` of a policy that was validated before."""
    lacking = None
    if is_streamed(instance):
        part, lacking = instance.least_parts(policy)
    else:
        table = require_instance(instance)
        part = np.divide(
            table.means @ policy, table.best_means, out=np.ones_like(table.best_means), where=table.best_means > 0
        )
    shares = instance._shares(policy) * instance.total_weight
    return Proportionality(freeze(shares), freeze(part * instance.total_weight), lacking)
