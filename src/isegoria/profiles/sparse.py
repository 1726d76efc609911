"""Sparse means, as `scipy.sparse` tables: validated row by row and never made dense."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from isegoria.errors import InputError
from isegoria.profiles.means import EXPECTED_SHAPE_HINT, raise_bad_value
from isegoria.solvers.rows.csr_kernels import scan_lists
from isegoria.solvers.rows.csr_rows import CsrRows, to_csr_rows
from isegoria.utils.formatting import pluralise


def to_csr(means: Any) -> Any:
    """Return `means` as a read-only, canonical float64 `csr_array` without stored zeros.

    It is a view if `means` already is such an array, else a copy.
    """
    from scipy.sparse import csr_array

    if means.ndim != 2:
        raise InputError(f"means has {means.ndim} dimension; {EXPECTED_SHAPE_HINT}.")
    if not all(means.shape):
        rows, columns = means.shape
        size = f"{pluralise(rows, 'row')} and {pluralise(columns, 'column')}"
        raise InputError(f"means has {size}; {EXPECTED_SHAPE_HINT}, and at least one of each.")
    if means.dtype.kind not in "biuf":
        raise InputError(f"means holds {means.dtype}; means must be numbers in [0, 1].")
    table = csr_array(means, dtype=np.float64)
    if not table.has_canonical_format or (table.data == 0).any():
        table = table.copy()
        table.sum_duplicates()
        table.eliminate_zeros()
    table = csr_array((table.data.view(), table.indices.view(), table.indptr.view()), shape=table.shape)
    for part in (table.data, table.indices, table.indptr):
        part.setflags(write=False)
    return table


def scan_sparse(
    table: Any, tolerance: float, agents: Sequence[str], arms: Sequence[str]
) -> tuple[float, CsrRows, np.ndarray]:
    """Validate that every entry is in [0, 1]; return (smallest gap, favourites as lists, best (N,)): see `Instance`."""
    rows = to_csr_rows(table)
    bad, gap, starts, items, best = scan_lists(rows.starts, rows.items, table.data, rows.arms, tolerance)
    if bad >= 0:
        i = int(np.searchsorted(rows.starts, bad, side="right")) - 1
        raise_bad_value(table.data, float(table.data[bad]), i, int(rows.items[bad]), agents, arms)
    return gap, CsrRows(starts, items, None, rows.arms), best


def have_equal_means(one: Any, other: Any) -> bool:
    """Return whether two tables, sparse or dense, hold the same means."""
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return np.array_equal(one, other)
    return one.shape == other.shape and abs(as_csr(one) - as_csr(other)).nnz == 0


def as_csr(table: Any) -> Any:
    """Return the table itself if it is sparse, else as a `csr_array`."""
    from scipy.sparse import csr_array

    return csr_array(table) if isinstance(table, np.ndarray) else table
