"""A table of means that is mostly 0, as `scipy.sparse` holds it: taken as it is, row by row, and never made dense."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from isegoria.errors import InputError
from isegoria.instance.means import EXPECTED, refuse_value
from isegoria.rows.listed import Listed, listed
from isegoria.rows.lists import scan_lists
from isegoria.wording import counted


def as_rows(means: Any) -> Any:
    """`means` as a read-only `csr_array` of float64 in canonical form, with no zeros in it: a view of one that already
    is, else a copy."""
    from scipy.sparse import csr_array

    if means.ndim != 2:
        raise InputError(f"means has {means.ndim} dimension; {EXPECTED}.")
    if not all(means.shape):
        rows, columns = means.shape
        size = f"{counted(rows, 'row')} and {counted(columns, 'column')}"
        raise InputError(f"means has {size}; {EXPECTED}, and at least one of each.")
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
) -> tuple[float, Listed, np.ndarray]:
    """(smallest gap, favourites as lists, best (N,)), once every entry is in [0, 1]: see `Instance`."""
    rows = listed(table)
    bad, gap, starts, items, best = scan_lists(rows.starts, rows.items, table.data, rows.arms, tolerance)
    if bad >= 0:
        i = int(np.searchsorted(rows.starts, bad, side="right")) - 1
        refuse_value(table.data, float(table.data[bad]), i, int(rows.items[bad]), agents, arms)
    return gap, Listed(starts, items, None, rows.arms), best


def same_table(one: Any, other: Any) -> bool:
    """Whether two tables hold the same means, be they sparse or dense."""
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return np.array_equal(one, other)
    return one.shape == other.shape and abs(as_rows_of(one) - as_rows_of(other)).nnz == 0


def as_rows_of(table: Any) -> Any:
    """The table itself if it is sparse, else as a `csr_array`."""
    from scipy.sparse import csr_array

    return csr_array(table) if isinstance(table, np.ndarray) else table
