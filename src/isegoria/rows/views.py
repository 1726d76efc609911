"""Arrays as others may see them: not to be written to, without gaps, on all arms."""

from __future__ import annotations

from typing import Any

import numpy as np


def frozen(array: np.ndarray) -> np.ndarray:
    """`array` itself, to which nobody can write from now on.

    >>> frozen(np.zeros(2)).flags.writeable
    False
    """
    array.setflags(write=False)
    return array


def read_only(array: np.ndarray) -> np.ndarray:
    """A view of `array` that cannot be written to; whoever holds the array still can.

    >>> counts = np.zeros(2)
    >>> seen = read_only(counts)
    >>> counts[0] = 5
    >>> seen.tolist(), seen.flags.writeable
    ([5.0, 0.0], False)
    """
    return frozen(array.view())


def placed(values: Any, places: np.ndarray, count: int) -> np.ndarray:
    """(count,) zeros, but for the `values` at their `places`.

    >>> placed(0.5, np.array([0, 2]), 3).tolist()
    [0.5, 0.0, 0.5]
    """
    whole = np.zeros(count)
    whole[places] = values
    return whole


def dense(table: Any) -> np.ndarray:
    """A table as an array, also where it is a sparse one of SciPy.

    >>> dense(np.eye(2)).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    return table if isinstance(table, np.ndarray) else table.toarray()
