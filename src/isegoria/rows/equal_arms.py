"""Arms that are alike, told once: a kind of arm with a count, as equal agents are one row with a weight.

The arms of one kind change nothing for anybody by whose name the kind is played. So a choice of least norm plays them
alike, and the norm of m_j on kind j is Σ m_j²/c_j with its count c_j; a corner is all on the first; the largest utility
is all on those whose mean is best, where arms are alike for a product of decision shares but not in their means.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from isegoria import tolerances
from isegoria.rows.listed import Listed, merge_lists, transposed
from isegoria.rows.lists import arm_digests
from isegoria.rows.merge import merge_rows

BLOCK = 256  # agents that are looked at first, and then four times as many


class Kinds(NamedTuple):
    """The kinds of K arms, in order of the first of each: `first` (J,) its place, `member` (K,) the kind of each arm,
    and `shares` (K,), the part of its kind's probability that each arm has; `direction` (J,) the best of each, if asked
    for, and the `margin` by which others miss it."""

    first: np.ndarray
    member: np.ndarray
    shares: np.ndarray
    direction: np.ndarray | None = None
    margin: float = float("inf")

    @classmethod
    def of(cls, member: np.ndarray, direction: np.ndarray | None = None) -> Kinds:
        """The kinds of arms of which those with the same `member` (K,) are alike; with a `direction` (K,), only those
        with the best of it are played.

        >>> Kinds.of(np.array([4, 2, 4])).shares.tolist()
        [0.5, 1.0, 0.5]
        """
        _, first, inverse = np.unique(member, return_index=True, return_inverse=True)
        order = np.argsort(first)
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        first, member = first[order], place[inverse]
        best, margin, played = None, float("inf"), np.ones(len(member))
        if direction is not None:
            best = np.full(len(first), -np.inf)
            np.maximum.at(best, member, direction)
            short = best[member] - direction
            played = (short <= tolerances.OPTIMUM_TIE).astype(float)
            margin = float(short[short > tolerances.OPTIMUM_TIE].min(initial=np.inf))
        return cls(first, member, played / np.bincount(member, played)[member], best, margin)

    @property
    def copies(self) -> np.ndarray | None:
        """(J,) how many arms of each kind are played; None where all are one."""
        played = np.bincount(self.member, self.shares > 0)
        return played if (played > 1).any() else None

    def told_once(self, sets: Listed) -> Listed:
        """Lists of kinds for lists of arms that hold kinds whole."""
        if len(self.first) == sets.arms:
            return sets
        kept = np.isin(sets.items, self.first)
        starts = np.concatenate([[0], np.cumsum(kept)])[sets.starts]
        return Listed(starts, self.member[sets.items[kept]].astype(np.int32), None, len(self.first))

    def shared(self, policy: np.ndarray, on_first: bool = False) -> np.ndarray:
        """(K,) the policy (J,) on kinds as one on arms: evenly, or all `on_first` of each.

        >>> Kinds.of(np.array([4, 2, 4])).shared(np.array([0.5, 0.5])).tolist()
        [0.25, 0.5, 0.25]
        """
        if not on_first:
            return policy[self.member] * self.shares
        whole = np.zeros(len(self.member))
        whole[self.first] = policy
        return whole


def alike_in_lists(rows: Listed) -> np.ndarray:
    """(K,) a number for each arm, the same where all rows have the same entry for both.

    >>> alike_in_lists(Listed(np.array([0, 2, 3]), np.array([0, 2, 1], dtype=np.int32), None, 3)).tolist()
    [1, 0, 1]
    """
    if len(np.unique(arm_digests(rows.starts, rows.items, rows.entries, rows.arms))) == rows.arms:
        return np.arange(rows.arms)
    return merge_lists(transposed(rows))[2]


def alike_in_table(rows: np.ndarray) -> np.ndarray | None:
    """The same of a dense table (N, K); None where no two arms are.

    Agents are looked at a block at a time, each for those arms alone that none before told apart: most tables are told
    by the first few hundred, and a table of 100 MB is not turned around for it.

    >>> alike_in_table(np.array([[1.0, 0.5, 1.0]])).tolist(), alike_in_table(np.eye(2)) is None
    ([1, 4, 1], True)
    """
    arms = rows.shape[1]
    member, left, begin, block = np.zeros(arms, dtype=np.int64), np.arange(arms), 0, BLOCK
    while begin < len(rows) and len(left):
        part = rows[begin : begin + block] if len(left) == arms else rows[begin : begin + block, left]
        kind = merge_rows(np.ascontiguousarray(np.column_stack([member[left], part.T])))[2]
        alone = np.bincount(kind)[kind] == 1
        member[left] = np.where(alone, arms + left, kind)  # no number of one who is alone comes again
        left, begin, block = left[~alone], begin + block, 4 * block
    return member if len(left) else None
