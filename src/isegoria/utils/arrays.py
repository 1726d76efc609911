"""Helpers for arrays: read-only views, scattering values, dense copies."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike


def freeze(array: np.ndarray) -> np.ndarray:
    """Make `array` read-only and return it.

    >>> freeze(np.zeros(2)).flags.writeable
    False
    """
    array.setflags(write=False)
    return array


def read_only_view(array: np.ndarray) -> np.ndarray:
    """Return a read-only view of `array`; the array itself stays writable.

    >>> counts = np.zeros(2)
    >>> seen = read_only_view(counts)
    >>> counts[0] = 5
    >>> seen.tolist(), seen.flags.writeable
    ([5.0, 0.0], False)
    """
    return freeze(array.view())


def scatter(values: Any, places: np.ndarray, count: int) -> np.ndarray:
    """Return (count,) zeros with `values` at the indices `places`.

    >>> scatter(0.5, np.array([0, 2]), 3).tolist()
    [0.5, 0.0, 0.5]
    """
    whole = np.zeros(count)
    whole[places] = values
    return whole


def to_dense(table: Any) -> np.ndarray:
    """Return a table as a dense array, converting a SciPy sparse one.

    >>> to_dense(np.eye(2)).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    return table if isinstance(table, np.ndarray) else table.toarray()


def count_labels(labels: ArrayLike, weights: ArrayLike | None = None, minlength: int = 0) -> np.ndarray:
    """Count how often each label occurs, or sum the weights of each, as int64 or float64 on every machine.

    NumPy's own function takes and gives integers of the size of a pointer, which are too short on 32-bit machines.

    >>> count_labels([0, 2, 2]), count_labels([0, 2], [0.5, 1.5])
    (array([1, 0, 2]), array([0.5, 0. , 1.5]))
    """
    found = np.bincount(np.asarray(labels).astype(np.intp, copy=False), weights, minlength)
    return found if weights is not None else found.astype(np.int64, copy=False)


def sort_order(values: ArrayLike) -> np.ndarray:
    """Return the stable order of values as int64 on every machine; NumPy's own is as short as a pointer.

    >>> sort_order([3, 1, 1]).tolist()
    [1, 2, 0]
    """
    return np.argsort(values, kind="stable").astype(np.int64, copy=False)


def repeat_values(values: ArrayLike, counts: ArrayLike, axis: int | None = None) -> np.ndarray:
    """Repeat each value as often as its count says; unlike NumPy's function, it takes int64 counts on every machine.

    >>> repeat_values([7, 8], np.array([1, 2])).tolist()
    [7, 8, 8]
    """
    return np.repeat(values, np.asarray(counts).astype(np.intp, copy=False), axis)
