"""Sparse rows as lists of arms with their entries: equal rows merged, rows taken, and the door from and to SciPy."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from isegoria.rows.lists import differ, digests, list_entries

MOST_SHORT = 2**31 - 1
"""Entries up to which SciPy counts in 32 bits."""


class Listed(NamedTuple):
    """A table of K `arms`: row i has the arms `items[starts[i]:starts[i+1]]`, ascending, and at the same places its
    `entries`; without those they are all 1."""

    starts: np.ndarray
    items: np.ndarray
    entries: np.ndarray | None
    arms: int

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.starts) - 1

    def take(self, rows: np.ndarray) -> Listed:
        """The rows at these places."""
        sizes = np.diff(self.starts)[rows]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        places = np.repeat(self.starts[rows] - starts[:-1], sizes) + np.arange(starts[-1])
        return Listed(starts, self.items[places], None if self.entries is None else self.entries[places], self.arms)

    def divided(self, best: np.ndarray) -> Listed:
        """The same rows, each divided by its `best` (m,)."""
        entries = np.ones(len(self.items)) if self.entries is None else self.entries
        return self._replace(entries=entries / np.repeat(best, np.diff(self.starts)))

    def filled(self) -> Listed:
        """The same with every arm in the rows that have none."""
        empty = np.flatnonzero(np.diff(self.starts) == 0)
        if not len(empty):
            return self
        sizes = np.diff(self.starts)
        sizes[empty] = self.arms
        starts = np.concatenate([[0], np.cumsum(sizes)])
        items = np.insert(
            self.items, np.repeat(self.starts[empty], self.arms), np.tile(np.arange(self.arms), len(empty))
        )
        return Listed(starts, items.astype(np.int32), None, self.arms)

    def dense(self) -> np.ndarray:
        """(m, K) booleans: which arms are listed; read-only."""
        table = np.zeros((self.rows, self.arms), dtype=bool)
        table[np.repeat(np.arange(self.rows), np.diff(self.starts)), self.items] = True
        table.setflags(write=False)
        return table

    def matrix(self, dtype: Any = float) -> Any:
        """The table as a `scipy.sparse.csr_array` of this kind, read-only."""
        from scipy.sparse import csr_array

        entries = np.ones(len(self.items), dtype) if self.entries is None else self.entries.astype(dtype, copy=False)
        starts = self.starts if len(self.items) > MOST_SHORT else self.starts.astype(np.int32)
        made = csr_array((entries, self.items.astype(starts.dtype, copy=False), starts), shape=(self.rows, self.arms))
        for part in (made.data, made.indices, made.indptr):
            part.setflags(write=False)
        return made


def listed(matrix: Any) -> Listed:
    """The rows of a `scipy.sparse` CSR table in canonical form, or what is not 0 in those of a dense one (N, K).

    >>> listed(np.array([[0.5, 0.0], [0.0, 1.0]])).items.tolist()
    [0, 1]
    """
    if isinstance(matrix, np.ndarray):
        starts, items, entries = list_entries(np.ascontiguousarray(matrix))
        return Listed(starts, items, entries, matrix.shape[1])
    return Listed(
        matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32, copy=False), matrix.data, matrix.shape[1]
    )


def transposed(rows: Listed) -> Listed:
    """The table with its arms as rows: for each arm the rows that list it, ascending.

    >>> transposed(Listed(np.array([0, 1, 3]), np.array([1, 0, 1], dtype=np.int32), None, 2)).items.tolist()
    [1, 0, 1]
    """
    order = np.argsort(rows.items, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows.items, minlength=rows.arms))])
    agents = np.repeat(np.arange(rows.rows, dtype=np.int32), np.diff(rows.starts))
    return Listed(starts, agents[order], None if rows.entries is None else rows.entries[order], rows.rows)


def merge_lists(rows: Listed, weights: np.ndarray | None = None) -> tuple[Listed, np.ndarray, np.ndarray]:
    """(distinct rows, totals (m,), member (N,)): how often each occurs, and which is whose; in the order of a hash of
    what is in them, so that nothing computed from them can depend on the order in which the agents were listed.

    >>> table = Listed(np.array([0, 1, 3, 4]), np.array([0, 0, 1, 0], dtype=np.int32), None, 2)
    >>> distinct, totals, member = merge_lists(table)
    >>> sorted(totals.tolist()), bool(member[0] == member[2])
    ([1, 2], True)
    """
    code = digests(rows.starts, rows.items, rows.entries)
    order = np.argsort(code, kind="stable")
    new = differ(rows.starts, rows.items, rows.entries, order)
    if (new[1:] & (code[order][1:] == code[order][:-1])).any():  # two different rows of one hash: sort what is in them
        order = np.array(sorted(range(rows.rows), key=lambda i: (code[i], *_content(rows, i))))
        new = differ(rows.starts, rows.items, rows.entries, order)
    member = np.empty(rows.rows, dtype=np.int64)
    member[order] = np.cumsum(new) - 1
    counted = np.ones(rows.rows, dtype=np.int64) if weights is None else weights
    totals = np.zeros(int(new.sum()), dtype=np.int64)
    np.add.at(totals, member, counted)
    return rows.take(order[new]), totals, member


def _content(rows: Listed, i: int) -> tuple[tuple[int, ...], tuple[float, ...]]:
    span = slice(rows.starts[i], rows.starts[i + 1])
    return tuple(rows.items[span].tolist()), () if rows.entries is None else tuple(rows.entries[span].tolist())
