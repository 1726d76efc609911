"""Validation of the means: numbers in [0, 1], one row per agent and one column per arm, or a helpful error."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from isegoria.errors import InputError
from isegoria.utils.formatting import describe_type, pluralise

EXPECTED_SHAPE_HINT = "expected a table with one row for each agent and one column for each arm"


def to_means_array(means: Any) -> np.ndarray:
    """Return `means` as a read-only C-contiguous float64 (N, K) array: a view if it already is one, else a copy."""
    means = fill_masked_array(means)
    table = means if type(means) is np.ndarray else _array_from_sequence(means)
    if table.ndim != 2:
        _raise_bad_shape(means, table)
    if not table.size:
        rows, columns = table.shape
        size = f"{pluralise(rows, 'row')} and {pluralise(columns, 'column')}"
        raise InputError(f"means has {size}; {EXPECTED_SHAPE_HINT}, and at least one of each.")
    if table.dtype.kind not in "biuf":
        table = parse_numbers(np.array(means, dtype=object))
    table = np.ascontiguousarray(table, dtype=np.float64)
    table = table.view() if table.flags.aligned else table.copy()
    table.setflags(write=False)
    return table


def fill_masked_array(array: Any) -> Any:
    """Convert a masked array to a plain one, with NaN where it is masked; return anything else as it is.

    `numpy.ma`, which is slow to import, is loaded only if the caller made a masked array.
    """
    masked = sys.modules.get("numpy.ma")
    if masked is None or not isinstance(array, masked.MaskedArray):
        return array
    return masked.filled(array if array.dtype.kind == "f" else array.astype(float), np.nan)


def parse_numbers(table: np.ndarray, rows: Sequence[str] = (), columns: Sequence[str] = ()) -> np.ndarray:
    """Convert a table of objects (fractions, decimals, None) to float64; raise `InputError` at the first text."""
    floats = np.empty(table.shape)
    for place, value in np.ndenumerate(table):
        try:
            if isinstance(value, str | bytes):
                raise TypeError
            floats[place] = np.nan if value is None else float(value)
        except (TypeError, ValueError, OverflowError):
            if _is_missing(value):
                floats[place] = np.nan
                continue
            where = f"means[{place[0]}, {place[1]}]" + _format_location(place, rows, columns)
            raise InputError(f"{where} is {value!r}; means must be numbers in [0, 1]. Give a number there.") from None
    return floats


def raise_bad_entry(table: np.ndarray, position: int, agents: Sequence[str], arms: Sequence[str]) -> None:
    """Raise `InputError` for the entry at a flat `position`, which is not a number in [0, 1]."""
    i, k = divmod(position, table.shape[1])
    raise_bad_value(table, float(table[i, k]), i, k, agents, arms)


def raise_bad_value(
    means: np.ndarray, value: float, i: int, k: int, agents: Sequence[str], arms: Sequence[str]
) -> None:
    """Raise `InputError` for the `value` of agent i and arm k, which is not in [0, 1]; `means` give the range."""
    where = f"means[{i}, {k}] (agent {agents[i]!r}, arm {arms[k]!r})"
    if np.isnan(value):
        way_out = "Fill in the missing value, or leave that agent or that arm out."
    elif np.isinf(value):
        way_out = "Replace it by a finite number."
    else:
        low, high = float(np.nanmin(means)), float(np.nanmax(means))
        way_out = "Rescale with (x - low) / (high - low)"
        way_out += f"; here low = {low:.6g} and high = {high:.6g}." if np.isfinite([low, high]).all() else "."
    raise InputError(f"{where} is {value!r}; means must lie in [0, 1]. {way_out}")


def _array_from_sequence(means: Any) -> np.ndarray:
    try:
        return np.asarray(means)
    except ValueError:
        _raise_ragged_rows(means)
        raise InputError(
            f"means is {describe_type(means)} that has no rows and columns; {EXPECTED_SHAPE_HINT}."
        ) from None


def _raise_ragged_rows(means: Any) -> None:
    """Raise `InputError` at the first row whose length differs from the first row's."""
    lengths = [len(row) if hasattr(row, "__len__") and not isinstance(row, str) else None for row in means]
    for i, length in enumerate(lengths):
        if length is None:
            raise InputError(
                f"means[{i}] is {means[i]!r}, which is not a row of numbers; {EXPECTED_SHAPE_HINT}."
            ) from None
        if length != lengths[0]:
            entries = "1 entry" if length == 1 else f"{length} entries"
            raise InputError(
                f"means[{i}] has {entries} where means[0] has {lengths[0]}; every row needs one mean for each "
                "arm. Fill in what is missing."
            ) from None


def _raise_bad_shape(means: Any, table: np.ndarray) -> None:
    if table.ndim == 1:
        hint = " For a single agent, put its row in a list of its own: [row]." if table.size else ""
        raise InputError(f"means has one dimension of {table.size} entries; {EXPECTED_SHAPE_HINT}.{hint}")
    if table.ndim == 0:
        hint = " Call its toarray() first." if hasattr(means, "toarray") else ""
        raise InputError(f"means is {describe_type(means)}; {EXPECTED_SHAPE_HINT}.{hint}")
    raise InputError(f"means has {table.ndim} dimensions, of shape {table.shape}; {EXPECTED_SHAPE_HINT}.")


def _format_location(place: tuple[int, ...], rows: Sequence[str], columns: Sequence[str]) -> str:
    parts = [f"agent {rows[place[0]]!r}"] if rows else []
    parts += [f"arm {columns[place[1]]!r}"] if columns else []
    return f" ({', '.join(parts)})" if parts else ""


def _is_missing(value: Any) -> bool:
    """Return whether this is a marker of a missing value, such as the NA of a data frame."""
    return not isinstance(value, str | bytes) and type(value).__name__ in {"NAType", "NaTType"}


def is_sparse(means: Any) -> bool:
    """Return whether this is a `scipy.sparse` matrix or array, without importing SciPy.

    >>> is_sparse([[1, 0]])
    False
    """
    return hasattr(means, "tocsr") and hasattr(means, "nnz")
