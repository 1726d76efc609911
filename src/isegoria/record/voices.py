"""Exact voices: each member's voice in whole units, spent on her own favourites; the policy is their sum.

A fair policy *is* a set of equal voices (Definition 3 of the paper), so whoever sees the voices has the proof. In
whole numbers the proof needs no tolerance: every row adds up to w·U exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from isegoria.arguments import checked_instance
from isegoria.errors import InputError
from isegoria.instance import Instance
from isegoria.lazy import computed_once
from isegoria.learning.protocol.proposal import Proposal
from isegoria.record.format.units import UNITS, checked_total, rounded_rows
from isegoria.rows.views import dense, frozen
from isegoria.rules import solve
from isegoria.voice import Neglected, attributed, neglected_by


@dataclass(frozen=True, eq=False)
class Voices:
    """Equal voices in whole units, by type: members of one favourite set and one weight hold equal rows.

    - `sets` (m, K) booleans, `weights` (m,), `counts` (m,) members of each type, `rows` (m, K) one member's units:
      the types ascend by (set as a list of arms, weight), the order in which they lie in the drum.
    - `member` (N,) the type of each member.
    - `units` (N, K) int64: row i is w_i·U in all, on favourites of agent i only.
    - `policy` (K,) fractions, what the voices choose: their sum over all members, as a share of W·U.
    - `total`: the numbers in the drum, T = W·U.
    """

    arms: Sequence[str] = field(repr=False)
    agents: Sequence[str] = field(repr=False)
    sets: np.ndarray = field(repr=False)
    weights: np.ndarray = field(repr=False)
    counts: np.ndarray = field(repr=False)
    rows: np.ndarray = field(repr=False)
    member: np.ndarray = field(repr=False)

    @computed_once
    def units(self) -> np.ndarray:
        """(N, K) int64 the units that each member spends on each arm."""
        return frozen(self.rows[self.member])

    @computed_once
    def voices(self) -> np.ndarray:
        """(K,) int64 the units of all members on each arm."""
        return frozen(self.counts @ self.rows)

    @computed_once
    def policy(self) -> tuple[Fraction, ...]:
        """(K,) the share of all voices that each arm has."""
        whole = int(self.voices.sum())
        return tuple(Fraction(units, whole) for units in self.voices.tolist())

    @computed_once
    def total(self) -> int:
        """T, how many numbers lie in the drum."""
        return int(self.voices.sum())

    def __repr__(self) -> str:
        policy = ", ".join(f"{arm} {share}" for arm, share in zip(self.arms[:6], self.policy, strict=False))
        return f"Voices({len(self.member)} members: {policy}{', …' if len(self.arms) > 6 else ''})"


def voices(instance: Instance | Proposal, policy: Any = None) -> Voices:
    """The exact `Voices` behind a fair policy of `instance`; the procedural one if none is given.

    Each row is w_i·U units with U = 3,724,680,960, rounded from the attribution by largest remainder; the policy they
    add up to differs from the certified one by at most 1e-8. A policy that is not fair has no equal voices, and is
    refused with the coalition it neglects.

    A learner's `Proposal` has voices too, those of its policy over its sets, unless it explores with everybody's
    rounds: what is then drawn to learn is nobody's voice.

    >>> import isegoria as iso
    >>> voices = iso.voices(iso.Instance([[1, 0], [1, 0], [1, 1]], arms=["tea", "coffee"]))
    >>> voices
    Voices(3 members: tea 1, coffee 0)
    >>> voices.units.sum(axis=1).tolist()
    [3724680960, 3724680960, 3724680960]
    """
    if isinstance(instance, Proposal):
        return _proposed(instance, policy)
    return _of_instance(checked_instance(instance, "voices"), policy)


def _of_instance(instance: Instance, policy: Any) -> Voices:
    checked_total(instance.total_weight)
    policy = solve(instance, "procedural").policy if policy is None else instance.check_policy(policy)
    told = attributed(instance, policy)
    neglected = neglected_by(told, policy)
    if neglected:
        raise InputError(_unfair(neglected))
    types = instance.favourite_types
    sets, shares, weights = dense(types.rows), dense(told.by_type), instance.given_weights
    return exact_voices(sets, shares, types.member, weights, arms=instance.arms, agents=instance.agents)


def _proposed(proposal: Proposal, policy: Any) -> Voices:
    """The voices of a proposal; a first trial has none, and a round that explores has not only voices."""
    if policy is not None:
        raise InputError("a proposal brings its own policy; leave policy out.")
    if proposal.forced:
        raise InputError(f"the proposal for round {proposal.round} is a first trial of an arm: nothing is to be drawn.")
    if proposal.rate > 0:
        raise InputError("this learner explores with everybody's rounds, which is nobody's voice; take guided.")
    instance = Instance(proposal.sets.astype(float), weights=np.array(proposal.weights))
    return _of_instance(instance, np.array(proposal.policy))


def exact_voices(
    sets: np.ndarray, shares: np.ndarray, member: ArrayLike, weights: ArrayLike | None = None, units: int = UNITS,
    *, arms: Sequence[str], agents: Sequence[Any],
) -> Voices:  # fmt: skip
    """`Voices` of members of set `member[i]` of `sets` (m, K), spent in proportion to `shares` (m, K)."""
    kinds, kind = _by_set_and_weight(sets, member, weights)
    chosen, held = kinds[:, 0], kinds[:, 1]
    rows = rounded_rows(shares[chosen], held * units)
    counts = np.bincount(kind, minlength=len(kinds))
    arrays = map(frozen, (np.array(sets[chosen]), held, counts, rows, kind))
    return Voices(arms, agents, *arrays)


def _by_set_and_weight(sets: np.ndarray, member: ArrayLike, weights: ArrayLike | None) -> tuple[np.ndarray, np.ndarray]:
    """(kinds (m, 2): set and weight, in the order of the drum; the kind (N,) of each member)."""
    member = np.asarray(member, dtype=np.int64)
    weights = np.ones(len(member), dtype=np.int64) if weights is None else np.asarray(weights, dtype=np.int64)
    order = _ascending(sets)
    rank = np.empty(len(sets), dtype=np.int64)
    rank[order] = np.arange(len(sets))
    pairs = rank[member] * (int(weights.max()) + 1) + weights
    found, kind = np.unique(pairs, return_inverse=True)
    rank_of, held = np.divmod(found, int(weights.max()) + 1)
    return np.column_stack([order[rank_of], held]), kind.astype(np.int64)


def _ascending(sets: np.ndarray) -> np.ndarray:
    """The order of sets as lists of arms: a list comes before its continuations."""
    listed = members_of(sets)
    return np.array(sorted(range(len(listed)), key=listed.__getitem__), dtype=np.int64)


def members_of(sets: np.ndarray) -> list[list[int]]:
    """Each row of booleans as the list of its arms."""
    rows, columns = np.nonzero(np.asarray(sets, dtype=bool))
    ends = np.cumsum(np.bincount(rows, minlength=len(sets))).tolist()
    arms: list[int] = columns.tolist()
    return [arms[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def _unfair(group: Neglected) -> str:
    names = ", ".join(group.agents[:4]) + (f" and {len(group.agents) - 4} more" if len(group.agents) > 4 else "")
    return (
        f"this policy is not fair, so it has no equal voices: {names} deserve {group.deserves:.6g} of it, and all "
        f"that any of them wants ({', '.join(group.arms[:4])}{', …' if len(group.arms) > 4 else ''}) gets "
        f"{group.receives:.6g}. Take the procedural policy, or another whose procedural score is 1."
    )
