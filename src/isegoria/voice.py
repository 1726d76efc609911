"""Where each voice went: who carried which arm, who was neglected, and whether everyone got a proportional part."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from isegoria import tolerances
from isegoria.instance import Instance
from isegoria.instance.policies import PolicyLike
from isegoria.lazy import computed_once, once_for_each
from isegoria.rows.codes import shares, unpack
from isegoria.rows.views import frozen
from isegoria.solvers import sizes
from isegoria.solvers.flow.attribution import fair_flow
from isegoria.solvers.flow.network import Network, split

if TYPE_CHECKING:
    pass

KEPT_LINKS = 1_000_000
"""Networks of up to so many types times arms are kept with their instance: 20 MB at most."""


@dataclass(frozen=True, eq=False)
class Attribution:
    """Who carried which arm of a policy: a maximum flow of voices, the fairest one (Definition 5).

    - `by_type`: (m, K) the mass y_τk that all agents of one favourite set carry, in the order of
      `instance.favourite_types`; `type_ratios` (m,) what part of their share that is.
    - `closed_form`: whether it is y_ik = w_i p_k 1{k ∈ F_i} / (W d_i), which adds up to the policy at every optimum
      of the decision-share Nash welfare.
    - `unheard_types` (m,) and `wanted` (K,): the neglected types (ratio below 1) and all their favourite arms.
    """

    instance: Instance = field(repr=False)
    by_type: np.ndarray
    type_ratios: np.ndarray
    unheard_types: np.ndarray
    wanted: np.ndarray
    closed_form: bool

    @computed_once
    def y(self) -> np.ndarray:
        """(N, K) the mass that agent i carried of arm k: rows sum to at most w_i/W, equals carry the same."""
        types = self.instance.favourite_types
        return split(self.by_type, types.weights, types.member, self.instance.given_weights)

    @computed_once
    def ratios(self) -> np.ndarray:
        """(N,) how much of its share each agent carried, from 0 to 1; their weighted mean is the procedural score."""
        return frozen(self.type_ratios[self.instance.favourite_types.member])

    @computed_once
    def total(self) -> float:
        """All that was carried: the procedural score."""
        return float(self.by_type.sum())


@dataclass(frozen=True, eq=False)
class Neglected:
    """The coalition S that is owed the most, max over S of |S|/N − P(U_S), and the smallest such coalition (Lemma 5).

    - `agents` and `arms`: the names of its members, and of the arms U_S that any of them wants.
    - `members` (N,) and `wanted` (K,): the same as booleans.
    - `deserves`: its part of all agents, |S|/N; `receives`: the probability P(U_S) of all the arms it wants.
    """

    agents: tuple[str, ...]
    arms: tuple[str, ...]
    members: np.ndarray = field(repr=False)
    wanted: np.ndarray = field(repr=False)
    deserves: float
    receives: float

    @property
    def shortfall(self) -> float:
        """What it lacks, deserves − receives: 1 minus the procedural score."""
        return self.deserves - self.receives


@dataclass(frozen=True, eq=False)
class Proportionality:
    """How many N-ths each agent gets of the most it could (Proposition 1): 1 or more is a proportional part.

    - `shares`: (N,) W · β_i(P), of the decision share, whose most is 1.
    - `utilities`: (N,) W · U_i(P) / max_k means[i, k] (W when an agent's means are all 0: it lacks nothing).
    - `lacking`: how many agents have less than 1 in either, where a row stands for different ones; else None.
    """

    shares: np.ndarray
    utilities: np.ndarray
    lacking: int | None = None

    @property
    def proportional(self) -> bool:
        """Whether every agent gets its part of both."""
        return bool(min(self.shares.min(), self.utilities.min()) >= 1 - tolerances.FAIR)


def attribution(instance: Instance, policy: PolicyLike) -> Attribution:
    """Who carried which arm of `policy`: the `Attribution` with `.y` (N, K), `.ratios` (N,) and `.total`.

    It is the closed form where that adds up to the policy. Else, among all maximum flows, it is the one that hears
    the least heard best, then the next, per unit of weight (Megiddo 1974); its ratios are unique. Of several such y,
    every agent spreads over its favourites in proportion to the policy, and where an arm is overspent all claims on
    it are cut by one factor. Neither the order nor the names of agents and arms matter, nor splitting weights.

    >>> import isegoria as iso
    >>> told = attribution(iso.Instance([[1, 0], [1, 0], [0, 1]]), [0.5, 0.5])
    >>> told.ratios.tolist(), told.y.round(3).tolist()
    ([0.75, 0.75, 1.0], [[0.25, 0.0], [0.25, 0.0], [0.0, 0.333]])
    """
    return attributed(instance, instance.check_policy(policy))


def attributed(instance: Instance, policy: np.ndarray) -> Attribution:
    """The `attribution` of a policy that was checked before."""
    used = _few_favourites(instance)
    told = fair_flow(*flows(instance), policy) if used is None else _on_favourites(*voices(instance), used, policy)
    ratios, y, unheard, wanted, closed = told
    return Attribution(instance, y, ratios, unheard, wanted, closed)


@once_for_each
def _few_favourites(instance: Instance) -> np.ndarray | None:
    """The arms that somebody favours, where there are many arms and these are the fewer half; else None."""
    rows: Any = voices(instance)[0]
    if rows.shape[1] <= sizes.SET_ARMS:
        return None
    used = np.flatnonzero(rows.any(axis=0)) if isinstance(rows, np.ndarray) else np.unique(rows.indices)
    return None if 2 * len(used) > rows.shape[1] else used


def _on_favourites(rows: Any, parts: np.ndarray, used: np.ndarray, policy: np.ndarray) -> tuple[Any, ...]:
    """`fair_flow` on the arms that somebody favours: of thousands, most are nobody's first choice."""
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
    return ratios, frozen(whole) if isinstance(rows, np.ndarray) else whole, unheard, frozen(everywhere), closed


@once_for_each
def voices(instance: Instance) -> tuple[np.ndarray, np.ndarray]:
    """The distinct favourite sets (m, K), in the order of `instance.favourite_types`, and the share (m,) of each.

    Who has which set is not asked here, so that scores of many agents need not sort them.
    """
    if instance.favourite_codes is None:
        rows, weights, _ = instance.favourite_types
    else:
        codes, weights = instance.favourite_counts
        rows = unpack(codes, len(instance.arms))
    return rows, shares(weights)


def flows(instance: Instance) -> tuple[Network, np.ndarray]:
    """The `voices` as a flow takes them: links from favourite sets to arms, built once unless very many; and shares."""
    kept = _kept_flows(instance)
    if kept is not None:
        return kept
    rows, parts = voices(instance)
    return Network(rows), parts


@once_for_each
def _kept_flows(instance: Instance) -> tuple[Network, np.ndarray] | None:
    rows, parts = voices(instance)
    return (Network(rows), parts) if rows.shape[0] * rows.shape[1] <= KEPT_LINKS else None


def neglected(instance: Instance, policy: PolicyLike) -> Neglected | None:
    """The neglected coalition of `policy`, or None when the policy is procedurally fair.

    Its members are exactly the agents whose ratio in the `attribution` is below 1.

    >>> import isegoria as iso
    >>> group = neglected(iso.Instance([[1, 0], [1, 0], [0, 1]]), [0.5, 0.5])
    >>> group.agents, round(group.deserves, 3), group.receives
    (('Agent 1', 'Agent 2'), 0.667, 0.5)
    """
    checked = instance.check_policy(policy)
    return neglected_by(attributed(instance, checked), checked)


def neglected_by(told: Attribution, policy: np.ndarray) -> Neglected | None:
    """The neglected coalition that an attribution of `policy` shows."""
    instance, types = told.instance, told.instance.favourite_types
    deserves = float(types.weights[told.unheard_types].sum() / instance.total_weight)
    receives = float(policy[told.wanted].sum())
    if deserves - receives <= tolerances.FAIR:
        return None
    members = told.unheard_types[types.member]
    return Neglected(
        tuple(instance.agents[i] for i in np.flatnonzero(members).tolist()),
        tuple(instance.arms[k] for k in np.flatnonzero(told.wanted).tolist()),
        frozen(members),
        told.wanted,
        deserves,
        receives,
    )


def proportionality(instance: Instance, policy: PolicyLike) -> Proportionality:
    """How many N-ths of its best each agent gets, in decision share and in utility: at least 1 under a fair policy.

    >>> import isegoria as iso
    >>> proportionality(iso.Instance([[1, 0], [1, 0], [0, 1]]), [0.9, 0.1]).shares.round(3).tolist()
    [2.7, 2.7, 0.3]
    """
    return proportions(instance, instance.check_policy(policy))


def proportions(instance: Instance, policy: np.ndarray) -> Proportionality:
    """The `proportionality` of a policy that was checked before."""
    part, lacking = instance.least_parts(policy)
    shares = instance._shares(policy) * instance.total_weight
    return Proportionality(frozen(shares), frozen(part * instance.total_weight), lacking)
