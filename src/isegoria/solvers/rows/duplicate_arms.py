"""Duplicate arms, merged: one arm with a count, as equal agents are one row with a weight.

Which of several duplicates is played makes no difference to any agent. A choice of minimum norm therefore plays them
equally, and the norm of m_j on group j is Σ m_j²/c_j with its count c_j. A vertex puts everything on the first. The
maximum utility puts everything on those with the best mean, where arms are duplicates for a product of decision shares
but not in their means.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from isegoria.solvers.rows.csr_kernels import arm_digests
from isegoria.solvers.rows.csr_rows import CsrRows, merge_csr_rows, transpose
from isegoria.solvers.rows.merge import merge_rows
from isegoria.utils import tolerances
from isegoria.utils.arrays import count_labels

FIRST_BLOCK_ROWS = 256  # agents compared first; each further block is four times as large


class DuplicateArms(NamedTuple):
    """Groups of duplicate arms among K arms, in order of the first of each.

    `first` (J,) is the index of the first arm of each group, `member` (K,) the group of each arm, and `shares` (K,) the
    fraction of its group's probability that each arm gets. If a direction was given, `direction` (J,) is the best of
    each group, and `margin` the smallest difference by which other arms miss it.
    """

    first: np.ndarray
    member: np.ndarray
    shares: np.ndarray
    direction: np.ndarray | None = None
    margin: float = float("inf")

    @classmethod
    def of(cls, member: np.ndarray, direction: np.ndarray | None = None) -> DuplicateArms:
        """Group arms with the same `member` (K,); with a `direction` (K,), only those with the best of it are played.

        >>> DuplicateArms.of(np.array([4, 2, 4])).shares.tolist()
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
        return cls(first, member, played / count_labels(member, played)[member], best, margin)

    @property
    def copies(self) -> np.ndarray | None:
        """(J,) how many arms of each group are played; None if all groups have one."""
        played = count_labels(self.member, self.shares > 0)
        return played if (played > 1).any() else None

    def told_once(self, sets: CsrRows) -> CsrRows:
        """Convert lists of arms that contain whole groups to lists of groups."""
        if len(self.first) == sets.arms:
            return sets
        kept = np.isin(sets.items, self.first)
        starts = np.concatenate([[0], np.cumsum(kept)])[sets.starts]
        return CsrRows(starts, self.member[sets.items[kept]].astype(np.int32), None, len(self.first))

    def shared(self, policy: np.ndarray, on_first: bool = False) -> np.ndarray:
        """Expand a policy (J,) on groups to one (K,) on arms: by `shares`, or all `on_first` of each group.

        >>> DuplicateArms.of(np.array([4, 2, 4])).shared(np.array([0.5, 0.5])).tolist()
        [0.25, 0.5, 0.25]
        """
        if not on_first:
            return policy[self.member] * self.shares
        whole = np.zeros(len(self.member))
        whole[self.first] = policy
        return whole


def group_equal_columns_sparse(rows: CsrRows) -> np.ndarray:
    """Return (K,) numbers that are equal for two arms if all rows have the same entry for both.

    >>> group_equal_columns_sparse(CsrRows(np.array([0, 2, 3]), np.array([0, 2, 1], dtype=np.int32), None, 3)).tolist()
    [1, 0, 1]
    """
    if len(np.unique(arm_digests(rows.starts, rows.items, rows.entries, rows.arms))) == rows.arms:
        return np.arange(rows.arms)
    return merge_csr_rows(transpose(rows))[2]


def group_equal_columns(rows: np.ndarray) -> np.ndarray | None:
    """Return the same for a dense table (N, K); None if no two arms are equal.

    Agents are read in blocks, and only for arms that no earlier block distinguished. In most tables the first few
    hundred suffice, so a table of 100 MB need not be transposed.

    >>> group_equal_columns(np.array([[1.0, 0.5, 1.0]])).tolist(), group_equal_columns(np.eye(2)) is None
    ([1, 4, 1], True)
    """
    arms = rows.shape[1]
    member, left, begin, block = np.zeros(arms, dtype=np.int64), np.arange(arms), 0, FIRST_BLOCK_ROWS
    while begin < len(rows) and len(left):
        part = rows[begin : begin + block] if len(left) == arms else rows[begin : begin + block, left]
        kind = merge_rows(np.ascontiguousarray(np.column_stack([member[left], part.T])))[2]
        alone = count_labels(kind)[kind] == 1
        member[left] = np.where(alone, arms + left, kind)  # the number of an arm without duplicates is not used again
        left, begin, block = left[~alone], begin + block, 4 * block
    return member if len(left) else None
