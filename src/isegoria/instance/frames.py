"""Data frames of any library, by their interface: columns with names, each of which NumPy can read.

| column | becomes |
|---|---|
| named "agent", or the first, if none is and it holds text | the agents' names |
| named "weight" | the weights |
| every other | an arm, named as the column; it must hold numbers, and "Weight" or "agents" is refused as a slip |

Without a column of names, the labels of an index (as pandas has) name the agents, unless they only count 0, 1, 2, ….
These are the rules of a wide CSV file too. `agents=`, `arms=` and `weights=` given beside a frame come first.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from isegoria.errors import InputError
from isegoria.instance.headings import misspelt_heading, normal_heading
from isegoria.instance.means import numbers

LONG = ["agent", "arm", "value"]
OFFERS = ("column_names", "columns", "__getitem__", "__arrow_c_stream__", "__dataframe__", "__array__")


class FrameParts(NamedTuple):
    """What a frame says: `means` (N, K), and names and weights where it has them."""

    means: np.ndarray
    agents: Sequence[str] | None
    arms: list[str]
    weights: np.ndarray | None


def is_frame(data: Any) -> bool:
    """Is `data` a data frame: named columns, or a stream of them, rather than an array or nested lists?"""
    offers = {name for name in OFFERS if hasattr(type(data), name)}  # of the type: asking a lazy frame would run it
    named = offers & {"column_names", "columns"} and "__getitem__" in offers
    return bool(named) or bool(offers & {"__arrow_c_stream__", "__dataframe__"} and "__array__" not in offers)


def read_frame(frame: Any) -> FrameParts:
    """The means, names and weights in a data frame."""
    names, columns = _columns(frame)
    if [name.lower() for name in names[:3]] == LONG and len(names) <= 4:
        raise InputError(
            "the frame has one row for each agent and arm (columns agent, arm, value); expected one row for each agent "
            "and one column for each arm. Pivot it on agent and arm first."
        )
    _refuse_repeated(names)
    named = _agent_column(names, columns)
    weighted = names.index("weight") if "weight" in names else None
    arms = [k for k in range(len(names)) if k not in (named, weighted)]
    for k in arms:
        if misspelt_heading(names[k]):
            raise InputError(misspelt_heading(names[k]))
    agents = _index_names(frame) if named is None else list(map(str, columns[named].tolist()))
    kept = [names[k] for k in arms]
    weights = None if weighted is None else columns[weighted]
    return FrameParts(_stacked(kept, [columns[k] for k in arms], agents), agents, kept, weights)


def _agent_column(names: list[str], columns: list[np.ndarray]) -> int | None:
    """The column of the agents' names: the one named `agent`, or the first, if it is meant so or holds text."""
    if "agent" in names:
        return names.index("agent")
    return 0 if names and (normal_heading(names[0]) == "agent" or _holds_text(columns[0])) else None


def _columns(frame: Any) -> tuple[list[str], list[np.ndarray]]:
    if hasattr(type(frame), "collect"):
        raise InputError(f"this {type(frame).__name__} is not computed yet; expected a frame in memory. Collect it.")
    if not any(hasattr(type(frame), name) for name in ("column_names", "columns")):
        frame = _through_arrow(frame)
    labels = list(frame.column_names if hasattr(frame, "column_names") else frame.columns)
    names = [str(label) for label in labels]
    if len(set(names)) < len(names):
        return names, []
    return names, [np.asarray(frame[label]) for label in labels]


def _through_arrow(frame: Any) -> Any:
    """A frame that only offers Arrow's interface, read by pyarrow if that is here."""
    try:
        arrow = import_module("pyarrow")
    except ImportError:
        raise InputError(
            f"this {type(frame).__name__} can only be read through Arrow, and pyarrow is not installed. "
            "Install pyarrow, or give a NumPy array with agents= and arms=."
        ) from None
    if hasattr(frame, "__arrow_c_stream__"):
        return arrow.table(frame)
    return import_module("pyarrow.interchange").from_dataframe(frame)


def _refuse_repeated(names: list[str]) -> None:
    for i, name in enumerate(names):
        if name in names[:i]:
            raise InputError(f"columns {names.index(name)} and {i} are both named {name!r}; rename one of them.")


def _holds_text(column: np.ndarray) -> bool:
    if column.dtype.kind in "biuf":
        return False
    return column.dtype.kind in "UT" or any(isinstance(value, str) for value in column[:100].tolist())


def _index_names(frame: Any) -> list[str] | None:
    """The labels of a pandas-like index, unless they only count the rows."""
    index = getattr(frame, "index", None)
    if index is None or callable(index):
        return None
    labels = np.asarray(index)
    counts = labels.dtype.kind in "iu" and np.array_equal(labels, np.arange(len(labels)))
    return None if counts else list(map(str, labels.tolist()))


def _stacked(names: list[str], columns: list[np.ndarray], agents: list[str] | None) -> np.ndarray:
    """(N, K) floats; a column of anything but numbers is read one by one and refused at its first bad value."""
    table = np.empty((len(columns[0]) if columns else 0, len(columns)))
    for k, column in enumerate(columns):
        if column.dtype.kind not in "biuf":
            padded = np.zeros((len(column), k + 1), dtype=object)  # so that the refusal names the right column
            padded[:, k] = column
            column = numbers(padded, agents or (), names)[:, k]
        table[:, k] = column
    return table
