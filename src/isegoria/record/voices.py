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

RATE_STEPS = 2**16
"""A rate of exploration is rounded down to a multiple of one over this."""


@dataclass(frozen=True, eq=False)
class Voices:
    """Equal voices in whole units, by type: members of one favourite set and one weight hold equal rows.

    - `sets` (m, K) booleans, `weights` (m,), `counts` (m,) members of each type, `rows` (m, K) one member's units:
      the types ascend by (set as a list of arms, weight), the order in which they lie in the drum.
    - `member` (N,) the type of each member; `explore` (K,) units that belong to nobody: a learner's exploration.
    - `units` (N, K) int64: row i is w_i·U in all, on favourites of agent i only.
    - `policy` (K,) fractions, what the voices choose: their sum over all members, as a share of W·U.
    - `total`: the numbers in the drum, T = W·U + exploration; `chances` (K,) what the drum then gives each arm.
    """

    arms: Sequence[str] = field(repr=False)
    agents: Sequence[str] = field(repr=False)
    sets: np.ndarray = field(repr=False)
    weights: np.ndarray = field(repr=False)
    counts: np.ndarray = field(repr=False)
    rows: np.ndarray = field(repr=False)
    member: np.ndarray = field(repr=False)
    explore: np.ndarray = field(repr=False)

    @computed_once
    def units(self) -> np.ndarray:
        """(N, K) int64 the units that each member spends on each arm."""
        return frozen(self.rows[self.member])

    @computed_once
    def voices(self) -> np.ndarray:
        """(K,) int64 the units of all members on each arm, without exploration."""
        return frozen(self.counts @ self.rows)

    @computed_once
    def policy(self) -> tuple[Fraction, ...]:
        """(K,) the share of all voices that each arm has."""
        whole = int(self.voices.sum())
        return tuple(Fraction(units, whole) for units in self.voices.tolist())

    @computed_once
    def total(self) -> int:
        """T, how many numbers lie in the drum."""
        return int(self.voices.sum() + self.explore.sum())

    @computed_once
    def chances(self) -> tuple[Fraction, ...]:
        """(K,) the chance of each arm in a draw: `policy`, and exploration where there is any."""
        return tuple(Fraction(units, self.total) for units in (self.voices + self.explore).tolist())

    def __repr__(self) -> str:
        policy = ", ".join(f"{arm} {share}" for arm, share in zip(self.arms[:6], self.policy, strict=False))
        return f"Voices({len(self.member)} members: {policy}{', …' if len(self.arms) > 6 else ''})"


def voices(instance: Instance | Proposal, policy: Any = None, *, block: int = 1) -> Voices:
    """The exact `Voices` behind a fair policy of `instance`; the procedural one if none is given.

    Each row is w_i·U units with U = 3,724,680,960, rounded from the attribution by largest remainder; the policy they
    add up to differs from the certified one by at most 1e-8. A policy that is not fair has no equal voices, and is
    refused with the coalition it neglects.

    A learner's `Proposal` has voices too: those of its policy, and beside them units for exploration, which belong to
    nobody, at its rate (rounded down to 1/65536), equal over its doubtful arms and divisible by `block`.

    >>> import isegoria as iso
    >>> voices = iso.voices(iso.Instance([[1, 0], [1, 0], [1, 1]], arms=["tea", "coffee"]))
    >>> voices
    Voices(3 members: tea 1, coffee 0)
    >>> voices.units.sum(axis=1).tolist()
    [3724680960, 3724680960, 3724680960]
    """
    if isinstance(instance, Proposal):
        return _proposed(instance, policy, block)
    return _of_instance(checked_instance(instance, "voices"), policy)


def _of_instance(instance: Instance, policy: Any, explore: Sequence[int] | None = None) -> Voices:
    checked_total(instance.total_weight)
    policy = solve(instance, "procedural").policy if policy is None else instance.check_policy(policy)
    told = attributed(instance, policy)
    neglected = neglected_by(told, policy)
    if neglected:
        raise InputError(_unfair(neglected, instance.total_weight))
    types = instance.favourite_types
    sets, shares, weights = dense(types.rows), dense(told.by_type), instance.given_weights
    return exact_voices(
        sets, shares, types.member, weights, explore=explore, arms=instance.arms, agents=instance.agents
    )


def _proposed(proposal: Proposal, policy: Any, block: int) -> Voices:
    """The voices of a proposal, exploration among them; a first trial has none."""
    if policy is not None:
        raise InputError("a proposal brings its own policy; leave policy out.")
    if proposal.forced:
        raise InputError(f"the proposal for round {proposal.round} is a first trial of an arm: nothing is to be drawn.")
    members = len(proposal.sets)
    explore = exploration(len(proposal.policy), members * UNITS, Fraction(proposal.rate), proposal.doubtful, block)
    return _of_instance(Instance(proposal.sets.astype(float)), np.array(proposal.policy), explore)


def exploration(arms: int, total: int, rate: Fraction, doubtful: Sequence[int], block: int) -> list[int]:
    """(K,) units of exploration beside `total` units of voices: equal over the doubtful arms, at most that rate of all.

    The rate is rounded down to a/2^16, and the units so that each arm's are divisible by the block.

    >>> exploration(3, 100, Fraction(1, 5), [0, 2], 1)
    [12, 0, 12]
    """
    units = [0] * arms
    a = int(rate * RATE_STEPS)
    if a >= RATE_STEPS:
        raise InputError("a rate of 1 leaves no room for voices; explore at a lower rate.")
    if a > 0 and doubtful:
        each = block * (a * total // ((RATE_STEPS - a) * len(doubtful) * block))
        for arm in doubtful:
            units[arm] = each
    return units


def exact_voices(
    sets: np.ndarray, shares: np.ndarray, member: ArrayLike, weights: ArrayLike | None = None, units: int = UNITS,
    explore: Sequence[int] | None = None, *, arms: Sequence[str], agents: Sequence[Any],
) -> Voices:  # fmt: skip
    """`Voices` of members of set `member[i]` of `sets` (m, K), spent in proportion to `shares` (m, K)."""
    kinds, kind = _by_set_and_weight(sets, member, weights)
    chosen, held = kinds[:, 0], kinds[:, 1]
    rows = rounded_rows(shares[chosen], held * units)
    beside = np.zeros(rows.shape[1], dtype=np.int64) if explore is None else np.array(explore, dtype=np.int64)
    counts = np.bincount(kind, minlength=len(kinds))
    arrays = map(frozen, (np.array(sets[chosen]), held, counts, rows, kind, beside))
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


def _unfair(group: Neglected, total: int) -> str:
    names = ", ".join(group.agents[:4]) + (f" and {len(group.agents) - 4} more" if len(group.agents) > 4 else "")
    return (
        f"this policy is not fair, so it has no equal voices: {names} deserve {group.deserves:.6g} of it, and all "
        f"that any of them wants ({', '.join(group.arms[:4])}{', …' if len(group.arms) > 4 else ''}) gets "
        f"{group.receives:.6g}. Take the procedural policy, or another whose procedural score is 1."
    )
