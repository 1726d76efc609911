"""Sparse rows as lists of arms with their entries: merging, selection, and conversion from and to SciPy."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from isegoria.solvers.rows.csr_kernels import differ, digests, list_entries
from isegoria.utils.arrays import count_labels, repeat_values, sort_order

MAX_INT32_ENTRIES = 2**31 - 1
"""Up to this many entries, SciPy uses 32-bit indices."""


class CsrRows(NamedTuple):
    """Sparse table of K `arms`, row by row.

    Row i has the arms `items[starts[i]:starts[i+1]]`, ascending, and its `entries` at the same positions; without
    `entries` all are 1.
    """

    starts: np.ndarray
    items: np.ndarray
    entries: np.ndarray | None
    arms: int

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.starts) - 1

    def take(self, rows: np.ndarray) -> CsrRows:
        """Return the rows at these indices."""
        sizes = np.diff(self.starts)[rows]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        places = repeat_values(self.starts[rows] - starts[:-1], sizes) + np.arange(starts[-1])
        return CsrRows(starts, self.items[places], None if self.entries is None else self.entries[places], self.arms)

    def divided(self, best: np.ndarray) -> CsrRows:
        """Return the rows, each divided by its `best` (m,)."""
        entries = np.ones(len(self.items)) if self.entries is None else self.entries
        return self._replace(entries=entries / repeat_values(best, np.diff(self.starts)))

    def filled(self) -> CsrRows:
        """Return the lists with every arm in the rows that are empty."""
        empty = np.flatnonzero(np.diff(self.starts) == 0)
        if not len(empty):
            return self
        sizes = np.diff(self.starts)
        sizes[empty] = self.arms
        starts = np.concatenate([[0], np.cumsum(sizes)])
        items = np.insert(
            self.items, repeat_values(self.starts[empty], self.arms), np.tile(np.arange(self.arms), len(empty))
        )
        return CsrRows(starts, items.astype(np.int32), None, self.arms)

    def dense(self) -> np.ndarray:
        """Return (m, K) booleans that mark the listed arms; read-only."""
        table = np.zeros((self.rows, self.arms), dtype=bool)
        table[repeat_values(np.arange(self.rows), np.diff(self.starts)), self.items] = True
        table.setflags(write=False)
        return table

    def matrix(self, dtype: Any = float) -> Any:
        """Return the table as a `scipy.sparse.csr_array` of this dtype, read-only."""
        from scipy.sparse import csr_array

        entries = np.ones(len(self.items), dtype) if self.entries is None else self.entries.astype(dtype, copy=False)
        starts = self.starts if len(self.items) > MAX_INT32_ENTRIES else self.starts.astype(np.int32)
        made = csr_array((entries, self.items.astype(starts.dtype, copy=False), starts), shape=(self.rows, self.arms))
        for part in (made.data, made.indices, made.indptr):
            part.setflags(write=False)
        return made


def to_csr_rows(matrix: Any) -> CsrRows:
    """Convert a canonical `scipy.sparse` CSR table, or the nonzero entries of a dense one (N, K), to `CsrRows`.

    >>> to_csr_rows(np.array([[0.5, 0.0], [0.0, 1.0]])).items.tolist()
    [0, 1]
    """
    if isinstance(matrix, np.ndarray):
        starts, items, entries = list_entries(np.ascontiguousarray(matrix))
        return CsrRows(starts, items, entries, matrix.shape[1])
    return CsrRows(
        matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32, copy=False), matrix.data, matrix.shape[1]
    )


def transpose(rows: CsrRows) -> CsrRows:
    """Return the transposed table: for each arm the rows that list it, ascending.

    >>> transpose(CsrRows(np.array([0, 1, 3]), np.array([1, 0, 1], dtype=np.int32), None, 2)).items.tolist()
    [1, 0, 1]
    """
    order = np.argsort(rows.items, kind="stable")
    starts = np.concatenate([[0], np.cumsum(count_labels(rows.items, minlength=rows.arms))])
    agents = repeat_values(np.arange(rows.rows, dtype=np.int32), np.diff(rows.starts))
    return CsrRows(starts, agents[order], None if rows.entries is None else rows.entries[order], rows.rows)


def merge_csr_rows(rows: CsrRows, weights: np.ndarray | None = None) -> tuple[CsrRows, np.ndarray, np.ndarray]:
    """Merge equal rows; return (distinct rows, totals (m,), member (N,)).

    `totals` counts each distinct row by weight, and `member` is the distinct row of each agent. The rows are ordered by
    a hash of their content, so that results cannot depend on the order of the agents.

    >>> table = CsrRows(np.array([0, 1, 3, 4]), np.array([0, 0, 1, 0], dtype=np.int32), None, 2)
    >>> distinct, totals, member = merge_csr_rows(table)
    >>> sorted(totals.tolist()), bool(member[0] == member[2])
    ([1, 2], True)
    """
    code = digests(rows.starts, rows.items, rows.entries)
    order = sort_order(code)
    new = differ(rows.starts, rows.items, rows.entries, order)
    if (new[1:] & (code[order][1:] == code[order][:-1])).any():  # different rows with one hash: sort by content
        order = np.array(sorted(range(rows.rows), key=lambda i: (code[i], *_row_key(rows, i))), dtype=np.int64)
        new = differ(rows.starts, rows.items, rows.entries, order)
    member = np.empty(rows.rows, dtype=np.int64)
    member[order] = np.cumsum(new) - 1
    counted = np.ones(rows.rows, dtype=np.int64) if weights is None else weights
    totals = np.zeros(int(new.sum()), dtype=np.int64)
    np.add.at(totals, member, counted)
    return rows.take(order[new]), totals, member


def _row_key(rows: CsrRows, i: int) -> tuple[tuple[int, ...], tuple[float, ...]]:
    span = slice(rows.starts[i], rows.starts[i + 1])
    return tuple(rows.items[span].tolist()), () if rows.entries is None else tuple(rows.entries[span].tolist())
