"""Exact voices: each member's voice in whole units, spent on their favourites; the policy is the sum.

A fair policy is a set of equal voices (Definition 3 of the paper), so the voices are its proof. In whole numbers the
proof needs no tolerance: every row adds up to exactly w·U.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from isegoria.analysis.attribution import NeglectedCoalition, attribute_valid_policy, neglected_in
from isegoria.errors import InputError
from isegoria.learning.base.proposal import Proposal
from isegoria.profiles import Instance
from isegoria.record.format.voice_units import UNITS_PER_VOICE, compute_total_units, round_rows
from isegoria.rules import solve
from isegoria.utils.arguments import explain_keywords, require_profile
from isegoria.utils.arrays import count_labels, freeze, to_dense
from isegoria.utils.caching import lazy_property
from isegoria.utils.notebook import NotebookView

if TYPE_CHECKING:
    from isegoria.record.drawing import DrawResult


@dataclass(frozen=True, eq=False)
class Voices(NotebookView):
    """Equal voices in whole units, by agent type: agents with the same favourites and weight have equal rows.

    Attributes
    ----------
    arms, agents : sequences of str
        The names.
    sets : array of bool, shape (m, K)
        The favourites of each type. Types ascend by (set as a list of arms, weight), their order in the drum.
    weights, counts : arrays of shape (m,)
        The weight of each type, and its number of agents.
    rows : array of shape (m, K)
        The units that one agent of each type spends on each arm.
    member : array of shape (N,)
        The type of each agent.
    units : array of int64, shape (N, K)
        The units that each agent spends: row i sums to `w_i·U`, on favourites of agent i only.
    voices : array of int64, shape (K,)
        The units of all agents on each arm.
    policy : tuple of Fraction, length K
        The share of all units that each arm has.
    total : int
        The number of units in the drum, T = W·U.
    """

    arms: Sequence[str] = field(repr=False)
    agents: Sequence[str] = field(repr=False)
    sets: np.ndarray = field(repr=False)
    weights: np.ndarray = field(repr=False)
    counts: np.ndarray = field(repr=False)
    rows: np.ndarray = field(repr=False)
    member: np.ndarray = field(repr=False)

    @lazy_property
    def units(self) -> np.ndarray:
        """(N, K) int64: the units that each agent spends on each arm."""
        return freeze(self.rows[self.member])

    @lazy_property
    def voices(self) -> np.ndarray:
        """(K,) int64: the units of all agents on each arm."""
        return freeze(self.counts @ self.rows)

    @lazy_property
    def policy(self) -> tuple[Fraction, ...]:
        """(K,) fractions: the share of all units that each arm has."""
        whole = int(self.voices.sum())
        return tuple(Fraction(units, whole) for units in self.voices.tolist())

    @lazy_property
    def total(self) -> int:
        """T, the number of units in the drum."""
        return int(self.voices.sum())

    def draw(self, seed: bytes | str, draws: int = 1) -> DrawResult:
        """Draw a block of arms, as `draw` does.

        Parameters
        ----------
        seed : bytes or str
            The randomness itself.
        draws : int
            The number of draws, 1 to 20.

        Returns
        -------
        DrawResult

        Examples
        --------
        >>> import isegoria as iso
        >>> iso.voices(iso.Instance([[1, 0], [0, 1]])).draw("3 6 1 1", draws=2).names
        [('Arm 1', 'Agent 1'), ('Arm 2', 'Agent 2')]
        """
        from isegoria.record.drawing import draw

        return draw(self, seed, draws)

    def dry_spell_probability(self, days: int, draws: int = 1) -> Fraction:
        """Compute the chance that somebody gets none of their favourites in `days` draws from the start of a block.

        Parameters
        ----------
        days : int
            The number of draws in all.
        draws : int
            The number of draws in a block.

        Returns
        -------
        Fraction

        Examples
        --------
        >>> import isegoria as iso
        >>> str(iso.voices(iso.Instance([[1, 0], [1, 0], [0, 1]])).dry_spell_probability(3))
        '1/3'
        """
        from isegoria.record.drawing import dry_spell_probability

        return dry_spell_probability(self, days, draws)

    def view_lines(self) -> list[str]:
        """Return the size of the group and of the drum."""
        return [f"{len(self.member):,} members, {self.total:,} units"]

    def view_rows(self) -> list[dict[str, Any]]:
        """Return the share and the units of each arm."""
        rows = zip(self.arms, self.policy, self.voices.tolist(), strict=True)
        return [{"arm": arm, "share": share, "units": units} for arm, share, units in rows]

    def __repr__(self) -> str:
        policy = ", ".join(f"{arm} {share}" for arm, share in zip(self.arms[:6], self.policy, strict=False))
        return f"Voices({len(self.member)} members: {policy}{', …' if len(self.arms) > 6 else ''})"


@explain_keywords
def voices(instance: Instance | Proposal, policy: Any = None) -> Voices:
    """Return the exact `Voices` behind a fair policy.

    Each row has `w_i·U` units with U = 3,724,680,960, rounded from the attribution by largest remainder. The policy
    that they add up to differs from the certified one by at most 1e-8.

    Parameters
    ----------
    instance : Instance or Proposal
        A profile, or a learner's proposal, whose voices are those of its policy over its sets.
    policy : array-like, optional
        A fair policy of `instance`; the procedural one by default. A proposal has its own.

    Returns
    -------
    Voices
        The units that each agent spends on each arm.

    Raises
    ------
    InputError
        If the policy is not fair, with the coalition that it neglects. If a proposal is a first trial, or its learner
        explores with everybody's rounds: a draw made to learn is nobody's voice. If a policy is given with a proposal.

    Examples
    --------
    >>> import isegoria as iso
    >>> voices = iso.voices(iso.Instance([[1, 0], [1, 0], [1, 1]], arms=["tea", "coffee"]))
    >>> voices
    Voices(3 members: tea 1, coffee 0)
    >>> voices.units.sum(axis=1).tolist()
    [3724680960, 3724680960, 3724680960]
    """
    if isinstance(instance, Proposal):
        return _allocate_from_proposal(instance, policy)
    return _allocate_from_instance(require_profile(instance, "voices"), policy)


def _allocate_from_instance(instance: Instance, policy: Any) -> Voices:
    compute_total_units(instance.total_weight)
    policy = solve(instance, "procedural").policy if policy is None else instance.validate_policy(policy)
    told = attribute_valid_policy(instance, policy)
    neglected = neglected_in(told, policy)
    if neglected:
        raise InputError(_describe_neglect(neglected))
    types = instance.favourite_types
    sets, shares, weights = to_dense(types.rows), to_dense(told.by_type), instance.given_weights
    return allocate_voices(sets, shares, types.member, weights, arms=instance.arms, agents=instance.agents)


def _allocate_from_proposal(proposal: Proposal, policy: Any) -> Voices:
    """Return the voices of a proposal. Raise `InputError` for a first trial and for a round that explores."""
    if policy is not None:
        raise InputError("a proposal brings its own policy; leave policy out.")
    if proposal.forced:
        raise InputError(f"the proposal for round {proposal.round} is a first trial of an arm: nothing is to be drawn.")
    if proposal.exploration_rate > 0:
        raise InputError("this learner explores with everybody's rounds, which is nobody's voice; take guided.")
    instance = Instance(proposal.candidate_sets.astype(float), weights=np.array(proposal.weights))
    return _allocate_from_instance(instance, np.array(proposal.policy))


def allocate_voices(
    sets: np.ndarray,
    shares: np.ndarray,
    member: ArrayLike,
    weights: ArrayLike | None = None,
    units: int = UNITS_PER_VOICE,
    *,
    arms: Sequence[str],
    agents: Sequence[Any],
) -> Voices:
    """Return the `Voices` of members with favourites `sets[member[i]]`, spent in proportion to `shares` (m, K)."""
    kinds, kind = _group_by_set_and_weight(sets, member, weights)
    chosen, held = kinds[:, 0], kinds[:, 1]
    rows = round_rows(shares[chosen], held * units)
    counts = count_labels(kind, minlength=len(kinds))
    arrays = map(freeze, (np.array(sets[chosen]), held, counts, rows, kind))
    return Voices(arms, agents, *arrays)


def _group_by_set_and_weight(
    sets: np.ndarray, member: ArrayLike, weights: ArrayLike | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the types (m, 2), set and weight, in the order of the drum, and the type (N,) of each member."""
    member = np.asarray(member, dtype=np.int64)
    weights = np.ones(len(member), dtype=np.int64) if weights is None else np.asarray(weights, dtype=np.int64)
    order = _sort_sets(sets)
    rank = np.empty(len(sets), dtype=np.int64)
    rank[order] = np.arange(len(sets))
    pairs = rank[member] * (int(weights.max()) + 1) + weights
    found, kind = np.unique(pairs, return_inverse=True)
    rank_of, held = np.divmod(found, int(weights.max()) + 1)
    return np.column_stack([order[rank_of], held]), kind.astype(np.int64)


def _sort_sets(sets: np.ndarray) -> np.ndarray:
    """Return the order of sets as lists of arms: a list comes before its continuations."""
    listed = sets_to_lists(sets)
    return np.array(sorted(range(len(listed)), key=listed.__getitem__), dtype=np.int64)


def sets_to_lists(sets: np.ndarray) -> list[list[int]]:
    """Return each row of booleans as the list of its arms."""
    rows, columns = np.nonzero(np.asarray(sets, dtype=bool))
    ends = np.cumsum(count_labels(rows, minlength=len(sets))).tolist()
    arms: list[int] = columns.tolist()
    return [arms[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def _describe_neglect(group: NeglectedCoalition) -> str:
    names = ", ".join(group.agents[:4]) + (f" and {len(group.agents) - 4} more" if len(group.agents) > 4 else "")
    return (
        f"this policy is not fair, so it has no equal voices: {names} deserve {group.deserves:.6g} of it, and all "
        f"that any of them wants ({', '.join(group.arms[:4])}{', …' if len(group.arms) > 4 else ''}) gets "
        f"{group.receives:.6g}. Take the procedural policy, or another whose procedural score is 1."
    )
